"""Implements the database interface for PostgreSQL with asyncpg."""

import asyncio
import logging
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

import asyncpg
import structlog
from asyncpg.pool import PoolConnectionProxy

from retinue.core.database.interface import (
    DatabaseUnavailable,
    Priority,
    Tx,
    UniqueConflict,
    outcome,
    priority,
    run_hooks,
)
from retinue.core.database.statements import Statement
from retinue.core.errors import ValidationFailed
from retinue.core.runtime.failpoints import crash_point

T = TypeVar("T")
R = TypeVar("R")

_log = structlog.get_logger()
# The pool logs a traceback when it cannot replace a connection during an outage. Its users report the outage.
logging.getLogger("asyncpg.pool").setLevel(logging.ERROR)
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
"""Lost connections, and a server that is starting, shutting down, out of disk or memory, or a standby."""
_CONNECT_S = 10.0
IDLE_S = 5
"""Seconds after which PostgreSQL ends an idle transaction and releases its locks.

It must be shorter than a lease: a node that takes over from a stalled one must not wait for the locks of the latter.
"""
LONGEST_S = 60
"""Seconds that a statement may take. PostgreSQL 17 and later apply it to transactions, too.

A node may stall while PostgreSQL awaits the parameters of a statement; its transaction is not idle then.
"""
READ_S = 10.0
"""Seconds that a request waits for a read."""

_PROBE_S = 2.0
"""Seconds between two probes of the server, and the time that it has for the answer."""

_RELEASE_S = 1.0
"""Seconds that a connection has to cancel its statement. After that it is closed, as the server may hang."""

_LIMIT = f"SET transaction_timeout = '{LONGEST_S}s'"
_OPTIONS: dict[str, Any] = {
    "timeout": _CONNECT_S,
    "target_session_attrs": "read-write",
    "server_settings": {"idle_in_transaction_session_timeout": f"{IDLE_S}s"},
}


class PostgresTx:
    """A transaction on one connection of the pool."""

    def __init__(self, connection: PoolConnectionProxy) -> None:
        self._connection = connection
        self.hooks: list[Callable[[], None]] = []

    async def one(self, statement: Statement[R], **values: object) -> R | None:
        """See `Tx`."""
        compiled = statement.compile("postgresql")
        raw = await self._connection.fetchrow(compiled.sql, *compiled.bind(values))
        return None if raw is None else compiled.row(raw)

    async def all(self, statement: Statement[R], **values: object) -> list[R]:
        """See `Tx`."""
        compiled = statement.compile("postgresql")
        return _read(statement, await self._connection.fetch(compiled.sql, *compiled.bind(values)))

    async def run(self, statement: Statement, **values: object) -> int:
        """See `Tx`."""
        compiled = statement.compile("postgresql")
        tag: str = await self._connection.execute(compiled.sql, *compiled.bind(values))
        return int(tag.rpartition(" ")[2])

    def after_commit(self, hook: Callable[[], None]) -> None:
        """See `Tx`."""
        self.hooks.append(hook)


