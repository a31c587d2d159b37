"""Places in fleets: an agent that is attached takes one, in the transaction that attaches it."""

from retinue.core.database import Tx
from retinue.core.errors import ValidationFailed
from retinue.fleets import statements as sql


class FleetPlaces:
    """Takes places and gives them back."""

    async def take(self, tx: Tx, account_id: int, fleet_id: int) -> None:
        """Take a place. Raises `ValidationFailed` where the account has no such fleet or it is full."""
        key = {"fleet": fleet_id, "account": account_id}
        if await tx.run(sql.TAKE_PLACE, **key):
            return
        fleet = await tx.one(sql.GET, **key)
        if fleet is None:
            raise ValidationFailed(f"fleet_id: you have no fleet {fleet_id}.")
        raise ValidationFailed(
            f"fleet_id: the fleet {fleet_id} is full with {fleet.agent_count} agents. Raise its max_agents, or detach "
            "an agent first."
        )

    async def give_back(self, tx: Tx, account_id: int, fleet_id: int) -> None:
        """Give a place back."""
        await tx.run(sql.GIVE_PLACE_BACK, fleet=fleet_id, account=account_id)
