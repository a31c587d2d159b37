"""Authenticate access tokens, `aat_<43>`."""

from dataclasses import dataclass

from retinue.auth.caller import Caller
from retinue.auth.plans import Plans
from retinue.core.database.interface import Database
from retinue.core.database.statements import Row
from retinue.core.errors import AuthRequired
from retinue.core.runtime.clock import now
from retinue.oauth import statements as sql
from retinue.oauth.resources import API
from retinue.oauth.secrets import ACCESS, hash_secret


@dataclass(frozen=True)
class AccessTokens:
    """Access tokens as a `TokenKind`. Tokens are looked up by hash, so no comparison leaks timing."""

    database: Database
    plans: Plans
    prefix: str = ACCESS

    async def find(self, token: str) -> Caller:
        """See `TokenKind`. The holder of a token is an app, which cannot create API keys."""
        row = await self.database.lookup(sql.TOKEN, hash=hash_secret(token))
        if row is None or row.kind != "access" or _is_withdrawn(row):
            raise AuthRequired(
                "This access token is unknown, expired or revoked. Get a new one with the refresh token, or authorize "
                "again."
            )
        if not is_in_force(row):
            raise AuthRequired(
                "The access token has expired. Get a new one with the refresh token, or authorize again."
            )
        return Caller(
            user_id=row.user_id,
            account_id=row.account_id,
            sandbox=False,
            credential=f"app:{row.app_id}:user:{row.user_id}",
            plan_name=row.plan,
            plan=self.plans[row.plan],
            scopes=frozenset(row.scopes),
            kind="oauth",
            credential_id=row.grant_id,
            resource=row.resource or API,
        )


def is_in_force(token: Row) -> bool:
    """Return True if a token is not replaced, revoked or expired, and its user is not suspended."""
    return not _is_withdrawn(token) and bool(token.expires_at > now())


def _is_withdrawn(token: Row) -> bool:
    return bool(token.revoked_at or token.suspended_at or token.replaced_at)
