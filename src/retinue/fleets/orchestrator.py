"""Advances deployments: records ended parts, starts the parts that are ready, and closes the deployment.

Each step is one transaction based only on the rows, so any process can take it, even after another one died. The
transaction that marks a part as started also creates its run, and the one that records its end also counts it.
"""

from dataclasses import dataclass
from functools import partial

from retinue.agents import statements as agents_sql
from retinue.agents.events import AgentDeployed
from retinue.agents.run_of_agent import run_of_agent
from retinue.core.database.interface import Tx
from retinue.core.database.statements import Row
from retinue.core.errors import ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.work.events import emit
from retinue.core.work.notifier import Notifier
from retinue.fleets import deployment_statements as sql
from retinue.fleets import statements as fleets_sql
from retinue.fleets.deployment_stream import moved_topic
from retinue.fleets.prompts import message_of, untrusted_source
from retinue.fleets.schemas import DeploymentStatus, PartStatus
from retinue.fleets.steps import DeploymentOrder, DeploymentPart, next_moment
from retinue.fleets.strategies import answer, any_work_done, first_parts, planned_parts, ready, wants_copies
from retinue.fleets.tables import DeploymentRow
from retinue.runs import statements as runs_sql
from retinue.runs.cancel_accounting import record_cancelled
from retinue.runs.execution.create_run import NewRun, RunCreator

_FAITHFUL = 0.0
"""The temperature for synthesis and review, which must repeat results without adding to them."""

_STARTS = 4
"""The most parts that one transaction starts, because it blocks others while it lasts."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The state after a step: the ids of the open runs, and whether `more` parts can start now."""

    runs: list[int]
    more: bool


@dataclass(frozen=True)
class Orchestrator:
    """Advances deployments, in the transactions of the processes that hold them."""

    dispatch: RunCreator
    notifier: Notifier

    async def begin(self, tx: Tx, deployment: DeploymentRow) -> None:
        """Add the initial parts and start the first ready ones."""
        parts = first_parts(DeploymentOrder.of(deployment))
        await _add(tx, deployment, parts)
        await self._start_ready(tx, deployment, parts)
        tx.after_commit(partial(self.notifier.wake, "deployments"))

    async def advance(self, tx: Tx, deployment: DeploymentRow) -> Progress | None:
        """Take all possible steps. Returns None when the deployment has ended."""
        parts = await self._note_ended(tx, deployment)
        if now() >= deployment.deadline:
            await self.close(
                tx, deployment, "timed_out", f"The deployment timed out after {deployment.timeout} seconds."
            )
            return None
        planned = planned_parts(DeploymentOrder.of(deployment), parts)
        await _add(tx, deployment, planned)
        parts += planned
        more = await self._start_ready(tx, deployment, parts)
        running = [part.run_id for part in parts if part.status == "running" and part.run_id]
        if running or more:
            return Progress(running, more)
        await self._complete(tx, deployment, parts)
        return None

    async def cancel(self, tx: Tx, deployment_id: int, reason: str) -> None:
        """Cancel a deployment, unless it has ended."""
        deployment = await tx.one(sql.LOCK_OPEN, deployment=deployment_id)
        if deployment:
            await self.close(tx, deployment, "cancelled", reason)

    async def close(self, tx: Tx, deployment: DeploymentRow, outcome: DeploymentStatus, reason: str | None) -> None:
        """End a deployment, with all its open runs and parts."""
        parts = await self._note_ended(tx, deployment)
        runs = [part.run_id for part in parts if part.status == "running"]
        if runs:
            await self._cancel_runs(tx, runs, reason)
            parts = await self._note_ended(tx, deployment)
        for part in parts:
            if part.status == "waiting":
                await self._end(tx, deployment, parts, part, "cancelled", reason)
        await tx.run(
            sql.END, deployment=deployment.id, outcome=outcome, found=_result(deployment, parts), reason=reason,
            moment=next_moment(deployment, parts),
        )  # fmt: skip
        self._wake_followers(tx, deployment)
        tx.after_commit(partial(self.notifier.wake, f"deployment:{deployment.id}"))

    async def _complete(self, tx: Tx, deployment: DeploymentRow, parts: list[DeploymentPart]) -> None:
        if any_work_done(parts):
            await self.close(tx, deployment, "completed", None)
        elif parts:
            await self.close(tx, deployment, "failed", "No agent completed its part.")
        else:
            reason = "No task was sent, and no agent of the fleet has its own task."
            await self.close(tx, deployment, "failed", reason)

    async def _note_ended(self, tx: Tx, deployment: DeploymentRow) -> list[DeploymentPart]:
        """Record the parts whose runs have ended, count the completed ones, and return all parts."""
        rows = await tx.all(sql.PARTS, deployment=deployment.id)
        parts = [DeploymentPart.of(row) for row in rows]
        completed = 0
        for part, row in zip(parts, rows, strict=True):
            if part.status == "running" and row.run_status and row.run_ended_at:
                await self._end(tx, deployment, parts, part, row.run_status, row.run_error)
                completed += row.run_status == "completed"
        if completed:
            await tx.run(fleets_sql.COUNT_TASKS, **_fleet(deployment), completed=completed)
        return parts

    async def _start_ready(self, tx: Tx, deployment: DeploymentRow, parts: list[DeploymentPart]) -> bool:
        """Start parts that are ready. Returns True if more parts can start in another transaction."""
        order = DeploymentOrder.of(deployment)
        places = await _places(tx, deployment) if wants_copies(order, parts) else 0
        found = ready(order, parts, places)
        for part, as_copy in found[:_STARTS]:
            await self._start(tx, deployment, part, parts, as_copy)
        return len(found) > _STARTS or any(part.over for part, _ in found)

    async def _start(
        self, tx: Tx, deployment: DeploymentRow, part: DeploymentPart, parts: list[DeploymentPart], as_copy: bool
    ) -> None:
        key = {"agent": part.member.id, "account": deployment.account_id}
        agent = await tx.one(agents_sql.LOCK, **key)
        if agent is None:
            await self._end(tx, deployment, parts, part, "failed", "The agent was deleted.")
            return
        new = not any(other.run_id and other.member.id == agent.id for other in parts)
        try:
            run = await self.dispatch.background(tx, _new_run(deployment, agent, part, parts))
        except ValidationFailed as refusal:
            await self._end(tx, deployment, parts, part, "failed", refusal.message)
            return
        await tx.run(agents_sql.COUNT_RUN, **key)
        part.status, part.run_id, part.is_copy = "running", run.id, as_copy
        part.started_at = next_moment(deployment, parts)
        await tx.run(
            sql.START_PART,
            deployment=deployment.id,
            part=part.number,
            run=run.id,
            as_copy=as_copy,
            moment=part.started_at,
        )
        self._wake_followers(tx, deployment)
        if new:
            deployed = AgentDeployed(agent_id=agent.id, agent_name=agent.agent_name, fleet_id=deployment.fleet_id)
            await emit(tx, deployment.account_id, deployed)

    async def _end(
        self,
        tx: Tx,
        deployment: DeploymentRow,
        parts: list[DeploymentPart],
        part: DeploymentPart,
        outcome: PartStatus,
        reason: str | None,
    ) -> None:
        part.status, part.error, part.ended_at = outcome, reason, next_moment(deployment, parts)
        await tx.run(
            sql.END_PART,
            deployment=deployment.id,
            part=part.number,
            outcome=outcome,
            reason=reason,
            moment=part.ended_at,
        )
        self._wake_followers(tx, deployment)

    def _wake_followers(self, tx: Tx, deployment: DeploymentRow) -> None:
        """Wake the followers of the deployment."""
        tx.after_commit(partial(self.notifier.wake, moved_topic(deployment.id)))

    async def _cancel_runs(self, tx: Tx, runs: list[int | None], reason: str | None) -> None:
        """Cancel runs on any node: the processes that execute them lose their claims and stop."""
        cancelled = await tx.all(runs_sql.CANCEL_THESE, these=runs, reason=reason, moment=now())
        await record_cancelled(tx, cancelled)
        for run in cancelled:
            tx.after_commit(partial(self.notifier.wake, f"run:{run.id}"))
        tx.after_commit(partial(self.notifier.wake, "runs.stopped"))


