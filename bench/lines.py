"""Measure many calls against SIPp: 25 speaking at once, and 100 in a row.

`.venv/bin/python -m bench.lines [AT_ONCE] [IN_A_ROW]`. For concurrent calls it prints how many had a gap of more than
60 ms in their speech that a single call does not have, and how late packets arrived. For consecutive calls it prints
the resources of the media worker before and after.
"""

import os
import re
import socket
import struct
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread

from bench.calls import settings
from tests.support.client import Client, data
from tests.support.model_server import ModelServer, running_model_server
from tests.support.server import Server
from tests.voice.sipp import Rtp, Sipp, receive, reply, sdp
from tests.voice.telephone import finish, reach, start_call, voice_is_ready, worker_pid

GREETING = (
    "Good morning, this is a call to tell you how the day goes on. The train to the north leaves at nine, and the one "
    "to the south half an hour later. Please have your ticket ready when you board, and keep your luggage with you. "
    "If you have a question, ask the people at the desk in the hall. They are there until ten in the evening."
)
FRAME_S, GAP_S = 0.02, 0.06
_SO_TIMESTAMPNS = 35
"""The kernel timestamps packets, because this program may be late itself."""

SILENCE = 0xFF
"""Zero in PCMU (G.711)."""


@dataclass
class Stream:
    """The packets from one port: arrival time and sound of each."""

    packets: list[tuple[float, bytes]] = field(default_factory=list)

    def gaps(self) -> list[float]:
        """Return the stretches of digital silence within speech longer than 60 ms, longest first, in seconds."""
        sound = b"".join(payload for _, payload in self.packets).strip(bytes([SILENCE]))
        runs = [len(run) / 8000 for run in re.findall(rb"\xff+", sound)]
        return sorted((run for run in runs if run > GAP_S), reverse=True)

    def lateness(self) -> float:
        """Return the longest time between two packets, in seconds."""
        moments = [moment for moment, _ in self.packets]
        return max((after - before for before, after in pairwise(moments)), default=0.0)


class Ears:
    """Receives all calls on one port, and sends faint room noise to each."""

    def __init__(self, rtp: Rtp) -> None:
        self.rtp, self.streams = rtp, defaultdict[int, Stream](Stream)
        self._done = Event()
        self._threads = [Thread(target=self._hear, daemon=True), Thread(target=self._send, daemon=True)]
        for thread in self._threads:
            thread.start()

    def take(self) -> list[Stream]:
        """Return and reset the streams received so far."""
        streams, self.streams = self.streams, defaultdict(Stream)
        return list(streams.values())

    def close(self) -> None:
        """Stop both threads."""
        self._done.set()
        for thread in self._threads:
            thread.join()

    def _hear(self) -> None:
        self.rtp.socket.settimeout(0.1)
        self.rtp.socket.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        while not self._done.is_set():
            try:
                packet, ((_, _, moment),), _, (_, port) = self.rtp.socket.recvmsg(2048, 64)
            except TimeoutError:
                continue
            seconds, nanoseconds = struct.unpack("qq", moment)
            self.streams[port].packets.append((seconds + nanoseconds / 1e9, packet[12:]))

    def _send(self) -> None:
        sequence, due = 0, time.monotonic()
        while not self._done.is_set():
            sequence += 1
            noise = bytes(0xFF - (octet & 0x81) for octet in os.urandom(160))
            head = struct.pack("!BBHII", 0x80, 0, sequence & 0xFFFF, sequence * 160, 0x5199)
            for port in list(self.streams):
                self.rtp.socket.sendto(head + noise, ("127.0.0.1", port))
            due = max(due + FRAME_S, time.monotonic() - FRAME_S)
            time.sleep(max(0.0, due - time.monotonic()))


def main(at_once: int, in_a_row: int) -> None:
    """Measure and print."""
    with running_model_server(ModelServer) as model, tempfile.TemporaryDirectory() as folder, Rtp() as rtp:
        server = Server(Path(folder), {**settings(model), "RETINUE_CALLS_PER_KEY": "100"}).start()
        take = [
            receive("INVITE"), reply("200 OK", body=sdp(rtp.port)), receive("ACK"), receive("BYE"), reply("200 OK"),
        ]  # fmt: skip
        ears = Ears(rtp)
        try:
            with Sipp(*take, calls=0) as sipp:
                voice_is_ready(server)
                client = Client(server, server.first_key)
                speak_at_once(client, sipp, ears, at_once)
                call_in_a_row(server, client, sipp, in_a_row)
        finally:
            ears.close()
            server.close()


def speak_at_once(client: Client, sipp: Sipp, ears: Ears, calls: int) -> None:
    """Measure one call alone, then many concurrent ones."""
    _speak(client, sipp, 1)
    (alone,) = ears.take()
    began = time.monotonic()
    load = os.getloadavg()[0]
    _speak(client, sipp, calls)
    streams = ears.take()
    expected = [*alone.gaps(), *[0.0] * 1000]
    worst = [
        max((gap - usual for gap, usual in zip(one.gaps(), expected, strict=False)), default=0.0) for one in streams
    ]
    bad = sum(gap > GAP_S for gap in worst)
    late = sorted(one.lateness() for one in streams)
    print(f"{len(streams)} calls at once in {time.monotonic() - began:.0f} s; load average before: {load:.1f}")
    print(f"gaps of a call alone: {[round(gap * 1000) for gap in alone.gaps()]} ms")
    print(f"calls with an underrun of more than 60 ms: {bad} of {len(streams)}; worst {max(worst) * 1000:.0f} ms")
    print(f"longest time between packets: median {late[len(late) // 2] * 1000:.0f} ms, worst {late[-1] * 1000:.0f} ms")


def _speak(client: Client, sipp: Sipp, calls: int) -> None:
    ids = [start_call(client, sipp.uri, greeting=GREETING) for _ in range(calls)]
    for call in ids:
        reach(client, call, "in_progress")
    for call in ids:
        while not data(client.get(f"/voice/calls/{call}"))["transcript"]:
            time.sleep(0.5)
        client.post(f"/voice/calls/{call}/hangup")


def call_in_a_row(server: Server, client: Client, sipp: Sipp, calls: int) -> None:
    """Make calls one after another; print the worker's resources after 10 calls and at the end."""
    for number in range(1, calls + 1):
        call = start_call(client, sipp.uri, greeting="Hello.")
        reach(client, call, "in_progress")
        client.post(f"/voice/calls/{call}/hangup")
        assert finish(client, call)["status"] == "completed"
        if number in {10, calls}:
            print(f"after {number} calls in a row: {hold(worker_pid(server))}")


def hold(pid: int) -> str:
    """Describe the memory, file descriptors, threads and UDP ports of a process."""
    process = Path(f"/proc/{pid}")
    files = list((process / "fd").iterdir())
    sockets = {link[8:-1] for file in files if (link := str(file.readlink())).startswith("socket:")}
    udp = sum(line.split()[9] in sockets for line in Path("/proc/net/udp").read_text().splitlines()[1:])
    status = (process / "status").read_text()
    found = {name: re.search(rf"^{name}:\s+(\d+)", status, re.M) for name in ("VmRSS", "Threads")}
    memory, threads = (int(match[1]) if match else 0 for match in found.values())
    return f"{memory / 1024:.1f} MB, {len(files)} file descriptors, {threads} threads, {udp} UDP ports"


if __name__ == "__main__":
    main(*(int(number) for number in (sys.argv[1:] + ["25", "100"][len(sys.argv) - 1 :])))
