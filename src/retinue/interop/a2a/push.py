"""Push notification configs: the addresses to which a client of A2A wants the states of a task sent.

Each is an endpoint of the webhook outbox that belongs to the run of the task (`webhooks.task_updates`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import ValidationFailed
from retinue.core.network.http_client import AddressGuard, AddressRefused
from retinue.core.runtime.clock import now
from retinue.core.runtime.ids import new_id
from retinue.core.runtime.vault import Vault
from retinue.interop.a2a.errors import TaskNotFound
from retinue.interop.a2a.wire import Authentication, PushConfig
from retinue.webhooks import statements as sql
from retinue.webhooks.service import secret_owner

_MOST = 10
"""Maximum number of configs of a task."""


@dataclass(frozen=True)
class PushConfigs:
    """The configs of one account's tasks."""

    caller: Caller
    database: Database
    vault: Vault
    guard: AddressGuard

    def check(self, config: PushConfig) -> None:
        """Raise `ValidationFailed` for an address that may not be reached, `InsufficientScope` without the scope."""
        self.caller.require("agents:write")
        try:
            self.guard.check_literal(config.url)
        except AddressRefused as error:
            raise ValidationFailed(f"url: {error}.") from error

    async def create(self, tx: Tx, run_id: int, context: str, config: PushConfig, *, old: bool) -> PushConfig:
        """Add a config to a task, or replace the one with its id. The caller has checked it."""
        moment = now()
        rows = await tx.all(sql.OF_RUN, **self._key(run_id))
        config_id = config.id or new_id("push")
        for row in rows:
            if row.task["id"] == config_id:
                await tx.run(sql.DELETE_OF_RUN, endpoint=row.id, **self._key(run_id))
        if sum(row.task["id"] != config_id for row in rows) >= _MOST:
            raise ValidationFailed(f"A task can have at most {_MOST} push notification configs. Delete one first.")
        authentication = config.authentication or Authentication()
        secret = {"token": config.token, "scheme": authentication.scheme, "credentials": authentication.credentials}
        row = await tx.one(
            sql.INSERT_FOR_RUN,
            account_id=self.caller.account_id,
            url=config.url,
            events=None,
            description="",
            enabled=True,
            secret=self.vault.seal(orjson.dumps(secret).decode(), secret_owner(self.caller.account_id)),
            grant_id=self.caller.credential_id if self.caller.kind == "oauth" else None,
            run_id=run_id,
            task={"id": config_id, "context": context, "old": old},
            created_at=moment,
            updated_at=moment,
        )
        await audit(tx, Actor.of_caller(self.caller), "webhook.created", row.id if row else None)
        return config.model_copy(update={"id": config_id, "task_id": str(run_id)})

    async def set(self, run_id: int, context: str, config: PushConfig, *, old: bool) -> PushConfig:
        """Add a config to a task, in a transaction of its own."""
        self.check(config)
        return await self.database.transact(lambda tx: self.create(tx, run_id, context, config, old=old))

    async def list(self, run_id: int) -> Sequence[PushConfig]:
        """Return the configs of a task, the oldest first, without credentials."""
        rows = await self.database.fetch(sql.OF_RUN, **self._key(run_id))
        return [self._view(row) for row in rows]

    async def get(self, run_id: int, name: str) -> PushConfig:
        """Return one config. Raises `TaskNotFound`."""
        found = next((one for one in await self.list(run_id) if one.id == name), None)
        if found is None:
            raise TaskNotFound(f"Task {run_id} has no push notification config {name[:100]!r}.")
        return found

    async def delete(self, run_id: int, name: str) -> None:
        """Delete a config, if there is one. Notifications that were not sent yet are dropped."""
        self.caller.require("agents:write")

        async def write(tx: Tx) -> None:
            for row in await tx.all(sql.OF_RUN, **self._key(run_id)):
                if row.task["id"] == name:
                    await tx.run(sql.DELETE_OF_RUN, endpoint=row.id, **self._key(run_id))
                    await audit(tx, Actor.of_caller(self.caller), "webhook.deleted", row.id)

        await self.database.transact(write)

    def _view(self, row: Row) -> PushConfig:
        secret = orjson.loads(self.vault.open_sealed(row.secret, secret_owner(self.caller.account_id)))
        scheme: str = secret["scheme"]
        return PushConfig(
            id=row.task["id"],
            task_id=str(row.run_id),
            url=row.url,
            token=secret["token"],
            authentication=Authentication(scheme=scheme) if scheme else None,
        )

    def _key(self, run_id: int) -> dict[str, int]:
        return {"run": run_id, "account": self.caller.account_id}