def _new_run(deployment: DeploymentRow, agent: Row, part: DeploymentPart, parts: list[DeploymentPart]) -> NewRun:
    """Describe a part's run, with the permissions of the deploying credential.

    An agent without skills gets selected tools for work, and none for planning, synthesis or review.
    """
    order, works = DeploymentOrder.of(deployment), part.kind == "work"
    untrusted = untrusted_source(order, part, parts) or deployment.powers.get("untrusted")
    return run_of_agent(
        deployment.account_id,
        agent,
        message_of(order, part, parts),
        {**deployment.powers, "untrusted": untrusted},
        tools=None if works or agent.skills else [],
        temperature=None if works or agent.temperature is not None else _FAITHFUL,
        in_fleet=True,
    )


async def _add(tx: Tx, deployment: DeploymentRow, parts: list[DeploymentPart]) -> None:
    for part in parts:
        await tx.run(
            sql.ADD_PART,
            deployment_id=deployment.id,
            number=part.number,
            kind=part.kind,
            agent_id=part.member.id,
            agent_name=part.member.name,
            agent_role=part.member.role,
            is_copy=False,
            task=part.task,
            status="waiting",
        )


async def _places(tx: Tx, deployment: DeploymentRow) -> int:
    """Return the number of temporary copies that the fleet can still add, over all its deployments."""
    fleet = await tx.one(fleets_sql.LOCK_SCALING, **_fleet(deployment))
    if fleet is None:
        return 0
    (at_work,) = await tx.all(sql.COPIES_AT_WORK, **_fleet(deployment))
    return int(fleet.max_agents - fleet.agent_count - at_work.copies)


def _fleet(deployment: DeploymentRow) -> dict[str, int]:
    return {"fleet": deployment.fleet_id, "account": deployment.account_id}


def _result(deployment: DeploymentRow, parts: list[DeploymentPart]) -> dict[str, object]:
    failures = [
        {"part": part.number, "agent_id": part.member.id, "agent_name": part.member.name, "error": part.error}
        for part in parts
        if part.status in ("failed", "cancelled")
    ]
    return {"reply": answer(DeploymentOrder.of(deployment), parts), "failures": failures}
