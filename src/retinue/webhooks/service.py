"""The endpoints of one caller, and the deliveries to them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from retinue.auth.caller import Caller
from retinue.core.clock import now
from retinue.core.database import Database, Tx
from retinue.core.envelope import Page, read_page
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.events import emit
from retinue.core.http_client import AddressRefused, Guard
from retinue.core.idempotency import note_effect
from retinue.core.ids import prefixed
from retinue.core.secrets import Vault
from retinue.core.statements import Row
from retinue.core.wakeups import Wakeups
from retinue.webhooks import statements as sql
from retinue.webhooks.events import WebhookTest
from retinue.webhooks.schemas import WebhookCreate, WebhookUpdate
from retinue.webhooks.signing import new_secret

MOST_ENDPOINTS = 20
"""Endpoints of an account: bounds what one event brings about."""

ROTATION = timedelta(hours=24)
"""How long the old secret goes on signing unless the customer switches over before."""


def secret_owner(account_id: int) -> str:
    """What the secrets of an account's endpoints are bound to when they are encrypted."""
    return f"webhooks of account {account_id}"


async def check_master_key(database: Database, vault: Vault) -> None:
    """Refuse to start with a master key that the stored secrets were not encrypted with: raises `MasterKeyWrong`."""
    if kept := await database.lookup(sql.ANY_SECRET):
        vault.open_sealed(kept.secret, secret_owner(kept.account_id))


