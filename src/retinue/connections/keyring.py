"""Decrypt connections for a call. No other module reads their secrets from the database."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import orjson

from retinue.connections import statements as sql
from retinue.connections.redaction import Redaction
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.runtime.vault import Vault

_USE_KEPT = timedelta(minutes=1)
"""Minimum time between two writes of `last_used_at`."""


def secret_owner(account_id: int, name: str) -> str:
    """Return the associated data that a connection's secret is encrypted with."""
    return f"connection {name} of account {account_id}"


def open_secret(vault: Vault, row: Row) -> dict[str, str]:
    """Decrypt the secret of a row. Raises `MasterKeyWrong`."""
    secret: dict[str, str] = orjson.loads(vault.open_sealed(row.secret, secret_owner(row.account_id, row.name)))
    return secret


async def check_master_key(database: Database, vault: Vault) -> None:
    """Check the master key against a stored secret at startup. Raises `MasterKeyWrong`."""
    if stored := await database.lookup(sql.ANY_SECRET):
        open_secret(vault, stored)


@dataclass(frozen=True, slots=True)
class OpenedConnection:
    """A connection with its decrypted secret. Use it only for the call that it was opened for."""

    name: str
    kind: str
    settings: Mapping[str, Any]
    secret: Mapping[str, str] = field(repr=False)

    def as_argument(self) -> dict[str, object]:
        """Return the value that replaces the name in a tool call: `retinue.tools.authoring.arguments.Connection`."""
        return {"name": self.name, "settings": self.settings, "secret": self.secret}

    @property
    def redaction(self) -> Redaction:
        """Removes the secret from results."""
        user = str(self.settings.get("user") or self.settings.get("name") or "")
        return Redaction.of(self.secret.values(), f"connection {self.name}", user)


@dataclass(frozen=True)
class ConnectionKeyring:
    """Decrypts the connections of accounts."""

    database: Database
    vault: Vault

    async def open(self, account_id: int, kind: str, name: str) -> OpenedConnection:
        """Open the account's connection by name and kind. Raises `ValidationFailed`, whose message lists the existing
        ones.
        """
        row = await self.database.lookup(sql.BY_NAME, account=account_id, name=name)
        if row is None or row.kind != kind:
            raise ValidationFailed(await self._refusal(account_id, kind, name, row))
        return await self._open(row)

    async def open_by_id(self, account_id: int, connection_id: int) -> OpenedConnection:
        """Open a connection that a source uses. Raises `NotFound`."""
        row = await self.database.lookup(sql.STORED, account=account_id, connection=connection_id)
        if row is None:
            raise NotFound("The connection of this source has been deleted.")
        return await self._open(row)

    async def hold(self, tx: Tx, account_id: int, name: str) -> int:
        """Lock a connection against deletion until the transaction ends; return its id. Raises `ValidationFailed`."""
        row = await tx.one(sql.LOCK_BY_NAME, account=account_id, name=name)
        if row is None:
            raise ValidationFailed(f"connection: the connection {name} has just been deleted.")
        return int(row.id)

    async def _open(self, row: Row) -> OpenedConnection:
        opened = OpenedConnection(row.name, row.kind, row.settings, open_secret(self.vault, row))
        moment = now()
        if row.last_used_at is None or moment - row.last_used_at > _USE_KEPT:
            key = {"account": row.account_id, "connection": row.id}
            await self.database.transact(lambda tx: tx.run(sql.NOTE_USE, **key, moment=moment))
        return opened

    async def _refusal(self, account_id: int, kind: str, name: str, row: Row | None) -> str:
        names = [one.name for one in await self.database.fetch(sql.NAMES, account=account_id, kind=kind)]
        wrong = f"Your connection {name} is of the kind {row.kind}" if row else f"You have no connection {name}"
        yours = (
            f"Your connections of the kind {kind}: {', '.join(names[:50])}."
            if names
            else f"You have no connections of the kind {kind}."
        )
        how = (
            "An owner of the account can create one with POST /api/v1/connections. Secrets must not be "
            "sent in arguments."
        )
        return f"{wrong}. {yours} {how}"
