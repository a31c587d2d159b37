"""Slow down password guessing without locking the owner out.

Failures are counted by address and account together, and by address over all accounts. Neither count affects an owner
at another address. An address that the owner has signed in from before is never refused: there, only the speed of the
password hash limits guessing. Codes of a second factor are short: their failures are also counted by account alone.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from math import ceil

from retinue.core.errors import RateLimited
from retinue.core.runtime.recent import Recent

FREE = 5
"""Failures of an address and account before it must wait."""

FREE_CODES = 100
"""Wrong codes of an account, from all addresses, before everybody must wait (NIST SP 800-63B, section 5.2.2)."""

LONGEST_S = 900.0
"""Maximum wait in seconds. The wait starts at one second and doubles with each failure."""

PER_ADDRESS = 30
WINDOW_S = 600.0
"""An address may fail `PER_ADDRESS` times in this many seconds, over all accounts."""

_KEPT_S = 86_400.0
_MOST = 20_000


class _Pair:
    """Failures of one address for one account, or of all addresses for the codes of one account."""

    __slots__ = ("failures", "free_at")

    def __init__(self) -> None:
        self.failures = 0
        self.free_at = 0.0

    def count(self, now: float, free: int = FREE) -> None:
        self.failures += 1
        if self.failures >= free:
            self.free_at = now + min(LONGEST_S, 2.0 ** min(self.failures - free, 10))


class Attempt:
    """An admitted attempt. It counts as failed until `succeed` is called."""

    def __init__(self, pairs: Sequence[_Pair], address: deque[float], at: float) -> None:
        self._pairs = pairs
        self._address = address
        self._at = at

    def succeed(self) -> None:
        """Reset the failures of these pairs, and remove the attempt from the address's count."""
        for pair in self._pairs:
            pair.failures, pair.free_at = 0, 0.0
        if self._at in self._address:
            self._address.remove(self._at)


class Throttle:
    """Recent failures seen by this process. Above a limit, it forgets the least recent ones."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._pairs = Recent(_Pair, now, _KEPT_S, _MOST)
        self._addresses: Recent[deque[float]] = Recent(deque, now, WINDOW_S, _MOST)

    def begin(self, account: str, address: str, known: bool = False) -> Attempt:
        """Admit an attempt or raise `RateLimited`. `known` means that the user has signed in from this address
        before.

        Counts the attempt at once, so that concurrent attempts cannot exceed the limit.
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
        return Attempt([pair], failures, now)

    def begin_code(self, account: str, address: str) -> Attempt:
        """Admit an attempt at the second factor after the first was verified. Raises `RateLimited`.

        Codes are short, so known addresses get no exception. Only a client with the right password gets here.
        """
        now = self._now()
        pair, anywhere = self._pairs[f"{address} code of {account}"], self._pairs[f"code of {account}"]
        _check(max(pair.free_at, anywhere.free_at) - now)
        pair.count(now)
        anywhere.count(now, FREE_CODES)
        return Attempt([pair, anywhere], deque(), now)


def _check(wait: float) -> None:
    if wait > 0:
        raise RateLimited(f"Too many attempts. Try again in {ceil(wait)} s.", ceil(wait))


def _free_at(failures: deque[float]) -> float:
    """Return the time when an address may try again."""
    return failures[-PER_ADDRESS] + WINDOW_S if len(failures) >= PER_ADDRESS else 0.0
