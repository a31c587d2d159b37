"""Creates, reads, updates and deletes the webhook endpoints of one account."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.network.http_client import AddressGuard, AddressRefused
from retinue.core.runtime.clock import now
from retinue.core.runtime.vault import Vault
from retinue.webhooks import statements as sql
from retinue.webhooks.schemas import WebhookCreate, WebhookSecretView, WebhookUpdate, WebhookView
from retinue.webhooks.signing import new_secret
from retinue.webhooks.tables import CountedEndpoint, EndpointRow, LockedEndpoint

MOST_ENDPOINTS = 20
"""The most endpoints per account, which limits the deliveries of one event."""

_APP_ENDED = "The app that created the endpoint no longer has access to the account. Enable it to keep it."
ROTATION = timedelta(hours=24)
"""How long the old secret still signs unless the customer switches earlier."""


def secret_owner(account_id: int) -> str:
    """Return the owner to which the secrets of an account's endpoints are bound by the encryption."""
    return f"webhooks of account {account_id}"


async def check_master_key(database: Database, vault: Vault) -> None:
    """Raise `MasterKeyWrong` if the stored secrets were encrypted with another master key."""
    if stored := await database.lookup(sql.ANY_SECRET):
        vault.open_sealed(stored.secret, secret_owner(stored.account_id))


