"""Accepts deletion and export requests of users and the operator."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from retinue.account_data import statements as sql
from retinue.account_data.requests import TOPIC, request_deletion
from retinue.auth.account.service import Account
from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.auth.client_info import ClientInfo
from retinue.auth.revocation import Revoke
from retinue.auth.service import lock_user
from retinue.auth.sign_in import statements as sign_in
from retinue.core.database.interface import Database, Tx
from retinue.core.database.owned import Owned
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.core.work.notifier import Notifier
from retinue.files.store import FileStore
from retinue.files.upload_commit import AccountStorage, take_out


@dataclass(frozen=True)
class Deletions:
    """Accepts requests to delete a user.

    `others` revoke the credentials of packages above `auth`. `owned` lists the rows of users.
    """

    database: Database
    others: tuple[Revoke, ...]
    owned: Sequence[Owned]
    notifier: Notifier | None = None
    """None if this process runs no worker."""

    async def of_caller(self, account: Account, password: str | None, code: str | None, client: ClientInfo) -> int:
        """Delete the caller's user after checking the password and, if set up, the second factor. Returns the id."""
        actor = replace(Actor.of_caller(account.caller), user_id=None, credential=account.caller.kind, address=None)
        await account.as_owner(password, code, client, partial(self._request, actor=actor))
        return account.caller.user_id

    async def of_email(self, email: str, by: Actor | None = None) -> None:
        """Delete the user with this e-mail address. The audit log of `by`, another user and operator, has an entry."""

        async def request(tx: Tx) -> None:
            await self._request(tx, await lock_user(tx, email), by or Actor(None, "operator"))

        await self.database.transact(request)

    async def _request(self, tx: Tx, user: Row, actor: Actor) -> None:
        await request_deletion(tx, user, self.others, self.owned, actor)
        if self.notifier:
            tx.after_commit(partial(self.notifier.wake, TOPIC))


@dataclass(frozen=True)
class Exports:
    """Manages the export of the caller's account. There is one at a time, and a new one replaces the last."""

    caller: Caller
    database: Database
    notifier: Notifier
    store: FileStore
    touched: set[int]

    async def request(self) -> Row:
        """Request an export, or return the one in progress. Deletes the file of the previous export."""
        actor = Actor.of_caller(self.caller)
        old_file, row = await self.database.transact(partial(self._add, actor))
        if old_file:
            await self.store.remove(old_file)
        return row

    async def get(self, export_id: int) -> Row:
        """Return one export. Raises `NotFound`."""
        row = await self.database.lookup(sql.EXPORT, job=export_id, account=self.caller.account_id)
        if row is None:
            raise NotFound(f"There is no export {export_id} in your account. A new export replaces the previous one.")
        return row

    async def _add(self, actor: Actor, tx: Tx) -> tuple[str | None, Row]:
        caller = self.caller
        await tx.one(sign_in.LOCK_USER, user=caller.user_id)
        latest = await tx.one(sql.LATEST_EXPORT, account=caller.account_id)
        if latest and latest.ended_at is None:
            await note_effect(tx, caller.claim, {"export": latest.id})
            return None, latest
        if latest:
            await tx.run(sql.FORGET, job=latest.id, account=caller.account_id)
            if latest.file_id:
                await take_out(tx, self._storage, latest.file_id)
        owners = {"user_id": caller.user_id, "account_id": caller.account_id}
        (row,) = await tx.all(sql.ADD, kind="export", **owners, status="queued", created_at=now())
        await audit(tx, actor, "account.exported", row.id)
        await note_effect(tx, caller.claim, {"export": row.id})
        tx.after_commit(self._wake)
        return latest.file_id if latest else None, row

    @property
    def _wake(self) -> Callable[[], None]:
        return partial(self.notifier.wake, TOPIC)

    @property
    def _storage(self) -> AccountStorage:
        return AccountStorage(self.caller.account_id, self.caller.plan_name, self.caller.plan, self.touched)
