"""Reads and writes run journals: the record of each run's steps, from which another process can resume it.

`RunJournal` writes the steps of one run. This module holds what all runs share: reading, adding the first message,
recording usage, and waking waiters.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from retinue.core.database.interface import Database, Tx, UniqueConflict
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.core.work.fair_leases import PLACES
from retinue.core.work.leases import LeaseLost
from retinue.core.work.notifier import Notifier
from retinue.memory import statements as memory_sql
from retinue.runs import journal_rows as rows
from retinue.runs import statements as sql
from retinue.runs.run_options import Run
from retinue.runs.tables import HistoryRow, JournalRow
from retinue.usage.ledger import UsageEntry, record

T = TypeVar("T")

MEMORY = "memory"
"""The topic that wakes the extraction of facts."""

_ROWS, MOST_ROWS = 200, 1000
"""How many messages of a conversation are read at first, and how many if there are more."""


class AfterRun(Protocol):
    """Updates a conversation's record, in the transaction that adds messages to one of its runs."""

    async def __call__(self, tx: Tx, conversation_id: int, added: int, last_message: str) -> None:
        """Record `added` new messages, the last of which has the text `last_message`."""
        ...


@dataclass(frozen=True)
class Journal:
    """Reads and writes journals. `touched` collects the ids of accounts whose usage grew."""

    database: Database
    notifier: Notifier
    note_messages: AfterRun
    touched: set[int]

    async def of_run(self, run_id: int) -> list[JournalRow]:
        """Return a run's rows, in order."""
        return await self.database.fetch(sql.OF_RUN, run=run_id)

    async def is_cancelled(self, run: Run) -> bool:
        """Return whether a run was cancelled, or deleted."""
        row = await self.database.lookup(sql.GET, run=run.id, account=run.account_id)
        return row is None or row.status == "cancelled"

    async def history(self, run: Run) -> list[HistoryRow]:
        """Return the messages of the conversation before this run, oldest first: the newest `MOST_ROWS` at most."""
        if (place := run.history_place) is None:
            return []
        found: list[HistoryRow] = []
        for at_most in (_ROWS, MOST_ROWS):
            found = await self.database.fetch(sql.HISTORY, conversation=place[0], before=place[1], at_most=at_most)
            if len(found) < at_most:
                break
        return sorted(found, key=lambda row: (row.run_id, row.seq))

    async def summary(self, run: Run) -> JournalRow | None:
        """Return the last summary in the conversation before this run, or None."""
        if (place := run.history_place) is None:
            return None
        return await self.database.lookup(sql.COMPACTION, conversation=place[0], before=place[1])

    async def result_of(self, run: Run, of: int, at: int) -> str | None:
        """Return the whole tool result in the row `at` of the run `of`, of this run or its conversation; else None."""
        conversation = run.history_place[0] if run.history_place else None
        row = await self.database.lookup(sql.LONG_RESULT, run=run.id, conversation=conversation, of=of, at=at)
        return None if row is None else str(row.content)

    async def add_request(
        self, tx: Tx, run_id: int, conversation_id: int | None, message: str, attachments: Sequence[str]
    ) -> None:
        """Add the message that the run answers, in the transaction that starts it."""
        details = {"conversation_id": conversation_id, "attachments": attachments or None}
        await self.add(tx, conversation_id, [rows.message(run_id, 0, "user", message, now(), **details)])

    async def add(self, tx: Tx, conversation_id: int | None, fresh: Sequence[rows.Fields]) -> None:
        """Add one or two rows and update the conversation's record. Some rows are not part of the conversation."""
        await rows.add(tx, fresh)
        messages = [row for row in fresh if row["conversation_id"] is not None]
        if conversation_id is not None and messages:
            await self.note_messages(tx, conversation_id, len(messages), rows.last_text(messages))

    async def queue_memory(self, tx: Tx, run: Run) -> None:
        """Queue a run that completes, for facts to be extracted from it."""
        await tx.run(memory_sql.QUEUE, account_id=run.account_id, run_id=run.id, lease_until=PLACES["normal"])
        tx.after_commit(lambda: self.notifier.wake(MEMORY))

    async def count(self, tx: Tx, run: Run, use: UsageEntry) -> None:
        """Record a run's usage. Sandbox runs are free.

        Call it last in a transaction, because it locks the account's usage row of the day until the commit.
        """
        if not run.options.sandbox:
            await record(tx, run.account_id, use, spenders=run.spenders, origin=run.origin)
            tx.after_commit(lambda: self.touched.add(run.account_id))

    async def transact(self, write: Callable[[Tx], Awaitable[T]]) -> T:
        """Run a transaction. Raises `LeaseLost` on a duplicate row, which only a newer claim can have written."""
        try:
            return await self.database.transact(write)
        except UniqueConflict as error:
            raise LeaseLost from error

    async def update_run(self, tx: Tx, statement: Statement, run: Run, **values: object) -> None:
        """Update a run under its claim. Raises `LeaseLost`."""
        if not await tx.run(statement, run=run.id, under=run.epoch, **values):
            raise LeaseLost

    def wake(self, run_id: int, conversation_id: int | None) -> None:
        """Wake tasks that wait for the run's end or for their turn in its conversation."""
        self.notifier.wake(f"run:{run_id}")
        if conversation_id is not None:
            self.notifier.wake(f"conversation:{conversation_id}")
