"""Creates, reads, updates and deletes the fleets of one account."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from retinue.auth.caller import Caller
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.core.work.events import emit
from retinue.fleets import deployment_statements as deployments_sql
from retinue.fleets import statements as sql
from retinue.fleets.events import FleetCreated
from retinue.fleets.orchestrator import Orchestrator
from retinue.fleets.schemas import FleetCreate, FleetUpdate
from retinue.fleets.tables import FleetRow, MemberRow


@dataclass(frozen=True)
class Fleets:
    """Creates, finds, updates and deletes fleets. Every query is limited to the caller's account."""

    caller: Caller
    database: Database
    orchestrator: Orchestrator
    touched: set[int]

    async def create(self, new: FleetCreate) -> FleetRow:
        """Create a fleet. Raises `ValidationFailed` if the plan's quota is full."""

        async def insert(tx: Tx) -> FleetRow:
            fleet = await self.add(tx, new)
            await note_effect(tx, self.caller.claim, {"fleet": fleet.id})
            return fleet

        return await self.database.transact(insert)

    async def add(self, tx: Tx, new: FleetCreate) -> FleetRow:
        """Create a fleet in the caller's transaction."""
        account = self.caller.account_id
        (fleet,) = await tx.all(sql.INSERT, **new.model_dump(), account_id=account, created_at=now())
        self._check_quota(await counters.bump(tx, account, "fleets", 1))
        tx.after_commit(lambda: self.touched.add(account))
        await emit(tx, account, _created_event(fleet))
        return fleet

    async def page(self, page: Page) -> tuple[Sequence[FleetRow], int]:
        """Return one page, newest first, and the total count."""
        rows = await read_page(self.database, sql.LIST, page, account=self.caller.account_id)
        return rows, await counters.read(self.database, self.caller.account_id, "fleets")

    async def get(self, fleet_id: int) -> FleetRow:
        """Return one fleet. Raises `NotFound`."""
        return _require(await self.database.lookup(sql.GET, **self.key(fleet_id)), fleet_id)

    async def members(self, fleet_id: int) -> list[MemberRow]:
        """Return the id, name, role and task of each agent attached to a fleet."""
        return await self.database.fetch(sql.MEMBERS, **self.key(fleet_id))

    async def update(self, fleet_id: int, changes: FleetUpdate) -> FleetRow:
        """Change the fields that were sent."""

        async def write(tx: Tx) -> FleetRow:
            fleet = await self.lock(tx, fleet_id)
            fields = changes.sent_fields()
            _check_size(fleet, fields.get("max_agents", fleet.max_agents))
            current = {name: getattr(fleet, name) for name in FleetCreate.model_fields}
            await tx.run(sql.UPDATE, **{**current, **fields}, **self.key(fleet_id))
            return _require(await tx.one(sql.GET, **self.key(fleet_id)), fleet_id)

        return await self.database.transact(write)

    async def delete(self, fleet_id: int) -> None:
        """Cancel the fleet's deployments, detach its agents, and delete it."""
        await self.get(fleet_id)
        cancel = partial(self.orchestrator.cancel, reason="The fleet was deleted.")
        # There may be hundreds, so each is cancelled in a transaction of its own, and other writers get their turns.
        for deployment in await self.database.query(deployments_sql.OPEN_OF_FLEET, **self.key(fleet_id)):
            await self.database.transact(partial(cancel, deployment_id=deployment.id))

        async def write(tx: Tx) -> None:
            await self.lock(tx, fleet_id)
            for deployment in await tx.all(deployments_sql.OPEN_OF_FLEET, **self.key(fleet_id)):
                await cancel(tx, deployment_id=deployment.id)
            await tx.run(sql.DETACH_MEMBERS, **self.key(fleet_id), moment=now())
            await tx.run(sql.DELETE, **self.key(fleet_id))
            await counters.bump(tx, self.caller.account_id, "fleets", -1)

        await self.database.transact(write)

    async def lock(self, tx: Tx, fleet_id: int) -> FleetRow:
        """Return the fleet, locked for an update. Raises `NotFound`."""
        return _require(await tx.one(sql.LOCK, **self.key(fleet_id)), fleet_id)

    def key(self, fleet_id: int) -> dict[str, int]:
        """Return the statement parameters that identify a fleet of the caller."""
        return {"fleet": fleet_id, "account": self.caller.account_id}

    def _check_quota(self, count: int) -> None:
        limit = self.caller.plan.quotas.get("fleets_active")
        if limit is not None and count > limit:
            raise ValidationFailed(
                f"The quota fleets_active of the plan {self.caller.plan_name} is full ({limit}). Delete a fleet first."
            )


def _check_size(fleet: FleetRow, max_agents: int) -> None:
    if max_agents < fleet.agent_count:
        raise ValidationFailed(
            f"max_agents must not be lower than the number of agents in the fleet, {fleet.agent_count}. "
            "Detach some first."
        )


def _created_event(fleet: FleetRow) -> FleetCreated:
    return FleetCreated(fleet_id=fleet.id, name=fleet.name, max_agents=fleet.max_agents, auto_scale=fleet.auto_scale)


def _require(fleet: FleetRow | None, fleet_id: int) -> FleetRow:
    if fleet is None:
        raise NotFound(f"There is no fleet {fleet_id} in your account.")
    return fleet
