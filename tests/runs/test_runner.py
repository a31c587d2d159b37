"""Executing runs in one process: claims of the same run, and shutdown."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from retinue.core.database.interface import Database, outcome
from retinue.core.database.statements import Row
from retinue.core.runtime.clock import now
from retinue.core.runtime.data_dir import DataDir
from retinue.core.work.notifier import Notifier
from retinue.runs import statements as sql
from retinue.runs.execution.broadcast import RunStream
from retinue.runs.execution.runner import Runner
from retinue.runs.execution.worker import RunWorker
from retinue.runs.journal import Journal
from retinue.runs.run_journal import RunJournal
from retinue.runs.tables import messages, runs
from tests.runs.test_fairness import queue
from tests.runs.test_fences import CALL, answer_of, claim, note_nothing
from tests.support.fenced import CURRENT, NUMBER, STALE, add_row, all_rows, taken_over

ONE_DATABASE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
PATIENCE_S = 120


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


def journal_of(database: Any) -> Journal:
    """Return the journals in this database."""
    return Journal(database, Notifier(), note_nothing, set())


def runner_of(database: Database, loop: Any) -> Runner:
    """Return a runner with this agent loop."""
    journal = journal_of(database)
    return Runner(loop, journal, journal.notifier)


async def begin(runner: Runner, loop: Hanging, row: Row) -> RunStream:
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
    await add_row(None, DataDir(tmp_path), runs, taken_over(runs, **given))
    loop = Hanging()
    runner, row = runner_of(database, loop), await read_run(database)
    first = await begin(runner, loop, row._replace(epoch=STALE))
    second = await begin(runner, loop, row)
    assert loop.epochs == [CURRENT]
    assert first.outcome == "lost"
    await runner.cancel(NUMBER)
    assert (second.outcome, loop.epochs, (await read_run(database)).status) == ("cancelled", [], "cancelled")


@ONE_DATABASE
async def test_a_run_that_another_node_cancelled_ends_as_cancelled(database: Database, tmp_path: Path) -> None:
    given: dict[str, Any] = {"status": "running", "tools_used": []}
    await add_row(None, DataDir(tmp_path), runs, taken_over(runs, **given))
    loop = Hanging()
    runner, row = runner_of(database, loop), await read_run(database)
    live = await begin(runner, loop, row)
    key = {"run": NUMBER, "account": row.account_id}
    assert await database.transact(lambda tx: tx.one(sql.CANCEL, **key, reason="Stopped on request.", moment=now()))
    await runner.drop(NUMBER)
    assert live.error is not None
    assert (live.outcome, live.error.code, live.error.status) == ("cancelled", "cancelled", 409)


@ONE_DATABASE
async def test_cancelling_all_ends_the_runs_of_this_process_and_none_that_takes_their_places(
    database: Database,
) -> None:
    at_once, loop = 4, Hanging()
    await queue(database, account=1, count=5 * at_once)
    runner = runner_of(database, loop)
    claiming = asyncio.create_task(RunWorker(database, Notifier(), runner, "node", at_once, at_once).run())
    async with asyncio.timeout(PATIENCE_S):
        for _ in range(at_once):
            await loop.begun.get()
        await runner.cancel_all(lambda run: run.account_id == 1)
    claiming.cancel()
    rows = (await all_rows(database, runs))["runs"]
    assert [row.status for row in rows].count("cancelled") == at_once
    await runner.shut_down(0)


class LateCommits:
    """A database whose transactions commit when `commit` is set, even if their callers are cancelled by then.

    `overlap` is True if a transaction began before the previous one had ended.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.asked, self.commit = asyncio.Event(), asyncio.Event()
        self.transaction: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.transaction.set_result(None)
        self.overlap = False

    async def transact(self, work: Any) -> Any:
        """Run the transaction once it may commit."""
        self.overlap |= not self.transaction.done()
        self.transaction = asyncio.ensure_future(self._late(work))
        return await outcome(self.transaction)

    async def _late(self, work: Any) -> Any:
        self.asked.set()
        await self.commit.wait()
        return await self._database.transact(work)


async def test_runs_that_are_claimed_during_shutdown_are_handed_back(database: Database) -> None:
    await queue(database, account=1, count=1)
    runner, late = runner_of(database, Hanging()), LateCommits(database)
    given: Any = late
    worker = RunWorker(given, Notifier(), runner, "node", 4, 4)
    claiming = asyncio.create_task(worker.run())
    await late.asked.wait()
    claiming.cancel()
    late.commit.set()
    await asyncio.wait([claiming, late.transaction])
    assert (await read_run(database)).epoch == 1, "the run was not claimed"
    await runner.shut_down(0)
    run = await read_run(database)
    assert (run.epoch, run.attempts, run.lease_owner, run.lease_until) == (2, 0, None, 0.0)


ENDS: Mapping[str, Callable[[RunJournal], Awaitable[object]]] = {
    "cancelled": lambda journal: journal.finish("cancelled", "Stopped on request."),
    "running": lambda journal: journal.release(),
}
"""Writes of a run's end, by the status of the run after them."""


@pytest.mark.parametrize("status", ENDS)
async def test_a_run_ends_after_the_step_that_is_being_written(
    database: Database, database_url: str | None, tmp_path: Path, status: str
) -> None:
    given: dict[str, Any] = {"status": "running", "tools_used": []}
    await add_row(database_url, DataDir(tmp_path), runs, taken_over(runs, **given))
    late = LateCommits(database)
    run = claim(journal_of(late), CURRENT)
    run.defer_step(answer_of(7, CALL))
    saving = asyncio.create_task(run.save())
    await late.asked.wait()
    saving.cancel()
    await asyncio.wait([saving])
    loop = asyncio.get_running_loop()
    # After two turns of the loop, a write that did not wait is due as well, and SQLite commits both in one group.
    loop.call_soon(loop.call_soon, late.commit.set)
    await ENDS[status](run)
    assert not late.overlap
    found = await all_rows(database, runs, messages)
    assert [(row.status, row.tokens_used, row.lease_owner) for row in found["runs"]] == [(status, 7, None)]
    assert [(row.role, row.content, row.seq) for row in found["messages"]] == [("assistant", "So far", 2)]
