"""Measure ten concurrent deployments of a fleet of fifty agents, and their effect on other callers.

The agents run in the sandbox, whose test model answers at once. A few other callers read and write agents one call
after another: first on an idle server, then during the deployments.
"""

import asyncio
import tempfile
import time
from pathlib import Path
from typing import Any

import aiohttp

from bench.figures import Figures
from bench.load import Measured, measure, measure_while
from bench.servers import Server
from bench.targets import Call, Operation, Retinue

AGENTS = 50
DEPLOYMENTS = 10
PARTS = DEPLOYMENTS * (AGENTS + 1)
CALLERS = 4
_IDLE_S = 5.0
_LOOK_S = 0.1
_MIXED = ("get", "list", "create")


def measure_crowd(command: str) -> Figures:
    """Measure on a server of its own, with SQLite."""
    target = Retinue.with_model_at("http://127.0.0.1:9/v1", "info", command)  # only the sandbox's model is called
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        server = target.start(Path(folder))
        try:
            return asyncio.run(_measure(target, server))
        finally:
            server.stop()


async def _measure(target: Retinue, server: Server) -> Figures:
    async with _session(server, target.headers) as others, _session(server, target.new_key("--test")) as owner:
        await target.prepare(others)
        fleet = await _new_fleet(owner)
        operation = _mixture(target.operations)
        idle = await measure(others, server, operation, CALLERS, _IDLE_S)
        began = time.perf_counter()
        deployed = asyncio.create_task(_deploy(owner, fleet))
        busy = await measure_while(others, server, operation, CALLERS, lambda: not deployed.done())
        await deployed
    return _summary(idle, busy, time.perf_counter() - began, server.peak_memory_mb())


def _summary(idle: Measured, busy: Measured, seconds: float, memory_mb: float) -> Figures:
    return {
        "seconds": round(seconds, 2),
        "parts_per_s": round(PARTS / seconds, 1),
        "memory_mb": round(memory_mb, 1),
        "idle_p99_ms": idle.p99_ms,
        "busy_p50_ms": busy.p50_ms,
        "busy_p99_ms": busy.p99_ms,
        "times": round(busy.p99_ms / idle.p99_ms, 2),
    }


def _session(server: Server, headers: dict[str, str]) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(server.url, headers=headers, timeout=aiohttp.ClientTimeout(total=120))


def _mixture(operations: dict[str, Operation]) -> Operation:
    def call(number: int) -> Call:
        return operations[_MIXED[number % len(_MIXED)]](number)

    return call


async def _new_fleet(owner: aiohttp.ClientSession) -> str:
    """Create a fleet whose first agent leads; return its path."""
    fleet = await _send(owner, "/api/v1/fleets", {"name": "crowd", "max_agents": AGENTS})
    for number in range(AGENTS):
        role = "specialist" if number else "leader"
        body = {"agent_name": f"agent {number}", "agent_role": role, "fleet_id": fleet["id"]}
        await _send(owner, "/api/v1/agents", body)
    return f"/api/v1/fleets/{fleet['id']}"


async def _deploy(owner: aiohttp.ClientSession, fleet: str) -> None:
    """Deploy the fleet `DEPLOYMENTS` times concurrently, and wait until all deployments end."""
    order = {"task": "[[words:20]]", "strategy": "parallel"}
    await asyncio.gather(*(_send(owner, f"{fleet}/deploy", order) for _ in range(DEPLOYMENTS)))
    while True:
        record = await _send(owner, fleet)
        if record["status"] == "active":
            break
        await asyncio.sleep(_LOOK_S)
    if record["tasks_completed"] != PARTS:
        raise RuntimeError(f"{record['tasks_completed']} of {PARTS} parts were completed.")


async def _send(owner: aiohttp.ClientSession, path: str, body: Any = None) -> Any:
    async with owner.request("GET" if body is None else "POST", path, json=body) as response:
        answer = await response.json()
        if response.status >= 300:
            raise RuntimeError(f"{path}: {answer}")
        return answer["data"]
