"""Finds what uses the models of a provider, so that no deletion moves traffic to another model unnoticed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from retinue.core.database.interface import Tx
from retinue.core.database.statements import Row
from retinue.core.errors import InUse, list_users
from retinue.providers import statements as sql


class ProviderUses(Protocol):
    """Finds the records of one kind that use a model of a provider."""

    async def of_provider(self, tx: Tx, account_id: int, name: str) -> Mapping[int, str]:
        """Return their names by id."""
        ...


@dataclass(frozen=True)
class UsesOfModels:
    """Finds the agents and the collections that use a model of a provider."""

    agents: ProviderUses
    collections: ProviderUses

    async def check_unused(self, tx: Tx, provider: Row) -> None:
        """Raise `InUse` if a default, an agent or a collection of the owner's account uses a model of the provider.

        Of a shared one, other accounts do not count: its operator cannot change what they chose.
        """
        account, name = provider.account_id, provider.name
        agents = await self.agents.of_provider(tx, account, name)
        collections = await self.collections.of_provider(tx, account, name)
        problems = await _uses_by_defaults(tx, provider)
        if agents:
            problems += [
                f"Agents that use its models ({len(agents)}): {list_users(agents)}.",
                "Choose other models for them with PUT /api/v1/agents/{id}.",
            ]
        if collections:
            problems += [
                f"Collections that use its models ({len(collections)}): {list_users(collections)}.",
                "Choose other rerankers with PUT /api/v1/knowledge/collections/{id}, and wait until they are ready.",
            ]
        if problems:
            first = f"The provider {name} cannot be deleted, because its models are in use."
            raise InUse(" ".join([first, *problems]), agents)


async def _uses_by_defaults(tx: Tx, provider: Row) -> list[str]:
    """Return sentences about the defaults of the provider's account, and of a shared provider, about everybody's."""
    sentences: list[str] = []
    for row in await tx.all(sql.DEFAULTS, account=provider.account_id):
        models = [one for one in (row.model, *row.fallbacks, row.embedding) if one.startswith(f"{provider.name}/")]
        if not models:
            continue
        if row.account_id == provider.account_id:
            sentences += [
                f"The default, a fallback or the embedding model of your account is {', '.join(models)}.",
                "Choose others with PUT /api/v1/models/default.",
            ]
        elif provider.shared:
            sentences += [
                f"The default, a fallback or the embedding model of all accounts is {', '.join(models)}.",
                "Choose others with PUT /api/v1/models/default?shared=true.",
            ]
    return sentences
