"""Messages to running runs, forks of runs, and conversations that continue from an earlier message."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from retinue.auth.caller import Caller
from retinue.core.database.interface import Database, Tx
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.runs import journal_rows
from retinue.runs import statements as sql
from retinue.runs.execution.create_run import NewRun, RunCreator
from retinue.runs.run_options import RunOptions
from retinue.runs.tables import JournalRow, RunRow
from retinue.usage.budgets import Budgets
from retinue.usage.ledger import BudgetOwners


@dataclass(frozen=True, slots=True)
class ClientResult:
    """The result of a call of the client's tool, as JSON text."""

    content: str
    ok: bool = True


CountRun = Callable[[Tx, int], Awaitable[None]]
"""Counts a run of an agent, in the transaction that adds it. Raises `NotFound`."""


@dataclass(frozen=True)
class Continuations:
    """Sends messages to the runs of one account, and forks them."""

    caller: Caller
    database: Database
    dispatch: RunCreator
    budgets: Budgets
    count_run: CountRun

    async def send(self, run_id: int, message: str) -> RunRow:
        """Add a message that the run sees at its next step.

        Raises `NotFound`, or `ValidationFailed` if the run has ended.
        """
        await self._run(run_id)

        async def write(tx: Tx) -> RunRow:
            run = await self._add_message(tx, run_id, message)
            await note_effect(tx, self.caller.claim, {"run": run.id})
            return run

        return await self.database.transact(write)

    async def return_results(
        self, run_id: int, results: Mapping[int, ClientResult], message: str | None = None
    ) -> None:
        """Add results of calls of the client's tools, by journal row, and go on with the run that waits for them.

        Calls that have ended are unchanged. `message` reaches the model with the results. Raises `NotFound`, or
        `ValidationFailed` if the run has ended.
        """
        await self._run(run_id)
        notifier = self.dispatch.journal.notifier

        async def write(tx: Tx) -> None:
            if await tx.one(sql.LOCK_OPEN, **self._key(run_id)) is None:
                raise ValidationFailed(f"Run {run_id} has ended, so it takes no results.")
            for seq, result in results.items():
                ended = {"result": result.content, "outcome": "done" if result.ok else "failed", "moment": now()}
                await tx.run(sql.RETURN_RESULT, run=run_id, at=seq, **ended)
            if message is not None:
                await self._add_message(tx, run_id, message)
            await tx.run(sql.WAKE, **self._key(run_id))
            tx.after_commit(partial(notifier.wake, "runs"))

        await self.database.transact(write)

    async def _add_message(self, tx: Tx, run_id: int, message: str) -> RunRow:
        run = await tx.one(sql.SEND, **self._key(run_id))
        if run is None:
            raise ValidationFailed(f"Run {run_id} has ended. Fork it to go on from one of its steps.")
        row = journal_rows.message(run.id, -run.inbox, "user", message, now(), conversation_id=run.conversation_id)
        await self.dispatch.journal.add(tx, run.conversation_id, [row])
        return run

    async def fork_run(self, run_id: int, step: int, message: str | None) -> RunRow:
        """Start a background run from the state after a step. What ran until then does not run again.

        The new run belongs to no conversation. It has the scopes, the plan and the budgets of the caller.
        """
        run = await self._run(run_id)
        await self.budgets.check(BudgetOwners(run.agent_id, self.caller.key_id))

        async def write(tx: Tx) -> RunRow:
            rows = _rows_until(await tx.all(sql.OF_RUN, run=run_id), step)
            if message is None and rows[-1].role == "assistant" and not rows[-1].tool_calls:
                raise ValidationFailed(f"message: step {step} is a reply. Send a message to go on from it.")
            new = NewRun(self.caller.account_id, run.message, run.model, self._options(run), run.agent_id)
            forked = await self.dispatch.add_fork(tx, new, rows, message)
            if new.options.history_of:  # The fork reads the conversation, so it counts as used.
                await self.dispatch.journal.note_messages(tx, new.options.history_of[0], 0, "")
            await note_effect(tx, self.caller.claim, {"run": forked.id})
            if run.agent_id is not None:
                await self.count_run(tx, run.agent_id)
            return forked

        return await self.database.transact(write)

    async def _run(self, run_id: int) -> RunRow:
        run = await self.database.lookup(sql.GET, **self._key(run_id))
        if run is None:
            raise NotFound(f"There is no run {run_id} in your account.")
        return run

    def _options(self, run: RunRow) -> RunOptions:
        options = RunOptions.model_validate(run.options)
        here = None if run.conversation_id is None else (run.conversation_id, run.id)
        changed = {
            "may_execute": self.caller.may("tools:execute"),
            "scopes": sorted(self.caller.scopes),
            "tier": self.caller.plan.tools,
            "key_id": self.caller.key_id,
            "depth": 0,
            "root": None,
            "begun": 0,
            "untrusted": run.untrusted,
            "forked_from": run.id,
            "history_of": here or options.history_of,
        }
        return options.model_copy(update=changed)

    def _key(self, run_id: int) -> dict[str, int]:
        return {"run": run_id, "account": self.caller.account_id}


async def replace_from(tx: Tx, conversation_id: int, message_id: int) -> None:
    """Take one of the user's messages and everything after it out of a conversation's context. The rows stay.

    The caller must have locked the conversation. Raises `ValidationFailed` if there is no such message, or if an
    answer after it has not ended.
    """
    found = await tx.one(sql.USER_MESSAGE, conversation=conversation_id, message=message_id)
    if found is None:
        raise ValidationFailed(f"replace_from: there is no message {message_id} of yours in this conversation.")
    place = {"conversation": conversation_id, "after": found.run_id}
    if await tx.one(sql.OPEN_SINCE, **place):
        raise ValidationFailed("replace_from: an answer has not ended yet. Wait for it, or cancel its run.")
    await tx.run(sql.REPLACE_REST, run=found.run_id, at=found.seq)
    await tx.run(sql.REPLACE_LATER, **place)


async def replace_run(tx: Tx, conversation_id: int, run_id: int) -> None:
    """Take an ended run and everything after it out of a conversation's context. The rows stay."""
    await tx.run(sql.REPLACE_LATER, conversation=conversation_id, after=run_id - 1)


def _rows_until(rows: Sequence[JournalRow], step: int) -> list[JournalRow]:
    """Return the rows until the end of a step, with all results of its tool calls. Raises `ValidationFailed`."""
    found = next((row for row in rows if row.seq == step), None)
    if found is None:
        raise ValidationFailed(f"step: the run has no step {step}.")
    model_steps = [row for row in rows if row.role == "assistant" and row.seq <= step]
    end = step
    if model_steps:
        last = model_steps[-1]
        end = max(end, last.seq + len(last.tool_calls or ()))
    kept_rows = [row for row in rows if row.seq <= end]
    results = [row for row in kept_rows if row.role == "tool" and row.state in ("done", "failed")]
    if len(results) != sum(len(row.tool_calls or ()) for row in kept_rows if row.role == "assistant"):
        raise ValidationFailed(f"step: the tool calls of step {step} have not ended.")
    return kept_rows
