"""Starts, reads, follows and cancels the deployments of one account's fleets."""

import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import astuple, dataclass, field
from datetime import timedelta
from typing import Any, TypeVar

from retinue.core.database.interface import Tx
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.core.work.events import emit
from retinue.fleets import deployment_statements as sql
from retinue.fleets import statements as fleets_sql
from retinue.fleets.deployment_stream import follow
from retinue.fleets.events import FleetDeployed
from retinue.fleets.schemas import DeploymentBegunView, DeploymentDetails, DeploymentView, FleetDeploy, Ordered
from retinue.fleets.service import Fleets
from retinue.fleets.steps import FleetMember
from retinue.fleets.stream_events import StreamEvent
from retinue.fleets.tables import DeploymentRow, MemberRow
from retinue.runs.permissions import powers_of
from retinue.runs.run_options import RunOptions
from retinue.workspace.tool_context import RunAncestry

Events = AsyncGenerator[tuple[int, StreamEvent]]
V = TypeVar("V", bound=Ordered)
_EVENT_ID = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True)
class Deployments:
    """Deploys fleets and reads their deployments. `ancestry` is the lineage of the runs it starts."""

    fleets: Fleets
    ancestry: RunAncestry = field(default_factory=RunAncestry)

    async def deploy(self, fleet_id: int, order: FleetDeploy) -> DeploymentBegunView:
        """Start a deployment and return at once."""

        async def write(tx: Tx) -> DeploymentRow:
            deployment = await self.begin(tx, fleet_id, order)
            await note_effect(tx, self.fleets.caller.claim, {"deployment": deployment.id})
            return deployment

        return announce(await self.fleets.database.transact(write))

    async def begin(self, tx: Tx, fleet_id: int, order: FleetDeploy) -> DeploymentRow:
        """Start a deployment in the caller's transaction. Raises `NotFound`, `ValidationFailed` before any write."""
        caller, key = self.fleets.caller, self.fleets.key(fleet_id)
        await self.fleets.lock(tx, fleet_id)
        members = await tx.all(fleets_sql.MEMBERS, **key)
        if not members:
            raise ValidationFailed("This fleet has no agents. Attach one first: send its fleet_id to PUT /agents.")
        powers = self._powers(order)
        await self.fleets.orchestrator.dispatch.descent.check(tx, caller.account_id, RunOptions(**powers))
        deployment = await self._insert(tx, fleet_id, order, members, powers)
        await tx.run(fleets_sql.COUNT_DEPLOYMENT, **key)
        await emit(tx, caller.account_id, _deployed_event(deployment))
        await self.fleets.orchestrator.begin(tx, deployment)
        return deployment

    async def page(self, fleet_id: int, page: Page) -> tuple[Sequence[DeploymentView], int]:
        """Return one page of a fleet's deployments, newest first, and the total count."""
        fleet = await self.fleets.get(fleet_id)
        rows = await read_page(self.fleets.database, sql.LIST, page, **self.fleets.key(fleet_id))
        return [_view(row, DeploymentView) for row in rows], fleet.deployments_count

    async def get(self, fleet_id: int, deployment_id: int) -> DeploymentRow:
        """Return one deployment. Raises `NotFound`."""
        await self.fleets.get(fleet_id)
        row = await self.fleets.database.lookup(sql.GET, deployment=deployment_id, **self.fleets.key(fleet_id))
        if row is None:
            raise NotFound(f"The fleet {fleet_id} has no deployment {deployment_id}.")
        return row

    async def details(self, fleet_id: int, deployment_id: int) -> DeploymentDetails:
        """Return one deployment with its parts. Raises `NotFound`."""
        row = await self.get(fleet_id, deployment_id)
        parts = await self.fleets.database.fetch(sql.PARTS, deployment=row.id)
        return _view(row, DeploymentDetails, parts=parts)

    async def events(self, fleet_id: int, deployment_id: int, last_id: str | None) -> Events:
        """Yield a deployment's events after the id `last_id`, live and from any node."""
        fleets = self.fleets
        row = await self.get(fleet_id, deployment_id)
        after = int(last_id) if last_id and _EVENT_ID.fullmatch(last_id) else -1
        return follow(fleets.database, fleets.orchestrator.notifier, row, after)

    async def cancel(self, fleet_id: int, deployment_id: int) -> DeploymentDetails:
        """Cancel a deployment with all its runs. An ended deployment is unchanged."""
        await self.get(fleet_id, deployment_id)

        async def write(tx: Tx) -> None:
            await self.fleets.orchestrator.cancel(tx, deployment_id, "Cancelled on request.")

        await self.fleets.database.transact(write)
        return await self.details(fleet_id, deployment_id)

    def _powers(self, order: FleetDeploy) -> dict[str, Any]:
        """Return the run options that all runs of a deployment share: the caller's permissions, and the priority."""
        return {**powers_of(self.fleets.caller, self.ancestry), "priority": order.priority or "normal"}

    async def _insert(
        self, tx: Tx, fleet_id: int, order: FleetDeploy, members: Sequence[MemberRow], powers: dict[str, Any]
    ) -> DeploymentRow:
        moment = now()
        timeout = order.timeout or 0
        (row,) = await tx.all(
            sql.INSERT,
            account_id=self.fleets.caller.account_id,
            fleet_id=fleet_id,
            status="running",
            strategy=order.strategy,
            task=order.task,
            timeout=timeout,
            members=[astuple(FleetMember(row.id, row.agent_name, row.agent_role, row.task)) for row in members],
            powers=powers,
            started_at=moment,
            deadline=moment + timedelta(seconds=timeout),
        )
        return row


def announce(row: DeploymentRow) -> DeploymentBegunView:
    """Return the response of `deploy`: the deployment as it started."""
    agents = "1 agent" if len(row.members) == 1 else f"{len(row.members)} agents"
    message = f"Deployed {agents} with the strategy {row.strategy}."
    return _view(row, DeploymentBegunView, status="running", message=message)


def _view(row: DeploymentRow, shape: type[V], **derived: object) -> V:
    agents = [member[0] for member in row.members]
    return shape.of_row(row, deployment_id=row.id, agents=agents, agents_deployed=len(agents), **derived)


def _deployed_event(row: DeploymentRow) -> FleetDeployed:
    return FleetDeployed(
        fleet_id=row.fleet_id,
        deployment_id=row.id,
        strategy=row.strategy,
        task=row.task,
        agents=[member[0] for member in row.members],
    )
