"""The interface that SQLite and PostgreSQL share.

`transact` is the only way to write. It takes a coroutine function that awaits only the `Tx` it receives. SQLite runs
the coroutine without suspending and commits many in one group. PostgreSQL awaits it inside a transaction and retries
it after a serialization failure or a deadlock. It may run more than once, so it must have no other side effects.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from enum import Enum
from typing import Protocol, TypeVar

import structlog

from retinue.core.database.statements import Statement
from retinue.core.errors import RetinueError

T = TypeVar("T")
R = TypeVar("R")
_Hook = Callable[[], None]
_log = structlog.get_logger()


class Priority(Enum):
    """The order in which queued transactions run."""

    HIGH = "urgent"
    """Lease renewals. A late renewal loses the lease, and the work is done twice."""

    NORMAL = "usual"

    LOW = "patient"
    """Background work that no client waits for."""


priority: ContextVar[Priority] = ContextVar("haste", default=Priority.NORMAL)
"""The priority of the current task's transactions."""


class UniqueConflict(Exception):
    """A unique constraint refused a row; the transaction is rolled back."""


class DatabaseUnavailable(RetinueError):
    """The database cannot be reached or cannot write. The transaction is rolled back."""

    code, status = "service_unavailable", 503


class DatabaseDamaged(DatabaseUnavailable):
    """The database file is corrupt or is not a database."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"The database is damaged ({reason}). The operator must stop the server and restore a copy of "
            "retinue.db. Without a copy, `sqlite3 retinue.db .recover` reads what can be recovered."
        )


class Tx(Protocol):
    """An open transaction."""

    async def one(self, statement: Statement[R], **values: object) -> R | None:
        """Return the first row of the result, or None."""
        ...

    async def all(self, statement: Statement[R], **values: object) -> list[R]:
        """Return all rows of the result."""
        ...

    async def run(self, statement: Statement, **values: object) -> int:
        """Run a statement and return the number of affected rows."""
        ...

    def after_commit(self, hook: _Hook) -> None:
        """Call `hook` once the transaction is durable, for example to wake a worker or drop a cached value."""
        ...


class Database(Protocol):
    """SQLite or PostgreSQL."""

    dialect: str
    failed_at: float | None
    """Monotonic time, in seconds, of the last failed transaction; None after a later one succeeds."""

    responds: bool
    """False while PostgreSQL does not answer. SQLite always does."""

    async def open(self) -> None:
        """Connect. The schema must exist."""
        ...

    async def close(self) -> None:
        """Wait for running transactions, then disconnect."""
        ...

    async def lookup(self, statement: Statement[R], **values: object) -> R | None:
        """Read one row by key, or None. SQLite runs this on the event loop, so the query must not scan a table."""
        ...

    async def fetch(self, statement: Statement[R], **values: object) -> list[R]:
        """Read a few rows by key. The restriction of `lookup` applies."""
        ...

    async def query(self, statement: Statement[R], **values: object) -> list[R]:
        """Read the rows of a statement that may be slow. SQLite runs this on a reader thread."""
        ...

    async def find_damage(self) -> list[str]:
        """Return a sentence for each fault in the database file. Always empty for PostgreSQL."""
        ...

    async def transact(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work` in one transaction and return its result. An exception rolls back and propagates."""
        ...


def run_hooks(hooks: Iterable[_Hook]) -> None:
    """Run the after-commit hooks. The transaction is durable, so log a failing hook and run the others."""
    for hook in hooks:
        try:
            hook()
        except Exception:  # noqa: BLE001 - the transaction has succeeded whatever a hook does
            _log.exception("hook.failed")


async def outcome(transaction: asyncio.Future[T]) -> T:
    """Wait for a transaction. Cancelling the caller does not cancel it: it commits or rolls back as a whole."""
    transaction.add_done_callback(mark_retrieved)
    return await asyncio.shield(transaction)


def mark_retrieved(transaction: asyncio.Future[T]) -> None:
    """Mark the error of a finished transaction as retrieved, so asyncio does not warn if its caller was cancelled."""
    if not transaction.cancelled():
        transaction.exception()
