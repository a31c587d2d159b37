"""Requests a deletion: revokes the user's credentials and anonymises the user at once."""

from collections.abc import Iterable, Sequence

from retinue.account_data import statements as sql
from retinue.auth.audit.entries import Actor, audit
from retinue.auth.operators import is_last_operator
from retinue.auth.revocation import Revoke, revoke_everything
from retinue.core.database.interface import Tx
from retinue.core.database.owned import Owned
from retinue.core.database.statements import Row
from retinue.core.errors import ValidationFailed
from retinue.core.runtime.clock import now

TOPIC = "account jobs"
"""The topic that wakes the worker."""


async def request_deletion(tx: Tx, user: Row, others: Iterable[Revoke], owned: Sequence[Owned], actor: Actor) -> None:
    """Revoke all credentials, release the e-mail address, and queue the rest for the worker.

    `actor` must not belong to the user, so that its audit entry outlives the deletion. Raises `ValidationFailed` for
    the last operator.
    """
    if await is_last_operator(tx, user):
        raise ValidationFailed(
            f"{user.email} is the last operator of this server and cannot be deleted. "
            "Make another user an operator first: retinue users promote EMAIL"
        )
    moment = now()
    await revoke_everything(tx, user.id, others)
    await tx.run(sql.ANONYMISE_USER, user=user.id, placeholder=f"deleted-{user.id}", moment=moment)
    for account in await tx.all(sql.ACCOUNTS, user=user.id):
        for rows in (one for one in owned if one.when == "first"):
            await rows.remove(tx, account.id)
    await tx.run(sql.REMOVE_EXPORTS, user=user.id)
    await tx.one(sql.ADD, kind="deletion", user_id=user.id, account_id=None, status="queued", created_at=moment)
    # An entry that belongs to nobody must not identify the user; an operator's log says whom the operator deleted.
    await audit(tx, actor, "user.deleted", user.id if actor.user_id else None)
