"""Authenticate tokens: a registry of token kinds with a short-lived cache."""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Iterable
from typing import Protocol

from retinue.auth.caller import Caller
from retinue.core.errors import AuthRequired

CACHE_S = 0.9
"""Seconds that the cache trusts a credential. It bounds the delay of a revocation on every node to one second."""

_CACHE_SIZE = 10_000

_NOT_SENT = (
    "The request has no credential. Send an API key as 'Authorization: Bearer ak_live_…'. Create one with: retinue "
    "keys create --user EMAIL"
)
_FOREIGN = (
    "This is not a credential of this server. API keys begin with ak_live_ or ak_test_, OAuth tokens with aat_, and "
    "session tokens with sess_. Create an API key with: retinue keys create --user EMAIL"
)
_REFUSED = (
    "This credential is unknown, expired or revoked. Check that you sent all of it, or create an API key with: retinue "
    "keys create --user EMAIL"
)


class TokenKind(Protocol):
    """One kind of token, such as API keys."""

    @property
    def prefix(self) -> str:
        """What each token begins with, before an underscore."""
        ...

    async def find(self, token: str) -> Caller | None:
        """Return the caller for `token`, or None if it is unknown, expired or revoked, or its user is suspended.

        Takes the same time for known and unknown tokens. Raises `AuthRequired` to tell the bearer more.
        """
        ...


class Credentials:
    """Authenticates tokens by their kind. Neither the database nor the cache holds the tokens themselves."""

    def __init__(self, default: TokenKind, others: Iterable[TokenKind] = ()) -> None:
        """Tokens with an unknown prefix go to the `default` kind, so that refusing them takes equally long."""
        self._default = default
        kinds = sorted((default, *others), key=lambda kind: len(kind.prefix), reverse=True)
        self._kinds = [(f"{kind.prefix}_", kind) for kind in kinds]
        self._cache: OrderedDict[bytes, tuple[float, Caller]] = OrderedDict()

    async def authenticate(self, token: str, *, fresh: bool = False) -> Caller:
        """Return the caller for `token`, if `fresh` not from the cache. Raises `AuthRequired` for an invalid token."""
        digest = hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
        known = self._cache.get(digest)
        if known and known[0] > time.monotonic() and not fresh:
            return known[1]
        self._cache.pop(digest, None)
        kind = next((kind for prefix, kind in self._kinds if token.startswith(prefix)), None)
        caller = await (kind or self._default).find(token)
        if caller is None:
            raise AuthRequired(_REFUSED if kind else _FOREIGN if token else _NOT_SENT)
        self._remember(digest, caller)
        return caller

    def _remember(self, digest: bytes, caller: Caller) -> None:
        self._cache[digest] = (time.monotonic() + CACHE_S, caller)
        self._cache.move_to_end(digest)
        if len(self._cache) > _CACHE_SIZE:
            self._cache.popitem(last=False)
