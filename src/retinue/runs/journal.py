"""The journal: what a run has done so far, written so that another process can go on from it.

A row is added when a step is complete; what the model said before it asked for tools goes with whatever is written
next. A tool that changes something is noted before it starts as well: when its process dies, whoever goes on knows that
it may have happened.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import orjson

from retinue.core.clock import now
from retinue.core.crash import crash_point
from retinue.core.database import Database, Tx, UniqueConflict
from retinue.core.events import Event, emit
from retinue.core.leases import LeaseLost
from retinue.core.statements import Row, Statement
from retinue.core.wakeups import Wakeups
from retinue.models.base import ToolCall
from retinue.runs import journal_rows as rows
from retinue.runs import statements as sql
from retinue.runs.events import AgentCompleted, AgentError
from retinue.runs.options import ModelStep, Run
from retinue.tools.events import ToolExecuted, tool_use
from retinue.usage.ledger import Use, record


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What came of a tool call. `event` is absent where no tool was run at all."""

    result: Mapping[str, Any]
    ok: bool
    began: datetime
    event: ToolExecuted | None = None


class AfterRun(Protocol):
    """Called in the transaction that adds messages to a conversation's run, to keep its record current."""

    async def __call__(self, tx: Tx, conversation_id: int, added: int, last_message: str) -> None:
        """Note that `added` messages came, the last of which says `last_message`."""
        ...


