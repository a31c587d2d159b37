"""Slow down password guessing without locking the owner out.

Failures are counted by address and account together, and by address over all accounts. Neither count affects an owner
at another address. IPv6 addresses count per /64, and with ten times the limits per /48, which is one site's network.

While an address must wait, a right password still signs in from an address that the owner has signed in from before.
Anything else gets the same refusal after the same work, so that it reveals neither the account nor its addresses. After
`FREE_CHECKED` failures of an address and account, passwords are not checked at all during a wait. Codes of a second
factor are short: their failures are also counted by account alone, and known addresses get no exception.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from ipaddress import IPv6Network
from math import ceil

from retinue.core.errors import RateLimited
from retinue.core.runtime.expiring_dict import ExpiringDict

FREE = 5
"""Failures of an address and account before it must wait."""

FREE_CHECKED = 100
"""Failures of an address and account, including those during a wait, before no password is checked during a wait (NIST
SP 800-63B, section 5.2.2)."""

FREE_CODES = 100
"""Wrong codes of an account, from all addresses, before everybody must wait (NIST SP 800-63B, section 5.2.2)."""

LONGEST_S = 900.0
"""Maximum wait in seconds. The wait starts at one second and doubles with each failure."""

PER_ADDRESS = 30
WINDOW_S = 600.0
"""An address may fail `PER_ADDRESS` times in this many seconds, over all accounts."""

SITE = 10
"""The limits of a /48 network of IPv6, as a multiple of those of an address."""

_KEPT_S = 86_400.0
_MOST = 40_000


class _Failures:
    """Consecutive failures, and the time of the next attempt."""

    __slots__ = ("count", "free_at")

    def __init__(self) -> None:
        self.count = 0
        self.free_at = 0.0

    def add(self, now: float, free: int = FREE) -> None:
        self.count += 1
        if self.count >= free:
            self.free_at = now + min(LONGEST_S, 2.0 ** min(self.count - free, 10))

    def reset(self) -> None:
        self.count, self.free_at = 0, 0.0


class PasswordAttempt:
    """An admitted attempt. It counts as failed until `succeed` is called."""

    def __init__(
        self, failures: Sequence[_Failures], times: Sequence[deque[float]], at: float, wait: float = 0.0
    ) -> None:
        self._failures = failures
        self._times = times
        self._at = at
        self.wait = max(wait, 0.0)
        """Seconds that the address must wait: until then, only an owner at a known address may succeed."""

        self.number = failures[0].count
        """The number of consecutive attempts of the address at the account, including this one."""

    def succeed(self) -> None:
        """Reset these failures, and remove the attempt from the counts of its address."""
        for failures in self._failures:
            failures.reset()
        for times in self._times:
            if self._at in times:
                times.remove(self._at)


class Throttle:
    """Recent failures seen by this process. Above a limit, it forgets the least recent ones."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._failures = ExpiringDict(_Failures, now, _KEPT_S, _MOST)
        self._addresses: ExpiringDict[deque[float]] = ExpiringDict(deque, now, WINDOW_S, _MOST)

    def begin(self, account: str, address: str) -> PasswordAttempt:
        """Admit an attempt. Raises `RateLimited` while the address must wait.

        Counts the attempt at once, so that concurrent attempts cannot exceed the limit.
        """
        now = self._now()
        check_wait(self._wait(account, address, now))
        return self._admit(account, address, now)

    def begin_password(self, account: str, address: str) -> PasswordAttempt:
        """Admit an attempt at a password. Raises `RateLimited` if no password may be checked now.

        If the attempt has a `wait`, the caller checks the password only for a known address, and reports failure as
        `check_wait` does.
        """
        now = self._now()
        checked = self._failures[f"{address} checked {account}"]
        wait = self._wait(account, address, now)
        if checked.free_at > now:
            check_wait(max(checked.free_at - now, wait))
        checked.add(now, FREE_CHECKED)
        if wait > 0:
            return PasswordAttempt([checked, *self._pairs(account, address)], [], now, wait)
        return self._admit(account, address, now, checked)

    def begin_code(self, account: str, address: str) -> PasswordAttempt:
        """Admit an attempt at the second factor after the first was verified. Raises `RateLimited`.

        Codes are short, so known addresses get no exception. Only a client with the right password gets here.
        """
        now = self._now()
        pair, anywhere = self._failures[f"{address} code of {account}"], self._failures[f"code of {account}"]
        check_wait(max(pair.free_at, anywhere.free_at) - now)
        pair.add(now)
        anywhere.add(now, FREE_CODES)
        return PasswordAttempt([pair, anywhere], [], now)

    def _wait(self, account: str, address: str, now: float) -> float:
        """Return the seconds until the address may try again; 0 or less if it may now."""
        free_at = [pair.free_at for pair in self._pairs(account, address)]
        for times, limit in self._times(address):
            while times and times[0] <= now - WINDOW_S:
                times.popleft()
            if len(times) >= limit:
                free_at.append(times[-limit] + WINDOW_S)
        return max(free_at) - now

    def _admit(self, account: str, address: str, now: float, *others: _Failures) -> PasswordAttempt:
        pairs = self._pairs(account, address)
        for pair, (_, factor) in zip(pairs, _groups(address), strict=True):
            pair.add(now, FREE * factor)
        windows = [times for times, _ in self._times(address)]
        for times in windows:
            times.append(now)
        return PasswordAttempt([*others, *pairs], windows, now)

    def _pairs(self, account: str, address: str) -> list[_Failures]:
        return [self._failures[f"{group} {account}"] for group, _ in _groups(address)]

    def _times(self, address: str) -> list[tuple[deque[float], int]]:
        """Return the times of failures of the address and of its site, with their limits."""
        return [(self._addresses[group], PER_ADDRESS * factor) for group, factor in _groups(address)]


def _groups(address: str) -> list[tuple[str, int]]:
    """Return the address, and for a /64 of IPv6 also its /48, with the factor of the limits."""
    if not address.endswith("/64"):
        return [(address, 1)]
    return [(address, 1), (site_of(address), SITE)]


def site_of(address: str) -> str:
    """Return the network of one site: the /48 that contains a /64 of IPv6. An IPv4 address is returned unchanged."""
    return str(IPv6Network(address).supernet(new_prefix=48)) if address.endswith("/64") else address


def check_wait(wait: float) -> None:
    """Raise `RateLimited` if `wait`, in seconds, is positive."""
    if wait > 0:
        raise RateLimited(f"Too many attempts. Try again in {ceil(wait)} s.", ceil(wait))
