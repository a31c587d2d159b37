"""Ending what apps may do for a user."""

from retinue.core.clock import now
from retinue.core.database import Tx
from retinue.oauth import statements as sql
from retinue.oauth.secrets import hash_secret, new_secret


async def revoke_apps(tx: Tx, user_id: int) -> None:
    """Revoke every grant of a user with its tokens, and void the secrets of the user's own apps until they are rotated.

    An app that kept its secret would get new tokens by client credentials.
    """
    await tx.run(sql.REVOKE_ALL_GRANTS, user=user_id, moment=now())
    await tx.run(sql.VOID_SECRETS, user=user_id, hash=hash_secret(new_secret("acs")))
