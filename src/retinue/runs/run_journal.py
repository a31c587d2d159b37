"""The journal of one run under one claim: its current state, and every write to it.

A row is added when a step is complete. A model step after which the run goes on is deferred: `defer_step` only
remembers it, and the next write adds it first, which saves a transaction per step; `save` writes it at once. A tool
that changes something is also recorded before it starts, so that after a crash the next process knows that it may have
taken effect. The calls of one step run at the same time, so their rows have fixed numbers. All writes raise `LeaseLost`
once the claim is lost.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import orjson

from retinue.core.database.interface import Tx, mark_retrieved
from retinue.core.runtime.clock import now
from retinue.core.runtime.failpoints import crash_point
from retinue.core.work.events import Event, emit
from retinue.core.work.leases import LeaseLost
from retinue.memory.tables import FactRow
from retinue.models.base import FinishReason, ToolCall
from retinue.runs import journal_rows as rows
from retinue.runs import statements as sql
from retinue.runs.events import AgentCancelled, AgentCompleted, AgentError
from retinue.runs.journal import Journal
from retinue.runs.model_answer import ModelAnswer, Spending
from retinue.runs.run_options import Run
from retinue.runs.tables import JournalRow, Passage, RunRow
from retinue.tools.events import ToolExecuted, tool_use
from retinue.usage.ledger import Resource, UsageEntry


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """The outcome of a tool call. `event` is None if no tool of the catalogue was executed. `images` are ids of files.

    With a `reply`, the run ends with it once the calls of the step have ended.
    """

    result: Mapping[str, object]
    ok: bool
    began: datetime
    event: ToolExecuted | None = None
    images: Sequence[str] = ()
    reply: str | None = None


@dataclass(frozen=True, slots=True)
class HandedBack:
    """The text of a run that ended with calls of the client's tools, and the calls."""

    text: str
    calls: Sequence[ToolCall]


class _Unseen(Exception):
    """The run has received a message that its model has not seen."""


