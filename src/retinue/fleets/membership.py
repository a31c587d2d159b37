"""Reserves a place in a fleet, in the transaction that attaches an agent to it."""

from retinue.core.database.interface import Tx
from retinue.core.errors import ValidationFailed
from retinue.fleets import statements as sql


class FleetMembership:
    """Reserves and releases fleet places."""

    async def take(self, tx: Tx, account_id: int, fleet_id: int) -> None:
        """Reserve a place. Raises `ValidationFailed` if the account has no such fleet or the fleet is full."""
        key = {"fleet": fleet_id, "account": account_id}
        if await tx.run(sql.TAKE_PLACE, **key):
            return
        fleet = await tx.one(sql.GET, **key)
        if fleet is None:
            raise ValidationFailed(f"fleet_id: you have no fleet {fleet_id}.")
        raise ValidationFailed(
            f"fleet_id: the fleet {fleet_id} is full: it has {fleet.agent_count} agents. Raise its "
            "max_agents, or detach an agent first."
        )

    async def give_back(self, tx: Tx, account_id: int, fleet_id: int) -> None:
        """Release a place."""
        await tx.run(sql.GIVE_PLACE_BACK, fleet=fleet_id, account=account_id)
