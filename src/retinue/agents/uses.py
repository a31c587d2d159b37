"""Finds the agents that use a provider, a collection, or another agent."""

from collections.abc import Callable

from retinue.agents import statements as sql
from retinue.agents.tables import AgentReferences
from retinue.core.database.interface import Tx
from retinue.core.errors import InUse, list_users


class AgentUses:
    """Finds the agents that refer to a record, as their names by id."""

    async def of_provider(self, tx: Tx, account_id: int, name: str) -> dict[int, str]:
        """Return the agents whose model or fallbacks are of a provider."""
        prefix = f"{name}/"
        return await _find(
            tx, account_id, lambda one: any(m.startswith(prefix) for m in (one.model or "", *one.fallback_models))
        )

    async def of_collection(self, tx: Tx, account_id: int, collection_id: int) -> dict[int, str]:
        """Return the agents that answer from a collection."""
        return await _find(tx, account_id, lambda one: collection_id in one.knowledge)


async def check_not_called(tx: Tx, account_id: int, agent_id: int, agent_name: str) -> None:
    """Raise `InUse` if other agents may call an agent."""
    if agents := await _find(tx, account_id, lambda one: agent_id in one.agents):
        raise InUse(
            f"The agent {agent_name} cannot be deleted, because other agents may call it. "
            f"Agents that may call it ({len(agents)}): {list_users(agents)}. "
            "Take it out of their agents with PUT /api/v1/agents/{id} first.",
            agents,
        )


async def _find(tx: Tx, account_id: int, uses: Callable[[AgentReferences], bool]) -> dict[int, str]:
    return {one.id: one.agent_name for one in await tx.all(sql.REFERENCES, account=account_id) if uses(one)}
