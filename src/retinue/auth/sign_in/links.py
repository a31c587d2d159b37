"""One-time sign-in links, `link_<43>`."""

import secrets
from datetime import datetime, timedelta
from typing import Literal

from retinue.auth.sessions.tokens import hash_token
from retinue.auth.sign_in import statements as sql
from retinue.core.database.interface import Tx
from retinue.core.runtime.clock import now
from retinue.core.work.retention import BATCH

Purpose = Literal["sign_in", "reset"]

BY_OPERATOR = timedelta(hours=24)
BY_MAIL = timedelta(hours=1)
"""Lifetime of a link."""


LINK_PATH = "/sign-in/link"
"""The portal page that consumes a link. The token is in the query because access logs record paths but not queries.
"""


def link_address(server: str, token: str) -> str:
    """Return the URL of a link. `server` is the server's own address."""
    return f"{server.rstrip('/')}{LINK_PATH}?token={token}"


async def add_link(tx: Tx, user_id: int, purpose: Purpose, lifetime: timedelta) -> str:
    """Create a link for a user. Only the return value contains its token."""
    token, moment = f"link_{secrets.token_urlsafe(32)}", now()
    await tx.run(
        sql.ADD_LINK,
        user_id=user_id,
        token_hash=hash_token(token),
        purpose=purpose,
        created_at=moment,
        expires_at=moment + lifetime,
    )
    return token


async def remove_links(tx: Tx, before: datetime, after: object) -> object:
    """Remove a batch of links that expired before an instant."""
    return await tx.run(sql.REMOVE_OLD_LINKS, before=before) == BATCH or None
