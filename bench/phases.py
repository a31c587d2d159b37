"""Measure one server in one round: its starts, every operation under load, and its memory before and after."""

import asyncio
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import aiohttp

from bench.figures import Figures
from bench.load import measure
from bench.servers import Server
from bench.targets import Target

PHASES = (
    ("create", "create", 16),
    ("list", "list", 16),
    ("get", "get", 16),
    ("execute", "execute", 16),
    ("stream 1", "stream", 1),
    ("stream 50", "stream", 50),
    ("tool", "tool", 1),
)
"""The measured phases: name, operation and number of workers."""

_SETTLE_S = 1.5
"""Seconds between a start and reading the memory, so that background work has ended."""


def measure_target(target: Target, folder: Path, seconds: float) -> Figures:
    """Start the server twice, because the first start creates the database, and measure the second."""
    first = target.start(folder)
    first.stop()
    server = target.start(folder)
    try:
        figures = {"first start.cpu_s": first.start_up.cpu_s, **_name_of("start", asdict(server.start_up))}
        time.sleep(_SETTLE_S)
        figures["memory idle.mb"] = server.memory_mb()
        figures |= asyncio.run(measure_phases(target, server, seconds))
        figures["memory after.mb"] = server.memory_mb()
    finally:
        server.stop()
    return figures


async def measure_phases(target: Target, server: Server, seconds: float) -> Figures:
    """Load every operation that the server supports."""
    figures: Figures = {}
    timeout = aiohttp.ClientTimeout(total=120)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(
        server.url, connector=connector, timeout=timeout, headers=target.headers
    ) as session:
        await target.prepare(session)
        for name, operation, workers in PHASES:
            if operation in target.operations:
                measured = await measure(session, server, target.operations[operation], workers, seconds)
                figures |= _name_of(name, asdict(measured))
    return figures


def _name_of(name: str, values: dict[str, Any]) -> Figures:
    return {f"{name}.{key}": value for key, value in values.items() if value is not None}
