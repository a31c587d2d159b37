"""Manage the caller's OAuth apps, and the grants of the caller's user."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.auth.revocation import lock_account_of
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import InsufficientScope, NotFound, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.runtime.clock import now
from retinue.oauth import statements as sql
from retinue.oauth.redirects import problem_of
from retinue.oauth.schemas import AppCreate, AppSecretView, AppUpdate, AppView
from retinue.oauth.secrets import hash_secret, new_secret

MOST_APPS = 100
"""Maximum number of apps of a user."""


@dataclass(frozen=True)
class Apps:
    """Creates, lists, changes and deletes apps."""

    caller: Caller
    database: Database

    async def create(self, new: AppCreate) -> AppSecretView:
        """Create an app. The response is the only place that contains its secret."""
        if self.caller.sandbox:
            raise InsufficientScope(
                "Test keys cannot create apps, because apps act on live records. Use a live key or a session."
            )
        _check_redirects(new.redirect_uris, public=new.public)
        secret, actor = None if new.public else new_secret("acs"), Actor.of_caller(self.caller)

        async def insert(tx: Tx) -> int:
            await lock_account_of(tx, self.caller)
            existing = await tx.one(sql.COUNT_APPS, **self._own)
            if existing and existing.held >= MOST_APPS:
                raise ValidationFailed(f"You have {MOST_APPS} apps, which is the maximum. Delete one first.")
            fields = NewApp(new.name, new.redirect_uris, new.scopes, secret)
            app_id = await add_app(tx, self.caller.user_id, fields)
            await audit(tx, actor, "app.created", app_id)
            return app_id

        app = await self.get(await self.database.transact(insert))
        return AppSecretView(**app.model_dump(), client_secret=secret)

    async def page(self, page: Page) -> tuple[Sequence[AppView], int]:
        """Return one page, newest first, and the total number of apps."""
        rows = await read_page(self.database, sql.APPS, page, **self._own)
        count = await self.database.lookup(sql.COUNT_APPS, **self._own)
        return [_view(row) for row in rows], count.held if count else 0

    async def get(self, app_id: int) -> AppView:
        """Return one app. Raises `NotFound`."""
        return _view(_existing(await self.database.lookup(sql.APP, app=app_id, **self._own), app_id))

    async def update(self, app_id: int, changes: AppUpdate) -> AppView:
        """Change the fields that were sent. Issued tokens keep their scopes."""
        actor, sent = Actor.of_caller(self.caller), changes.sent_fields()

        async def write(tx: Tx) -> None:
            row = _existing(await tx.one(sql.LOCK_APP, app=app_id, **self._own), app_id)
            _check_redirects(sent.get("redirect_uris", ()), public=row.secret_hash is None)
            fields = {name: getattr(row, name) for name in ("name", "redirect_uris", "scopes")} | sent
            await tx.run(sql.UPDATE_APP, app=app_id, **self._own, **fields, moment=now())
            await audit(tx, actor, "app.updated", app_id)

        await self.database.transact(write)
        return await self.get(app_id)

    async def rotate(self, app_id: int) -> AppSecretView:
        """Replace the secret. The old one becomes invalid at once; tokens remain valid."""
        app, secret = await self.get(app_id), new_secret("acs")
        if app.public:
            raise ValidationFailed("Public clients have no secret.")
        values = {"app": app_id, **self._own, "hash": hash_secret(secret), "moment": now()}
        actor = Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            await lock_account_of(tx, self.caller)
            if not await tx.run(sql.SET_SECRET, **values):
                raise _missing(app_id)
            await audit(tx, actor, "app.secret_rotated", app_id)

        await self.database.transact(write)
        return AppSecretView(**(await self.get(app_id)).model_dump(), client_secret=secret)

    async def delete(self, app_id: int) -> None:
        """Delete the app with all grants and tokens. Every node refuses them within a second."""
        actor = Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            if not await tx.run(sql.DELETE_APP, app=app_id, **self._own):
                raise _missing(app_id)
            await audit(tx, actor, "app.deleted", app_id)

        await self.database.transact(write)

    @property
    def _own(self) -> dict[str, int | None]:
        return {"user": _user_of(self.caller)}


@dataclass(frozen=True)
class Grants:
    """Lists and revokes grants of the caller's user."""

    caller: Caller
    database: Database

    async def page(self, page: Page) -> tuple[Sequence[Row], int]:
        """Return one page, newest first, and the total number of grants."""
        count = await self.database.lookup(sql.COUNT_GRANTS, user=_user_of(self.caller))
        rows = await read_page(self.database, sql.GRANTS, page, user=_user_of(self.caller))
        return rows, count.held if count else 0

    async def get(self, grant_id: int) -> Row:
        """Return one grant. Raises `NotFound`."""
        row = await self.database.lookup(sql.OWN_GRANT, grant=grant_id, user=_user_of(self.caller))
        if row is None:
            raise NotFound(f"There is no grant {grant_id} in your account.")
        return row

    async def revoke(self, grant_id: int) -> None:
        """Revoke a grant with all its tokens."""
        await self.get(grant_id)
        values = {"grant": grant_id, "user": _user_of(self.caller), "moment": now()}
        actor = Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            if await tx.run(sql.REVOKE_OWN_GRANT, **values):
                await audit(tx, actor, "grant.revoked", grant_id)

        await self.database.transact(write)


def _user_of(caller: Caller) -> int | None:
    """Return the owner of the visible apps and grants: None for a test key, since they belong to live records."""
    return None if caller.sandbox else caller.user_id


@dataclass(frozen=True)
class NewApp:
    """An app to add. A public client has no secret; a self-registered one has the address it registered from.

    `metadata_url` is where an app that did not register describes itself.
    """

    name: str
    redirect_uris: list[str]
    scopes: list[str]
    secret: str | None
    registered_from: str | None = None
    metadata_url: str | None = None


async def add_app(tx: Tx, user_id: int | None, new: NewApp) -> int:
    """Add an app of a user, or a self-registered one without a user; return its id."""
    moment = now()
    (row,) = await tx.all(
        sql.ADD_APP,
        user_id=user_id,
        client_id=f"app_{secrets.token_hex(16)}",
        secret_hash=hash_secret(new.secret) if new.secret else None,
        name=new.name,
        redirect_uris=new.redirect_uris,
        scopes=new.scopes,
        registered_from=new.registered_from,
        metadata_url=new.metadata_url,
        created_at=moment,
        updated_at=moment,
    )
    return int(row.id)


def _check_redirects(uris: Sequence[str], *, public: bool) -> None:
    """Raise `ValidationFailed` for a redirect URI that an app of this kind may not have."""
    for uri in uris:
        if problem := problem_of(uri, public=public):
            raise ValidationFailed(f"redirect_uris: {problem}.")


def _view(row: Row) -> AppView:
    return AppView.of_row(row, public=row.secret_hash is None)


def _existing(row: Row | None, app_id: int) -> Row:
    if row is None:
        raise _missing(app_id)
    return row


def _missing(app_id: int) -> NotFound:
    return NotFound(f"There is no OAuth app {app_id} in your account.")
