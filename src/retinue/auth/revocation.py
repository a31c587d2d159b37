"""Revoke all credentials of a user. Packages with their own credentials pass in a function that revokes them.

Nodes cache credentials for up to a second. A transaction that creates a credential therefore locks the account, as the
revocation does, and checks that the caller's own credential was not revoked.
"""

from collections.abc import Awaitable, Callable, Iterable

from retinue.auth.caller import Caller
from retinue.auth.keys import statements as keys
from retinue.auth.keys.creation import lock_account
from retinue.auth.sessions import statements as sessions
from retinue.auth.sign_in import statements as links
from retinue.auth.tables import AccountPlan
from retinue.core.database.interface import Tx
from retinue.core.errors import AuthRequired
from retinue.core.runtime.clock import now

Revoke = Callable[[Tx, int], Awaitable[None]]
"""Revokes one kind of credentials of the user with the given id."""


async def revoke_everything(tx: Tx, user_id: int, others: Iterable[Revoke], kept_session: int = 0) -> None:
    """Revoke a user's keys, one-time links, `others`, and sessions except `kept_session`.

    Every node refuses them within a second.
    """
    for account in await tx.all(keys.LOCK_ACCOUNTS, user=user_id):
        await tx.run(keys.REVOKE_ALL, account=account.id, moment=now())
    await tx.run(sessions.REVOKE_OTHERS, user=user_id, kept=kept_session)
    await tx.run(links.EXPIRE_LINKS, user=user_id, moment=now())
    for revoke in others:
        await revoke(tx, user_id)


async def lock_account_of(tx: Tx, caller: Caller, sandbox: bool = False) -> AccountPlan:
    """Lock an account of the caller's user. Raises `AuthRequired` if the caller's key or session was revoked."""
    account = await lock_account(tx, caller.user_id, sandbox)
    statement = {"key": keys.NOT_REVOKED, "session": sessions.NOT_ENDED}.get(caller.kind)
    if statement and await tx.one(statement, credential=caller.credential_id) is None:
        raise AuthRequired("The credential was revoked.")
    return account
