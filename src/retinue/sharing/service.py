"""Manage the publishable keys of the caller's account."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.auth.keys.key_format import new_publishable_key
from retinue.auth.revocation import lock_account_of
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.sharing import statements as sql
from retinue.sharing.schemas import PublishableKeyCreate, PublishableKeyUpdate

MOST_KEYS = 100
"""Maximum number of publishable keys of an account."""


@dataclass(frozen=True)
class PublishableKeys:
    """Creates, lists, changes, rotates and revokes the publishable keys of the caller's account."""

    caller: Caller
    database: Database

    async def create(self, new: PublishableKeyCreate) -> Row:
        """Create a key for one of the caller's agents."""
        fields = {**new.model_dump(exclude={"agent_id"}), "created_at": now()}
        actor = Actor.of_caller(self.caller)

        async def insert(tx: Tx) -> int:
            await self._check_room(tx)
            if await tx.one(sql.LOCK_AGENT, agent=new.agent_id, account=self.caller.account_id) is None:
                raise ValidationFailed(f"agent_id: there is no agent {new.agent_id} in your account.")
            key_id = await self._insert(tx, new.agent_id, fields)
            await audit(tx, actor, "publishable_key.created", key_id, f"For the agent {new.agent_id}.")
            await note_effect(tx, self.caller.claim, {"publishable_key": key_id})
            return key_id

        return await self.get(await self.database.transact(insert))

    async def page(self, page: Page, agent_id: int | None = None) -> tuple[Sequence[Row], int]:
        """Return one page of keys, without the revoked ones, newest first, and the total number."""
        filters = {"account": self.caller.account_id, "agent": agent_id}
        rows = await read_page(self.database, sql.LIST, page, **filters, day=today())
        count = await self.database.lookup(sql.COUNT, **filters)
        return rows, count.held if count else 0

    async def get(self, key_id: int) -> Row:
        """Return one key. Raises `NotFound`."""
        return _require(await self.database.lookup(sql.GET, **self._key(key_id), day=today()), key_id)

    async def update(self, key_id: int, changes: PublishableKeyUpdate) -> Row:
        """Change the fields that were sent."""
        changed, actor = changes.sent_fields(), Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            row = _require(await tx.one(sql.LOCK, **self._key(key_id)), key_id)
            if "appearance" in changed:
                changed["appearance"] = {**row.appearance, **changed["appearance"]}
            fields = {f"new_{name}": changed.get(name, getattr(row, name)) for name in sql.CHANGEABLE}
            await tx.run(sql.UPDATE, **self._key(key_id), **fields)
            if changed:
                detail = f"Changed: {', '.join(sorted(changed))}."
                await audit(tx, actor, "publishable_key.updated", key_id, detail)

        await self.database.transact(write)
        return await self.get(key_id)

    async def revoke(self, key_id: int) -> None:
        """Revoke a key. Every node refuses it within a second."""
        actor = Actor.of_caller(self.caller)

        async def revoke(tx: Tx) -> None:
            if not await tx.run(sql.REVOKE, **self._key(key_id), moment=now()):
                raise _missing(key_id)
            await audit(tx, actor, "publishable_key.revoked", key_id)

        await self.database.transact(revoke)

    async def rotate(self, key_id: int, overlap: timedelta) -> Row:
        """Create a successor with the same settings. The old key stays valid for `overlap`."""
        actor = Actor.of_caller(self.caller)

        async def replace(tx: Tx) -> int:
            await self._check_room(tx)
            old = _require(await tx.one(sql.LOCK, **self._key(key_id)), key_id)
            _check_replaceable(old)
            fields = {name: getattr(old, name) for name in sql.CHANGEABLE}
            successor = await self._insert(tx, old.agent_id, {**fields, "created_at": now()})
            await tx.run(sql.REPLACE, key=key_id, successor=successor, until=now() + overlap, moment=now())
            await audit(tx, actor, "publishable_key.rotated", key_id, f"Its successor is key {successor}.")
            await note_effect(tx, self.caller.claim, {"publishable_key": successor})
            return successor

        return await self.get(await self.database.transact(replace))

    async def _check_room(self, tx: Tx) -> None:
        await lock_account_of(tx, self.caller, self.caller.sandbox)
        count = await tx.one(sql.COUNT, account=self.caller.account_id, agent=None)
        if count and count.held >= MOST_KEYS:
            raise ValidationFailed(f"An account can have at most {MOST_KEYS} publishable keys. Revoke one first.")

    async def _insert(self, tx: Tx, agent_id: int, fields: dict[str, object]) -> int:
        account = self.caller.account_id
        row = await tx.one(sql.INSERT, account_id=account, agent_id=agent_id, token=new_publishable_key(), **fields)
        return int(row.id) if row else 0

    def _key(self, key_id: int) -> dict[str, int]:
        return {"key": key_id, "account": self.caller.account_id}


def today(moment: datetime | None = None) -> str:
    """Return the date in UTC, on which the daily limits depend."""
    return (moment or now()).date().isoformat()


async def revoke_publishable_keys(tx: Tx, user_id: int) -> None:
    """Revoke all publishable keys of a user."""
    for account in await tx.all(sql.ACCOUNTS_OF, user=user_id):
        await tx.run(sql.REVOKE_ALL, account=account.id, moment=now())


def _check_replaceable(old: Row) -> None:
    if old.successor_id is not None:
        raise ValidationFailed(f"The key has already been replaced by key {old.successor_id}. Rotate that one.")


def _require(row: Row | None, key_id: int) -> Row:
    if row is None:
        raise _missing(key_id)
    return row


def _missing(key_id: int) -> NotFound:
    return NotFound(f"There is no publishable key {key_id} in your account.")
