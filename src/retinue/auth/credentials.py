"""From a token to its caller: one registry of the kinds of token, and a short cache before it."""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Iterable
from typing import Protocol

from retinue.auth.caller import Caller
from retinue.core.errors import AuthRequired

CACHE_S = 0.9
"""A revoked credential stops within a second on every node, because no node trusts its cache for longer."""

_CACHE_SIZE = 10_000

_REFUSED = (
    "Send a valid API key as 'Authorization: Bearer ak_live_…'. Create one with: retinue keys create --user EMAIL"
)


class TokenKind(Protocol):
    """One kind of token, such as API keys."""

    @property
    def prefix(self) -> str:
        """What its tokens begin with, up to and without the first underscore."""
        ...

    async def find(self, token: str) -> Caller | None:
        """The caller that a token stands for; None where it is unknown, expired or revoked, or its user suspended.

        It does the same work for a token that exists and for one that does not.
        """
        ...


class Credentials:
    """Checks tokens against what the kinds store of them. Tokens themselves are not stored, not even in the cache."""

    def __init__(self, default: TokenKind, others: Iterable[TokenKind] = ()) -> None:
        """Tokens with an unknown prefix go to the `default` kind, so that refusing them takes as long."""
        self._default = default
        self._kinds = {kind.prefix: kind for kind in (default, *others)}
        self._cache: OrderedDict[bytes, tuple[float, Caller]] = OrderedDict()

    async def authenticate(self, token: str) -> Caller:
        """The caller that `token` stands for, or `AuthRequired`."""
        digest = hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
        known = self._cache.get(digest)
        if known and known[0] > time.monotonic():
            return known[1]
        prefix, _, _ = token.partition("_")
        caller = await self._kinds.get(prefix, self._default).find(token)
        if caller is None:
            raise AuthRequired(_REFUSED)
        self._remember(digest, caller)
        return caller

    def _remember(self, digest: bytes, caller: Caller) -> None:
        self._cache[digest] = (time.monotonic() + CACHE_S, caller)
        self._cache.move_to_end(digest)
        if len(self._cache) > _CACHE_SIZE:
            self._cache.popitem(last=False)
