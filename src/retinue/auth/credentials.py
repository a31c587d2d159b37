"""From a token to its caller."""

import hashlib
import hmac
import time
from collections import OrderedDict

import sqlalchemy as sa

from retinue.auth.caller import Caller
from retinue.auth.keys import hash_secret, parse_key
from retinue.auth.plans import Plans
from retinue.auth.tables import accounts, api_keys, users
from retinue.core.clock import now
from retinue.core.database import Database
from retinue.core.errors import AuthRequired
from retinue.core.statements import Row, Statement

_CACHE_S = 0.9
"""A revoked key stops within a second on every node, because no node believes its cache for longer."""

_CACHE_SIZE = 10_000

_REFUSED = (
    "Send a valid API key as 'Authorization: Bearer ak_live_…'. Create one with: retinue keys create --user EMAIL"
)

_FIND = Statement(
    sa.select(
        api_keys.c.id,
        api_keys.c.account_id,
        api_keys.c.secret_hash,
        api_keys.c.scopes,
        api_keys.c.expires_at,
        api_keys.c.revoked_at,
        accounts.c.sandbox,
        accounts.c.user_id,
        users.c.plan,
    )
    .join(accounts, accounts.c.id == api_keys.c.account_id)
    .join(users, users.c.id == accounts.c.user_id)
    .where(api_keys.c.prefix == sa.bindparam("prefix"))
)


class Credentials:
    """Checks tokens against their stored hashes. Tokens themselves are never kept, not even in the cache."""

    def __init__(self, database: Database, plans: Plans) -> None:
        self._database = database
        self._plans = plans
        self._cache: OrderedDict[bytes, tuple[float, Caller]] = OrderedDict()

    async def authenticate(self, token: str) -> Caller:
        """The caller that `token` stands for, or `AuthRequired`."""
        digest = hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
        known = self._cache.get(digest)
        if known and known[0] > time.monotonic():
            return known[1]
        caller = await self._find(token)
        self._remember(digest, caller)
        return caller

    def _remember(self, digest: bytes, caller: Caller) -> None:
        self._cache[digest] = (time.monotonic() + _CACHE_S, caller)
        self._cache.move_to_end(digest)
        if len(self._cache) > _CACHE_SIZE:
            self._cache.popitem(last=False)

    async def _find(self, token: str) -> Caller:
        parts = parse_key(token)
        row = await self._database.lookup(_FIND, prefix=parts.prefix) if parts else None
        expected = row.secret_hash if row else bytes(32)
        proven = hmac.compare_digest(expected, hash_secret(parts.secret if parts else token))
        if not (parts and row and proven and parts.sandbox == row.sandbox and _in_force(row)):
            raise AuthRequired(_REFUSED)
        return Caller(
            user_id=row.user_id,
            account_id=row.account_id,
            sandbox=row.sandbox,
            credential=f"key:{row.id}",
            plan_name=row.plan,
            plan=self._plans[row.plan],
            scopes=frozenset(row.scopes),
        )


def _in_force(key: Row) -> bool:
    return key.revoked_at is None and (key.expires_at is None or key.expires_at > now())
