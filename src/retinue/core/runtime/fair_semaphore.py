"""A semaphore that serves accounts in turn, so that one account with many requests does not delay the others."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager, suppress

from retinue.core.errors import Unavailable

_RETRY_S = 30


class QueueFull(Unavailable):
    """Too many requests wait for a slot, or one has waited too long."""


class _Queue:
    """Waiters by account: round robin over the accounts, first in first out within each."""

    def __init__(self) -> None:
        self._by_account: dict[Hashable, deque[asyncio.Future[None]]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._by_account.values()))

    def count(self, account: Hashable) -> int:
        """Return the number of waiters of an account."""
        return len(self._by_account.get(account, ()))

    def join(self, account: Hashable) -> asyncio.Future[None]:
        """Add a waiter. The returned future completes when the waiter gets a slot."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._by_account.setdefault(account, deque()).append(turn)
        return turn

    def leave(self, account: Hashable, turn: asyncio.Future[None]) -> None:
        """Remove a waiter that gave up, if it is still queued."""
        turns = self._by_account.get(account, deque())
        with suppress(ValueError):
            turns.remove(turn)
        if not turns:
            self._by_account.pop(account, None)

    def pop(self, admits: Callable[[Hashable], bool]) -> tuple[Hashable, asyncio.Future[None]] | None:
        """Remove and return the next waiter of an account that `admits` accepts, and move that account to the end."""
        account = next(filter(admits, self._by_account), None)
        if account is None:
            return None
        turns = self._by_account.pop(account)
        turn = turns.popleft()
        if turns:
            self._by_account[account] = turns
        return account, turn


class FairSemaphore:
    """`size` slots, of which one account holds at most `share` at a time.

    Client requests precede background work; with `clients_in_a_row`, one background request follows each that many
    client requests. At most `queue` client requests wait, at most `queue_each` per account, and none longer than
    `patience_s` seconds; None means no limit. Error messages call a slot `name`. A semaphore belongs to one event loop.
    """

    def __init__(
        self,
        size: int,
        name: str,
        *,
        share: int | None = None,
        queue: int | None = None,
        queue_each: int | None = None,
        patience_s: float | None = None,
        clients_in_a_row: int | None = None,
    ) -> None:
        self.size = size
        self._name = name
        self._share = size if share is None else share
        self._queue, self._queue_each = queue, queue_each
        self._patience_s = patience_s
        self._clients_in_a_row, self._row = clients_in_a_row, 0
        self._in_use: Counter[Hashable] = Counter()
        self._clients, self._background = _Queue(), _Queue()

    @property
    def free(self) -> int:
        """The number of free slots."""
        return self.size - self._in_use.total()

    @property
    def waiting(self) -> int:
        """The number of waiting requests."""
        return len(self._clients) + len(self._background)

    @asynccontextmanager
    async def slot(self, account: Hashable = 0, *, waited_for: bool = True) -> AsyncIterator[None]:
        """Hold a slot for the duration of the context. Raises the errors of `acquire`."""
        await self.acquire(account, waited_for=waited_for)
        try:
            yield
        finally:
            self.release(account)

    async def acquire(self, account: Hashable = 0, *, waited_for: bool = True) -> None:
        """Take a slot, waiting if necessary. Raises `QueueFull` if the queue is full or the wait times out."""
        # `release` gives a free slot to the first admissible waiter, so a slot that is free now has no such waiter.
        if self.free and self._admits(account):
            self._in_use[account] += 1
            return
        queue = self._clients if waited_for else self._background
        if waited_for:
            self._check_queue(account)
        turn = queue.join(account)
        try:
            async with asyncio.timeout(self._patience_s if waited_for else None):
                await turn
        except (asyncio.CancelledError, TimeoutError) as error:
            if turn.cancelled():
                queue.leave(account, turn)
            else:
                self.release(account)
            if isinstance(error, TimeoutError):
                raise QueueFull(
                    f"Your request waited {self._patience_s:g} s for {self._name} without success. Try again in "
                    f"{_RETRY_S} seconds, with fewer concurrent requests."
                ) from None
            raise

    def release(self, account: Hashable = 0) -> None:
        """Release a slot and give it to the next waiter."""
        self._in_use[account] -= 1
        if not self._in_use[account]:
            del self._in_use[account]
        while self.free and (waiter := self._next()):
            account, turn = waiter
            if not turn.cancelled():
                self._in_use[account] += 1
                turn.set_result(None)

    def _next(self) -> tuple[Hashable, asyncio.Future[None]] | None:
        """Remove and return the waiter whose turn it is."""
        if self._row == self._clients_in_a_row and (waiter := self._background.pop(self._admits)):
            self._row = 0
            return waiter
        if waiter := self._clients.pop(self._admits):
            self._row = min(self._row + 1, self._clients_in_a_row or 0)
            return waiter
        self._row = 0
        return self._background.pop(self._admits)

    def _admits(self, account: Hashable) -> bool:
        return self._in_use[account] < self._share

    def _check_queue(self, account: Hashable) -> None:
        own, all_ = self._clients.count(account), len(self._clients)
        if self._queue_each is not None and own >= self._queue_each:
            raise QueueFull(
                f"{own} of your requests are already waiting for {self._name}. Wait for their responses "
                "before you send more."
            )
        if self._queue is not None and all_ >= self._queue:
            raise QueueFull(f"{all_} requests are already waiting for {self._name}. Try again in {_RETRY_S} seconds.")
