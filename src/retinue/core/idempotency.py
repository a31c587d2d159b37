"""Idempotency keys: the same request sent again has one effect, and gets the first answer.

A key is claimed before its request is carried out. The service writes what it brought about into the claim, in the
transaction that brings it about. So whoever repeats a request whose first process died finds out: either the effect is
there and is answered, or nothing happened and the request is carried out now. Claims are leased and fenced like all
work, so a process that only stalled cannot have its effect after another took over.
"""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from retinue.core import idempotency_table as sql
from retinue.core.clock import now
from retinue.core.database import Database, Tx
from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.leased_worker import LeaseKeeper
from retinue.core.notifier import Wakeups, wait
from retinue.core.retention import BATCH
from retinue.core.statements import Row

KEPT = timedelta(hours=24)
_LOOK_S = 0.5


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to carry out the request of a key. `effect` is what an earlier process had brought about."""

    id: int
    epoch: int
    effect: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Answered:
    """The first answer."""

    status: int
    body: str


async def note_effect(tx: Tx, claim: Claim | None, effect: dict[str, Any]) -> None:
    """Write what the request brought about, in the transaction that brings it about."""
    if not claim:
        return
    if not await tx.run(sql.NOTE, claim=claim.id, under=claim.epoch, what=effect):
        raise Unavailable("Another process carries this request out by now. Send it again to get its answer.")


class IdempotentRequests(LeaseKeeper):
    """The claims of this process."""

    leases, topic = sql.LEASES, "idempotency"

    def __init__(self, database: Database, wakeups: Wakeups, node: str, digest: Callable[[str], str]) -> None:
        super().__init__(database, wakeups, node)
        self._digest = digest
        self._held: set[int] = set()

    async def claim(self, account: int, operation: str, key: str, fingerprint: str) -> Claim | Answered:
        """Claim a key, or find its answer. Waits while the first request with it is under way."""
        if not (0 < len(key) <= 255 and key.isascii() and key.isprintable()):
            raise ValidationFailed("Idempotency-Key must have 1 to 255 printable ASCII characters.")
        this: dict[str, Any] = {"account": account, "at": operation, "name": key}
        # A body may hold a password, which a plain hash in the database would let somebody guess.
        fingerprint = self._digest(fingerprint)
        with self._wakeups.waiting(_topic(account, key)) as answered:
            while True:
                row, ours = await self._database.transact(lambda tx: self._try(tx, this, fingerprint))
                if row.fingerprint != fingerprint:
                    raise ValidationFailed(
                        "This Idempotency-Key was used with another body. Send a new key with a new request."
                    )
                if row.status is not None:
                    return Answered(row.status, row.body)
                if ours:
                    self._held.add(row.id)
                    return Claim(row.id, row.epoch, row.effect)
                await wait(answered, _LOOK_S)

    async def _try(self, tx: Tx, this: dict[str, Any], fingerprint: str) -> tuple[Row, bool]:
        """The key's row, and whether it is now this process's to carry out."""
        taken = await tx.one(sql.TAKE, **this, print=fingerprint, moment=now(), owner=self._node)
        taken = taken or await tx.one(sql.TAKE_OVER, **this, owner=self._node)
        return (taken, True) if taken else (await tx.one(sql.FIND, **this), False)

    async def finish(self, claim: Claim, account: int, key: str, status: int, body: str) -> bool:
        """Keep the answer for those who repeat the request; False where the claim is another's by now."""
        return await self._end(claim, account, key, partial(_finish, claim, status, body))

    def drop(self, claim: Claim) -> None:
        """Let the lease run out: the request was broken off, and what it brought about is in the claim."""
        self._held.discard(claim.id)

    async def forget(self, claim: Claim, account: int, key: str) -> None:
        """Give the key back: the answer is not one to remember, so a repeated request is carried out anew.

        Where there is an effect already, whoever repeats the request gets its answer.
        """
        await self._end(claim, account, key, partial(_forget, claim))

    async def _end(self, claim: Claim, account: int, key: str, work: Callable[[Tx], Awaitable[bool]]) -> bool:
        try:
            ended = await self._database.transact(work)
        finally:
            self._held.discard(claim.id)
        self._wakeups.wake(_topic(account, key))
        return ended

    def held_ids(self) -> Collection[int]:
        """The ids of the claims of this process."""
        return self._held

    async def abandon(self, row_id: int) -> None:
        """Go on: a request whose claim is lost is answered all the same, and fails where it writes."""


async def _finish(claim: Claim, status: int, body: str, tx: Tx) -> bool:
    return bool(await tx.run(sql.FINISH, claim=claim.id, under=claim.epoch, answered=status, text=body))


async def _forget(claim: Claim, tx: Tx) -> bool:
    held = {"claim": claim.id, "under": claim.epoch}
    return bool(await tx.run(sql.FORGET, **held) or await tx.run(sql.RELEASE, **held))


async def remove_keys(tx: Tx, before: datetime, after: Any) -> Any:
    """Remove keys that are too old to be asked for again."""
    return await tx.run(sql.REMOVE, before=before) == BATCH or None


def _topic(account: int, key: str) -> str:
    return f"key:{account}:{key}"
