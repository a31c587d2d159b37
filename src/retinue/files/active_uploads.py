"""Count uploads in progress per account: they take disk space before the database knows of them.

The counts live in memory. That is enough, because the sweep removes the files of uploads that a dead process left
behind.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from retinue.core.errors import RateLimited

_AT_ONCE = 128
_RETRY_S = 1
Check = Callable[[int], None]


class ActiveUpload:
    """One upload. `size` is its announced size in bytes, or the bytes received if those are more."""

    def __init__(self, size: int, check: Callable[[], None]) -> None:
        self.size = size
        self._check = check

    def grow(self, size: int) -> None:
        """Update the number of bytes received. Raises the errors of the `check` that the upload started with."""
        if size > self.size:
            self.size = size
            self._check()

    def finish(self) -> None:
        """Stop counting bytes: the transaction that stores the file checks the quota."""
        self.size = 0


class ActiveUploads:
    """The uploads in progress in this process."""

    def __init__(self, at_once: int = _AT_ONCE) -> None:
        """`at_once` is the maximum number of concurrent uploads per account."""
        self._at_once = at_once
        self._of: defaultdict[int, list[ActiveUpload]] = defaultdict(list)

    @contextmanager
    def arrival(self, account_id: int, announced: int, check: Check) -> Iterator[ActiveUpload]:
        """Count an upload until the end of the block.

        `check` receives the total bytes of the account's uploads in progress, now and whenever this one exceeds its
        announced size, and raises to refuse them. Raises `RateLimited` if the account has too many uploads in
        progress.
        """
        if len(self._of.get(account_id, ())) >= self._at_once:
            raise RateLimited(
                f"You have {self._at_once} uploads in progress, which is the maximum. Wait for one to finish, "
                "and try again.",
                _RETRY_S,
            )
        arrival = ActiveUpload(announced, lambda: check(sum(one.size for one in self._of[account_id])))
        self._of[account_id].append(arrival)
        try:
            check(sum(one.size for one in self._of[account_id]))
            yield arrival
        finally:
            self._of[account_id].remove(arrival)
            if not self._of[account_id]:
                del self._of[account_id]
