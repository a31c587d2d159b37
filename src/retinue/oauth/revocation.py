"""Revoke all access of apps to a user."""

from retinue.core.database.interface import Tx
from retinue.core.runtime.clock import now
from retinue.oauth import statements as sql
from retinue.oauth.secrets import hash_secret, new_secret


async def revoke_apps(tx: Tx, user_id: int) -> None:
    """Revoke a user's grants with their tokens, and invalidate the secrets of the user's own apps until they are
    rotated.

    Otherwise such an app could get new tokens by client credentials.
    """
    await tx.run(sql.REVOKE_ALL_GRANTS, user=user_id, moment=now())
    await tx.run(sql.VOID_SECRETS, user=user_id, hash=hash_secret(new_secret("acs")))
