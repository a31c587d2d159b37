"""Passwords: Argon2id (RFC 9106) on threads of its own, few at once, with a turn for each address.

A hash takes 19 MiB and some 30 ms of a core. It never runs on the event loop, and a flood of attempts from one address
delays another address by one hash at most.
"""

import asyncio
import secrets
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from retinue.core.errors import Unavailable
from retinue.core.fair_semaphore import FairSemaphore

if TYPE_CHECKING:
    from argon2 import PasswordHasher

T = TypeVar("T")

SHORTEST = 10
LONGEST = 256

_AT_ONCE = 2
_WAITING = 500


class Passwords:
    """Hashes and verifies. Known clients, whose address has signed the user in before, go first."""

    def __init__(self) -> None:
        self._slots = FairSemaphore(_AT_ONCE, "sign-in", queue=_WAITING)
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="password")

    async def hash(self, password: str, address: str, known: bool = True) -> str:
        """What is stored of a password."""
        return await self._work(lambda: _hasher().hash(_normalize(password)), address, known)

    async def verify(self, stored: str | None, password: str, address: str, known: bool) -> bool:
        """Whether a password is the stored one. Where nothing is stored the work is the same, and the answer no."""
        return await self._work(lambda: _matches(stored, _normalize(password)), address, known)

    async def _work(self, work: Callable[[], T], address: str, known: bool) -> T:
        if self._slots.waiting >= 2 * _WAITING:
            raise Unavailable("Too many people sign in at the moment. Try again in a few seconds.")
        async with self._slots.slot(address, waited_for=known):
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """Let the threads end."""
        self._threads.shutdown(wait=False, cancel_futures=True)


@cache
def _hasher() -> "PasswordHasher":
    """The parameters that OWASP recommends for Argon2id: 19 MiB, two passes, one lane."""
    from argon2 import PasswordHasher  # noqa: PLC0415 - only where somebody signs in

    return PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)


@cache
def _decoy() -> str:
    """A hash that no password has."""
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
    """The same text, however the keyboard composes it (NIST SP 800-63B, 5.1.1.2)."""
    return unicodedata.normalize("NFKC", password)
