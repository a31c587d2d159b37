"""Manage the API keys of the caller's user."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.auth.keys import statements as sql
from retinue.auth.keys.creation import KeySpec, check_number_of_keys, insert_key
from retinue.auth.keys.key_format import KeyParts, new_key
from retinue.auth.keys.rotation import replace_key
from retinue.auth.keys.schemas import KeyCreate, KeySecretView, KeyUpdate, KeyView
from retinue.auth.plans import Plans
from retinue.auth.revocation import lock_account_of
from retinue.auth.tables import KeyRow
from retinue.core.database.interface import Database, Tx
from retinue.core.errors import InsufficientScope, NotFound
from retinue.core.http.envelope import Page, read_page
from retinue.core.runtime.clock import now


class MonthlyUses(Protocol):
    """Tells what keys have used of their monthly budgets."""

    async def of(self, accounts: Collection[int], spender_ids: Collection[int]) -> Mapping[int, Mapping[str, Any]]:
        """Return the fields that tell the use of each key, by its id. `accounts` are the accounts that have them."""
        ...


@dataclass(frozen=True)
class Keys:
    """Creates, lists, rotates and revokes keys. A test key can access only test keys."""

    caller: Caller
    database: Database
    plans: Plans
    uses: MonthlyUses

    async def create(self, new: KeyCreate) -> KeySecretView:
        """Create a key. The response is the only place that contains the secret."""
        sandbox = self.caller.sandbox if new.mode is None else new.mode == "test"
        if self.caller.sandbox and not sandbox:
            raise InsufficientScope("Test keys can only create test keys. Use a live key or a session.")
        key = new_key(sandbox)
        expires_at = now() + timedelta(days=new.expires_in_days) if new.expires_in_days else None
        budgets = new.monthly_tokens, new.monthly_credits, new.monthly_cost_usd
        spec = KeySpec(new.scopes or ["*"], new.name or "", new.networks, expires_at, *budgets)
        actor = Actor.of_caller(self.caller)

        async def insert(tx: Tx) -> int:
            account = await lock_account_of(tx, self.caller, sandbox)
            await check_number_of_keys(tx, account, self.plans)
            key_id = await insert_key(tx, account, key, spec)
            await audit(tx, actor, "key.created", key_id)
            return key_id

        return await self._with_secret(await self.database.transact(insert), key)

    async def page(self, page: Page) -> tuple[Sequence[KeyView], int]:
        """Return one page of keys without the revoked ones, newest first, and the total number."""
        rows = await read_page(self.database, sql.LIST, page, **self._own)
        count = await self.database.lookup(sql.COUNT, **self._own)
        return await self._views(rows), count.keys if count else 0

    async def get(self, key_id: int) -> KeyView:
        """Return one key. Raises `NotFound`."""
        row = _existing(await self.database.lookup(sql.GET, key=key_id, **self._own), key_id)
        (view,) = await self._views([row])
        return view

    async def update(self, key_id: int, changes: KeyUpdate) -> KeyView:
        """Change the fields that were sent."""
        actor = Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            key = _existing(await tx.one(sql.LOCK, key=key_id, **self._own), key_id)
            fields = {f"new_{name}": changes.sent_fields().get(name, getattr(key, name)) for name in sql.CHANGEABLE}
            await tx.run(sql.UPDATE, **fields, key=key_id, **self._own)
            await audit(tx, actor, "key.updated", key_id)

        await self.database.transact(write)
        return await self.get(key_id)

    async def revoke(self, key_id: int) -> None:
        """Revoke a key. Every node refuses it within a second."""
        actor = Actor.of_caller(self.caller)

        async def revoke(tx: Tx) -> None:
            if not await tx.run(sql.REVOKE, key=key_id, moment=now(), **self._own):
                raise _missing(key_id)
            await audit(tx, actor, "key.revoked", key_id)

        await self.database.transact(revoke)

    async def rotate(self, key_id: int, overlap: timedelta) -> KeySecretView:
        """Create a successor with the same rights. The old key stays valid for `overlap` or until it expires."""
        sandbox = (await self.get(key_id)).mode == "test"
        key, actor = new_key(sandbox), Actor.of_caller(self.caller)

        async def replace(tx: Tx) -> int:
            account = await lock_account_of(tx, self.caller, sandbox)
            old = _existing(await tx.one(sql.LOCK, key=key_id, **self._own), key_id)
            successor = await replace_key(tx, account, old, key, overlap)
            await audit(tx, actor, "key.rotated", key_id, f"Its successor is key {successor}.")
            return successor

        return await self._with_secret(await self.database.transact(replace), key)

    async def _views(self, rows: Sequence[KeyRow]) -> list[KeyView]:
        uses = await self.uses.of([row.account_id for row in rows], [row.id for row in rows])
        return [_view(row, uses[row.id]) for row in rows]

    async def _with_secret(self, key_id: int, key: KeyParts) -> KeySecretView:
        return KeySecretView(**(await self.get(key_id)).model_dump(), key=str(key))

    @property
    def _own(self) -> dict[str, object]:
        return {"user": self.caller.user_id, "sandbox": self.caller.sandbox}


def _view(row: KeyRow, use: Mapping[str, Any]) -> KeyView:
    mode = "test" if row.sandbox else "live"
    return KeyView.of_row(row, mode=mode, prefix=f"ak_{mode}_{row.prefix}", **use)


def _existing(row: KeyRow | None, key_id: int) -> KeyRow:
    if row is None:
        raise _missing(key_id)
    return row


def _missing(key_id: int) -> NotFound:
    return NotFound(f"There is no API key {key_id} in your account.")
