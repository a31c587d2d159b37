"""A bounded queue before something that does few things at once."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

from retinue.core.errors import Unavailable


class _Line:
    """The queue of waiters. Accounts, or whatever else identifies a group of waiters, take turns."""

    def __init__(self) -> None:
        self._by_account: dict[Hashable, deque[asyncio.Future[None]]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._by_account.values()))

    def join(self, account: Hashable) -> asyncio.Future[None]:
        """Stand in line; the future is done when it is one's turn."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._by_account.setdefault(account, deque()).append(turn)
        return turn

    def leave(self, account: Hashable, turn: asyncio.Future[None]) -> None:
        """Give up waiting."""
        turns = self._by_account.get(account, deque())
        if turn in turns:
            turns.remove(turn)
            if not turns:
                del self._by_account[account]

    def call(self) -> bool:
        """Tell the next one that it is their turn; False where nobody waits."""
        while self._by_account:
            account, turns = next(iter(self._by_account.items()))
            del self._by_account[account]
            turn = turns.popleft()
            if turns:
                self._by_account[account] = turns
            if not turn.cancelled():
                turn.set_result(None)
                return True
        return False


class Places:
    """`total` places. Requests that a client waits for go first, and at most `queue` of them wait; `what` is told."""

    def __init__(self, total: int, queue: int, what: str = "The local model") -> None:
        self.total = total
        self._what = what
        self._queue = queue
        self._free = total
        self._clients, self._others = _Line(), _Line()

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._clients) + len(self._others)

    @asynccontextmanager
    async def one(self, account: Hashable = 0, waited_for: bool = True) -> AsyncIterator[None]:
        """Hold a place, after waiting for it if need be. Raises `Unavailable` where too many clients wait already."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(account, waited_for)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, account: Hashable, waited_for: bool) -> None:
        line = self._clients if waited_for else self._others
        if waited_for and len(line) >= self._queue:
            raise Unavailable(f"{self._what} is busy, and {len(line)} requests wait for it. Try again in 30 seconds.")
        turn = line.join(account)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                line.leave(account, turn)
            else:
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give a place to the next in line."""
        if not (self._clients.call() or self._others.call()):
            self._free += 1
