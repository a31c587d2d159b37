"""Limits the memory of request bodies that are still arriving."""

from collections import defaultdict
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from retinue.core.errors import RateLimited, Unavailable

MAX_BODY = 1 << 20
"""Maximum size of a body in bytes, except for uploads, which are written to the disk as they arrive."""

_PER_SENDER = 32 * MAX_BODY
_IN_ALL = 256 * MAX_BODY
_FROM_STRANGERS = 64 * MAX_BODY
_RETRY_S = 1


class BodyLimiter:
    """Counts the bytes of arriving bodies, per sender and in total.

    A body counts with its `Content-Length`, or with the maximum size if it has none, from before its first byte is
    read until its last byte has arrived. Senders who are not signed in have a total of their own, so that they cannot
    use up everybody's.
    """

    def __init__(
        self,
        timeout_s: float,
        per_sender: int = _PER_SENDER,
        in_all: int = _IN_ALL,
        from_strangers: int = _FROM_STRANGERS,
    ) -> None:
        self.timeout_s = timeout_s
        """Time limit for a body, in seconds."""
        self._per_sender = per_sender
        self._most = {True: in_all, False: from_strangers}
        self._totals = {True: 0, False: 0}
        self._bytes_by_sender: defaultdict[Hashable, int] = defaultdict(int)

    @contextmanager
    def room(self, sender: Hashable, size: int, *, known: bool) -> Iterator[None]:
        """Reserve memory for a body of `size` bytes for the duration of the context.

        `known` senders are signed in. Raises `RateLimited` if the sender exceeds its limit, `Unavailable` if all
        senders together exceed theirs.
        """
        self._check(sender, size, known)
        self._totals[known] += size
        self._bytes_by_sender[sender] += size
        try:
            yield
        finally:
            self._totals[known] -= size
            self._bytes_by_sender[sender] -= size
            if not self._bytes_by_sender[sender]:
                del self._bytes_by_sender[sender]

    def _check(self, sender: Hashable, size: int, known: bool) -> None:
        if self._bytes_by_sender.get(sender, 0) + size > self._per_sender:
            raise RateLimited(
                f"More than {self._per_sender >> 20} MiB of your request bodies are still being received. "
                f"Finish those first, and try again in {_RETRY_S} s.",
                _RETRY_S,
            )
        if self._totals[known] + size > self._most[known]:
            raise Unavailable("Too many large request bodies are being received. Try again in a moment.")
