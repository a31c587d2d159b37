#!/usr/bin/env python3
"""Answers as `piper_process.py` does at any speed, with a second of a constant, and ends at the word "Die."."""

import json
import struct
import sys

RATE = 22_050


def main() -> None:
    write(struct.pack("<I", RATE))
    for line in sys.stdin:
        text, _speed = json.loads(line)
        if text == "Die.":
            sys.exit(1)
        if text == "Fail.":
            write(struct.pack("<I", 0xFFFF_FFFF))
        else:
            block = struct.pack("<h", 1000) * (RATE // 2)
            write((struct.pack("<I", len(block)) + block) * 2 + struct.pack("<I", 0))


def write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


main()
