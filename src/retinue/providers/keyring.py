"""Reads the providers that an account sees, and decrypts their keys. No other module reads their secrets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import orjson

from retinue.core.database.interface import Database
from retinue.core.database.statements import Row
from retinue.core.runtime.vault import Vault
from retinue.providers import statements as sql
from retinue.providers.tables import EVERYBODY


def secret_owner(account_id: int, name: str) -> str:
    """Return the associated data that a provider's secret is encrypted with."""
    return f"provider {name} of account {account_id}"


@dataclass(frozen=True, slots=True)
class ProviderSecret:
    """What a provider knows its caller by. All of it is secret."""

    key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def unseal(cls, vault: Vault, row: Row) -> "ProviderSecret":
        """Decrypt the secret of a row. Raises `MasterKeyWrong`."""
        return cls(**orjson.loads(vault.open_sealed(row.secret, secret_owner(row.account_id, row.name))))

    def seal(self, vault: Vault, account_id: int, name: str) -> str:
        """Encrypt it for a row."""
        content = {"key": self.key, "headers": dict(self.headers), "query": dict(self.query)}
        return vault.seal(orjson.dumps(content).decode(), secret_owner(account_id, name))

    def names(self) -> list[str]:
        """Return the names of what it contains: `key`, `headers.NAME` and `query.NAME`."""
        parts = [("headers", self.headers), ("query", self.query)]
        return [*(["key"] if self.key else []), *(f"{part}.{name}" for part, values in parts for name in values)]


async def check_master_key(database: Database, vault: Vault) -> None:
    """Check the master key against a stored secret at startup. Raises `MasterKeyWrong`."""
    if stored := await database.lookup(sql.ANY_SECRET):
        ProviderSecret.unseal(vault, stored)


@dataclass(frozen=True, slots=True)
class ChosenDefault:
    """The models that `alfred-default` means. `shared` says that an operator chose them for everybody."""

    model: str
    fallbacks: tuple[str, ...]
    shared: bool


@dataclass(frozen=True, slots=True)
class AccountProviders:
    """What an account sees: the rows of its providers by name, and the chosen defaults, its own first.

    `embedding` is the chosen embedding model; empty for the included one.
    """

    providers: Mapping[str, Row]
    defaults: Sequence[ChosenDefault]
    embedding: str


@dataclass(frozen=True)
class ProviderKeyring:
    """Reads providers for the calls of accounts."""

    database: Database
    vault: Vault

    async def seen_by(self, account_id: int) -> AccountProviders:
        """Return the enabled providers that the account sees. Its own hide shared ones of the same name.

        `EVERYBODY` stands for all accounts, on any plan.
        """
        shared = await self.database.fetch(sql.SHARED, account=account_id)
        own = await self.database.fetch(sql.OWN, account=account_id)
        every = account_id == EVERYBODY
        found = {row.name: row for row in shared if every or row.plans is None or row.plan in row.plans}
        found |= {row.name: row for row in own}
        rows = await self.database.fetch(sql.DEFAULTS, account=account_id)
        enabled = {name: row for name, row in found.items() if row.enabled}
        own_first = sorted(rows, key=lambda row: bool(row.account_id == EVERYBODY))
        chosen = next((str(row.embedding) for row in own_first if row.embedding), "")
        defaults = [
            ChosenDefault(row.model, tuple(row.fallbacks), row.account_id == EVERYBODY)
            for row in own_first
            if row.model
        ]
        return AccountProviders(enabled, defaults, chosen)

    def secret(self, row: Row) -> ProviderSecret:
        """Decrypt the secret of a row. Raises `MasterKeyWrong`."""
        return ProviderSecret.unseal(self.vault, row)
