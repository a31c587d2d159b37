"""Limits how often a client may request tokens for a user, and how often a user may decide on apps."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from retinue.oauth.errors import OAuthError

PER_MINUTE = 60
"""Maximum token requests of a client for one user in a minute. Those for no known user count by address."""

PER_MINUTE_OF_USER = 300
"""Maximum token requests of all clients for one user in a minute."""


class Decision(Protocol):
    """The decision of a rate limiter on one request."""

    @property
    def allowed(self) -> bool:
        """True if the request is within the limit."""
        ...

    @property
    def retry_after(self) -> int:
        """Seconds to wait if it is not."""
        ...


@dataclass(frozen=True)
class RequestLimit:
    """Counts requests in the windows of a rate limiter. With `refuse=False` every request is allowed."""

    hit: Callable[[str, int], Awaitable[Decision]]
    refuse: bool

    async def count_tokens(self, app_id: int, user_id: int | None, address: str) -> None:
        """Count a token request by app and user, and by user; by address without a user. Raises `OAuthError`."""
        await self._count(f"{app_id}:{user_id}" if user_id else address, "token requests")
        if user_id:
            await self._count(f"user:{user_id}", "token requests of all apps", PER_MINUTE_OF_USER)

    async def count_fetch(self, address: str) -> None:
        """Count a document of a client that is fetched for an address. Raises `OAuthError`."""
        await self._count(f"document:{address}", "documents of clients")

    async def count_decision(self, user_id: int) -> None:
        """Count a user's decision on a consent page. Raises `OAuthError`."""
        await self._count(f"consent:{user_id}", "decisions")

    async def _count(self, who: str, what: str, most: int = PER_MINUTE) -> None:
        decision = await self.hit(f"oauth:{who}", most)
        if self.refuse and not decision.allowed:
            raise OAuthError(
                "temporarily_unavailable",
                f"Too many {what}: at most {most} a minute are allowed. Try again in {decision.retry_after} s.",
                429,
                decision.retry_after,
            )
