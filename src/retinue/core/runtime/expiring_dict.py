"""A mapping that drops unused entries."""

import sys
from collections.abc import Callable
from typing import TypeVar

V = TypeVar("V")


class ExpiringDict(dict[str, V]):
    """Creates missing entries and drops entries that were not used for some time.

    There are two generations. This dict is the younger one: used entries move into it, and from time to time the
    older generation is dropped as a whole. So nothing is ever scanned, and only a miss costs more than a look-up.
    """

    __slots__ = ("_half", "_make", "_now", "_old", "_seconds", "_turn")

    def __init__(
        self, make: Callable[[], V], now: Callable[[], float], seconds: float, most: int = sys.maxsize
    ) -> None:
        """Keep entries for at least `seconds` after their last use, but beyond `most` drop the older half."""
        super().__init__()
        self._make = make
        self._now = now
        self._seconds = seconds
        self._half = most // 2
        self._turn = now() + seconds
        self._old: dict[str, V] = {}

    def __missing__(self, key: str) -> V:
        now = self._now()
        if now >= self._turn or len(self) >= self._half:
            self._turn = now + self._seconds
            self._old = dict(self)
            self.clear()
        value = self._old.pop(key, None)
        if value is None:
            value = self._make()
        self[key] = value
        return value

    def size(self) -> int:
        """Return the number of entries in both generations."""
        return len(self) + len(self._old)
