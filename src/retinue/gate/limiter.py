"""The interface of the rate limiters that the gate uses."""

from typing import NamedTuple, Protocol

from retinue.auth.plans import RequestLimits
from retinue.core.errors import RateLimited


class RateLimitDecision(NamedTuple):
    """The decision on one request, and the values of its rate-limit headers."""

    allowed: bool
    limit: int
    """The plan's requests per minute."""
    remaining: int
    """Requests left in the minute window after this one; 0 when any window refused."""
    reset: int
    """Unix second when the oldest request leaves the minute window; if refused, when a request is allowed again."""
    retry_after: int
    """Seconds to wait: at least 1 when refused, else 0."""
    window: str
    """The window that refused: "minute", "hour" or "day", whichever needs the longest wait; "" when allowed."""

    def refusal(self) -> RateLimited:
        """Return the error for a request that is not allowed."""
        seconds = self.retry_after
        if self.window == "minute":
            return RateLimited(f"Too many requests in the last minute. Try again in {seconds} s.", seconds)
        if self.window == "hour":
            return RateLimited(f"Too many requests in the last hour. Try again in {seconds} s.", seconds)
        return RateLimited(f"Too many requests in the last day. Try again in {seconds} s.", seconds)


class Limiter(Protocol):
    """Counts requests in sliding windows. A refused request counts in none of them."""

    async def start(self) -> None:
        """Load stored counts, if any."""

    async def stop(self) -> None:
        """Store the counts and close files and connections."""

    async def hit(
        self, credential: str, account: str, limits: RequestLimits, *, refuse: bool = True
    ) -> RateLimitDecision:
        """Count a request in the minute window of `credential` and in the hour and day windows of `account`.

        With `refuse=False` every request is counted and allowed. Never raises if the storage is unavailable.
        """
        ...

    async def hit_address(self, address: str, per_minute: int) -> RateLimitDecision:
        """Count an unauthenticated request in the minute window of `address`."""
        ...
