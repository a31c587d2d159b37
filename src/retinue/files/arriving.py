"""Uploads that are still arriving, counted by account: they take room before the database knows of them.

The counts live in memory. That is enough: the sweep removes the files of uploads that a dead process left behind.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from retinue.core.errors import RateLimited

_AT_ONCE = 128
_RETRY_S = 1
Check = Callable[[int], None]


class Arrival:
    """One upload. `size` is what it announces in bytes or, where more has come, has brought."""

    def __init__(self, size: int, check: Callable[[], None]) -> None:
        self.size = size
        self._check = check

    def grow(self, size: int) -> None:
        """Count what has come in all. Raises what the check raises that the upload began with."""
        if size > self.size:
            self.size = size
            self._check()

    def finish(self) -> None:
        """Count no more bytes: the transaction that keeps the file decides on its room."""
        self.size = 0


class Arrivals:
    """The uploads under way in this process."""

    def __init__(self, at_once: int = _AT_ONCE) -> None:
        """`at_once` is how many uploads of one account may be under way."""
        self._at_once = at_once
        self._of: defaultdict[int, list[Arrival]] = defaultdict(list)

    @contextmanager
    def arrival(self, account_id: int, announced: int, check: Check) -> Iterator[Arrival]:
        """Count an upload until the end of the block.

        `check` is given the bytes of all uploads of the account under way, now and whenever this one outgrows what it
        announced, and raises to refuse them. Raises `RateLimited` if the account has too many under way.
        """
        if len(self._of.get(account_id, ())) >= self._at_once:
            raise RateLimited(
                f"{self._at_once} uploads of yours are under way. Let one of them end, and try again.", _RETRY_S
            )
        arrival = Arrival(announced, lambda: check(sum(one.size for one in self._of[account_id])))
        self._of[account_id].append(arrival)
        try:
            check(sum(one.size for one in self._of[account_id]))
            yield arrival
        finally:
            self._of[account_id].remove(arrival)
            if not self._of[account_id]:
                del self._of[account_id]
