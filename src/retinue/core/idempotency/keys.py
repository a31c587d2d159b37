"""Idempotency keys: a repeated request has one effect and gets the first response.

A process claims the key before it executes the request. The service writes the effect into the claim, in the
transaction that causes it. If the process dies, a repeated request finds either the effect, and gets its response, or
no effect, and is executed then. Claims are leased and fenced like all work, so a stalled process cannot write after
another one took over.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.idempotency import table as sql
from retinue.core.runtime.clock import now
from retinue.core.work.leased_worker import LeaseKeeper
from retinue.core.work.notifier import Notifier, wait
from retinue.core.work.retention import BATCH

KEPT = timedelta(hours=24)
_LOOK_S = 0.5
_POLL_S = 5.0

RecordIds = Mapping[str, int]
"""The effect of most requests: the ids of the records that they created or changed, by kind."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to execute the request of a key. `effect` is the effect that an earlier process recorded, if any."""

    id: int
    epoch: int
    effect: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """The stored response to the first request."""

    status: int
    body: str


async def note_effect(tx: Tx, claim: Claim | None, effect: Mapping[str, object]) -> None:
    """Record the effect of a request in the transaction that causes it. Raises `Unavailable` if the claim is lost."""
    if not claim:
        return
    if not await tx.run(sql.NOTE, claim=claim.id, under=claim.epoch, what=effect):
        raise Unavailable("Another process is now executing this request. Send it again to get its response.")


class IdempotentRequests(LeaseKeeper):
    """The idempotency claims that this process holds."""

    leases, topic = sql.LEASES, "idempotency"

    def __init__(self, database: Database, notifier: Notifier, node: str, digest: Callable[[str], str]) -> None:
        super().__init__(database, notifier, node)
        self._digest = digest
        self._held: set[int] = set()

    async def claim(self, account: int, operation: str, key: str, fingerprint: str) -> Claim | StoredResponse:
        """Claim a key, or return its stored response. Waits while another request with the key is running.

        Raises `ValidationFailed` if the key is malformed or was used with another body.
        """
        if not (0 < len(key) <= 255 and key.isascii() and key.isprintable()):
            raise ValidationFailed("Idempotency-Key must have 1 to 255 printable ASCII characters.")
        if len(operation) > sql.OPERATION_CHARACTERS:
            operation = self._digest(operation)
        this: dict[str, object] = {"account": account, "at": operation, "name": key}
        # A body may contain a password. A plain hash of it in the database would allow guessing attacks.
        fingerprint = self._digest(fingerprint)
        with self._notifier.waiting(_topic(account, key)) as answered:
            while True:
                found = await self._database.transact(lambda tx: self._try(tx, this, fingerprint))
                if found is None:
                    continue
                row, ours = found
                if row.fingerprint != fingerprint:
                    raise ValidationFailed(
                        "This Idempotency-Key was already used with a different body. Use a new key for a new request."
                    )
                if row.status is not None:
                    return StoredResponse(row.status, row.body)
                if ours:
                    self._held.add(row.id)
                    return Claim(row.id, row.epoch, row.effect)
                await wait(answered, _LOOK_S)

    async def _try(self, tx: Tx, this: dict[str, object], fingerprint: str) -> tuple[Row, bool] | None:
        """Return the key's row, and whether this process now holds the claim.

        Returns None if another process held the claim a moment ago and has released the key.
        """
        claimed = await tx.one(sql.TAKE, **this, print=fingerprint, moment=now(), owner=self._node)
        claimed = claimed or await tx.one(sql.TAKE_OVER, **this, owner=self._node)
        if claimed:
            return claimed, True
        existing = await tx.one(sql.FIND, **this)
        return (existing, False) if existing else None

    async def finish(self, claim: Claim, account: int, key: str, status: int, body: str) -> bool:
        """Store the response for repeated requests. Returns False if another process holds the claim now."""
        return await self._end(claim, account, key, partial(_finish, claim, status, body))

    async def wait_for(self, account: int, operation: str, key: str, seconds: float) -> StoredResponse | None:
        """Return the response of a key as soon as a request has stored it, or None after `seconds`.

        Raises `Unavailable` if this process is shutting down.
        """
        this = {"account": account, "at": operation, "name": key}
        with self._notifier.waiting(_topic(account, key)) as answered, suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self._notifier.stopping:
                    row = await self._database.lookup(sql.FIND, **this)
                    if row and row.status is not None:
                        return StoredResponse(row.status, row.body)
                    await wait(answered, _POLL_S)
                raise Unavailable("The server is shutting down. Send the request again in a few seconds.")
        return None

    def drop(self, claim: Claim) -> None:
        """Stop renewing an interrupted request's claim. Its effect, if any, is recorded in the claim."""
        self._held.discard(claim.id)

    async def forget(self, claim: Claim, account: int, key: str) -> None:
        """Release the key without storing a response, so that a repeated request is executed again.

        If an effect is recorded already, a repeated request gets the response for that effect.
        """
        await self._end(claim, account, key, partial(_forget, claim))

    async def _end(self, claim: Claim, account: int, key: str, work: Callable[[Tx], Awaitable[bool]]) -> bool:
        try:
            ended = await self._database.transact(work)
        finally:
            self._held.discard(claim.id)
        self._notifier.wake(_topic(account, key))
        return ended

    def held_ids(self) -> Collection[int]:
        """Return the ids of the claims that this process holds."""
        return self._held

    async def abandon(self, row_id: int) -> None:
        """Do nothing: a request that lost its claim still gets a response, and fails when it writes."""


async def _finish(claim: Claim, status: int, body: str, tx: Tx) -> bool:
    return bool(await tx.run(sql.FINISH, claim=claim.id, under=claim.epoch, answered=status, text=body))


async def _forget(claim: Claim, tx: Tx) -> bool:
    claim_key = {"claim": claim.id, "under": claim.epoch}
    return bool(await tx.run(sql.FORGET, **claim_key) or await tx.run(sql.RELEASE, **claim_key))


async def remove_keys(tx: Tx, before: datetime, after: object) -> object:
    """Delete a batch of expired keys. Returns None when no more are left."""
    return await tx.run(sql.REMOVE, before=before) == BATCH or None


def _topic(account: int, key: str) -> str:
    return f"key:{account}:{key}"
