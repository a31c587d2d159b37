"""Unix time that never falls, for windows that must neither empty nor stand still when somebody sets the clock back."""

from collections.abc import Callable
from math import ceil


class SteadyClock:
    """Follows a clock of Unix seconds; when that is set back it goes on evenly from where it was."""

    __slots__ = ("_ahead", "_clock", "_latest")

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._ahead = 0.0
        self._latest = 0.0

    def now(self) -> float:
        """Seconds since 1970 by this clock."""
        now = self._clock() + self._ahead
        if now < self._latest:
            self._ahead += self._latest - now
            return self._latest
        self._latest = now
        return now

    def shown_second(self, moment: float) -> int:
        """The whole second, not before `moment`, that the followed clock shows then."""
        return ceil(moment - self._ahead)
