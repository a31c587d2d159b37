"""Manage the connections of the caller's account."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import orjson

from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.connections import statements as sql
from retinue.connections.keyring import OpenedConnection, open_secret, secret_owner
from retinue.connections.kinds import KINDS, check_secret, check_settings
from retinue.connections.schemas import ConnectionCreate, ConnectionUpdate
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx, UniqueConflict
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now, to_text
from retinue.core.runtime.vault import Vault

MOST_CONNECTIONS = 100
"""Maximum number of connections of an account."""

_SIMULATED = "Simulated: the sandbox sends no requests, so the secret was not tested."


class Tester(Protocol):
    """Tests connections."""

    async def test(self, connection: OpenedConnection) -> tuple[bool, str]:
        """Return whether the server accepts the secret, and its message."""
        ...


class Uses(Protocol):
    """Finds the users of a connection."""

    async def of_connection(self, tx: Tx, account_id: int, connection_id: int) -> Sequence[str]:
        """Return a description of everything that uses the connection, such as "the source pets"."""
        ...


@dataclass(frozen=True)
class Connections:
    """Creates, reads, changes, tests and deletes connections of the caller's account."""

    caller: Caller
    database: Database
    vault: Vault
    tester: Tester
    uses: Sequence[Uses]

    async def create(self, new: ConnectionCreate) -> Row:
        """Create a connection. Its secret is encrypted before it is written."""
        account, moment = self.caller.account_id, now()
        fields = {
            "account_id": account,
            "name": new.name,
            "kind": new.kind,
            "settings": check_settings(new.kind, new.settings).model_dump(),
            "secret": self._seal(new.name, check_secret(new.kind, new.secret)),
            "created_at": moment,
            "updated_at": moment,
        }
        actor = Actor.of_caller(self.caller)

        async def insert(tx: Tx) -> Row:
            await counters.lock(tx, account)
            existing = await tx.one(sql.COUNT, account=account)
            if existing and existing.held >= MOST_CONNECTIONS:
                raise ValidationFailed(f"An account can have at most {MOST_CONNECTIONS} connections. Delete one first.")
            (row,) = await tx.all(sql.INSERT, **fields)
            await audit(tx, actor, "connection.created", row.id)
            await note_effect(tx, self.caller.claim, {"connection": row.id})
            return row

        try:
            return await self.database.transact(insert)
        except UniqueConflict as error:
            raise ValidationFailed(
                f"name: you already have a connection named {new.name}. Change it with PUT, or choose another name."
            ) from error

    async def page(self, page: Page) -> tuple[Sequence[Row], int]:
        """Return one page, newest first, and the total number of connections."""
        account = self.caller.account_id
        count = await self.database.lookup(sql.COUNT, account=account)
        return await read_page(self.database, sql.LIST, page, account=account), count.held if count else 0

    async def get(self, connection_id: int) -> Row:
        """Return one connection. Raises `NotFound`."""
        return _present(await self.database.lookup(sql.GET, **self._key(connection_id)), connection_id)

    async def update(self, connection_id: int, changes: ConnectionUpdate) -> Row:
        """Replace the settings, the secret, or both.

        Settings that name another server require the secret again, so that it never goes to a server that its owner
        did not choose. Raises `ValidationFailed`.
        """
        changed, actor = changes.sent_fields(), Actor.of_caller(self.caller)

        async def write(tx: Tx) -> Row:
            row = _present(await tx.one(sql.LOCK, **self._key(connection_id)), connection_id)
            if not changed:
                return row
            before = check_settings(row.kind, row.settings)
            after = check_settings(row.kind, changed["settings"]) if "settings" in changed else before
            if "secret" not in changed and before.destinations() != after.destinations():
                raise ValidationFailed("secret: send it again, because these settings point to another server.")
            await audit(tx, actor, "connection.updated", connection_id, f"Replaced: {', '.join(sorted(changed))}.")
            fresh = self._seal(row.name, check_secret(row.kind, changed["secret"])) if "secret" in changed else None
            return await tx.one(
                sql.UPDATE,
                **self._key(connection_id),
                settings=after.model_dump(),
                secret=fresh or row.secret,
                moment=now(),
            )

        return await self.database.transact(write)

    async def delete(self, connection_id: int) -> None:
        """Delete a connection. Raises `ValidationFailed` if a source uses it."""
        account, actor = self.caller.account_id, Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            row = _present(await tx.one(sql.LOCK, **self._key(connection_id)), connection_id)
            if users := [user for uses in self.uses for user in await uses.of_connection(tx, account, connection_id)]:
                raise ValidationFailed(
                    f"The connection {row.name} is used by {', '.join(users)}. Delete what uses it first."
                )
            await tx.run(sql.DELETE, **self._key(connection_id))
            await audit(tx, actor, "connection.deleted", connection_id)

        await self.database.transact(write)

    async def test(self, connection_id: int) -> Row:
        """Test a connection and store the outcome."""
        row = _present(await self.database.lookup(sql.STORED, **self._key(connection_id)), connection_id)
        if not KINDS[row.kind].testable:
            raise ValidationFailed(f"A connection of the kind {row.kind} can only be tested by using it.")
        ok, message = (True, _SIMULATED) if self.caller.sandbox else await self._try(row)
        outcome = {"ok": ok, "message": message, "tested_at": to_text(now())}
        key = self._key(connection_id)
        await self.database.transact(lambda tx: tx.run(sql.NOTE_TEST, **key, unchanged=row.updated_at, outcome=outcome))
        return await self.get(connection_id)

    async def _try(self, row: Row) -> tuple[bool, str]:
        opened = OpenedConnection(row.name, row.kind, row.settings, open_secret(self.vault, row))
        ok, message = await self.tester.test(opened)
        return ok, opened.redaction.text(message)[:500]

    def _key(self, connection_id: int) -> dict[str, int]:
        return {"connection": connection_id, "account": self.caller.account_id}

    def _seal(self, name: str, secret: Mapping[str, object]) -> str:
        return self.vault.seal(orjson.dumps(secret).decode(), secret_owner(self.caller.account_id, name))


def _present(row: Row | None, connection_id: int) -> Row:
    if row is None:
        raise NotFound(f"There is no connection {connection_id} in your account.")
    return row
