"""A process that lost its run to another cannot write to it while the other is still working."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.core.runtime.data_dir import DataDir
from retinue.core.work.events import events
from retinue.core.work.leases import LeaseLost
from retinue.core.work.notifier import Notifier
from retinue.models.base import ToolCall, Usage
from retinue.runs.approvals.suspension import RunPaused, Suspension
from retinue.runs.journal import Journal
from retinue.runs.model_answer import ModelAnswer
from retinue.runs.run_journal import RunJournal, ToolOutcome
from retinue.runs.run_options import Run, RunOptions
from retinue.runs.tables import approvals, messages, runs
from tests.support.fenced import CURRENT, NUMBER, STALE, add_row, all_rows, taken_over

TABLES = (runs, messages, approvals, events)
CALL = ToolCall("call", "note_create", '{"title": "a"}')
DONE = ToolOutcome({"id": 1}, True, now())


def answer_of(tokens: int, *calls: ToolCall) -> ModelAnswer:
    """Return a model's answer with some text and these calls."""
    return ModelAnswer(now(), "m", "So far", list(calls), usage=Usage(tokens, 0))


async def _save_step(journal: RunJournal, pauses: Suspension) -> None:
    journal.defer_step(answer_of(7, CALL))
    await journal.save()


WRITES: Mapping[str, Callable[[RunJournal, Suspension], Awaitable[Any]]] = {
    "a model's step": _save_step,
    "a tool's start": lambda journal, pauses: journal.tool_started(CALL, 2),
    "a tool's result": lambda journal, pauses: journal.tool_ended(CALL, DONE, 2, recorded=False),
    "the result of a tool that was noted": lambda journal, pauses: journal.tool_ended(CALL, DONE, 1, recorded=True),
    "a summary": lambda journal, pauses: journal.compact(answer_of(7), 0),
    "what was said so far": lambda journal, pauses: journal.keep(),
    "the start of a run that waited": lambda journal, pauses: journal.start_queued(),
    "handing back": lambda journal, pauses: journal.release(),
    "the end": lambda journal, pauses: journal.finish("completed", answer=answer_of(7)),
    "a question to a person": lambda journal, pauses: pauses.ask(journal, [(2, CALL)]),
    "a pause": lambda journal, pauses: pauses.pause(journal, {1}),
    "the start of an approved tool": lambda journal, pauses: pauses.start(journal.run, 1, "{}"),
}


async def note_nothing(tx: Tx, conversation_id: int, added: int, last_message: str) -> None:
    """Do nothing: replaces the conversations."""


async def place(database: Database, address: str | None, home: DataDir) -> None:
    """Insert a run that another process took over, with one tool call that waits."""

    async def empty(tx: Tx) -> None:
        for table in reversed(TABLES):
            await tx.run(Statement(sa.delete(table)))

    await database.transact(empty)
    await add_row(address, home, runs, taken_over(runs, tools_used=[], started_at=None, inbox=0))
    await add_row(address, home, messages, taken_over(messages, id=1000, run_id=NUMBER, seq=1, state="waiting"))


def claim(journal: Journal, epoch: int) -> RunJournal:
    """Return the journal of a process that claimed the run with this epoch."""
    run = Run(NUMBER, epoch, 1, None, None, False, "alfred-default", "Hello", RunOptions(sandbox=True))
    return RunJournal(run, journal, seq=1, reply="So far", reply_seq=2)


async def test_a_run_that_was_taken_over_is_written_by_its_new_owner_alone(
    database: Database, database_url: str | None, tmp_path: Path
) -> None:
    """Each write runs with the lost epoch, then with the current one as a control."""
    journal = Journal(database, Notifier(), note_nothing, set())
    pauses = Suspension(database)
    for name, write in WRITES.items():
        await place(database, database_url, DataDir(tmp_path))
        before = await all_rows(database, *TABLES)
        with pytest.raises(LeaseLost):
            await write(claim(journal, STALE), pauses)
        assert await all_rows(database, *TABLES) == before, name
        try:
            await write(claim(journal, CURRENT), pauses)
        except RunPaused:
            assert name == "a pause"
        assert await all_rows(database, *TABLES) != before, name