@dataclass(frozen=True)
class Webhooks:
    """Creates, finds, updates and deletes endpoints. Every query is limited to the caller's account."""

    caller: Caller
    database: Database
    vault: Vault
    guard: AddressGuard

    async def create(self, new: WebhookCreate) -> WebhookSecretView:
        """Create an endpoint. Only this result contains its secret."""
        secret = new_secret()
        row = await self.database.transact(self.prepare(new, secret))
        return WebhookSecretView(**_view(row).model_dump(), secret=secret)

    def prepare(
        self, new: WebhookCreate, secret: str | None = None, *, enabled: bool = True
    ) -> Callable[[Tx], Awaitable[EndpointRow]]:
        """Validate an endpoint, and return a function that inserts it in a transaction."""
        self._check_address(new.url)
        sealed, moment, actor = self._seal(secret or new_secret()), now(), Actor.of_caller(self.caller)

        async def insert(tx: Tx) -> EndpointRow:
            await counters.lock(tx, self.caller.account_id)
            existing = await tx.one(sql.COUNT, account=self.caller.account_id)
            if existing and existing.held >= MOST_ENDPOINTS:
                raise ValidationFailed(f"An account can have at most {MOST_ENDPOINTS} endpoints. Delete one first.")
            (row,) = await tx.all(
                sql.INSERT,
                **new.model_dump(),
                account_id=self.caller.account_id,
                enabled=enabled,
                secret=sealed,
                grant_id=self._grant,
                created_at=moment,
                updated_at=moment,
            )
            await audit(tx, actor, "webhook.created", row.id)
            return row

        return insert

    async def page(self, page: Page) -> tuple[Sequence[WebhookView], int]:
        """Return one page, newest first, and the total count."""
        account = self.caller.account_id
        rows = await read_page(self.database, sql.LIST, page, account=account)
        count = await self.database.lookup(sql.COUNT, account=account)
        return [_view(row) for row in rows], count.held if count else 0

    async def get(self, endpoint_id: int) -> WebhookView:
        """Return one endpoint. Raises `NotFound`."""
        return _view(await self.row(endpoint_id))

    async def update(self, endpoint_id: int, changes: WebhookUpdate) -> WebhookView:
        """Change the fields that were sent. Disabling cancels pending deliveries; enabling resets the failures."""
        actor = Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            row = await self._lock(tx, endpoint_id)
            current = {name: getattr(row, name) for name in sql.UPDATE_FIELDS}
            fields = current | {"enabled": row.enabled and row.authorized} | changes.sent_fields()
            if fields["url"] != row.url:
                self._check_address(fields["url"])
                fields["grant_id"] = self._grant
            elif fields["enabled"] and not row.authorized:
                fields["grant_id"] = self._grant
            if fields["enabled"]:
                fields["disabled_reason"] = None
            if fields["enabled"] and not (row.enabled and row.authorized):
                fields["failing_since"] = None
            await tx.run(sql.UPDATE, **self._key(endpoint_id), **fields, moment=now())
            if not fields["enabled"]:
                await tx.run(sql.CANCEL_WAITING, endpoint=endpoint_id, moment=now())
            await audit(tx, actor, "webhook.updated", endpoint_id)

        await self.database.transact(write)
        return await self.get(endpoint_id)

    async def delete(self, endpoint_id: int) -> None:
        """Delete a webhook endpoint and its deliveries."""
        actor = Actor.of_caller(self.caller)

        async def delete(tx: Tx) -> None:
            if not await tx.run(sql.DELETE, **self._key(endpoint_id)):
                raise _missing(endpoint_id)
            await audit(tx, actor, "webhook.deleted", endpoint_id)

        await self.database.transact(delete)

    async def rotate(self, endpoint_id: int) -> WebhookSecretView:
        """Create a new secret. The old one also signs until `switch`, or for 24 hours."""
        secret, moment, actor = new_secret(), now(), Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            row = await self._lock(tx, endpoint_id)
            if row.old_secret_until and row.old_secret_until > moment:
                raise ValidationFailed(
                    f"A rotation is in progress. Finish it first with POST /webhooks/{endpoint_id}/switch."
                )
            until = moment + ROTATION
            await tx.run(sql.ROTATE, **self._key(endpoint_id), fresh=self._seal(secret), until=until, moment=moment)
            await audit(tx, actor, "webhook.secret_rotated", endpoint_id)

        await self.database.transact(write)
        return WebhookSecretView(**(await self.get(endpoint_id)).model_dump(), secret=secret)

    async def switch(self, endpoint_id: int) -> WebhookView:
        """End a rotation: only the new secret signs from now on."""
        moment, actor = now(), Actor.of_caller(self.caller)

        async def switch(tx: Tx) -> None:
            if not await tx.run(sql.SWITCH, **self._key(endpoint_id), moment=moment):
                raise _missing(endpoint_id)
            await audit(tx, actor, "webhook.secret_switched", endpoint_id)

        await self.database.transact(switch)
        return await self.get(endpoint_id)

    async def row(self, endpoint_id: int) -> CountedEndpoint:
        """Return one endpoint's row. Raises `NotFound`."""
        return _require(await self.database.lookup(sql.GET, **self._key(endpoint_id)), endpoint_id)

    async def _lock(self, tx: Tx, endpoint_id: int) -> LockedEndpoint:
        return _require(await tx.one(sql.LOCK, **self._key(endpoint_id)), endpoint_id)

    async def lock_enabled(self, tx: Tx, endpoint_id: int) -> None:
        """Lock the endpoint. Raises `ValidationFailed` if it is disabled."""
        row = await self._lock(tx, endpoint_id)
        if not (row.enabled and row.authorized):
            raise ValidationFailed("The endpoint is disabled, so no events are sent to it. Enable it first.")

    @property
    def _grant(self) -> int | None:
        """The grant that an endpoint ends with, if an app acts for the user."""
        return self.caller.credential_id if self.caller.kind == "oauth" else None

    def _key(self, endpoint_id: int) -> dict[str, int]:
        return {"endpoint": endpoint_id, "account": self.caller.account_id}

    def _seal(self, secret: str) -> str:
        return self.vault.seal(secret, secret_owner(self.caller.account_id))

    def _check_address(self, url: str) -> None:
        try:
            self.guard.check_literal(url)
        except AddressRefused as error:
            raise ValidationFailed(f"url: {error}.") from error


def _view(row: EndpointRow) -> WebhookView:
    ended = {} if row.authorized else {"enabled": False, "disabled_reason": _APP_ENDED}
    rotating = row.old_secret_until and row.old_secret_until > now()
    return WebhookView.of_row(row, **ended, rotation_ends_at=row.old_secret_until if rotating else None)


E = TypeVar("E", bound=EndpointRow)


def _require(row: E | None, endpoint_id: int) -> E:
    if row is None:
        raise _missing(endpoint_id)
    return row


def _missing(endpoint_id: int) -> NotFound:
    return NotFound(f"There is no webhook endpoint {endpoint_id} in your account.")