@dataclass(slots=True)
class RunJournal:
    """The state of a run, and its writes. Other classes read the fields; only these methods change them.

    `reply` is the text so far of the journal row `reply_seq`. `deferred` is a step that is not in the journal yet;
    until it is, `reply` is the text of that step. `ending` is True from the moment the run's end is being written:
    nothing may interrupt the run after that. `took_ms` is this process's execution time up to then. `handed_back` has
    the calls of the client's tools with which the run ended. `inbox` is the number of messages that were
    sent to the run, and `seen` the number that its model has seen. `_append_task` is the last `_append`, which
    continues if its caller is cancelled. `run.untrusted` is set by `note_untrusted`. `passages` are those of
    collections that the model has seen, by number; None until they were searched. `citations` are those of the reply.
    `tool_reply` is the reply with which a tool ends the run. `questions` come from the servers of tools, for a person,
    each with the name of the tool. `approval_ids` are those for which the paused run waits. `has_acted` says that a
    tool which changes something was called. `call` is the model call that is under way, or failed last. `facts` are
    those that the agent remembers, and `remembers` says that facts are extracted from the run later.
    """

    run: Run
    journal: Journal
    seq: int = 0
    tokens_used: int = 0
    spending: Spending = field(default_factory=Spending)
    finish_reason: FinishReason | None = None
    output: object = None
    handed_back: HandedBack | None = None
    passages: list[Passage] | None = None
    citations: list[dict[str, object]] | None = None
    facts: Sequence[FactRow] = ()
    remembers: bool = False
    tool_reply: str | None = None
    questions: list[tuple[str, str]] = field(default_factory=list)
    approval_ids: Sequence[int] = ()
    has_acted: bool = False
    inbox: int = 0
    seen: int = 0
    credits_used: int = 0
    tools_used: list[str] = field(default_factory=list)
    reply: str = ""
    reply_seq: int = 0
    call: ModelAnswer | None = None
    deferred: rows.ModelStep | None = None
    ending: bool = False
    took_ms: int = 0
    ended_at: datetime | None = None
    _began: float = field(default_factory=time.monotonic)
    _append_task: asyncio.Task[None] | None = None
    _appending: asyncio.Lock = field(default_factory=asyncio.Lock)

    @classmethod
    def of(cls, row: RunRow, journal: Journal) -> "RunJournal":
        """Create the journal from a claimed row."""
        return cls(
            Run.of(row),
            journal,
            tokens_used=row.tokens_used,
            inbox=row.inbox,
            tools_used=list(row.tools_used),
            passages=row.passages,
            reply=row.reply or "",
            reply_seq=row.reply_seq or 0,
        )

    async def find_place(self) -> None:
        """Continue the numbering after an earlier claim's rows. Drop the stored reply if the journal contains it."""
        self.resume(await self.journal.of_run(self.run.id))
        if self.reply_seq <= self.seq:
            self.reply = ""

    def resume(self, rows: Sequence[JournalRow]) -> None:
        """Continue after the rows of an earlier claim. The caller must pass their tools to `use_tool`."""
        self.seq = max((row.seq + len(row.tool_calls or ()) for row in rows), default=0)
        self.tokens_used = sum(row.tokens for row in rows)
        self.seen = sum(row.role == "user" and row.seq > 0 for row in rows)
        self.spending = Spending()
        for row in rows:
            self.spending.add_row(row.details, row.tokens)

    def totals(self) -> dict[str, object]:
        """Return the run's usage, cost, finish reason, structured output and citations, for its answer."""
        spent = self.spending.columns()
        ending = {"finish_reason": self.finish_reason, "output": self.output}
        if self.citations is not None:
            ending["citations"] = self.citations
        return {"usage": spent["used"], "cost_usd": spent["cost"], **ending}

    def use_tool(self, name: str, cost: int) -> None:
        """Record a tool in the order of first use, and the credits that the call cost."""
        self.credits_used += cost
        if name not in self.tools_used:
            self.tools_used.append(name)

    def note_action(self) -> None:
        """Record that a tool is called which changes something."""
        self.has_acted = True

    def note_untrusted(self, source: str | None) -> None:
        """Record that the run reads untrusted content from `source`, unless that is None. The next write saves it."""
        if source and not self.run.untrusted:
            self.run = replace(self.run, untrusted=source)

    def begin_reply(self, call: ModelAnswer | None = None) -> None:
        """Start a new reply, which `call` writes if a model does."""
        self.reply, self.reply_seq, self.call = "", self.seq + 1, call

    def call_ended(self) -> None:
        """Note that the model call under way is complete."""
        self.call = None

    async def call_failed(self, reason: str, next_attempt_at: datetime) -> None:
        """Add the model call that failed as a step. The run repeats it later."""
        if call := self.call:
            call.fail(reason, next_attempt_at)
            self._spend(call)
            self.call, self.reply = None, ""
            await self._append(rows.model_step(self.run, rows.ModelStep(self._next(), call, rejected=True)))

    def add_text(self, text: str) -> None:
        """Append text to the reply."""
        self.reply += text

    def defer_step(self, answer: ModelAnswer, *, rejected: bool = False) -> int:
        """Remember a model step after which the run goes on. The next write adds it, or `save`. Returns its `seq`.

        The numbers that follow are kept for the rows of its tool calls.
        """
        self._spend(answer)
        seq = self._next()
        self.seq += len(answer.calls)
        self.deferred = rows.ModelStep(seq, answer, rejected)
        return seq

    def _spend(self, answer: ModelAnswer) -> None:
        self.tokens_used += answer.tokens
        self.spending.add_answer(answer)

    async def start_queued(self) -> bool:
        """Start a run that waits for earlier runs of its conversation. Returns False while it must still wait."""
        run = self.run

        async def write(tx: Tx) -> bool:
            started = await tx.run(sql.START, run=run.id, under=run.epoch, moment=now())
            if started:
                await self.journal.add_request(tx, run.id, run.conversation_id, run.message, run.options.attachments)
            else:
                await self.journal.update_run(tx, sql.HOLD, run)
            return bool(started)

        return await self.journal.database.transact(write)

    async def save(self) -> None:
        """Write the deferred step now, if there is one."""
        if self.deferred:
            await self._append()

    async def tool_started(self, call: ToolCall, seq: int) -> None:
        """Record a tool that changes something as the row `seq`, before it starts."""
        await self._append(rows.tool(self.run, seq, call, "", "started", now()))
        crash_point("runs.tool_started")

    def progress(self) -> dict[str, object]:
        """Return the parameters of the run's record that each step updates."""
        return {
            "tokens": self.tokens_used,
            **self.spending.columns(),
            "tools": self.tools_used,
            "source": self.run.untrusted,
            "seen_passages": self.passages,
        }

    async def tools_wait(
        self,
        waiting: Sequence[tuple[int, ToolCall]],
        then: Callable[[Tx, int, ToolCall], Awaitable[None]] | None = None,
        *,
        recorded: bool = False,
    ) -> None:
        """Record calls that wait, each with its `seq`, and call `then` for each, in one transaction.

        `recorded` is True if the calls have their rows already.
        """

        async def write(tx: Tx) -> None:
            for seq, call in waiting:
                row = rows.tool(self.run, seq, call, "", "waiting", now())
                if recorded:
                    await tx.run(sql.SUSPEND_TOOL, run=self.run.id, at=seq)
                else:
                    await self.journal.add(tx, self.run.conversation_id, [row])
                if then:
                    await then(tx, seq, call)

        await self._append(None, write)

    async def tool_ended(self, call: ToolCall, outcome: ToolOutcome, seq: int, *, recorded: bool) -> None:
        """Write a tool's result to the row `seq`. `recorded` is True if the call has its row already."""
        run, content = self.run, orjson.dumps(outcome.result).decode()
        state = "done" if outcome.ok else "failed"
        if outcome.ok:
            self.use_tool(call.name, outcome.event.credits_used if outcome.event else 0)
        details = {"images": list(outcome.images)} if outcome.images else None
        row = None if recorded else rows.tool(run, seq, call, content, state, outcome.began, details)
        ended = {"result": content, "outcome": state, "details": details, "moment": now()}

        async def write(tx: Tx) -> None:
            if recorded:
                await tx.run(sql.END_TOOL, run=run.id, at=seq, **ended)
            if outcome.event:
                await emit(tx, run.account_id, outcome.event)
                await self.journal.count(tx, run, tool_use(outcome.event))

        await self._append(row, write)
        crash_point("runs.tool_ended")

    async def keep(self) -> None:
        """Save the reply so far, in case the process dies."""
        progress = {"text": self.reply, "at": self.reply_seq}
        await self.journal.transact(lambda tx: self.journal.update_run(tx, sql.KEEP, self.run, **progress))

    async def release(self) -> None:
        """Release the run, so that another process can resume it."""
        await self._await_append()
        await self.journal.transact(lambda tx: self.journal.update_run(tx, sql.RELEASE, self.run))
        self.journal.notifier.wake("runs")

    async def compact(self, answer: ModelAnswer, upto: int) -> None:
        """Add the summary that replaces everything up to the row `upto`."""
        self._spend(answer)
        await self._append(rows.compaction(self.run, self._next(), answer, upto))

    async def read_inbox(self) -> list[str]:
        """Take in the messages that were sent to the run. Returns their texts, oldest first."""
        if self.inbox == self.seen:
            return []
        sent = await self.journal.database.fetch(sql.INBOX, run=self.run.id)
        numbers = {row.seq: self._next() for row in sent}

        async def write(tx: Tx) -> None:
            for old, new in numbers.items():
                await tx.run(sql.SEE, run=self.run.id, old=old, at=new)

        await self._append(None, write)
        self.seen += len(sent)
        return [row.content for row in sent]

    async def finish(
        self, outcome: str, reason: str | None = None, answer: ModelAnswer | None = None, output: object = None
    ) -> bool:
        """End the run: write its last message, its record and its event in one transaction.

        `answer` is the model's last, complete answer. Returns False, and changes nothing, if the run would complete
        but has received a message that its model has not seen.
        """
        self.ending, self.took_ms = True, round((time.monotonic() - self._began) * 1000)
        await self._await_append()
        before = self.tokens_used, replace(self.spending)
        self.output = output
        if answer:
            self.finish_reason = answer.finish_reason
        elif self.call and outcome == "failed":
            self.call.fail(reason or "", None)
        if last_call := answer or self.call:
            self._spend(last_call)
        run, reply = self.run, "" if self.deferred else self.reply
        row = self._last_row(outcome, reply, last_call)

        async def write(tx: Tx) -> None:
            await self._close(tx, outcome, reply, reason)
            await self._add_all(tx, row)
            if event := self._ending_event(outcome, reply, reason):
                await emit(tx, run.account_id, event)
            if self.remembers and outcome == "completed":
                await self.journal.queue_memory(tx, run)
            await self.journal.count(tx, run, self._use(outcome))
            tx.after_commit(lambda: self.journal.wake(run.id, run.conversation_id))

        try:
            await self.journal.transact(write)
        except _Unseen:
            (self.tokens_used, self.spending), self.ending = before, False
            self.finish_reason = None
            return False
        crash_point("runs.finished")
        return True

    async def finish_with_tool_reply(self) -> bool:
        """End the run with the reply of a tool. Returns False, and changes nothing, as `finish` does."""
        await self.save()
        self.begin_reply()
        self.add_text(self.tool_reply or "")
        if await self.finish("completed"):
            return True
        self.tool_reply = None
        return False

    async def hand_back(self, text: str, calls: Sequence[ToolCall], finish_reason: FinishReason) -> bool:
        """End the run with calls of the client's tools. Returns False, and changes nothing, as `finish` does."""
        self.handed_back, self.finish_reason = HandedBack(text, calls), finish_reason
        if await self.finish("completed"):
            return True
        self.handed_back = None
        return False

    def _last_row(self, outcome: str, reply: str, call: ModelAnswer | None) -> rows.Fields | None:
        """Build the row of the reply so far, or of a last model call that failed before it had any."""
        if reply:
            return rows.reply(self.run, self.seq + 1, reply, call, "done" if outcome == "completed" else "failed")
        if call and call.attempts and outcome != "completed":
            return rows.model_step(self.run, rows.ModelStep(self.seq + 1, call, rejected=True))
        return None

    def _next(self) -> int:
        self.seq += 1
        return self.seq

    async def _close(self, tx: Tx, outcome: str, reply: str, reason: str | None) -> None:
        """End the run's record. Raises `_Unseen` if the run would complete without having seen all messages to it."""
        self.ended_at = now()
        closed = await tx.run(
            sql.FINISH,
            run=self.run.id,
            under=self.run.epoch,
            seen=self.seen if outcome == "completed" else None,
            outcome=outcome,
            said=self.handed_back.text if self.handed_back else reply or None,
            reason=reason,
            **self.progress(),
            ending=self.finish_reason,
            parsed=self.output,
            cited=self.citations,
            milliseconds=self.took_ms,
            moment=self.ended_at,
        )
        if closed:
            return
        if found := await tx.one(sql.READ_INBOX, run=self.run.id, under=self.run.epoch):
            self.inbox = found.inbox
            raise _Unseen
        raise LeaseLost

    async def _append(
        self, row: rows.Fields | None = None, then: Callable[[Tx], Awaitable[None]] | None = None
    ) -> None:
        """Add the deferred step and a row under the run's claim, then call `then` in the same transaction."""

        async def write(tx: Tx) -> int:
            found = await tx.one(sql.PROGRESS, run=self.run.id, under=self.run.epoch, **self.progress())
            if found is None:
                raise LeaseLost
            await self._add_all(tx, row)
            if then:
                await then(tx)
            return int(found.inbox)

        async def append() -> None:
            async with self._appending:
                self.inbox = await self.journal.transact(write)

        self._append_task = asyncio.create_task(append())
        self._append_task.add_done_callback(mark_retrieved)
        await asyncio.shield(self._append_task)

    async def _await_append(self) -> None:
        """Wait for the transactions whose callers were cancelled: one may add the deferred step.

        They run in turn, so the last one ends last.
        """
        if self._append_task and not self._append_task.done():
            await asyncio.wait([self._append_task])

    async def _add_all(self, tx: Tx, row: rows.Fields | None) -> None:
        """Add the deferred step, if any, and then the row."""
        fresh = [row] if row else []
        if self.deferred:
            fresh.insert(0, rows.model_step(self.run, self.deferred))
            tx.after_commit(self._step_saved)
            tx.after_commit(lambda: crash_point("runs.model_step"))
        if fresh:
            await self.journal.add(tx, self.run.conversation_id, fresh)

    def _step_saved(self) -> None:
        self.deferred, self.reply = None, ""

    def _use(self, outcome: str) -> UsageEntry:
        resource: Resource = "chat" if self.run.agent_id is None else "agents"
        failed = int(outcome == "failed")
        return self.spending.use(resource, self.tokens_used, errors=failed, milliseconds=self.took_ms)

    def _ending_event(self, outcome: str, reply: str, reason: str | None) -> Event | None:
        run = self.run
        if run.agent_id is None:
            return None
        name, user = run.options.agent_name or "", run.options.user
        if outcome == "completed":
            return AgentCompleted(
                agent_id=run.agent_id,
                agent_name=name,
                run_id=run.id,
                user=user,
                reply=reply,
                tools_used=self.tools_used,
                tokens_used=self.tokens_used,
                execution_time_ms=self.took_ms,
            )
        if outcome == "failed":
            return AgentError(agent_id=run.agent_id, agent_name=name, run_id=run.id, user=user, error=reason or "")
        return AgentCancelled(agent_id=run.agent_id, agent_name=name, run_id=run.id, user=user)
