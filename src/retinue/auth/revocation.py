"""Revoke all credentials of a user. Packages with their own credentials pass in a function that revokes them."""

from collections.abc import Awaitable, Callable, Iterable

from retinue.auth.keys import statements as keys
from retinue.auth.sessions import statements as sessions
from retinue.auth.sign_in import statements as links
from retinue.core.database.interface import Tx
from retinue.core.runtime.clock import now

Revoke = Callable[[Tx, int], Awaitable[None]]
"""Revokes one kind of credentials of the user with the given id."""


async def revoke_everything(tx: Tx, user_id: int, others: Iterable[Revoke]) -> None:
    """Revoke a user's keys, sessions, one-time links and `others`. Every node refuses them within a second."""
    for account in await tx.all(keys.ACCOUNTS, user=user_id):
        await tx.run(keys.REVOKE_ALL, account=account.id, moment=now())
    await tx.run(sessions.REVOKE_OTHERS, user=user_id, kept=0)
    await tx.run(links.EXPIRE_LINKS, user=user_id, moment=now())
    for revoke in others:
        await revoke(tx, user_id)
