"""Ending everything that acts for a user. Whoever adds a kind of credential adds it here."""

from retinue.auth.keys import statements as keys
from retinue.auth.sessions import statements as sessions
from retinue.auth.sign_in import statements as links
from retinue.core.clock import now
from retinue.core.database import Tx


async def revoke_everything(tx: Tx, user_id: int) -> None:
    """Revoke a user's keys, sessions and one-time links. They stop everywhere within a second."""
    for account in await tx.all(keys.ACCOUNTS, user=user_id):
        await tx.run(keys.REVOKE_ALL, account=account.id, moment=now())
    await tx.run(sessions.REVOKE_OTHERS, user=user_id, kept=0)
    await tx.run(links.DROP_LINKS, user=user_id)
