"""Measure durable runs a second: background runs of three tool steps, from request to end.

The whole platform works as in the server, except that the sandbox's test model and the tools answer at once inside
the process. This measures the cost of durability: five transactions for each run, each on disk before the next. Runs
in the server's own environment; `python -m bench.journal [POSTGRES_URL]` prints JSON.
"""

import asyncio
import sys
import time
from typing import Any
from unittest.mock import patch

import orjson
import uvloop

from bench.inside import new_caller, platform_on
from retinue.agents.schemas import AgentCreate, ExecuteRequest
from retinue.agents.service import Agents
from retinue.agents.work import AgentWork
from retinue.core.runtime import log
from retinue.core.work.notifier import wait
from retinue.platform.platform import Platform
from retinue.tools.execution.pool import ToolPool

RUNS = 1500
_WARM_UP = 50
_CLIENTS = 16
_TOOL = "text_convert_case"
_LOOK_S = 1.0
_REQUEST = ExecuteRequest(message=f'[[tool:{_TOOL} {{"text": "a b", "style": "pascal"}}]]' * 3, background=True)


class InstantTools(ToolPool):
    """Answers every call at once."""

    async def execute(self, *_call: Any, **_options: Any) -> dict[str, Any]:
        """Return the same result for every call."""
        return {"result": "AB"}


async def measure(url: str) -> dict[str, float]:
    """Measure on PostgreSQL at `url`, or on SQLite if it is empty."""
    with patch("retinue.server.ToolPool", InstantTools):
        async with platform_on(url) as platform:
            work, agent = await _new_agent(platform)
            await _complete(work, agent, _WARM_UP)
            return await _measure(work, agent)


async def _new_agent(platform: Platform) -> tuple[AgentWork, int]:
    """Create an agent in the sandbox of a new user."""
    caller = await new_caller(platform)
    agent = await platform.services.of(Agents, caller).create(
        AgentCreate(agent_name="bench", agent_role="generalist", skills=[_TOOL])
    )
    return platform.services.of(AgentWork, caller), agent.id


async def _measure(work: AgentWork, agent: int) -> dict[str, float]:
    began, cpu = time.perf_counter(), time.process_time()
    await _complete(work, agent, RUNS)
    took, cpu = time.perf_counter() - began, time.process_time() - cpu
    return {"per_s": round(RUNS / took, 1), "cpu_ms": round(cpu / RUNS * 1000, 3)}


async def _complete(work: AgentWork, agent: int, number: int) -> None:
    """Request `number` runs from several clients, and wait until the last one ends."""
    waiting = iter(range(number))

    async def ask() -> None:
        for _ in waiting:
            await work.execute_in_background(agent, _REQUEST)

    await asyncio.gather(*(ask() for _ in range(_CLIENTS)))
    with work.notifier.waiting("runs") as ended:
        while (record := await work.agents.get(agent)).status == "working":
            await wait(ended, _LOOK_S)
    if record.status != "idle":
        raise RuntimeError("The last run failed.")


if __name__ == "__main__":
    log.configure("warning")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        figures = runner.run(measure("".join(sys.argv[1:])))
    sys.stdout.write(orjson.dumps(figures).decode())