class Journal:
    """Reads and writes journals. All writes are refused with `LeaseLost` once the run's claim is gone."""

    def __init__(self, database: Database, wakeups: Wakeups, note_messages: AfterRun, touched: set[int]) -> None:
        """`touched` collects the accounts whose usage grew."""
        self._database = database
        self._touched = touched
        self._wakeups = wakeups
        self._note_messages = note_messages

    async def of_run(self, run_id: int) -> list[Row]:
        """A run's rows in order."""
        return await self._database.fetch(sql.OF_RUN, run=run_id)

    async def find_place(self, run: Run) -> None:
        """Number what follows from where the journal of an earlier claim ends; of the reply, keep what is not in it."""
        run.seq = max((row.seq for row in await self.of_run(run.id)), default=0)
        if run.reply_seq <= run.seq:
            run.reply = ""

    async def history(self, run: Run, at_most: int = 200) -> list[Row]:
        """The newest messages of the conversation before this run, oldest first."""
        if run.conversation_id is None:
            return []
        rows = await self._database.fetch(sql.HISTORY, conversation=run.conversation_id, before=run.id, at_most=at_most)
        return rows[::-1]

    async def asked(
        self, tx: Tx, run_id: int, conversation_id: int | None, message: str, attachments: Sequence[str]
    ) -> None:
        """Add the message that began the run, in the transaction that starts it."""
        details = {"conversation_id": conversation_id, "attachments": attachments or None}
        await self._add(tx, conversation_id, [rows.message(run_id, 0, "user", message, now(), **details)])

    async def start_queued(self, run: Run) -> bool:
        """Start a run that waited behind others of its conversation; False while it must still wait."""

        async def write(tx: Tx) -> bool:
            started = await tx.run(sql.START, run=run.id, under=run.epoch, moment=now())
            if started:
                await self.asked(tx, run.id, run.conversation_id, run.message, run.options.attachments)
            elif not await tx.run(sql.HOLD, run=run.id, under=run.epoch):
                raise LeaseLost
            return bool(started)

        return await self._database.transact(write)

    def model_step(self, run: Run, calls: Sequence[ToolCall], tokens: int, began: datetime) -> None:
        """Note what the model said before it asked for tools: it is written with what comes next, or by `save`."""
        run.unsaved = ModelStep(_next(run), run.reply, calls, tokens, began)

    async def save(self, run: Run) -> None:
        """Write the model's step now, if that has not been done."""
        if run.unsaved:
            await self._append(run)

    async def tool_started(self, run: Run, call: ToolCall) -> int:
        """Note a tool that changes something, before it starts; returns the row's place in the journal."""
        seq = _next(run)
        await self._append(run, rows.tool(run, seq, call, "", "started", now()))
        crash_point("runs.tool_started")
        return seq

    async def tool_waits(self, tx: Tx, run: Run, call: ToolCall) -> int:
        """Note a tool that waits for a person, in the transaction that sets its run aside; returns the row's place."""
        seq = _next(run)
        await self._add_all(tx, run, rows.tool(run, seq, call, "", "waiting", now()))
        return seq

    async def tool_ended(self, run: Run, call: ToolCall, outcome: ToolOutcome, seq: int | None) -> None:
        """Add a tool's result; `seq` is its row where it was noted before."""
        content = orjson.dumps(outcome.result).decode()
        state = "done" if outcome.ok else "failed"
        row = rows.tool(run, _next(run), call, content, state, outcome.began) if seq is None else None

        async def write(tx: Tx) -> None:
            if seq is not None:
                await tx.run(sql.END_TOOL, run=run.id, at=seq, result=content, outcome=state, moment=now())
            if outcome.event:
                await emit(tx, run.account_id, outcome.event)
                await self._count(tx, run, tool_use(outcome.event))

        await self._append(run, row, write)
        crash_point("runs.tool_ended")

    async def keep(self, run: Run) -> None:
        """Keep what has been said so far, in case the process dies."""
        await self._write_fenced(sql.KEEP, run, text=run.reply, at=run.reply_seq)

    async def release(self, run: Run) -> None:
        """Hand the run back for another to go on with."""
        await self._write_fenced(sql.RELEASE, run)
        self._wakeups.wake("runs")

    async def finish(self, run: Run, outcome: str, reason: str | None, tokens: int, began: datetime) -> None:
        """End the run: its last message, its record and its event in one transaction."""
        run.close()
        reply, state = "" if run.unsaved else run.reply, "done" if outcome == "completed" else "failed"
        row = rows.reply(run, _next(run), reply, began, state, tokens) if reply else None

        async def write(tx: Tx) -> None:
            await self._close(tx, run, outcome, reply, reason)
            await self._add_all(tx, run, row)
            if event := _ending(run, outcome, reply, reason):
                await emit(tx, run.account_id, event)
            await self._count(tx, run, _run_use(run, outcome))
            tx.after_commit(lambda: self.wake(run.id, run.conversation_id))

        await self._transact(write)
        crash_point("runs.finished")

    def wake(self, run_id: int, conversation_id: int | None) -> None:
        """Tell those who wait for the run's end or for their turn in its conversation."""
        self._wakeups.wake(f"run:{run_id}")
        if conversation_id is not None:
            self._wakeups.wake(f"conversation:{conversation_id}")

    async def _count(self, tx: Tx, run: Run, use: Use) -> None:
        """Count what a live account used; the sandbox costs nothing.

        Goes last in a transaction: others of the account wait for the row of its day from here to the commit.
        """
        if not run.options.sandbox:
            await record(tx, run.account_id, use, spenders=run.spenders)
            tx.after_commit(lambda: self._touched.add(run.account_id))

    async def _close(self, tx: Tx, run: Run, outcome: str, reply: str, reason: str | None) -> None:
        finished = await tx.run(
            sql.FINISH,
            run=run.id,
            under=run.epoch,
            outcome=outcome,
            said=reply or None,
            reason=reason,
            tokens=run.tokens_used,
            tools=run.tools_used,
            milliseconds=run.took_ms,
            moment=now(),
        )
        if not finished:
            raise LeaseLost

    async def _append(
        self, run: Run, row: rows.Fields | None = None, then: Callable[[Tx], Awaitable[None]] | None = None
    ) -> None:
        """Add what is not in the journal yet and a row under the run's claim, and whatever `then` writes."""

        async def write(tx: Tx) -> None:
            await self._progress(tx, run)
            await self._add_all(tx, run, row)
            if then:
                await then(tx)

        await self._transact(write)

    async def _transact(self, write: Callable[[Tx], Awaitable[None]]) -> None:
        """Where the place of a row is taken, whoever has the claim by now wrote there."""
        try:
            await self._database.transact(write)
        except UniqueConflict as error:
            raise LeaseLost from error

    async def _add_all(self, tx: Tx, run: Run, row: rows.Fields | None) -> None:
        """Add a row, and before it the model's step where the journal does not have that yet."""
        fresh = [row] if row else []
        if run.unsaved:
            fresh.insert(0, rows.model_step(run, run.unsaved))
            tx.after_commit(run.saved)
            tx.after_commit(lambda: crash_point("runs.model_step"))
        if fresh:
            await self._add(tx, run.conversation_id, fresh)

    async def _add(self, tx: Tx, conversation_id: int | None, fresh: Sequence[rows.Fields]) -> None:
        await rows.add(tx, fresh)
        if conversation_id is not None:
            await self._note_messages(tx, conversation_id, len(fresh), rows.last_said(fresh))

    async def _progress(self, tx: Tx, run: Run) -> None:
        held = {"run": run.id, "under": run.epoch}
        if not await tx.run(sql.PROGRESS, **held, tokens=run.tokens_used, tools=run.tools_used):
            raise LeaseLost

    async def _write_fenced(self, statement: Statement, run: Run, **values: Any) -> None:
        async def write(tx: Tx) -> None:
            if not await tx.run(statement, run=run.id, under=run.epoch, **values):
                raise LeaseLost

        await self._database.transact(write)


def _next(run: Run) -> int:
    run.seq += 1
    return run.seq


def _run_use(run: Run, outcome: str) -> Use:
    return Use(
        "chat" if run.agent_id is None else "agents",
        errors=int(outcome == "failed"),
        tokens=run.tokens_used,
        milliseconds=run.took_ms,
    )


def _ending(run: Run, outcome: str, reply: str, reason: str | None) -> Event | None:
    if run.agent_id is None:
        return None
    agent: dict[str, Any] = {"agent_id": run.agent_id, "agent_name": run.options.agent_name or "", "run_id": run.id}
    if outcome == "completed":
        return AgentCompleted(
            **agent,
            reply=reply,
            tools_used=run.tools_used,
            tokens_used=run.tokens_used,
            execution_time_ms=run.took_ms,
        )
    return AgentError(**agent, error=reason or "") if outcome == "failed" else None
