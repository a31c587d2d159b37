"""Run the same durable work on DBOS: workflows of three steps, and workflows that post to a receiver in one step.

Runs in the environment of the compared servers, in a writable folder for its database. `python -m bench.dbos_work
runs|deliveries RECEIVER_URL [POSTGRES_URL]` prints JSON.
"""

import asyncio
import itertools
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
from dbos import DBOS, DBOSConfig

RUNS = 200
DELIVERIES = 400
_WARM_UP = 20
_AT_ONCE = {"runs": 32, "deliveries": 80}
"""Concurrent workflows, as many as Retinue runs concurrently."""

_EVENT = {"event": "agent.created", "data": {"agent_id": 1, "agent_name": "bench", "agent_role": "leader"}}
_sessions: list[aiohttp.ClientSession] = []


@DBOS.step()
async def convert(text: str) -> str:
    """A step that returns at once."""
    return text.upper()


@DBOS.workflow()
async def run(number: int) -> str:
    """Run three steps. Each is stored before the next one starts."""
    text = f"run {number}"
    for _ in range(3):
        text = await convert(text)
    return text


@DBOS.step(retries_allowed=True, interval_seconds=1.0, max_attempts=8)
async def post(url: str) -> int:
    """Send the event."""
    async with _sessions[0].post(url, json=_EVENT) as response:
        response.raise_for_status()
        return response.status


@DBOS.workflow()
async def deliver(url: str) -> int:
    """Send the event until it is delivered."""
    return await post(url)


async def measure(what: str, receiver: str) -> dict[str, float]:
    """Start the workflows, a limited number at a time, and wait for their results."""
    total, at_once = (RUNS if what == "runs" else DELIVERIES), _AT_ONCE[what]
    work: Callable[[int], Awaitable[Any]] = _run if what == "runs" else (lambda n: _deliver(f"{receiver}/{n % 8}"))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        _sessions.append(session)
        await _all(work, _WARM_UP, at_once)
        began, cpu = time.perf_counter(), time.process_time()
        await _all(work, total, at_once)
        took, cpu = time.perf_counter() - began, time.process_time() - cpu
    return {"per_s": round(total / took, 1), "cpu_ms": round(cpu / total * 1000, 3)}


async def _run(number: int) -> str:
    handle = await DBOS.start_workflow_async(run, number)
    return await handle.get_result()


async def _deliver(url: str) -> int:
    handle = await DBOS.start_workflow_async(deliver, url)
    return await handle.get_result()


async def _all(work: Callable[[int], Awaitable[Any]], number: int, at_once: int) -> None:
    numbers = itertools.count()

    async def some() -> None:
        while (mine := next(numbers)) < number:
            await work(mine)

    await asyncio.gather(*(some() for _ in range(at_once)))


def main(what: str, receiver: str, url: str) -> None:
    """Launch DBOS on the database and measure."""
    config: DBOSConfig = {
        "name": "bench",
        "system_database_url": url or "sqlite:///dbos.sqlite",
        "log_level": "WARNING",
        "run_admin_server": False,
    }
    DBOS(config=config)
    DBOS.launch()
    figures = asyncio.run(measure(what, receiver))
    DBOS.destroy()
    print(json.dumps(figures))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], "".join(sys.argv[3:]))
