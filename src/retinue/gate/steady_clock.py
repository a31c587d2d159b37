"""A monotonic Unix clock, so that windows neither empty nor freeze when the system clock is set back."""

from collections.abc import Callable
from math import ceil


class SteadyClock:
    """Follows a clock of Unix seconds. If that clock is set back, this one continues from its last value."""

    __slots__ = ("_ahead", "_clock", "_latest")

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._ahead = 0.0
        self._latest = 0.0

    def now(self) -> float:
        """Return the seconds since 1970 by this clock."""
        now = self._clock() + self._ahead
        if now < self._latest:
            self._ahead += self._latest - now
            return self._latest
        self._latest = now
        return now

    def shown_second(self, moment: float) -> int:
        """Return the second that the followed clock shows at `moment`, rounded up."""
        return ceil(moment - self._ahead)