@dataclass(frozen=True)
class Webhooks:
    """Makes, finds, changes and deletes endpoints. Nothing of another account is ever seen."""

    caller: Caller
    database: Database
    vault: Vault
    guard: Guard
    wakeups: Wakeups

    async def create(self, new: WebhookCreate) -> dict[str, Any]:
        """Make an endpoint; the answer is the only place where its secret is ever seen."""
        self._check_address(new.url)
        secret, moment = new_secret(), now()

        async def insert(tx: Tx) -> Row:
            held = await tx.one(sql.COUNT, account=self.caller.account_id)
            if held and held.held >= MOST_ENDPOINTS:
                raise ValidationFailed(f"An account has {MOST_ENDPOINTS} endpoints at most. Delete one first.")
            return await tx.one(
                sql.INSERT,
                **new.model_dump(),
                account_id=self.caller.account_id,
                enabled=True,
                secret=self._sealed(secret),
                created_at=moment,
                updated_at=moment,
            )

        return {**_shown(await self.database.transact(insert)), "secret": secret}

    async def page(self, page: Page) -> tuple[Sequence[dict[str, Any]], int]:
        """One page, newest first, and how many there are in all."""
        account = self.caller.account_id
        rows = await read_page(self.database, sql.LIST, page, account=account)
        count = await self.database.lookup(sql.COUNT, account=account)
        return [_shown(row) for row in rows], count.held if count else 0

    async def get(self, endpoint_id: int) -> dict[str, Any]:
        """One endpoint, or `NotFound`."""
        return _shown(await self._row(endpoint_id))

    async def update(self, endpoint_id: int, changes: WebhookUpdate) -> dict[str, Any]:
        """Change the fields that were sent. Disabling ends what waits for the endpoint; enabling forgives failures."""

        async def write(tx: Tx) -> None:
            row = await self._lock(tx, endpoint_id)
            fields = {name: getattr(row, name) for name in sql.UPDATE_FIELDS} | changes.changed()
            if fields["url"] != row.url:
                self._check_address(fields["url"])
            fields["description"] = fields["description"] or ""
            if fields["enabled"]:
                fields["disabled_reason"] = None
            if fields["enabled"] and not row.enabled:
                fields["failing_since"] = None
            await tx.run(sql.UPDATE, **self._key(endpoint_id), **fields, moment=now())
            if not fields["enabled"]:
                await tx.run(sql.CANCEL_WAITING, endpoint=endpoint_id, moment=now())

        await self.database.transact(write)
        return await self.get(endpoint_id)

    async def delete(self, endpoint_id: int) -> None:
        """Delete the endpoint and its deliveries."""
        if not await self.database.transact(lambda tx: tx.run(sql.DELETE, **self._key(endpoint_id))):
            raise _missing(endpoint_id)

    async def rotate(self, endpoint_id: int) -> dict[str, Any]:
        """Make a new secret. The old one goes on signing beside it until `switch`, or for 24 hours."""
        secret, moment = new_secret(), now()

        async def write(tx: Tx) -> None:
            row = await self._lock(tx, endpoint_id)
            if row.old_secret_until and row.old_secret_until > moment:
                raise ValidationFailed(
                    f"A rotation is under way. End it first with POST /webhooks/{endpoint_id}/switch."
                )
            until = moment + ROTATION
            await tx.run(sql.ROTATE, **self._key(endpoint_id), fresh=self._sealed(secret), until=until, moment=moment)

        await self.database.transact(write)
        return {**await self.get(endpoint_id), "secret": secret}

    async def switch(self, endpoint_id: int) -> dict[str, Any]:
        """End a rotation: from now on the new secret alone signs."""
        moment = now()
        if not await self.database.transact(lambda tx: tx.run(sql.SWITCH, **self._key(endpoint_id), moment=moment)):
            raise _missing(endpoint_id)
        return await self.get(endpoint_id)

    async def test(self, endpoint_id: int) -> dict[str, Any]:
        """Send `webhook.test` to this endpoint alone."""

        async def write(tx: Tx) -> Row:
            await self._lock_enabled(tx, endpoint_id)
            event = WebhookTest(webhook_id=endpoint_id)
            event_id = await emit(tx, self.caller.account_id, event, pending=False)
            return await self._add_delivery(tx, endpoint_id, event_id, event.event_name)

        return delivery_shown(await self.database.transact(write))

    async def deliveries(self, endpoint_id: int, page: Page) -> tuple[Sequence[dict[str, Any]], int]:
        """One page of an endpoint's deliveries, newest first, and how many there are in all."""
        row = await self._row(endpoint_id)
        rows = await read_page(self.database, sql.DELIVERIES, page, endpoint=endpoint_id)
        return [delivery_shown(delivery) for delivery in rows], row.deliveries_count

    async def delivery(self, endpoint_id: int, delivery_id: str) -> dict[str, Any]:
        """One delivery with every attempt."""
        await self._row(endpoint_id)
        row = await self.database.lookup(sql.DELIVERY, endpoint=endpoint_id, delivery=delivery_id)
        return {**delivery_shown(_delivery(row, delivery_id)), "log": row.log if row else []}

    async def replay(self, endpoint_id: int, delivery_id: str) -> dict[str, Any]:
        """Deliver the same event once more, as a delivery of its own."""

        async def write(tx: Tx) -> Row:
            await self._lock_enabled(tx, endpoint_id)
            before = _delivery(await tx.one(sql.DELIVERY, endpoint=endpoint_id, delivery=delivery_id), delivery_id)
            return await self._add_delivery(tx, endpoint_id, before.event_id, before.event)

        return delivery_shown(await self.database.transact(write))

    async def _add_delivery(self, tx: Tx, endpoint_id: int, event_id: str, event: str) -> Row:
        await tx.run(sql.COUNT_DELIVERIES, endpoint=endpoint_id, more=1)
        (row,) = await tx.all(
            sql.ADD_DELIVERY,
            public_id=prefixed("dlv"), endpoint_id=endpoint_id, event_id=event_id, event=event, created_at=now(),
        )  # fmt: skip
        await note_effect(tx, self.caller.claim, {"delivery": row.public_id})
        tx.after_commit(lambda: self.wakeups.wake("deliveries"))
        return row

    async def _row(self, endpoint_id: int) -> Row:
        return _found(await self.database.lookup(sql.GET, **self._key(endpoint_id)), endpoint_id)

    async def _lock(self, tx: Tx, endpoint_id: int) -> Row:
        return _found(await tx.one(sql.LOCK, **self._key(endpoint_id)), endpoint_id)

    async def _lock_enabled(self, tx: Tx, endpoint_id: int) -> None:
        if not (await self._lock(tx, endpoint_id)).enabled:
            raise ValidationFailed("The endpoint is disabled, so nothing is sent to it. Enable it first.")

    def _key(self, endpoint_id: int) -> dict[str, int]:
        return {"endpoint": endpoint_id, "account": self.caller.account_id}

    def _sealed(self, secret: str) -> str:
        return self.vault.seal(secret, secret_owner(self.caller.account_id))

    def _check_address(self, url: str) -> None:
        try:
            self.guard.check_literal(url)
        except AddressRefused as error:
            raise ValidationFailed(f"url: {error}.") from error


def _shown(row: Row) -> dict[str, Any]:
    """An endpoint as callers see it."""
    rotating = row.old_secret_until and row.old_secret_until > now()
    return {**row._asdict(), "rotation_ends_at": row.old_secret_until if rotating else None}


def delivery_shown(row: Row) -> dict[str, Any]:
    """A delivery as callers see it, without its attempts."""
    waits = row.ended_at is None and row.lease_owner is None
    due = datetime.fromtimestamp(row.lease_until, UTC) if waits else None
    return {**row._asdict(), "id": row.public_id, "next_attempt_at": due}


def _found(row: Row | None, endpoint_id: int) -> Row:
    if row is None:
        raise _missing(endpoint_id)
    return row


def _missing(endpoint_id: int) -> NotFound:
    return NotFound(f"There is no webhook endpoint {endpoint_id} among yours.")


def _delivery(row: Row | None, delivery_id: str) -> Row:
    if row is None:
        raise NotFound(f"There is no delivery {delivery_id[:64]} of this endpoint.")
    return row