class PostgresDatabase:
    """A connection pool, and a separate connection for urgent transactions. Many processes may share the database."""

    dialect = "postgresql"
    failed_at: float | None = None
    responds = True

    def __init__(self, url: str, pool_size: int = 16) -> None:
        self._url = url
        self._pool_size = pool_size
        self._under_way: set[asyncio.Future[Any]] = set()

    async def open(self) -> None:
        """Connect."""
        self._pool = await connect_pool(self._url, self._pool_size)
        self._urgent_pool = await connect_pool(self._url, 1)

    async def connect(self) -> asyncpg.Connection:
        """Open a connection outside the pool, for LISTEN."""
        return await connect_once(self._url)

    async def close(self) -> None:
        """Wait for running transactions, then disconnect."""
        # Closing the pool would interrupt tasks that have just acquired a connection, in their first statement.
        while self._under_way:
            await asyncio.wait(self._under_way)
        await self._urgent_pool.close()
        await self._pool.close()

    async def keep_probing(self) -> None:
        """Update `responds`. A server that hangs, or a lost network, makes no statement fail for a long time."""
        while True:
            try:
                async with asyncio.timeout(_PROBE_S):
                    connection = await self.connect()
                try:
                    while True:
                        await connection.execute("SELECT 1", timeout=_PROBE_S)
                        self._note(responds=True)
                        await asyncio.sleep(_PROBE_S)
                finally:
                    connection.terminate()
            except (*_AWAY, DatabaseUnavailable):
                self._note(responds=False)
            await asyncio.sleep(_PROBE_S)

    def _note(self, responds: bool) -> None:
        if responds != self.responds:
            log = _log.warning if responds else _log.error
            log("database.responds" if responds else "database.does_not_respond")
        self.responds = responds

    async def lookup(self, statement: Statement[R], **values: object) -> R | None:
        """See `Database`."""
        rows = await self.fetch(statement, **values)
        return rows[0] if rows else None

    async def fetch(self, statement: Statement[R], **values: object) -> list[R]:
        """See `Database`."""
        compiled = statement.compile("postgresql")
        timeout = LONGEST_S if priority.get() is Priority.LOW else READ_S
        async with self._connection() as connection:
            return _read(statement, await connection.fetch(compiled.sql, *compiled.bind(values), timeout=timeout))

    async def query(self, statement: Statement[R], **values: object) -> list[R]:
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
            result = await outcome(transaction)
        except DatabaseUnavailable as error:
            if self.failed_at is None:
                _log.error("database.not_written", reason=str(error))
            self.failed_at = time.monotonic()
            raise
        self.failed_at = None
        return result

    async def _transact(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        for attempt in range(_ATTEMPTS):
            try:
                return await self._once(work)
            except _AGAIN:
                await asyncio.sleep(random.random() * 0.005 * 2**attempt)  # noqa: S311 - jitter
        raise DatabaseUnavailable("The database is busy with conflicting changes. Nothing was changed. Try again.")

    async def _once(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        async with self._connection() as connection:
            async with connection.transaction():
                tx = PostgresTx(connection)
                result = await work(tx)
                crash_point("database.before_commit")
            crash_point("database.after_commit")
            # Before the connection is released: that may fail or be cancelled, and the transaction is durable.
            run_hooks(tx.hooks)
        return result

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[PoolConnectionProxy]:
        pool = self._urgent_pool if priority.get() is Priority.HIGH else self._pool
        try:
            # The pool's own timeout would create a task for each acquired connection.
            async with asyncio.timeout(_CONNECT_S):
                connection = await pool.acquire()
            try:
                yield connection
            finally:
                await pool.release(connection, timeout=_RELEASE_S)
        except asyncpg.UniqueViolationError as error:
            raise UniqueConflict(str(error)) from error
        except asyncpg.CharacterNotInRepertoireError as error:
            raise ValidationFailed("Texts must not contain the NUL character (U+0000).") from error
        except _AWAY as error:
            raise DatabaseUnavailable("The database is unreachable or read-only. Try again shortly.") from error


def _read(statement: Statement[R], raws: Iterable[asyncpg.Record]) -> list[R]:
    row = statement.compile("postgresql").row
    return [row(raw) for raw in raws]


async def connect_pool(url: str, size: int) -> asyncpg.Pool:
    """Connect a pool to the database's writable server. Raises `DatabaseUnavailable` with the reason."""
    with _translate_errors():
        return await asyncpg.create_pool(
            url,
            min_size=1,
            max_size=size,
            command_timeout=LONGEST_S,
            init=_limit_transactions,
            reset=_nothing_to_reset,
            **_OPTIONS,
        )


async def _limit_transactions(connection: asyncpg.Connection) -> None:
    if connection.get_server_version() >= (17,):
        await connection.execute(_LIMIT)


async def _nothing_to_reset(_connection: asyncpg.Connection) -> None:
    """Skip the reset of a returned connection, which would cost a round trip each time.

    Pooled connections hold no session settings or locks, and the pool itself ends an open transaction.
    """


async def connect_once(url: str) -> asyncpg.Connection:
    """Open one connection outside the pool. Raises `DatabaseUnavailable` with the reason."""
    with _translate_errors():
        return await asyncpg.connect(url, **_OPTIONS)


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except (*_AWAY, asyncpg.PostgresError, ValueError) as error:
        raise DatabaseUnavailable(f"PostgreSQL does not respond: {error}. Check RETINUE_DATABASE_URL.") from error
