"""API keys as credentials."""

from dataclasses import dataclass

from retinue.auth.caller import Caller
from retinue.auth.keys import statements as sql
from retinue.auth.keys.form import hash_secret, parse_key
from retinue.auth.keys.networks import parse_networks
from retinue.auth.last_use import LastUse
from retinue.auth.plans import Plans
from retinue.core.clock import now
from retinue.core.database import Database

_NO_PREFIX = "-"
"""No key has it: looked up for a token that is no key, so that it takes as long to refuse."""


@dataclass(frozen=True)
class KeyTokens:
    """See `TokenKind`. A secret has too many random bits to guess, so its hash is compared by the database."""

    database: Database
    plans: Plans
    last_use: LastUse
    prefix: str = "ak"

    async def find(self, token: str) -> Caller | None:
        """See `TokenKind`."""
        parts = parse_key(token)
        row = await self.database.lookup(
            sql.AUTHENTICATE,
            prefix=parts.prefix if parts else _NO_PREFIX,
            hash=hash_secret(parts.secret if parts else token),
            sandbox=parts is not None and parts.sandbox,
            moment=now(),
        )
        if row is None:
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
