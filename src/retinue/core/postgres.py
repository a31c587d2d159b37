"""PostgreSQL behind the database interface, on asyncpg."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import Any, TypeVar

import asyncpg
import structlog

from retinue.core.crash import crash_point
from retinue.core.database import DatabaseUnavailable, Haste, Later, Tx, UniqueConflict, haste, outcome, run_hooks
from retinue.core.statements import Row, Statement
from retinue.core.travelling import Travelling

T = TypeVar("T")

_log = structlog.get_logger()
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
    """A transaction on one connection of the pool. It begins with the first trip that may not be the last."""

    def __init__(self, connection: Any, begun: AsyncExitStack) -> None:
        self._connection = connection
        self._begun = begun
        self._has_begun = False
        self._travelling = Travelling()
        self.hooks: list[Callable[[], None]] = []

    async def one(self, statement: Statement, **values: Any) -> Row | None:
        """See `Tx`."""
        text, parameters = await self._led_by(statement, values)
        raw = await self._connection.fetchrow(text, *parameters)
        return None if raw is None else statement.compiled("postgresql").row(raw)

    async def all(self, statement: Statement, **values: Any) -> list[Row]:
        """See `Tx`."""
        text, parameters = await self._led_by(statement, values)
        return _read(statement, await self._connection.fetch(text, *parameters))

    async def run(self, statement: Statement, **values: Any) -> int:
        """See `Tx`."""
        text, parameters = await self._led_by(statement, values)
        tag: str = await self._connection.execute(text, *parameters)
        return int(tag.rpartition(" ")[2])

    async def send(self, statement: Statement, *, told: Callable[[Any], None] | None = None, **values: Any) -> None:
        """See `Tx`."""
        await self._send(statement, values, told=told)

    async def demand(self, statement: Statement, error: Exception, **values: Any) -> None:
        """See `Tx`."""
        await self._send(statement, values, error=error)

    async def later(self, statement: Statement, **values: Any) -> Later:
        """See `Tx`."""
        row = Later()
        await self._send(statement, values, later=row)
        return row

    async def now(self, later: Later) -> Row:
        """See `Tx`."""
        if later.id is later:
            await self._begin()
            await self.settle()
        return later.row

    async def settle(self) -> None:
        """Run what waits. At the end of a transaction that has not begun, that statement is all of it."""
        if not self._travelling:
            return
        trip = self._travelling.depart()
        try:
            answers = await self._connection.fetchrow(trip.text, *trip.parameters)
        except asyncpg.DivisionByZeroError as error:
            raise trip.error or error from error
        trip.tell(answers)

    async def _send(self, statement: Statement, values: dict[str, Any], **wanted: Any) -> None:
        if not self._travelling.joins(statement, **wanted):
            await self._begin()
            await self.settle()
        self._travelling.add(statement, values, **wanted)

    async def _led_by(self, statement: Statement, values: dict[str, Any]) -> tuple[str, list[Any]]:
        """The text and the parameters of a statement, together with what waits where that is possible."""
        await self._begin()
        if not self._travelling.leads(statement):
            await self.settle()
        return self._travelling.lead(statement, values)

    async def _begin(self) -> None:
        if not self._has_begun:
            self._has_begun = True
            await self._begun.enter_async_context(self._connection.transaction())

    def after_commit(self, hook: Callable[[], None]) -> None:
        """See `Tx`."""
        self.hooks.append(hook)


class PostgresDatabase:
    """A pool of connections, and one for what is urgent. Many processes may share the database behind it."""

    dialect = "postgresql"
    failed_at: float | None = None

    def __init__(self, url: str, pool_size: int = 16) -> None:
        self._url = url
        self._pool_size = pool_size
        self._under_way: set[asyncio.Future[Any]] = set()

    async def open(self) -> None:
        """Connect."""
        self._pool = await connect_pool(self._url, self._pool_size)
        self._urgent_pool = await connect_pool(self._url, 1)

    async def connect(self) -> Any:
        """A connection of its own, for listening."""
        return await connect_once(self._url)

    async def close(self) -> None:
        """Let running transactions end, then disconnect."""
        # A pool that closes breaks off those who wait for a connection in the middle of their first statement.
        while self._under_way:
            await asyncio.wait(self._under_way)
        await self._urgent_pool.close()
        await self._pool.close()

    async def lookup(self, statement: Statement, **values: Any) -> Row | None:
        """See `Database`."""
        rows = await self.fetch(statement, **values)
        return rows[0] if rows else None

    async def fetch(self, statement: Statement, **values: Any) -> list[Row]:
        """See `Database`."""
        compiled = statement.compiled("postgresql")
        async with self._connection() as connection:
            return _read(statement, await connection.fetch(compiled.sql, *compiled.bind(values)))

    async def query(self, statement: Statement, **values: Any) -> list[Row]:
        """See `Database`."""
        return await self.fetch(statement, **values)

    async def find_damage(self) -> list[str]:
        """See `Database`."""
        return []

    async def transact(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """See `Database`."""
        transaction = asyncio.ensure_future(self._transact(work))
        self._under_way.add(transaction)
        transaction.add_done_callback(self._under_way.discard)
        try:
            kept = await outcome(transaction)
        except DatabaseUnavailable as error:
            if self.failed_at is None:
                _log.error("database.not_written", reason=str(error))
            self.failed_at = time.monotonic()
            raise
        self.failed_at = None
        return kept

    async def _transact(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        for attempt in range(_ATTEMPTS):
            try:
                return await self._once(work)
            except _AGAIN:
                await asyncio.sleep(random.random() * 0.005 * 2**attempt)  # noqa: S311 - jitter
        raise DatabaseUnavailable("The database is busy with conflicting changes. Nothing was changed; try again.")

    async def _once(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        async with self._connection() as connection:
            async with AsyncExitStack() as begun:
                tx = PostgresTx(connection, begun)
                result = await work(tx)
                crash_point("database.before_commit")
                await tx.settle()
            crash_point("database.after_commit")
        run_hooks(tx.hooks)
        return result

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Any]:
        pool = self._urgent_pool if haste.get() is Haste.URGENT else self._pool
        try:
            # The pool's own time-out would cost a task for each connection that is taken.
            async with asyncio.timeout(_CONNECT_S):
                connection = await pool.acquire()
            try:
                yield connection
            finally:
                await pool.release(connection)
        except asyncpg.UniqueViolationError as error:
            raise UniqueConflict(str(error)) from error
        except _AWAY as error:
            raise DatabaseUnavailable("The database cannot be reached or cannot write. Try again shortly.") from error


def _read(statement: Statement, raws: Iterable[Any]) -> list[Row]:
    row = statement.compiled("postgresql").row
    return [row(raw) for raw in raws]


async def connect_pool(url: str, size: int) -> Any:
    """A pool on the database's writable server, or `DatabaseUnavailable` with the reason."""
    with _translate_errors():
        return await asyncpg.create_pool(
            url, min_size=1, max_size=size, command_timeout=60, reset=_nothing_to_reset, **_OPTIONS
        )


async def _nothing_to_reset(_connection: Any) -> None:
    """Connections of the pool keep neither settings nor locks, and an open transaction the pool ends by itself.

    To reset one all the same would be a round trip more for each that is given back.
    """


async def connect_once(url: str) -> Any:
    """One connection outside the pool, or `DatabaseUnavailable` with the reason."""
    with _translate_errors():
        return await asyncpg.connect(url, **_OPTIONS)


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except (*_AWAY, asyncpg.PostgresError, ValueError) as error:
        raise DatabaseUnavailable(f"PostgreSQL does not answer: {error}. Check RETINUE_DATABASE_URL.") from error
