"""Hash and verify passwords with Argon2id (RFC 9106), in a small thread pool with fair queueing by address.

A hash takes 19 MiB and about 30 ms of CPU time. It never runs on the event loop. One account and one address have at
most one hash in progress, so a flood of attempts from one address delays another address by a few hashes at most.
"""

import asyncio
import secrets
import unicodedata
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakValueDictionary

from retinue.auth.common_passwords import is_common
from retinue.core.errors import RateLimited, Unavailable, ValidationFailed
from retinue.core.runtime.fair_semaphore import FairSemaphore

if TYPE_CHECKING:
    from argon2 import PasswordHasher

T = TypeVar("T")

SHORTEST = 10
LONGEST = 256

_COMMON = (
    "This password is one of the first that attackers try: a common word, a repetition, a row of keys or your address. "
    "Choose another one. A few random words work well."
)

_AT_ONCE = 2
_KNOWN_IN_A_ROW = 2
"""Attempts from known addresses before one from another address gets its turn."""

_WAITING = 1000
_WAITING_EACH = 100
"""Maximum waiting attempts, and maximum of one address."""


class Passwords:
    """Hashes and verifies passwords.

    Addresses take turns. Two attempts from addresses that the user has signed in from before are followed by one from
    another address, so that neither can delay the other without end.
    """

    def __init__(self) -> None:
        self._slots = FairSemaphore(_AT_ONCE, "sign-in", share=1, clients_in_a_row=_KNOWN_IN_A_ROW)
        self._accounts: WeakValueDictionary[str, FairSemaphore] = WeakValueDictionary()
        self._waiting: Counter[str] = Counter()
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="password")
        self._closed = False

    async def hash(self, password: str, account: str, address: str, known: bool = True) -> str:
        """Hash a new password for storage. `account` is the user's e-mail address.

        Raises `ValidationFailed` for a password that is easy to guess.
        """
        if is_common(_normalize(password), account):
            raise ValidationFailed(_COMMON)
        return await self._work(lambda: _hasher().hash(_normalize(password)), account, address, known)

    async def verify(self, stored: str | None, password: str, account: str, address: str, known: bool) -> bool:
        """Return True if the password matches the hash. Without a stored hash it does the same work and returns
        False.
        """
        return await self._work(lambda: _matches(stored, _normalize(password)), account, address, known)

    async def _work(self, work: Callable[[], T], account: str, address: str, known: bool) -> T:
        async with self._turn(account, address, known):
            if self._closed:
                raise Unavailable("The server is stopping. Try again in a few seconds.")
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    @asynccontextmanager
    async def _turn(self, account: str, address: str, known: bool) -> AsyncIterator[None]:
        """Wait for the account's turn of the address, and then for a thread."""
        if self._waiting.total() >= _WAITING:
            raise Unavailable("Too many sign-ins are being processed. Try again in a few seconds.")
        if self._waiting[address] >= _WAITING_EACH:
            raise RateLimited("Too many sign-ins from your address are being processed. Try again in a few seconds.", 5)
        one = self._accounts.setdefault(account, FairSemaphore(1, "sign-in", clients_in_a_row=_KNOWN_IN_A_ROW))
        self._waiting[address] += 1
        try:
            async with one.slot(address, waited_for=known), self._slots.slot(address, waited_for=known):
                yield
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address]

    def close(self) -> None:
        """Shut the thread pool down without waiting. Refuses the attempts that wait."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)


@cache
def _hasher() -> "PasswordHasher":
    """Build a hasher with the OWASP parameters for Argon2id: 19 MiB, two passes, one lane."""
    from argon2 import PasswordHasher  # noqa: PLC0415 - only where somebody signs in

    return PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)


@cache
def _hash_of_random_password() -> str:
    """Return the hash of a random password, to verify against if the user has none."""
    return _hasher().hash(secrets.token_hex(32))


def _matches(stored: str | None, password: str) -> bool:
    from argon2.exceptions import VerificationError  # noqa: PLC0415 - as above

    decoy = _hash_of_random_password()
    try:
        _hasher().verify(stored or decoy, password)
    except VerificationError:
        return False
    return stored is not None


def _normalize(password: str) -> str:
    """Apply Unicode NFKC, so that the text does not depend on the keyboard (NIST SP 800-63B, 5.1.1.2)."""
    return unicodedata.normalize("NFKC", password)
