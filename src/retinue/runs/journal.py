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
        await _add(tx, run_id, conversation_id, 0, "user", message, now(), attachments=attachments or None)
        if conversation_id is not None:
            await self._note_messages(tx, conversation_id, 1, message)

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
            await self._append(run, _nothing_more)

    async def tool_started(self, run: Run, call: ToolCall) -> int:
        """Note a tool that changes something, before it starts; returns the row's place in the journal."""
        seq = _next(run)

        await self._append(run, lambda tx: self._add_tool(tx, run, seq, call, "", "started", now()))
        crash_point("runs.tool_started")
        return seq

    async def tool_waits(self, tx: Tx, run: Run, call: ToolCall) -> int:
        """Note a tool that waits for a person, in the transaction that sets its run aside; returns the row's place."""
        seq = _next(run)
        await self._add_unsaved(tx, run)
        await self._add_tool(tx, run, seq, call, "", "waiting", now())
        return seq

    async def tool_ended(self, run: Run, call: ToolCall, outcome: ToolOutcome, seq: int | None) -> None:
        """Add a tool's result; `seq` is its row where it was noted before."""
        content = orjson.dumps(outcome.result).decode()
        state = "done" if outcome.ok else "failed"
        place = _next(run) if seq is None else seq

        async def write(tx: Tx) -> None:
            if seq is None:
                await self._add_tool(tx, run, place, call, content, state, outcome.began)
            else:
                await tx.send(sql.END_TOOL, run=run.id, at=seq, result=content, outcome=state, moment=now())
            if outcome.event:
                await self._count(tx, run, tool_use(outcome.event))
                await emit(tx, run.account_id, outcome.event)

        await self._append(run, write)
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
        seq, reply = _next(run), "" if run.unsaved else run.reply

        async def write(tx: Tx) -> None:
            await self._close(tx, run, outcome, reply, reason)
            await self._add_unsaved(tx, run)
            if reply:
                state = "done" if outcome == "completed" else "failed"
                await _add(tx, run.id, run.conversation_id, seq, "assistant", reply, began, state=state, tokens=tokens)
                if run.conversation_id is not None:
                    await self._note_messages(tx, run.conversation_id, 1, reply)
            await self._count(tx, run, _run_use(run, outcome))
            if event := _ending(run, outcome, reply, reason):
                await emit(tx, run.account_id, event)
            tx.after_commit(lambda: self.wake(run.id, run.conversation_id))

        await self._database.transact(write)
        crash_point("runs.finished")

    def wake(self, run_id: int, conversation_id: int | None) -> None:
        """Tell those who wait for the run's end or for their turn in its conversation."""
        self._wakeups.wake(f"run:{run_id}")
        if conversation_id is not None:
            self._wakeups.wake(f"conversation:{conversation_id}")

    async def _count(self, tx: Tx, run: Run, use: Use) -> None:
        """Count what a live account used; the sandbox costs nothing."""
        if not run.options.sandbox:
            await record(tx, run.account_id, use)
            tx.after_commit(lambda: self._touched.add(run.account_id))

    async def _close(self, tx: Tx, run: Run, outcome: str, reply: str, reason: str | None) -> None:
        closed = await tx.run(
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
        if not closed:
            raise LeaseLost

    async def _append(self, run: Run, write: Callable[[Tx], Awaitable[None]]) -> None:
        """Add rows under the run's claim, the model's step first where the journal does not have it yet.

        A row whose place is taken was written by whoever has the claim by now.
        """

        async def all_of_it(tx: Tx) -> None:
            await self._add_unsaved(tx, run)
            await self._progress(tx, run)
            await write(tx)

        try:
            await self._database.transact(all_of_it)
        except UniqueConflict as error:
            raise LeaseLost from error

    async def _add_unsaved(self, tx: Tx, run: Run) -> None:
        step = run.unsaved
        if step is None:
            return
        asked = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in step.calls]
        await _add(
            tx, run.id, run.conversation_id, step.seq, "assistant", step.text, step.began,
            tool_calls=asked, tokens=step.tokens,
        )  # fmt: skip
        if run.conversation_id is not None:
            await self._note_messages(tx, run.conversation_id, 1, step.text)
        tx.after_commit(run.saved)
        tx.after_commit(lambda: crash_point("runs.model_step"))

    async def _progress(self, tx: Tx, run: Run) -> None:
        held = await tx.run(sql.PROGRESS, run=run.id, under=run.epoch, tokens=run.tokens_used, tools=run.tools_used)
        if not held:
            raise LeaseLost

    async def _add_tool(
        self, tx: Tx, run: Run, seq: int, call: ToolCall, content: str, state: str, began: datetime
    ) -> None:
        await _add(
            tx, run.id, run.conversation_id, seq, "tool", content, began,
            tool_call_id=call.id, tool_name=call.name, tool_arguments=call.arguments, state=state,
        )  # fmt: skip
        if run.conversation_id is not None:
            await self._note_messages(tx, run.conversation_id, 1, "")

    async def _write_fenced(self, statement: Statement, run: Run, **values: Any) -> None:
        async def write(tx: Tx) -> None:
            if not await tx.run(statement, run=run.id, under=run.epoch, **values):
                raise LeaseLost

        await self._database.transact(write)


async def _nothing_more(_tx: Tx) -> None:
    """All there is to write is the model's step."""


def _next(run: Run) -> int:
    run.seq += 1
    return run.seq


async def _add(
    tx: Tx,
    run_id: int,
    conversation_id: int | None,
    seq: int,
    role: str,
    content: str,
    began: datetime,
    **details: Any,
) -> None:
    row = dict.fromkeys(("attachments", "tool_calls", "tool_call_id", "tool_name", "tool_arguments"))
    await tx.send(
        sql.ADD_MESSAGE,
        **{**row, "state": "done", "tokens": 0, **details},
        run_id=run_id,
        conversation_id=conversation_id,
        seq=seq,
        role=role,
        content=content.replace("\x00", ""),
        started_at=began,
        created_at=now(),
    )


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
