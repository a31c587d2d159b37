"""Ending everything that acts for a user. A room with credentials of its own hands in what ends them."""

from collections.abc import Awaitable, Callable, Iterable

from retinue.auth.keys import statements as keys
from retinue.auth.sessions import statements as sessions
from retinue.auth.sign_in import statements as links
from retinue.core.clock import now
from retinue.core.database import Tx

Revoke = Callable[[Tx, int], Awaitable[None]]
"""Ends the credentials of one kind that act for the user with an id."""


async def revoke_everything(tx: Tx, user_id: int, others: Iterable[Revoke]) -> None:
    """Revoke a user's keys, sessions, one-time links and `others`. They stop everywhere within a second."""
    for account in await tx.all(keys.ACCOUNTS, user=user_id):
        await tx.run(keys.REVOKE_ALL, account=account.id, moment=now())
    await tx.run(sessions.REVOKE_OTHERS, user=user_id, kept=0)
    await tx.run(links.DROP_LINKS, user=user_id)
    for revoke in others:
        await revoke(tx, user_id)
