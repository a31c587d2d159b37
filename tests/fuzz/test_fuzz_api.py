"""Thousands of odd requests at every entry point: no fault, no stall, no malformed error, consistent data afterwards.

`make fuzz` runs it for longer. Each fault is printed with a command that sends the request again.
"""

import os
import time
from collections.abc import Iterator
from itertools import count
from random import SystemRandom

import pytest

from tests.conftest import DATABASES, StartServer
from tests.fuzz.fuzzer import SETTINGS, Fault, Fuzzer
from tests.support.server import Server

REQUESTS = int(os.environ.get("RETINUE_FUZZ_REQUESTS", "1000"))
MINUTES = float(os.environ.get("RETINUE_FUZZ_MINUTES", "0"))
"""If set, the fuzzer runs for so long, with a new seed for each server."""
SEED = int(os.environ.get("RETINUE_FUZZ_SEED") or (SystemRandom().randrange(10**6) if MINUTES else 20261128))
_A_ROUND = 20_000
"""Requests to one server in a long run."""


def _rounds(seed: int) -> Iterator[tuple[int, int]]:
    """Yield the seed and the number of requests of each round."""
    if not MINUTES:
        yield seed, REQUESTS
        return
    end = time.monotonic() + MINUTES * 60
    for number in count():
        if time.monotonic() > end:
            return
        yield seed + number, _A_ROUND


def _run(server: Server, seed: int, requests: int) -> Fuzzer:
    print(f"\nseed {seed}: {requests} requests to {server.url}, log {server.log}")
    fuzzer = Fuzzer(server, seed)
    try:
        fuzzer.run(requests)
    finally:
        fuzzer.close()
    return fuzzer


def _report(faults: list[Fault]) -> str:
    """Show each kind of fault of each label once."""
    first = {(fault.kind, fault.label): fault for fault in reversed(faults)}
    shown = [f"--- {one.kind}, {one.label}\n{one.detail}\n{one.command}" for one in first.values()]
    return "\n\n".join([f"{len(faults)} faults", *shown])


@pytest.mark.slow
@pytest.mark.timeout(300 + 60 * MINUTES * 2)
@pytest.mark.parametrize("database", DATABASES)
def test_no_request_breaks_or_stalls_the_server(start_server: StartServer, database: str) -> None:
    for seed, requests in _rounds(SEED + 1_000_000 * DATABASES.index(database)):
        server = start_server(database, **SETTINGS)
        server.tolerated.append("")  # The fuzzer itself reads the log, and knows the request of each line.
        fuzzer = _run(server, seed, requests)
        assert server.process is not None
        assert server.process.poll() is None
        print(f"{fuzzer.total} responses {dict(fuzzer.statuses)}")
        assert not fuzzer.faults, _report(fuzzer.faults)
        assert server.ask("check") == []
        assert {200, 201, 400, 401, 403, 404, 405} <= fuzzer.statuses.keys()
        server.stop()
