"""Sends wake-ups between the nodes that share a PostgreSQL database."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import asyncpg
import structlog

from retinue.core.database.interface import DatabaseUnavailable, outcome
from retinue.core.work.notifier import Notifier

_log = structlog.get_logger()
_CHANNEL = "retinue"
_NOTIFY = "SELECT pg_notify($1, topic) FROM unnest($2::text[]) topic"
_DEBOUNCE_S = 0.005
_RECONNECT_S = 2.0
_LAST_S = 1.0


_BROKEN = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
"""Errors of a broken connection. asyncpg raises the last if a statement follows one that broke off halfway."""


class PostgresBridge:
    """Carries wake-ups between nodes with LISTEN and NOTIFY, many topics per round trip."""

    def __init__(self, notifier: Notifier, connect: Callable[[], Awaitable[asyncpg.Connection]]) -> None:
        self._notifier = notifier
        self._connect = connect
        self._topics: set[str] = set()
        self._pending = asyncio.Event()
        notifier.forward_to(self._send)

    def _send(self, topic: str) -> None:
        self._topics.add(topic)
        self._pending.set()

    async def run(self) -> None:
        """Keep a connection open until cancelled, and reconnect if it breaks."""
        while True:
            try:
                async with self._connection() as connection:
                    await self._carry(connection)
            except (OSError, TimeoutError, *_BROKEN, DatabaseUnavailable) as error:
                _log.warning("notifier.disconnected", error=type(error).__name__)
            await asyncio.sleep(_RECONNECT_S)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[asyncpg.Connection]:
        connection = await self._connect()
        try:
            await connection.add_listener(_CHANNEL, lambda *call: self._notifier.wake_here(call[-1]))
            self._notifier.wake_all_here()
            yield connection
        finally:
            connection.terminate()

    async def _carry(self, connection: asyncpg.Connection) -> None:
        try:
            while True:
                await self._pending.wait()
                await asyncio.sleep(_DEBOUNCE_S)
                await self._notify_all(connection)
        finally:
            # A shutdown hands work back in its last moments, and the other nodes must learn of it.
            if self._topics:
                await self._notify_all(connection)

    async def _notify_all(self, connection: asyncpg.Connection) -> None:
        self._pending.clear()
        topics, self._topics = self._topics, set()
        sending = asyncio.ensure_future(connection.execute(_NOTIFY, _CHANNEL, list(topics)))
        try:
            await outcome(sending)
        except asyncio.CancelledError:
            # Let the NOTIFY finish: an interrupted one would reach no node.
            await asyncio.wait({sending}, timeout=_LAST_S)
            raise
