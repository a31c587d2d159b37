"""Issue and authenticate session tokens, `sess_<43>`."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from retinue.auth.caller import Caller
from retinue.auth.client_info import ClientInfo
from retinue.auth.last_use import LastUse
from retinue.auth.plans import Plans
from retinue.auth.sessions import statements as sql
from retinue.core.database.interface import Database, Tx
from retinue.core.runtime.clock import now
from retinue.core.work.retention import BATCH

LIFETIME = timedelta(days=30)
"""Time from the last use of a session to its expiry."""

MAX_AGE = timedelta(days=365)
"""Time from the sign-in to the expiry of a session, even if it is in use."""


def oldest_open() -> dict[str, datetime]:
    """Return the earliest last use and the earliest sign-in of sessions that have not expired."""
    moment = now()
    return {"after": moment - LIFETIME, "since": moment - MAX_AGE}


def expiry_of(created_at: datetime, last_used_at: datetime) -> datetime:
    """Return the time at which a session ends if it is not used again."""
    return min(last_used_at + LIFETIME, created_at + MAX_AGE)


@dataclass(frozen=True, slots=True)
class NewSession:
    """A new session. Its token is not stored anywhere."""

    id: int
    token: str
    expires_at: datetime


async def open_session(tx: Tx, user_id: int, client: ClientInfo) -> NewSession:
    """Create a session in the transaction that authenticates the user."""
    token, moment = f"sess_{secrets.token_urlsafe(32)}", now()
    row = await tx.one(
        sql.INSERT,
        user_id=user_id,
        token_hash=hash_token(token),
        address=client.address,
        user_agent=client.user_agent,
        created_at=moment,
        last_used_at=moment,
    )
    await tx.run(sql.DROP_EXCESS, user=user_id)
    return NewSession(row.id if row else 0, token, moment + LIFETIME)


def hash_token(token: str) -> bytes:
    """Return the SHA-256 digest of a token. Tokens have 256 random bits, so one round of hashing suffices."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


@dataclass(frozen=True)
class SessionTokens:
    """Session tokens as a `TokenKind`. Tokens are looked up by hash, so no comparison leaks timing."""

    database: Database
    plans: Plans
    last_use: LastUse
    prefix: str = "sess"

    async def find(self, token: str) -> Caller | None:
        """See `TokenKind`."""
        row = await self.database.lookup(sql.AUTHENTICATE, hash=hash_token(token), **oldest_open())
        if row is None:
            return None
        self.last_use.note("session", row.id, row.last_used_at)
        return Caller(
            user_id=row.user_id,
            account_id=row.account_id,
            sandbox=False,
            credential=f"user:{row.user_id}",
            plan_name=row.plan,
            plan=self.plans[row.plan],
            scopes=frozenset({"*"}),
            kind="session",
            credential_id=row.id,
        )


async def remove_sessions(tx: Tx, before: datetime, after: object) -> object:
    """Remove a batch of sessions last used before an instant."""
    return await tx.run(sql.REMOVE_OLD, before=before) == BATCH or None
