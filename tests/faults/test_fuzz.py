"""Invalid bytes on the socket: the server keeps running and serving others, and its memory does not grow."""

import os
import random
import re
import socket
import threading
import time
from collections import Counter
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

import psutil
import pytest

from tests.conftest import StartServer
from tests.faults.nonsense import KINDS
from tests.support.client import Client, data
from tests.support.server import Server

SECONDS = float(os.environ.get("RETINUE_TEST_FUZZ_S", "10"))
_WRITERS = 4
_SLOW_CONNECTIONS = 20
_ANSWER = re.compile(rb"HTTP/1\.[01] (\d{3})")
_MEGABYTE = 1 << 20
_GROWTH_MB = 40


def connect(server: Server) -> socket.socket:
    """Open a plain connection."""
    address = urlsplit(server.url)
    connection = socket.create_connection((address.hostname or "", address.port or 0), timeout=120)
    connection.settimeout(0.3)
    return connection


def describe(connection: socket.socket) -> bytes:
    """Return what the server sends until it pauses or closes."""
    received = b""
    try:
        while part := connection.recv(65_536):
            received += part
            if len(received) > _MEGABYTE:
                break
    except OSError:
        pass
    return received


class Fuzzer(threading.Thread):
    """Sends invalid bytes until stopped, and counts the responses by status."""

    def __init__(self, server: Server, key: str, seed: int, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self._server = server
        self._headers = b"Host: localhost\r\nAuthorization: Bearer " + key.encode() + b"\r\n"
        self._chance = random.Random(seed)
        self._halt = stop
        self.sent: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()

    def run(self) -> None:
        """Make one connection after the other."""
        while not self._halt.is_set():
            make = self._chance.choice(KINDS)
            self.sent[make.__name__] += 1
            with connect(self._server) as connection:
                try:
                    for piece in make(self._chance, self._headers):
                        connection.sendall(piece)
                    connection.shutdown(socket.SHUT_WR)
                except OSError:
                    pass  # The server refused and closed already. Its response can still be read.
                self.statuses.update(int(status) for status in _ANSWER.findall(describe(connection)))


def dribble(server: Server, stack: ExitStack) -> list[socket.socket]:
    """Open connections that never complete their request."""
    slow = [stack.enter_context(connect(server)) for _ in range(_SLOW_CONNECTIONS)]
    for connection in slow:
        connection.sendall(b"POST /api/v1/agents HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    return slow


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_nonsense_on_the_socket_disturbs_nobody(start_server: StartServer) -> None:
    server = start_server()
    key = server.new_key(server.new_user(), test=True)
    client = Client(server, key)
    assert server.process is not None
    process = psutil.Process(server.process.pid)
    stop, memory, slowest = threading.Event(), [], 0.0
    fuzzers = [Fuzzer(server, key, seed, stop) for seed in range(_WRITERS)]
    with ExitStack() as stack:
        slow = dribble(server, stack)
        for fuzzer in fuzzers:
            fuzzer.start()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            began = time.monotonic()
            data(client.get("/agents"))
            slowest = max(slowest, time.monotonic() - began)
            memory.append(process.memory_info().rss / _MEGABYTE)
            for connection in slow:
                with suppress(OSError):  # The server may close connections that take too long.
                    connection.sendall(b"a")
        stop.set()
        for fuzzer in fuzzers:
            fuzzer.join(120)
    statuses = sum((fuzzer.statuses for fuzzer in fuzzers), Counter[int]())
    sent = sum((fuzzer.sent for fuzzer in fuzzers), Counter[str]())
    early, late = max(memory[: len(memory) // 3]), max(memory[-len(memory) // 3 :])
    print(f"\n{sent.total()} invalid connections, responses {dict(statuses)}")
    print(f"slowest ordinary response {slowest * 1000:.0f} ms, memory {early:.0f} then {late:.0f} MB")
    assert server.process.poll() is None
    assert {status for status in statuses if status >= 500} <= {501, 505}
    assert sent.keys() == {make.__name__ for make in KINDS}
    assert late - early < _GROWTH_MB
    assert slowest < 5
