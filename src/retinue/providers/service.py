"""Manage the providers of the caller's account."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from yarl import URL

from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx, UniqueConflict
from retinue.core.database.statements import Row
from retinue.core.errors import InsufficientScope, NotFound, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.network.http_client import AddressGuard, AddressRefused
from retinue.core.runtime.clock import now
from retinue.core.runtime.vault import Vault
from retinue.providers import statements as sql
from retinue.providers.keyring import ProviderSecret
from retinue.providers.kinds import BASE_URLS
from retinue.providers.schemas import MODEL_NAME, ProviderCreate, ProviderUpdate
from retinue.providers.uses import UsesOfModels

MOST_PROVIDERS = 50
"""Maximum number of providers of an account."""

_SECRETS = ("key", "headers", "query")
_PLAIN = ("base_url", "models", "shared", "plans", "enabled", "concurrency")


@dataclass(frozen=True, slots=True)
class TestOutcome:
    """The outcome of a test call: the model, the duration, and why it failed."""

    ok: bool
    model: str | None
    ms: int
    error: str | None


class ProviderCalls(Protocol):
    """Calls providers, and caches what accounts see of them."""

    async def test(self, row: Row, model: str | None) -> TestOutcome:
        """Make one small call."""
        ...

    async def ask_for_models(self, row: Row) -> Sequence[Mapping[str, object]]:
        """Ask the provider for its models. Raises `Unavailable`."""
        ...

    def forget(self) -> None:
        """Forget what accounts see, because it has changed."""
        ...


@dataclass(frozen=True)
class Providers:
    """Adds, reads, changes, tests and deletes providers of the caller's account."""

    caller: Caller
    database: Database
    vault: Vault
    guard: AddressGuard
    hosts: ProviderCalls
    uses: UsesOfModels

    async def create(self, new: ProviderCreate) -> Row:
        """Add a provider. Its key is encrypted before it is written."""
        secret = ProviderSecret(new.key or "", new.headers or {}, new.query or {})
        fields = new.model_dump(include=set(_PLAIN)) | {"base_url": new.base_url or BASE_URLS[new.kind]}
        self._check(new.name, fields)
        account, moment, actor = self.caller.account_id, now(), Actor.of_caller(self.caller)
        values = fields | {"name": new.name, "kind": new.kind, "created_at": moment, "updated_at": moment}

        async def insert(tx: Tx) -> Row:
            await self._check_shared(tx, new.name, fields)
            await counters.lock(tx, account)
            existing = await tx.one(sql.COUNT, account=account)
            if existing and existing.held >= MOST_PROVIDERS:
                raise ValidationFailed(f"An account can have at most {MOST_PROVIDERS} providers. Delete one first.")
            sealed = secret.seal(self.vault, account, new.name)
            (row,) = await tx.all(sql.INSERT, account_id=account, secret=sealed, secrets=secret.names(), **values)
            await audit(tx, actor, "provider.created", row.id)
            await note_effect(tx, self.caller.claim, {"provider": row.id})
            return row

        row = await self._write(insert, new.name)
        self.hosts.forget()
        return row

    async def page(self, page: Page) -> tuple[Sequence[Row], int]:
        """Return one page, newest first, and the total number of providers."""
        account = self.caller.account_id
        count = await self.database.lookup(sql.COUNT, account=account)
        return await read_page(self.database, sql.LIST, page, account=account), count.held if count else 0

    async def get(self, provider_id: int) -> Row:
        """Return one provider. Raises `NotFound`."""
        return _present(await self.database.lookup(sql.GET, **self._key(provider_id)), provider_id)

    async def update(self, provider_id: int, changes: ProviderUpdate) -> Row:
        """Change a provider.

        A `base_url` on another server requires the secrets again, so that they never go to a server that their owner
        did not choose. A provider that is switched off, or a shorter list of models, may concern models in use: the
        change can be undone, and agents that name such a model fail with that reason. Raises `ValidationFailed`.
        """
        changed, actor = changes.sent_fields(), Actor.of_caller(self.caller)
        if changed.get("models"):
            changed["models"] = changes.model_dump(include={"models"})["models"]  # whole, also what was left out

        async def write(tx: Tx) -> Row:
            row = _present(await tx.one(sql.LOCK, **self._key(provider_id)), provider_id)
            if not changed:
                return row
            fields = {name: changed.get(name, getattr(row, name)) for name in _PLAIN}
            fields["base_url"] = fields["base_url"] or BASE_URLS[row.kind]
            self._check(row.name, fields)
            _check_resent(row, fields["base_url"], changed)
            if row.shared:
                await self._check_operator(tx)
            if fields["shared"] != row.shared or fields["plans"] != row.plans:
                await self._check_shared(tx, row.name, fields, except_id=row.id)
            secret = self._changed_secret(row, changed)
            values = fields | {"secret": secret.seal(self.vault, row.account_id, row.name), "updated_at": now()}
            await audit(tx, actor, "provider.updated", provider_id, f"Replaced: {', '.join(sorted(changed))}.")
            new = {f"new_{name}": value for name, value in {**values, "secrets": secret.names()}.items()}
            return await tx.one(sql.UPDATE, **self._key(provider_id), **new)

        row = await self._write(write, "of this provider")
        self.hosts.forget()
        return row

    async def delete(self, provider_id: int) -> None:
        """Delete a provider. Raises `InUse` if a default, an agent or a collection uses a model of it."""
        actor = Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            row = _present(await tx.one(sql.LOCK, **self._key(provider_id)), provider_id)
            if row.shared:
                await self._check_operator(tx)
            await self.uses.check_unused(tx, row)
            await tx.run(sql.DELETE, **self._key(provider_id))
            await audit(tx, actor, "provider.deleted", provider_id)

        await self.database.transact(write)
        self.hosts.forget()

    async def test(self, provider_id: int, model: str | None) -> TestOutcome:
        """Make one small call. A sandbox key simulates it."""
        row = await self.get(provider_id)
        if self.caller.sandbox:
            return TestOutcome(True, model or (row.models[0]["id"] if row.models else None), 0, None)
        return await self.hosts.test(row, model)

    async def models(self, provider_id: int) -> Sequence[Mapping[str, Any]]:
        """Ask the provider for its models. A sandbox key only gets the configured ones."""
        row = await self.get(provider_id)
        return [] if self.caller.sandbox else await self.hosts.ask_for_models(row)

    async def _write(self, work: Any, name: str) -> Row:
        try:
            return await self.database.transact(work)
        except UniqueConflict as error:
            raise ValidationFailed(
                f"name: there already is a provider named {name}. Change it with PUT, or choose another name."
            ) from error

    def _check(self, name: str, fields: Mapping[str, Any]) -> None:
        """Raise `ValidationFailed` if an address or a name of a model cannot be used."""
        try:
            self.guard.check_literal(fields["base_url"])
        except AddressRefused as error:
            raise ValidationFailed(f"base_url: {error}.") from error
        names = [entry["id"] for entry in fields["models"] or ()]
        if len({*names}) < len(names):
            raise ValidationFailed("models: an id occurs twice.")
        if any(len(name) + 1 + len(model) > MODEL_NAME for model in names):
            raise ValidationFailed(f"models: the name of the provider and an id exceed {MODEL_NAME} characters.")

    async def _check_shared(self, tx: Tx, name: str, fields: Mapping[str, Any], except_id: int = 0) -> None:
        """Raise `InsufficientScope` if a user who is no operator shares a provider, and `ValidationFailed` if a shared
        one has the name.
        """
        if fields["shared"]:
            await self._check_operator(tx)
        elif fields["plans"]:
            raise ValidationFailed("plans: only a shared provider has plans.")
        if any(row.id != except_id for row in await tx.all(sql.SHARED_NAMED, name=name)):
            raise ValidationFailed(f"name: there already is a shared provider named {name}. Choose another name.")

    async def _check_operator(self, tx: Tx) -> None:
        """Raise `InsufficientScope` unless the caller may act as an operator: a shared provider reads what all users
        write.
        """
        operator = self.caller.operator_id
        if operator is None or not await tx.one(sql.IS_OPERATOR, user=operator):
            raise InsufficientScope(
                "Only an operator of this server can share a provider, and change or delete a shared one, with a "
                "session or a live key that has the scope *. Leave out shared."
            )

    def _changed_secret(self, row: Row, changed: Mapping[str, Any]) -> ProviderSecret:
        before = ProviderSecret.unseal(self.vault, row)
        key, headers, query = (changed.get(name, getattr(before, name)) for name in _SECRETS)
        return ProviderSecret(key or "", headers or {}, query or {})

    def _key(self, provider_id: int) -> dict[str, int]:
        return {"provider": provider_id, "account": self.caller.account_id}


def _check_resent(row: Row, base_url: str, changed: Mapping[str, Any]) -> None:
    """Raise `ValidationFailed` if the stored secrets would go to another server."""
    if URL(base_url).origin() == URL(row.base_url).origin():
        return
    stored = {name.partition(".")[0] for name in row.secrets}
    if missing := [name for name in _SECRETS if name in stored and name not in changed]:
        raise ValidationFailed(
            f"{', '.join(missing)}: send again, because this base_url points to another server. null removes it."
        )


def _present(row: Row | None, provider_id: int) -> Row:
    if row is None:
        raise NotFound(f"There is no provider {provider_id} in your account.")
    return row
