"""Monitor a running sandbox: how much memory its processes use and how much they have written."""

import asyncio
import resource
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

from retinue.core.runtime.executors import run_on_disk_thread
from retinue.sandbox.folders import TooDeep, TooMany, disk_size
from retinue.sandbox.limits import MIB, ResourceLimits

_POLL_S = 0.1
_SHARE = 5
"""The pause between two measurements is at least this many times the duration of one."""

_PAGE = resource.getpagesize()

Excess = Literal["memory", "disk"]


async def check_exceeded(first: int, folder: Path, limits: ResourceLimits) -> Excess:
    """Wait until the sandbox whose process 1 has the id `first` exceeds a limit. Returns the limit exceeded."""
    pause = _POLL_S
    while True:
        await asyncio.sleep(pause)
        began = time.monotonic()
        if excess := await run_on_disk_thread(_excess, first, folder, limits):
            return excess
        pause = max(_POLL_S, _SHARE * (time.monotonic() - began))


def _excess(first: int, folder: Path, limits: ResourceLimits) -> Excess | None:
    used = written = 0
    for process in _family(first):
        with suppress(OSError, ValueError, IndexError):
            used += int((process / "statm").read_bytes().split()[1]) * _PAGE
            written += _written_bytes(process)
    if used > limits.memory_mb * MIB:
        return "memory"
    try:
        return "disk" if max(written, disk_size(str(folder), limits.files)) > limits.disk_mb * MIB else None
    except (TooDeep, TooMany, PermissionError):  # the program may close its folders as fast as they are opened
        return "disk"


def _family(first: int) -> Iterator[Path]:
    """Yield the folders in /proc of a process and its descendants; orphans become children of the sandbox's process
    1.
    """
    waiting = [first]
    while waiting:
        process = Path(f"/proc/{waiting.pop()}")
        yield process
        with suppress(OSError):
            for task in (process / "task").iterdir():
                waiting += map(int, (task / "children").read_text().split())


def _written_bytes(process: Path) -> int:
    """Bytes that a process and its finished children sent to the disk (proc(5), io)."""
    for line in (process / "io").read_text().splitlines():
        if line.startswith("write_bytes:"):
            return int(line.split()[1])
    return 0
