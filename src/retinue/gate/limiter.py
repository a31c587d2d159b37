"""Request limits as the gate sees them; where the counts live is the implementation's affair."""

from typing import NamedTuple, Protocol

from retinue.auth.plans import RequestLimits


class Decision(NamedTuple):
    """What became of one request, and what the rate-limit headers tell of it."""

    allowed: bool
    limit: int
    """Requests per minute of the plan."""
    remaining: int
    """Requests left in the minute window after this one; 0 when any window refused."""
    reset: int
    """Unix second when the oldest request leaves the minute window; when refused, when one request is allowed."""
    retry_after: int
    """Seconds to wait: at least 1 when refused, else 0."""
    window: str
    """What refused: "minute", "hour" or "day", of several the one to wait for longest; "" when allowed."""


class Limiter(Protocol):
    """Counts requests in sliding windows. A request that any window refuses is counted in none."""

    async def start(self) -> None:
        """Take up the counts that were kept, if any."""

    async def stop(self) -> None:
        """Keep the counts and let go of files and connections."""

    async def hit(self, credential: str, account: str, limits: RequestLimits, *, refuse: bool = True) -> Decision:
        """Count a request in the minute of `credential` and in the hour and the day of `account`.

        Without `refuse` every request is counted and allowed. Never raises when its storage is missing.
        """
        ...

    async def hit_address(self, address: str, per_minute: int) -> Decision:
        """Count an answer to someone unknown in the minute of `address`."""
        ...
