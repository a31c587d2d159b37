"""Starts a schedule's run or deployment on behalf of its account."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from retinue.agents.work import AgentWork
from retinue.auth.caller import Caller
from retinue.core.database.interface import Tx
from retinue.core.errors import NotFound, ValidationFailed
from retinue.fleets.deployments import Deployments
from retinue.fleets.schemas import FleetDeploy
from retinue.schedules.mail_requests import NO_MAIL, lacks_mail
from retinue.schedules.tables import ScheduleRow


@dataclass(frozen=True, slots=True)
class StartedWork:
    """The id of the started run or deployment, and a note on what it cannot do."""

    run_id: int | None = None
    deployment_id: int | None = None
    note: str | None = None


@dataclass(frozen=True)
class Starter:
    """Starts agent runs and fleet deployments with its caller's permissions."""

    work: AgentWork
    deployments: Deployments

    async def begin(self, tx: Tx, schedule: ScheduleRow) -> StartedWork:
        """Start the schedule's run or deployment.

        Raises `NotFound` if the agent or the fleet was deleted, and `ValidationFailed` if it cannot start; both
        before any write.
        """
        task = schedule.message or schedule.task or ""
        note = NO_MAIL if await lacks_mail(tx.all, schedule.account_id, task) else None
        if schedule.agent_id is not None:
            run = await self.work.begin(tx, schedule.agent_id, task)
            return StartedWork(run_id=run.id, note=note)
        if schedule.fleet_id is None:
            raise NotFound("The schedule has neither an agent nor a fleet.")
        order = FleetDeploy(task=schedule.task)
        deployment = await self.deployments.begin(tx, schedule.fleet_id, order)
        return StartedWork(deployment_id=deployment.id, note=note)

    async def check(self, tx: Tx, agent_id: int | None, fleet_id: int | None) -> None:
        """Raise `ValidationFailed` if the agent or the fleet does not belong to the caller."""
        try:
            if agent_id is not None:
                await self.work.agents.lock(tx, agent_id)
            if fleet_id is not None:
                await self.deployments.fleets.lock(tx, fleet_id)
        except NotFound as error:
            name = "agent_id" if agent_id is not None else "fleet_id"
            raise ValidationFailed(f"{name}: {error.message}") from error

    def narrow(self, scopes: Iterable[str]) -> "Starter":
        """Return a starter limited to `scopes`, so that a schedule has at most its author's permissions."""
        caller = _narrow(self.work.caller, frozenset(scopes))
        agents, fleets = replace(self.work.agents, caller=caller), replace(self.deployments.fleets, caller=caller)
        work = replace(self.work, caller=caller, agents=agents)
        return Starter(work, replace(self.deployments, fleets=fleets))


def _narrow(caller: Caller, scopes: frozenset[str]) -> Caller:
    if "*" in scopes:
        return caller
    return replace(caller, scopes=scopes if "*" in caller.scopes else scopes & caller.scopes)
