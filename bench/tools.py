"""Measure the cost of tools: loading the catalogue, a search, the start of a worker, and a warm call.

Runs in the server's own environment, which also has the checks' dependencies; `python -m bench.tools` prints JSON.
The catalogue's memory is the growth of the process by loading it, after the whole server is imported.
"""

import asyncio
import gc
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

import orjson
import psutil
import uvloop

import retinue.server  # noqa: F401 - its memory is not the catalogue's
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.execution.environment import ToolEnvironment
from retinue.tools.execution.pool import ToolPool
from retinue.tools.execution.worker_group import PoolLimits

_TOOL, _ARGS = "text_convert_case", {"text": "XML HTTP request", "style": "pascal"}
"""A light tool that takes a few microseconds itself, so that the call measures the pool's overhead."""

_CALLS, _STARTS = 1000, 5
_COMPILE = "from retinue.tools.catalogue.catalogue import Catalogue; Catalogue.load()"
_QUESTIONS = Path(__file__).with_name("questions") / "test" / "requests.tsv"

Figures = dict[str, float]


def measure() -> Figures:
    """Return all figures: milliseconds, CPU milliseconds, MB."""
    # In another process: memory freed by a first load would hide the memory of the second.
    subprocess.run([sys.executable, "-c", _COMPILE], check=True)
    figures, catalogue = _load()
    figures["search.p50_ms"] = _search(catalogue)
    with tempfile.TemporaryDirectory(prefix="bench-tools-") as folder:
        tool = catalogue.get(_TOOL)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return figures | runner.run(_cold(tool, Path(folder))) | runner.run(_warm(tool, Path(folder)))


def _load() -> tuple[Figures, Catalogue]:
    """Load the catalogue as the server does at startup."""
    gc.collect()
    memory, cpu = psutil.Process().memory_info().rss, time.process_time()
    catalogue = Catalogue.load()
    cpu = time.process_time() - cpu
    gc.collect()
    memory = psutil.Process().memory_info().rss - memory
    return {"catalogue.cpu_ms": cpu * 1000, "catalogue.mb": memory / 1e6}, catalogue


def _search(catalogue: Catalogue) -> float:
    """Return the median milliseconds to score all tools for a question."""
    times = []
    for line in _QUESTIONS.read_text().splitlines():
        began = time.perf_counter()
        catalogue.scores(line.split("\t")[1])
        times.append(time.perf_counter() - began)
    return median(times) * 1000


async def _cold(tool: Tool, scratch: Path) -> Figures:
    """Measure the milliseconds from opening a pool to the result of its first call."""
    times = []
    for _ in range(_STARTS):
        began = time.perf_counter()
        async with _pool(scratch) as pool:
            await pool.execute(tool, _ARGS)
            times.append(time.perf_counter() - began)
    return {"cold.p50_ms": median(times) * 1000}


async def _warm(tool: Tool, scratch: Path) -> Figures:
    """Measure consecutive calls. CPU time covers the pool and its worker."""
    times = []
    async with _pool(scratch) as pool:
        await pool.execute(tool, _ARGS)
        cpu = _cpu_s()
        for _ in range(_CALLS):
            began = time.perf_counter()
            await pool.execute(tool, _ARGS)
            times.append(time.perf_counter() - began)
        cpu = _cpu_s() - cpu
    return {"warm.p50_ms": median(times) * 1000, "warm.cpu_ms": cpu / _CALLS * 1000}


@asynccontextmanager
async def _pool(scratch: Path) -> AsyncIterator[ToolPool]:
    """Open a pool of one worker, with the Python that the server would use."""
    libraries = ToolEnvironment.beside(scratch)
    python = str(libraries.python) if libraries.ready else sys.executable
    pool = ToolPool(1, python=python, scratch=scratch / "pool", limits=PoolLimits(recycle_calls=_CALLS * 2))
    await pool.start()
    try:
        yield pool
    finally:
        await pool.stop()


def _cpu_s() -> float:
    """Return the CPU seconds of this process and its descendants."""
    this = psutil.Process()
    times = [process.cpu_times() for process in (this, *this.children(recursive=True))]
    return sum(one.user + one.system for one in times)


if __name__ == "__main__":
    measured = {name: round(value, 3) for name, value in measure().items()}
    sys.stdout.write(orjson.dumps(measured).decode())
