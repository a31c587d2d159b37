"""Authenticate API keys."""

from dataclasses import dataclass

from retinue.auth.caller import Caller
from retinue.auth.keys import statements as sql
from retinue.auth.keys.key_format import hash_secret, parse_key
from retinue.auth.keys.networks import parse_networks
from retinue.auth.last_use import LastUse
from retinue.auth.plans import Plans
from retinue.core.database.interface import Database
from retinue.core.runtime.clock import now

_NO_PREFIX = "-"
"""A prefix that no key has. Looking it up makes refusing a malformed token take equally long."""


@dataclass(frozen=True)
class KeyTokens:
    """The API keys as a `TokenKind`. Secrets are too random to guess, so the database may compare the hashes."""

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
        # `marketplace:write` of a key has always included publishing, which apps must ask for.
        publishes = {"marketplace:publish"} if "marketplace:write" in row.scopes else set()
        return Caller(
            user_id=row.user_id,
            account_id=row.account_id,
            sandbox=row.sandbox,
            credential=f"key:{row.id}",
            plan_name=row.plan,
            plan=self.plans[row.plan],
            scopes=frozenset({*row.scopes, *publishes}),
            kind="key",
            credential_id=row.id,
            networks=parse_networks(row.networks or ()),
        )
