"""Durable runs a second: background runs of three tool steps through the real worker, loop, journal and database.

Model and tools answer at once and inside the process, so what is measured is what durability costs. Runs in the
server's own environment: `.venv/bin/python -m bench.journal [POSTGRES_URL]` prints the figures as JSON.
"""

import asyncio
import contextlib
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import sqlalchemy as sa
import uvloop

from retinue.auth.plans import Plans
from retinue.auth.service import Users
from retinue.chat.service import note_messages
from retinue.core.database import Database
from retinue.core.home import Home
from retinue.core.statements import Statement
from retinue.core.wakeups import Wakeups
from retinue.models.base import Model
from retinue.models.scripted import ScriptedModel
from retinue.runs.dispatch import Dispatch, NewRun
from retinue.runs.journal import Journal
from retinue.runs.loop import Loop
from retinue.runs.offers import Offers
from retinue.runs.options import RunOptions
from retinue.runs.runner import Runner
from retinue.runs.tables import runs
from retinue.runs.worker import Worker
from retinue.storage import open_database
from retinue.tools.base import Tool
from retinue.tools.catalogue import Catalogue

RUNS = 1500
_CLIENTS = 16
_AT_ONCE = 32
_TOOL = "text_convert_case"
_MESSAGE = f"[[tool:{_TOOL} {{}}]]" * 3
_COMPLETED = Statement(sa.select(sa.func.count().label("runs")).where(runs.c.status == "completed"))


class InstantTools:
    """Answers every call at once."""

    async def execute(self, tool: Tool, args: Mapping[str, Any]) -> dict[str, Any]:
        """The same result for every call."""
        return {"result": tool.name}


class InstantModels:
    """The test model under every name."""

    def __init__(self) -> None:
        self._model = ScriptedModel()

    def pick(self, name: str, sandbox: bool) -> Model:
        """The test model."""
        return self._model


async def main(url: str | None) -> dict[str, float]:
    """Measure on PostgreSQL at `url`, else on SQLite."""
    with tempfile.TemporaryDirectory(prefix="bench-journal-") as folder:
        home = Home(Path(folder))
        home.create()
        database = await open_database(url, home)
        try:
            new = await _new_run(database)
            async with _working(database, home.node) as dispatch:
                await _complete(database, dispatch, new, 50)
                return await _measure(database, dispatch, new)
        finally:
            await database.close()


async def _new_run(database: Database) -> NewRun:
    """A run of an account of its own."""
    users = Users(database, Plans.load(None))
    email = f"{time.time_ns()}@example.com"
    await users.create(email, "enterprise")
    account = sa.text("SELECT max(id) AS id FROM accounts").columns(sa.column("id", sa.Integer))
    (row,) = await database.query(Statement(account))
    options = RunOptions(tools=[_TOOL], may_execute=True, tier="enterprise", sandbox=True)
    return NewRun(account_id=row.id, message=_MESSAGE, model="alfred-default", options=options)


@contextlib.asynccontextmanager
async def _working(database: Database, node: str) -> AsyncIterator[Dispatch]:
    """A worker at work, and what gives it runs."""
    wakeups = Wakeups()
    journal = Journal(database, wakeups, note_messages)
    loop = Loop(journal, InstantModels(), Offers(Catalogue.load()), InstantTools())
    runner = Runner(loop, journal, wakeups)
    worker = Worker(database, wakeups, runner, node, _AT_ONCE)
    working = asyncio.create_task(worker.run())
    try:
        yield Dispatch(journal, runner, wakeups, node)
    finally:
        working.cancel()
        await asyncio.wait([working])


async def _measure(database: Database, dispatch: Dispatch, new: NewRun) -> dict[str, float]:
    began, cpu = time.perf_counter(), time.process_time()
    await _complete(database, dispatch, new, RUNS)
    took, cpu = time.perf_counter() - began, time.process_time() - cpu
    return {"per_s": round(RUNS / took, 1), "cpu_ms": round(cpu / RUNS * 1000, 3)}


async def _complete(database: Database, dispatch: Dispatch, new: NewRun, number: int) -> None:
    """Ask for so many runs as several clients would, and wait until the last has ended."""
    (before,) = await database.query(_COMPLETED)
    waiting = iter(range(number))

    async def ask() -> None:
        for _ in waiting:
            await database.transact(lambda tx: dispatch.background(tx, new))

    await asyncio.gather(*(ask() for _ in range(_CLIENTS)))
    while (await database.query(_COMPLETED))[0].runs < before.runs + number:
        await asyncio.sleep(0.01)


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        figures = runner.run(main(sys.argv[1] if len(sys.argv) > 1 else None))
    sys.stdout.write(orjson.dumps(figures).decode())
