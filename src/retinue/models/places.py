"""A bounded queue before something that does few things at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from retinue.core.errors import Unavailable


class Places:
    """`total` places, first come first served, and at most `queue` who wait for one."""

    def __init__(self, total: int, queue: int) -> None:
        self.total = total
        self.waiting = 0
        self._queue = queue
        self._free = asyncio.Semaphore(total)

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Hold a place, after waiting for it if need be. Raises `Unavailable` where too many wait already."""
        if self._free.locked() and self.waiting >= self._queue:
            raise Unavailable(
                f"The local model is busy, and {self.waiting} requests wait for it. Try again in 30 seconds."
            )
        self.waiting += 1
        try:
            await self._free.acquire()
        finally:
            self.waiting -= 1
        try:
            yield
        finally:
            self._free.release()
