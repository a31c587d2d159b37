"""API keys as credentials."""

import hmac
from dataclasses import dataclass

from retinue.auth.caller import Caller
from retinue.auth.keys import statements as sql
from retinue.auth.keys.form import hash_secret, parse_key
from retinue.auth.keys.networks import parse_networks
from retinue.auth.last_use import LastUse
from retinue.auth.plans import Plans
from retinue.core.clock import now
from retinue.core.database import Database
from retinue.core.statements import Row

_NO_PREFIX = "-"
"""No key has it: looked up for a token that is no key, so that it takes as long to refuse."""


@dataclass(frozen=True)
class KeyTokens:
    """See `TokenKind`."""

    database: Database
    plans: Plans
    last_use: LastUse
    prefix: str = "ak"

    async def find(self, token: str) -> Caller | None:
        """See `TokenKind`."""
        parts = parse_key(token)
        row = await self.database.lookup(sql.AUTHENTICATE, prefix=parts.prefix if parts else _NO_PREFIX)
        expected = row.secret_hash if row else bytes(32)
        proven = hmac.compare_digest(expected, hash_secret(parts.secret if parts else token))
        if not (parts and row and proven and parts.sandbox == row.sandbox and is_in_force(row)):
            return None
        self.last_use.note("key", row.id, row.last_used_at)
        return Caller(
            user_id=row.user_id,
            account_id=row.account_id,
            sandbox=row.sandbox,
            credential=f"key:{row.id}",
            plan_name=row.plan,
            plan=self.plans[row.plan],
            scopes=frozenset(row.scopes),
            kind="key",
            credential_id=row.id,
            networks=parse_networks(row.networks or ()),
        )


def is_in_force(key: Row) -> bool:
    """Whether a key's row is neither revoked nor expired, nor its user suspended."""
    live = key.revoked_at is None and key.suspended_at is None
    return live and (key.expires_at is None or key.expires_at > now())
