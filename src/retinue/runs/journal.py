"""The journals of all runs: what each has done so far, written so that another process can go on from it.

`RunJournal` writes what a run does. Here is what all of them share: reading, the message that begins a run, counting
what is used, and telling those who wait.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from retinue.core.clock import now
from retinue.core.database import Database, Tx, UniqueConflict
from retinue.core.leases import LeaseLost
from retinue.core.notifier import Wakeups
from retinue.core.statements import Row, Statement
from retinue.runs import journal_rows as rows
from retinue.runs import statements as sql
from retinue.runs.run_options import Run
from retinue.usage.ledger import Use, record


class AfterRun(Protocol):
    """Called in the transaction that adds messages to a conversation's run, to keep its record current."""

    async def __call__(self, tx: Tx, conversation_id: int, added: int, last_message: str) -> None:
        """Note that `added` messages came, the last of which says `last_message`."""
        ...


@dataclass(frozen=True)
class Journal:
    """Reads and writes journals. `touched` collects the accounts whose usage grew."""

    database: Database
    wakeups: Wakeups
    note_messages: AfterRun
    touched: set[int]

    async def of_run(self, run_id: int) -> list[Row]:
        """A run's rows in order."""
        return await self.database.fetch(sql.OF_RUN, run=run_id)

    async def history(self, run: Run, at_most: int = 200) -> list[Row]:
        """The newest messages of the conversation before this run, oldest first."""
        if run.conversation_id is None:
            return []
        found = await self.database.fetch(sql.HISTORY, conversation=run.conversation_id, before=run.id, at_most=at_most)
        return found[::-1]

    async def add_request(
        self, tx: Tx, run_id: int, conversation_id: int | None, message: str, attachments: Sequence[str]
    ) -> None:
        """Add the message that began the run, in the transaction that starts it."""
        details = {"conversation_id": conversation_id, "attachments": attachments or None}
        await self.add(tx, conversation_id, [rows.message(run_id, 0, "user", message, now(), **details)])

    async def add(self, tx: Tx, conversation_id: int | None, fresh: Sequence[rows.Fields]) -> None:
        """Add one row or two, and note them in the conversation."""
        await rows.add(tx, fresh)
        if conversation_id is not None:
            await self.note_messages(tx, conversation_id, len(fresh), rows.last_said(fresh))

    async def count(self, tx: Tx, run: Run, use: Use) -> None:
        """Count what a live account used; the sandbox costs nothing.

        Goes last in a transaction: others of the account wait for the row of its day from here to the commit.
        """
        if not run.options.sandbox:
            await record(tx, run.account_id, use, spenders=run.spenders)
            tx.after_commit(lambda: self.touched.add(run.account_id))

    async def transact(self, write: Callable[[Tx], Awaitable[None]]) -> None:
        """Run a transaction. Where the place of a row is taken, whoever has the claim by now wrote there."""
        try:
            await self.database.transact(write)
        except UniqueConflict as error:
            raise LeaseLost from error

    async def update_run(self, tx: Tx, statement: Statement, run: Run, **values: Any) -> None:
        """Change a run under its claim. Raises `LeaseLost`."""
        if not await tx.run(statement, run=run.id, under=run.epoch, **values):
            raise LeaseLost

    def wake(self, run_id: int, conversation_id: int | None) -> None:
        """Tell those who wait for the run's end or for their turn in its conversation."""
        self.wakeups.wake(f"run:{run_id}")
        if conversation_id is not None:
            self.wakeups.wake(f"conversation:{conversation_id}")
