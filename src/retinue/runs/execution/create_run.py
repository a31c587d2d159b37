"""Creates runs, inside the caller's transaction."""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from retinue.core.database.interface import Tx
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.runtime import log
from retinue.core.runtime.clock import now
from retinue.core.runtime.redaction import hide_secrets
from retinue.core.work.fair_leases import PLACES
from retinue.core.work.notifier import Notifier
from retinue.runs import journal_rows
from retinue.runs import statements as sql
from retinue.runs.execution.broadcast import RunStream
from retinue.runs.execution.nesting_limits import NestingLimits
from retinue.runs.execution.runner import Runner
from retinue.runs.journal import Journal
from retinue.runs.run_options import ATTACHMENT, RunOptions
from retinue.runs.tables import FORMAT, OPEN, JournalRow, RunRow, runs

_BUSY = Statement(
    sa.select(runs.c.id).where(runs.c.conversation_id == sa.bindparam("conversation", type_=BigInt), OPEN).limit(1)
)


@dataclass(frozen=True)
class NewRun:
    """The values for a new run."""

    account_id: int
    message: str
    model: str
    options: RunOptions
    agent_id: int | None = None
    conversation_id: int | None = None


@dataclass(frozen=True)
class RunCreator:
    """Creates runs, either for this process to execute at once or for any worker to claim."""

    journal: Journal
    runner: Runner
    notifier: Notifier
    node: str
    descent: NestingLimits

    async def add_attached(self, tx: Tx, new: NewRun) -> RunRow:
        """Create a run that a client waits for, claimed by this process. Pass its row to `begin` after the commit.

        In a conversation, it waits for the runs before it. The caller must have locked the conversation. Raises
        `ValidationFailed`, before any write, if the starting run may not start another one.
        """
        await self.descent.admit(tx, new.account_id, new.options)
        busy = new.conversation_id is not None and await tx.one(_BUSY, conversation=new.conversation_id)
        run = await self._insert(tx, new, attached=True, status="queued" if busy else "running", owner=self.node)
        if not busy:
            await self._add_message(tx, run, new)
        return run

    def begin(self, row: RunRow) -> RunStream:
        """Start executing a run that `add_attached` or `add_claimed` created."""
        return self.runner.begin(row)

    async def background(self, tx: Tx, new: NewRun) -> RunRow:
        """Create a run for any worker. It survives the death of a process.

        Raises `ValidationFailed`, before any write, if the starting run may not start another one.
        """
        await self.descent.admit(tx, new.account_id, new.options)
        run = await self._insert(tx, new, attached=False, status="queued", owner=None)
        await self._add_message(tx, run, new)
        tx.after_commit(lambda: self.notifier.wake("runs"))
        return run

    async def add_claimed(self, tx: Tx, new: NewRun) -> RunRow:
        """Create a background run that this process has claimed already. Pass its row to `begin` after the commit.

        It begins without the queue, like a run that a client waits for, and survives the death of this process. Its
        conversation must have no open run.
        """
        await self.descent.admit(tx, new.account_id, new.options)
        run = await self._insert(tx, new, attached=False, status="running", owner=self.node)
        await self._add_message(tx, run, new)
        return run

    async def add_fork(self, tx: Tx, new: NewRun, steps: Sequence[JournalRow], message: str | None) -> RunRow:
        """Create a run for any worker that continues after the journal rows of another run, with a message."""
        run = await self._insert(tx, new, attached=False, status="queued", owner=None)
        copies = [journal_rows.copy(run.id, row) for row in steps]
        if message is not None:
            at = max(row.seq + len(row.tool_calls or ()) for row in steps) + 1
            copies.append(journal_rows.message(run.id, at, "user", message, now()))
        for place in range(0, len(copies), 2):
            await journal_rows.add(tx, copies[place : place + 2])
        sent = sum(row.role == "user" and row.seq > 0 for row in steps) + (message is not None)
        if sent:
            await tx.run(sql.SET_INBOX, run=run.id, sent=sent)
        tx.after_commit(lambda: self.notifier.wake("runs"))
        return run

    async def _add_message(self, tx: Tx, run: RunRow, new: NewRun) -> None:
        await self.journal.add_request(tx, run.id, new.conversation_id, new.message, new.options.attachments)

    async def _insert(self, tx: Tx, new: NewRun, *, attached: bool, status: str, owner: str | None) -> RunRow:
        moment = now()
        request_id = None if new.options.depth else hide_secrets(log.request_id.get("")) or None
        origin = {"day": moment.date().isoformat(), "request_id": request_id}
        (run,) = await tx.all(
            sql.INSERT,
            account_id=new.account_id,
            agent_id=new.agent_id,
            conversation_id=new.conversation_id,
            attached=attached,
            status=status,
            model=new.model,
            message=new.message,
            options=new.options.model_copy(update=origin).model_dump(exclude_defaults=True),
            person=new.options.user,
            key_id=new.options.key_id,
            untrusted=new.options.untrusted or (ATTACHMENT if new.options.all_attachments else None),
            format=FORMAT,
            tools_used=[],
            tokens_used=0,
            created_at=moment,
            started_at=moment if status == "running" else None,
            epoch=1 if owner else 0,
            attempts=1 if owner else 0,
            lease_owner=owner,
            place=PLACES[new.options.priority],
        )
        tx.after_commit(lambda: log.started_runs.get([]).append(run.id))
        return run
