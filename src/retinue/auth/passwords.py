"""Hash and verify passwords with Argon2id (RFC 9106), in a small thread pool with fair queueing by address.

A hash takes 19 MiB and about 30 ms of CPU time. It never runs on the event loop, and a flood of attempts from one
address delays another address by at most one hash.
"""

import asyncio
import secrets
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from retinue.core.errors import Unavailable
from retinue.core.runtime.fair_semaphore import FairSemaphore

if TYPE_CHECKING:
    from argon2 import PasswordHasher

T = TypeVar("T")

SHORTEST = 10
LONGEST = 256

_AT_ONCE = 2
_WAITING = 500


class Passwords:
    """Hashes and verifies passwords. Addresses that the user has signed in from before take priority."""

    def __init__(self) -> None:
        self._slots = FairSemaphore(_AT_ONCE, "sign-in", queue=_WAITING)
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="password")

    async def hash(self, password: str, address: str, known: bool = True) -> str:
        """Hash a password for storage."""
        return await self._work(lambda: _hasher().hash(_normalize(password)), address, known)

    async def verify(self, stored: str | None, password: str, address: str, known: bool) -> bool:
        """Return True if the password matches the hash. Without a stored hash it does the same work and returns
        False.
        """
        return await self._work(lambda: _matches(stored, _normalize(password)), address, known)

    async def _work(self, work: Callable[[], T], address: str, known: bool) -> T:
        if self._slots.waiting >= 2 * _WAITING:
            raise Unavailable("Too many sign-ins are being processed. Try again in a few seconds.")
        async with self._slots.slot(address, waited_for=known):
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """Shut the thread pool down without waiting."""
        self._threads.shutdown(wait=False, cancel_futures=True)


@cache
def _hasher() -> "PasswordHasher":
    """Build a hasher with the OWASP parameters for Argon2id: 19 MiB, two passes, one lane."""
    from argon2 import PasswordHasher  # noqa: PLC0415 - only where somebody signs in

    return PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)


@cache
def _decoy() -> str:
    """Return the hash of a random password, to verify against if the user has none."""
    return _hasher().hash(secrets.token_hex(32))


def _matches(stored: str | None, password: str) -> bool:
    from argon2.exceptions import VerificationError  # noqa: PLC0415 - as above

    decoy = _decoy()
    try:
        _hasher().verify(stored or decoy, password)
    except VerificationError:
        return False
    return stored is not None


def _normalize(password: str) -> str:
    """Apply Unicode NFKC, so that the text does not depend on the keyboard (NIST SP 800-63B, 5.1.1.2)."""
    return unicodedata.normalize("NFKC", password)
