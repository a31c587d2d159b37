"""Generate load: workers that send one call after another, and measure latency and CPU time."""

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import aiohttp

from bench.model import FIRST_WORD
from bench.servers import Server
from bench.targets import Operation

_WARM_UP = 5
_FIRST = FIRST_WORD.encode()


@dataclass(frozen=True)
class Measured:
    """Results for one operation. Times are in ms; `cpu_ms` is for each call, of the server with its children."""

    calls: int
    per_s: float
    p50_ms: float
    p99_ms: float
    cpu_ms: float
    first_token_ms: float | None = None


@dataclass(frozen=True)
class _Timing:
    total_s: float
    first_token_s: float | None


async def measure(
    session: aiohttp.ClientSession, server: Server, operation: Operation, workers: int, seconds: float
) -> Measured:
    """Load one operation with `workers` for `seconds`. Any error response ends the measurement."""
    end = time.perf_counter() + seconds
    return await measure_while(session, server, operation, workers, lambda: time.perf_counter() < end)


async def measure_while(
    session: aiohttp.ClientSession, server: Server, operation: Operation, workers: int, going_on: Callable[[], bool]
) -> Measured:
    """Load one operation with `workers` while `going_on` returns True, after a few warm-up calls."""
    numbers = itertools.count()
    for number in itertools.islice(numbers, _WARM_UP):
        await _call(session, operation, number)
    cpu, began = server.cpu_s(), time.perf_counter()
    rounds = await asyncio.gather(*(_work(session, operation, numbers, going_on) for _ in range(workers)))
    took, cpu = time.perf_counter() - began, server.cpu_s() - cpu
    return _summary(list(itertools.chain(*rounds)), took, cpu)


async def _work(
    session: aiohttp.ClientSession, operation: Operation, numbers: Iterator[int], going_on: Callable[[], bool]
) -> list[_Timing]:
    timings = []
    while going_on():
        timings.append(await _call(session, operation, next(numbers)))
    return timings


async def _call(session: aiohttp.ClientSession, operation: Operation, number: int) -> _Timing:
    """Send one call and read its response. The first token of a stream arrives with the reply's first word."""
    call = operation(number)
    began = time.perf_counter()
    first: float | None = None
    async with session.request(call.method, call.path, **call.options) as response:
        streamed = response.content_type == "text/event-stream"
        read = b""
        async for part in response.content.iter_any():
            read += part
            if streamed and first is None and _FIRST in read:
                first = time.perf_counter() - began
        if response.status >= 300 or (streamed and first is None):
            raise RuntimeError(f"{call.method} {call.path}: {response.status} {read[:500]!r}")
    return _Timing(time.perf_counter() - began, first)


def _summary(timings: Sequence[_Timing], took_s: float, cpu_s: float) -> Measured:
    totals = [timing.total_s for timing in timings]
    firsts = [timing.first_token_s for timing in timings if timing.first_token_s is not None]
    return Measured(
        calls=len(timings),
        per_s=round(len(timings) / took_s, 1),
        p50_ms=_ms(_quantile(totals, 0.5)),
        p99_ms=_ms(_quantile(totals, 0.99)),
        cpu_ms=_ms(cpu_s / len(timings)),
        first_token_ms=_ms(_quantile(firsts, 0.5)) if firsts else None,
    )


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)


def _quantile(values: Sequence[float], share: float) -> float:
    """Return the value that `share` of the values do not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]
