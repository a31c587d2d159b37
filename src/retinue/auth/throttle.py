"""Slows down those who guess passwords, and never locks the owner out.

Failures are counted for each pair of an address and an account, and for each address over all accounts. The owner at
another address is in neither count. At an address that has signed the owner in before, nothing is refused: there only
the pace of the hashing holds a guesser up.
"""

import time
from collections import deque
from collections.abc import Callable
from math import ceil

from retinue.core.errors import RateLimited
from retinue.core.recent import Recent

FREE = 5
"""Failures of a pair before it has to wait."""

LONGEST_S = 900.0
"""The wait doubles with each failure, from one second up to this."""

PER_ADDRESS = 30
WINDOW_S = 600.0
"""Failures of one address in ten minutes, for all accounts together."""

_KEPT_S = 86_400.0
_MOST = 20_000


class _Pair:
    """The failures of one address at one account."""

    __slots__ = ("failures", "free_at")

    def __init__(self) -> None:
        self.failures = 0
        self.free_at = 0.0

    def count(self, now: float) -> None:
        self.failures += 1
        if self.failures >= FREE:
            self.free_at = now + min(LONGEST_S, 2.0 ** min(self.failures - FREE, 10))


class Attempt:
    """An attempt that was let through. It counts as failed until it succeeds."""

    def __init__(self, pair: _Pair, address: deque[float], at: float) -> None:
        self._pair = pair
        self._address = address
        self._at = at

    def succeed(self) -> None:
        """The owner was here: forget the failures of this pair, and do not count the attempt for the address."""
        self._pair.failures, self._pair.free_at = 0, 0.0
        if self._at in self._address:
            self._address.remove(self._at)


class Throttle:
    """The failures that this process has seen of late, the least recent ones forgotten where there are too many."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._pairs = Recent(_Pair, now, _KEPT_S, _MOST)
        self._addresses: Recent[deque[float]] = Recent(deque, now, WINDOW_S, _MOST)

    def begin(self, account: str, address: str, known: bool = False) -> Attempt:
        """Let an attempt through, or raise `RateLimited`. A `known` address has signed this account in before.

        It is counted at once, so that many attempts at the same moment are not all let through.
        """
        now = self._now()
        pair = self._pairs[f"{address} {account}"]
        failures = self._addresses[address]
        while failures and failures[0] <= now - WINDOW_S:
            failures.popleft()
        if not known:
            _check(max(pair.free_at, _free_at(failures)) - now)
        pair.count(now)
        failures.append(now)
        return Attempt(pair, failures, now)

    def begin_code(self, account: str, address: str) -> Attempt:
        """Let an attempt at a second factor through, once the first one was proven.

        No address is so well known that it may guess codes: they are short. Nobody without the password comes here.
        """
        now = self._now()
        pair = self._pairs[f"{address} code of {account}"]
        _check(pair.free_at - now)
        pair.count(now)
        return Attempt(pair, deque(), now)


def _check(wait: float) -> None:
    if wait > 0:
        raise RateLimited(f"Too many attempts. Try again in {ceil(wait)} s.", ceil(wait))


def _free_at(failures: deque[float]) -> float:
    """When an address may try again."""
    return failures[-PER_ADDRESS] + WINDOW_S if len(failures) >= PER_ADDRESS else 0.0
