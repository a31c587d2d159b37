"""Limit each account to one import at a time, so that a slow import delays no other account."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from retinue.core.errors import RateLimited

MOST_WAITING = 100
_RETRY_S = 5


@dataclass(slots=True)
class _Queue:
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    length: int = 0


class ImportQueue:
    """Lets each account import one source at a time, independently of the others."""

    def __init__(self, most_waiting: int = MOST_WAITING) -> None:
        self._most_waiting = most_waiting
        self._queues: dict[int, _Queue] = {}

    @asynccontextmanager
    async def of(self, account_id: int) -> AsyncIterator[None]:
        """Wait for the account's turn. Raises `RateLimited` if too many of its imports are waiting."""
        queue = self._queues.setdefault(account_id, _Queue())
        if queue.length > self._most_waiting:
            raise RateLimited("Too many imports of your account are waiting. Send the next one later.", _RETRY_S)
        queue.length += 1
        try:
            async with queue.turn:
                yield
        finally:
            queue.length -= 1
            if not queue.length:
                del self._queues[account_id]
