"""PostgreSQL behind the database interface, on asyncpg."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

import asyncpg

from retinue.core.crash import crash_point
from retinue.core.database import DatabaseUnavailable, Tx, UniqueConflict, outcome, run_hooks
from retinue.core.statements import Row, Statement
from retinue.core.travelling import Travelling

T = TypeVar("T")

_ATTEMPTS = 8
_AGAIN = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)
_AWAY = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.PostgresSystemError,
    asyncpg.ReadOnlySQLTransactionError,
)
"""Lost connections, a server that is shutting down or starting, out of disk or memory, or a standby by now."""
_CONNECT_S = 10.0
IDLE_S = 5
"""Seconds after which the database ends a transaction whose node says nothing more, and gives its locks to others.

Less than a lease: who takes over from a stalled node must not wait for rows that it had locked.
"""
_OPTIONS: dict[str, Any] = {
    "timeout": _CONNECT_S,
    "target_session_attrs": "read-write",
    "server_settings": {"idle_in_transaction_session_timeout": f"{IDLE_S}s"},
}


class PostgresTx:
    """A transaction on one connection of the pool."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._travelling = Travelling()
        self.hooks: list[Callable[[], None]] = []

    async def one(self, statement: Statement, **values: Any) -> Row | None:
        """See `Tx`."""
        text, parameters = await self._departing(statement, values)
        raw = await self._connection.fetchrow(text, *parameters)
        return None if raw is None else statement.compiled("postgresql").row(raw)

    async def all(self, statement: Statement, **values: Any) -> list[Row]:
        """See `Tx`."""
        text, parameters = await self._departing(statement, values)
        read = statement.compiled("postgresql").row
        return [read(raw) for raw in await self._connection.fetch(text, *parameters)]

    async def run(self, statement: Statement, **values: Any) -> int:
        """See `Tx`."""
        text, parameters = await self._departing(statement, values)
        tag: str = await self._connection.execute(text, *parameters)
        return int(tag.rpartition(" ")[2])

    async def send(self, statement: Statement, **values: Any) -> None:
        """See `Tx`."""
        if not self._travelling.joins(statement):
            await self.settle()
        self._travelling.add(statement, values)

    async def settle(self) -> None:
        """Run what was sent and waits for company."""
        if self._travelling:
            text, parameters = self._travelling.depart()
            await self._connection.execute(text, *parameters)

    async def _departing(self, statement: Statement, values: dict[str, Any]) -> tuple[str, list[Any]]:
        """The text and the parameters of a statement, together with what waits if they can go together."""
        await self.send(statement, **values)
        return self._travelling.depart()

    def after_commit(self, hook: Callable[[], None]) -> None:
        """See `Tx`."""
        self.hooks.append(hook)


class PostgresDatabase:
    """A pool of connections. Many processes may share the database behind it."""

    dialect = "postgresql"

    def __init__(self, url: str, pool_size: int = 16) -> None:
        self._url = url
        self._pool_size = pool_size

    async def open(self) -> None:
        """Connect."""
        self._pool = await connect_pool(self._url, self._pool_size)

    async def connect(self) -> Any:
        """A connection of its own, for listening."""
        return await connect_once(self._url)

    async def close(self) -> None:
        """Let running transactions end, then disconnect."""
        await self._pool.close()

    async def lookup(self, statement: Statement, **values: Any) -> Row | None:
        """See `Database`."""
        async with self._connection() as connection:
            return await PostgresTx(connection).one(statement, **values)

    async def fetch(self, statement: Statement, **values: Any) -> list[Row]:
        """See `Database`."""
        async with self._connection() as connection:
            return await PostgresTx(connection).all(statement, **values)

    async def query(self, statement: Statement, **values: Any) -> list[Row]:
        """See `Database`."""
        return await self.fetch(statement, **values)

    async def transact(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """See `Database`."""
        return await outcome(asyncio.ensure_future(self._transact(work)))

    async def _transact(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        for attempt in range(_ATTEMPTS):
            try:
                return await self._once(work)
            except _AGAIN:
                await asyncio.sleep(random.random() * 0.005 * 2**attempt)  # noqa: S311 - jitter
        raise DatabaseUnavailable("The database is busy with conflicting changes. Nothing was changed; try again.")

    async def _once(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        async with self._connection() as connection:
            tx = PostgresTx(connection)
            async with connection.transaction():
                result = await work(tx)
                await tx.settle()
                crash_point("database.before_commit")
            crash_point("database.after_commit")
        run_hooks(tx.hooks)
        return result

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Any]:
        try:
            async with self._pool.acquire(timeout=_CONNECT_S) as connection:
                yield connection
        except asyncpg.UniqueViolationError as error:
            raise UniqueConflict(str(error)) from error
        except _AWAY as error:
            raise DatabaseUnavailable("The database cannot be reached or cannot write. Try again shortly.") from error


async def connect_pool(url: str, size: int) -> Any:
    """A pool on the database's writable server, or `DatabaseUnavailable` with the reason."""
    with _reported():
        return await asyncpg.create_pool(
            url, min_size=1, max_size=size, command_timeout=60, reset=_nothing_to_reset, **_OPTIONS
        )


async def _nothing_to_reset(_connection: Any) -> None:
    """Connections of the pool keep neither settings nor locks, and an open transaction the pool ends by itself.

    To reset one all the same would be a round trip more for each that is given back.
    """


async def connect_once(url: str) -> Any:
    """One connection outside the pool, or `DatabaseUnavailable` with the reason."""
    with _reported():
        return await asyncpg.connect(url, **_OPTIONS)


@contextmanager
def _reported() -> Iterator[None]:
    try:
        yield
    except (*_AWAY, asyncpg.PostgresError, ValueError) as error:
        raise DatabaseUnavailable(f"PostgreSQL does not answer: {error}. Check RETINUE_DATABASE_URL.") from error
