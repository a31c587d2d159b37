"""Beginning what a schedule asks for, for the account that owns it."""

from dataclasses import dataclass, replace

from retinue.agents.work import AgentWork
from retinue.auth.caller import Caller
from retinue.core.database import Tx
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.statements import Row
from retinue.fleets.deployments import Deployments
from retinue.fleets.schemas import FleetDeploy


@dataclass(frozen=True, slots=True)
class Begun:
    """The run or the deployment that was begun."""

    run_id: int | None = None
    deployment_id: int | None = None


@dataclass(frozen=True)
class Starter:
    """Begins runs of agents and deployments of fleets, with what its caller may do."""

    work: AgentWork
    deployments: Deployments

    async def begin(self, tx: Tx, schedule: Row) -> Begun:
        """Begin what the schedule asks for.

        Raises `NotFound` where the agent or the fleet is gone and `ValidationFailed` where it cannot begin, both before
        anything is written.
        """
        if schedule.agent_id is not None:
            run = await self.work.begin(tx, schedule.agent_id, schedule.message)
            return Begun(run_id=run.id)
        order = FleetDeploy(task=schedule.task)
        return Begun(deployment_id=(await self.deployments.begin(tx, schedule.fleet_id, order)).id)

    async def check(self, tx: Tx, agent_id: int | None, fleet_id: int | None) -> None:
        """Refuse an agent or a fleet that is not the caller's with `ValidationFailed`."""
        try:
            if agent_id is not None:
                await self.work.agents.lock(tx, agent_id)
            if fleet_id is not None:
                await self.deployments.fleets.lock(tx, fleet_id)
        except NotFound as error:
            name = "agent_id" if agent_id is not None else "fleet_id"
            raise ValidationFailed(f"{name}: {error.message}") from error

    def narrow(self, scopes: list[str]) -> "Starter":
        """The same with no more than `scopes`: a schedule does not do more than the credential that wrote it may."""
        caller = _narrow(self.work.caller, frozenset(scopes))
        agents, fleets = replace(self.work.agents, caller=caller), replace(self.deployments.fleets, caller=caller)
        work = replace(self.work, caller=caller, agents=agents)
        return Starter(work, replace(self.deployments, fleets=fleets))


def _narrow(caller: Caller, scopes: frozenset[str]) -> Caller:
    if "*" in scopes:
        return caller
    return replace(caller, scopes=scopes if "*" in caller.scopes else scopes & caller.scopes)
