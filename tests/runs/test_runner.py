"""Executing runs in one process: claims of the same run, and shutdown."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from retinue.core.database.interface import Database
from retinue.core.database.statements import Row
from retinue.core.runtime.data_dir import Home
from retinue.core.work.notifier import Notifier
from retinue.runs.execution.broadcast import Live
from retinue.runs.execution.runner import Runner
from retinue.runs.journal import Journal
from retinue.runs.run_journal import RunJournal
from retinue.runs.tables import runs
from tests.runs.test_fences import note_nothing
from tests.support.fenced import CURRENT, NUMBER, STALE, add_row, all_rows, taken_over

ONE_DATABASE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
PATIENCE_S = 10


class Hanging:
    """An agent loop whose model never replies."""

    def __init__(self) -> None:
        self.begun: asyncio.Queue[int] = asyncio.Queue()
        self.epochs: list[int] = []
        """The claims that are being executed."""

    async def drive(self, journal: RunJournal, say: Any) -> None:
        """Wait until cancelled."""
        epoch = journal.run.epoch
        self.begun.put_nowait(epoch)
        self.epochs.append(epoch)
        try:
            await asyncio.Event().wait()
        finally:
            self.epochs.remove(epoch)


def runner_of(database: Database, loop: Any) -> Runner:
    """Return a runner with this agent loop."""
    notifier = Notifier()
    return Runner(loop, Journal(database, notifier, note_nothing, set()), notifier)


async def begin(runner: Runner, loop: Hanging, row: Row) -> Live:
    """Begin a run, and return once the loop executes it."""
    live = runner.begin(row)
    async with asyncio.timeout(PATIENCE_S):
        assert await loop.begun.get() == row.epoch
    return live


async def read_run(database: Database) -> Row:
    """Return the only run."""
    (row,) = (await all_rows(database, runs))["runs"]
    return row


@ONE_DATABASE
async def test_a_new_claim_stops_the_older_task_of_the_run(database: Database, tmp_path: Path) -> None:
    given: dict[str, Any] = {"status": "running", "tools_used": []}
    await add_row(None, Home(tmp_path), runs, taken_over(runs, **given))
    loop = Hanging()
    runner, row = runner_of(database, loop), await read_run(database)
    first = await begin(runner, loop, row._replace(epoch=STALE))
    second = await begin(runner, loop, row)
    assert loop.epochs == [CURRENT]
    assert first.outcome == "lost"
    await runner.cancel(NUMBER)
    assert (second.outcome, loop.epochs, (await read_run(database)).status) == ("cancelled", [], "cancelled")
