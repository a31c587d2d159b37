"""Pauses a run before a tool call that needs approval, and resumes it with the decision."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.runtime.clock import now
from retinue.core.runtime.failpoints import crash_point
from retinue.core.work.events import emit
from retinue.core.work.leases import LeaseLost
from retinue.models.base import ToolCall
from retinue.runs import statements as runs_sql
from retinue.runs.approvals import statements as sql
from retinue.runs.context_window import CallState, StepCall, parsed_arguments
from retinue.runs.events import AgentWaiting, ApprovalRequested
from retinue.runs.run_journal import RunJournal
from retinue.runs.run_options import Run
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.trust import acts
from retinue.tools.imports.mcp.questions import Question


class RunPaused(Exception):
    """The run waits for a person's decision, and no process holds it until then."""


class _Decided(Exception):
    """A person decided before the run was paused."""


def wants_approval(run: Run, tool: Tool, call: ToolCall) -> bool:
    """Return whether the call needs approval.

    With `approval`, calls do that delete or overwrite data, or reach the open world. With `ask_if_untrusted`, calls do
    that change anything or reach the open world, once the run has read untrusted content.
    """
    if run.options.ask_if_untrusted and run.untrusted and acts(tool):
        return True
    if not run.options.approval:
        return False
    arguments = parsed_arguments(call.arguments or "{}")
    return tool.open_world or (tool.destroys(arguments) if isinstance(arguments, dict) else tool.destructive)


async def _request_decision(
    tx: Tx, run: Run, seq: int, call: ToolCall, question: Question | None = None, approval_id: int | None = None
) -> None:
    """Add an approval, unless it exists, and emit its event."""
    if approval_id is None:
        (approval,) = await tx.all(
            sql.INSERT,
            account_id=run.account_id,
            run_id=run.id,
            seq=seq,
            agent_id=run.agent_id,
            tool=call.name,
            arguments=call.arguments,
            untrusted=run.untrusted,
            question=question.as_json() if question else None,
            created_at=now(),
        )
        approval_id = int(approval.id)
    event = ApprovalRequested(
        approval_id=approval_id,
        run_id=run.id,
        agent_id=run.agent_id,
        tool=call.name,
        untrusted=run.untrusted,
        question=question.message if question else None,
    )
    await emit(tx, run.account_id, event)


def _waiting_event(run: Run, agent_id: int, approval_ids: list[int]) -> AgentWaiting:
    name, user = run.options.agent_name or "", run.options.user
    return AgentWaiting(agent_id=agent_id, agent_name=name, run_id=run.id, approval_ids=approval_ids, user=user)


@dataclass(frozen=True)
class Suspension:
    """Pauses runs and looks up decisions."""

    database: Database

    async def ask(self, journal: RunJournal, calls: Sequence[tuple[int, ToolCall]]) -> None:
        """Request approval of calls, each with its journal row. Raises `LeaseLost`."""
        run = journal.run

        async def request(tx: Tx, seq: int, call: ToolCall) -> None:
            await _request_decision(tx, run, seq, call)

        await journal.tools_wait(calls, request)
        crash_point("runs.approval_requested")

    async def ask_person(self, journal: RunJournal, item: StepCall, question: Question) -> None:
        """Put the question of an imported server to a person. The call waits for the answer. Raises `LeaseLost`."""
        run = journal.run

        async def request(tx: Tx, seq: int, call: ToolCall) -> None:
            again = await tx.one(sql.ASK_AGAIN, run=run.id, at=seq, asked=question.as_json(), moment=now())
            await _request_decision(tx, run, seq, call, question, again and int(again.id))

        await journal.tools_wait([(item.seq, item.call)], request, recorded=item.recorded)
        item.state, item.recorded = CallState.WAITING, True
        journal.questions.append((item.call.name, question.message))

    async def pause(self, journal: RunJournal, waiting: Collection[int]) -> None:
        """Pause the run until a person decides on one of the calls in these journal rows.

        Raises `RunPaused`, or `LeaseLost`. Returns if a person has decided meanwhile.
        """
        run = journal.run

        async def write(tx: Tx) -> list[int]:
            if not await tx.run(runs_sql.PAUSE, run=run.id, under=run.epoch, **journal.progress()):
                raise LeaseLost
            if any(row.seq in waiting for row in await tx.all(sql.DECIDED, run=run.id)):
                raise _Decided
            approval_ids = [int(row.id) for row in await tx.all(sql.PENDING_OF_RUN, run=run.id)]
            if run.agent_id is not None:
                await emit(tx, run.account_id, _waiting_event(run, run.agent_id, approval_ids))
            return approval_ids

        try:
            journal.approval_ids = await self.database.transact(write)
        except _Decided:
            return
        crash_point("runs.paused")
        raise RunPaused

    async def decision(self, run: Run, seq: int) -> Row | None:
        """Return the decision on the call in journal row `seq`, or None if there is none yet."""
        decided = await self.database.lookup(sql.OF_CALL, run=run.id, at=seq)
        return decided if decided and decided.decision else None

    async def start(self, run: Run, seq: int, arguments: str) -> None:
        """Record that an approved call starts, with the approved arguments. Raises `LeaseLost`."""

        async def write(tx: Tx) -> None:
            if not await tx.run(runs_sql.HOLD, run=run.id, under=run.epoch):
                raise LeaseLost
            await tx.run(sql.START_TOOL, run=run.id, at=seq, changed=arguments)

        await self.database.transact(write)
        crash_point("runs.approved_tool_started")
