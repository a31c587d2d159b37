"""Telling waiters that something they wait for may have happened: in this process at once, on other nodes by NOTIFY.

A wake-up carries no news: whoever is woken looks into the database. A lost one costs a sweep's delay, nothing more.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import structlog

_log = structlog.get_logger()
_CHANNEL = "retinue"
_DEBOUNCE_S = 0.005
_RECONNECT_S = 2.0


class Wakeups:
    """Topics and those who wait for them."""

    def __init__(self) -> None:
        self._waiters: dict[str, set[asyncio.Event]] = {}
        self._forward: Callable[[str], None] | None = None

    @contextlib.contextmanager
    def waiting(self, topic: str) -> "contextlib.AbstractContextManager[asyncio.Event]":  # type: ignore[misc]
        """An event that is set at each wake-up of `topic`; the waiter clears it."""
        event = asyncio.Event()
        self._waiters.setdefault(topic, set()).add(event)
        try:
            yield event
        finally:
            self._waiters[topic].discard(event)
            if not self._waiters[topic]:
                del self._waiters[topic]

    def wake(self, topic: str) -> None:
        """Wake the waiters of `topic`, on every node."""
        self.wake_here(topic)
        if self._forward:
            self._forward(topic)

    def wake_here(self, topic: str) -> None:
        """Wake the waiters of `topic` in this process."""
        for event in self._waiters.get(topic, ()):
            event.set()

    def wake_all_here(self) -> None:
        """Wake everyone in this process: after a lost connection nobody knows what was missed."""
        for topic in list(self._waiters):
            self.wake_here(topic)

    def forward_to(self, forward: Callable[[str], None]) -> None:
        """Send wake-ups to other nodes through `forward`."""
        self._forward = forward


async def wait(event: asyncio.Event, seconds: float) -> bool:
    """Wait for a wake-up or for `seconds`, whichever is first; clears the event. True when it was woken."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    event.clear()
    return True


class PostgresBridge:
    """Carries wake-ups between nodes with LISTEN and NOTIFY, many topics in one round trip."""

    def __init__(self, wakeups: Wakeups, connect: Callable[[], Any]) -> None:
        self._wakeups = wakeups
        self._connect = connect
        self._topics: set[str] = set()
        self._pending = asyncio.Event()
        wakeups.forward_to(self._send)

    def _send(self, topic: str) -> None:
        self._topics.add(topic)
        self._pending.set()

    async def run(self) -> None:
        """Keep a connection until cancelled."""
        while True:
            try:
                async with self._connection() as connection:
                    await self._carry(connection)
            except (OSError, TimeoutError, _driver_error()) as error:
                _log.warning("wakeups.disconnected", error=type(error).__name__)
            await asyncio.sleep(_RECONNECT_S)

    @contextlib.asynccontextmanager
    async def _connection(self) -> AsyncIterator[Any]:
        connection = await self._connect()
        try:
            await connection.add_listener(_CHANNEL, lambda *call: self._wakeups.wake_here(call[-1]))
            self._wakeups.wake_all_here()
            yield connection
        finally:
            connection.terminate()

    async def _carry(self, connection: Any) -> None:
        while True:
            await self._pending.wait()
            await asyncio.sleep(_DEBOUNCE_S)
            self._pending.clear()
            topics, self._topics = self._topics, set()
            await connection.execute(f"SELECT pg_notify('{_CHANNEL}', topic) FROM unnest($1::text[]) topic", list(topics))


def _driver_error() -> type[Exception]:
    import asyncpg  # noqa: PLC0415 - only where PostgreSQL is used

    error: type[Exception] = asyncpg.PostgresError
    return error
