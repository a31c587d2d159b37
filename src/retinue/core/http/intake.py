"""Limits the time and memory of request bodies that are still arriving."""

from collections import defaultdict
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from retinue.core.errors import RateLimited, Unavailable

MAX_BODY = 1 << 20
"""Maximum size of a JSON body in bytes."""

_PER_ACCOUNT = 32 * MAX_BODY
_IN_ALL = 256 * MAX_BODY
_RETRY_S = 1


class Intake:
    """Counts the bytes of arriving JSON bodies, per account and in total.

    A body counts with its Content-Length from before its first byte is read until its last byte has arrived. A body
    without a length counts with the maximum size.
    """

    def __init__(self, timeout_s: float, per_account: int = _PER_ACCOUNT, in_all: int = _IN_ALL) -> None:
        self.timeout_s = timeout_s
        """Time limit for a body, in seconds."""
        self._per_account = per_account
        self._in_all = in_all
        self._total = 0
        self._held: defaultdict[Hashable, int] = defaultdict(int)

    @contextmanager
    def room(self, account: Hashable, announced: int | None) -> Iterator[None]:
        """Reserve memory for a body for the duration of the context.

        Raises `RateLimited` if the account exceeds its limit, `Unavailable` if all accounts together exceed theirs.
        """
        size = MAX_BODY if announced is None else min(announced, MAX_BODY)
        self._check(account, size)
        self._total += size
        self._held[account] += size
        try:
            yield
        finally:
            self._total -= size
            self._held[account] -= size
            if not self._held[account]:
                del self._held[account]

    def _check(self, account: Hashable, size: int) -> None:
        if self._held.get(account, 0) + size > self._per_account:
            raise RateLimited(
                f"More than {self._per_account >> 20} MiB of your request bodies are still being received. "
                f"Finish those first, and try again in {_RETRY_S} s.",
                _RETRY_S,
            )
        if self._total + size > self._in_all:
            raise Unavailable("Too many large request bodies are being received. Try again in a moment.")
