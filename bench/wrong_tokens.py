"""Measure the effect of a flood of wrong tokens, 1,000 a second from one address, on callers with a valid key.

`.venv/bin/python -m bench.wrong_tokens [ROUNDS]`. Each round measures the same callers without and with the flood,
which is a separate process at another address of this machine. Needs a quiet machine, so the load is printed too. The
server's CPU time for each refusal, also printed, depends less on the load.
"""

import asyncio
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

import httpx
import psutil

from retinue.auth.keys.key_format import new_key
from tests.support.client import Client, data
from tests.support.server import Server

RATE = 1000
CONNECTIONS = 10
CALLERS = 4
SECONDS = 10.0
PAUSE_S = 0.02
"""Pause between two calls of a caller, so that the server is below its limit without the flood."""

_FLOOD_ADDRESS = "127.0.0.2"
_PATHS = ("/agents", "/agents/1", "/account", "/marketplace?per_page=5")


def main(rounds: int) -> int:
    """Measure and print. Returns 1 if the median p99 with the flood is more than twice that without it."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        server = Server(Path(folder), {"RETINUE_LOG_LEVEL": "warning"}).start()
        try:
            data(Client(server, server.first_key).post("/agents", {"agent_name": "a", "agent_role": "generalist"}), 201)
            pairs = [_measure_round(server) for _ in range(rounds)]
        finally:
            server.close()
    without, with_flood = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(f"median of p99: {without:.1f} ms without, {with_flood:.1f} ms with, {with_flood / without:.2f} times")
    return int(with_flood > 2 * without)


def _measure_round(server: Server) -> tuple[float, float]:
    asyncio.run(_call_for(server, 1.0))  # warm up connections and caches
    quiet = _cpu_s(server)
    without = asyncio.run(_call_for(server, SECONDS))
    quiet = (_cpu_s(server) - quiet) / len(without)  # for each call
    with _flood(server) as refused:
        began, cpu = time.monotonic(), _cpu_s(server)
        with_flood = asyncio.run(_call_for(server, SECONDS))
        rate = refused.value / (time.monotonic() - began)
        each = 1000 * (_cpu_s(server) - cpu - quiet * len(with_flood)) / max(1, refused.value)
    print(
        f"p99 {_p99(without):.1f} ms without, {_p99(with_flood):.1f} ms with {rate:.0f} refusals a second of "
        f"{each:.2f} CPU ms each; load {os.getloadavg()[0]:.1f}"
    )
    return _p99(without), _p99(with_flood)


def _cpu_s(server: Server) -> float:
    assert server.process
    times = psutil.Process(server.process.pid).cpu_times()
    return float(times.user + times.system)


def _p99(times: list[float]) -> float:
    """Return the 99th percentile in milliseconds."""
    return 1000 * statistics.quantiles(times, n=100)[-1]


async def _call_for(server: Server, seconds: float) -> list[float]:
    """Call with the valid key; return the seconds of each call."""
    end, times = time.monotonic() + seconds, []

    async def call(client: httpx.AsyncClient) -> None:
        number = 0
        while time.monotonic() < end:
            began = time.monotonic()
            answer = await client.get(f"/api/v1{_PATHS[number % len(_PATHS)]}")
            times.append(time.monotonic() - began)
            answer.raise_for_status()
            number += 1
            await asyncio.sleep(PAUSE_S)

    headers = {"Authorization": f"Bearer {server.first_key}"}
    async with httpx.AsyncClient(base_url=server.url, headers=headers, timeout=60) as client:
        await asyncio.gather(*(call(client) for _ in range(CALLERS)))
    return times


@contextmanager
def _flood(server: Server) -> Iterator["Synchronized[int]"]:
    """Send wrong tokens during the block; yield the number of refusals so far."""
    refused: Synchronized[int] = multiprocessing.Value("q", 0)
    port = int(server.url.rpartition(":")[2])
    process = multiprocessing.get_context("fork").Process(target=_send_wrong_tokens, args=(port, refused), daemon=True)
    process.start()
    try:
        yield refused
    finally:
        process.terminate()
        process.join()


def _send_wrong_tokens(port: int, refused: "Synchronized[int]") -> None:
    async def send() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(_FLOOD_ADDRESS, 0))
        due = time.monotonic()
        while True:
            writer.write(_request(str(new_key(False))))
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            await reader.readexactly(int(length.split(b":")[1]))
            if head.startswith((b"HTTP/1.1 401", b"HTTP/1.1 429")):
                refused.value += 1
            due += CONNECTIONS / RATE
            await asyncio.sleep(max(0.0, due - time.monotonic()))

    async def send_all() -> None:
        await asyncio.gather(*(send() for _ in range(CONNECTIONS)))

    asyncio.run(send_all())


def _request(token: str) -> bytes:
    return f"GET /api/v1/agents HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 3))
