"""The one interface to both databases.

`transact` is the only way to write: a coroutine function that awaits nothing but the `Tx` it is given. SQLite drives
it to its end without a pause and commits many together; PostgreSQL awaits it inside a transaction and runs it again
when the database asks for that. So it may run more than once: it changes nothing but the database.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from enum import Enum
from typing import Any, Protocol, TypeVar

import structlog

from retinue.core.errors import RetinueError
from retinue.core.statements import Row, Statement

T = TypeVar("T")
_Hook = Callable[[], None]
_log = structlog.get_logger()


class Haste(Enum):
    """Who goes first where transactions queue up."""

    URGENT = "urgent"
    """Renewals of leases: late, they are in vain, and work is done twice."""

    USUAL = "usual"

    PATIENT = "patient"
    """Nobody waits for it."""


haste: ContextVar[Haste] = ContextVar("haste", default=Haste.USUAL)
"""That of the transactions of this task."""


class UniqueConflict(Exception):
    """A unique constraint refused a row; the transaction is rolled back."""


class DatabaseUnavailable(RetinueError):
    """The database cannot be reached or cannot write. Nothing of the transaction was kept."""

    code, status = "service_unavailable", 503


class DatabaseDamaged(DatabaseUnavailable):
    """What the file of the database holds is no database, or not a whole one."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"The database is damaged ({reason}). Its operator has to stop the server and restore a copy of "
            "retinue.db; without one, `sqlite3 retinue.db .recover` reads what is left."
        )


class Tx(Protocol):
    """An open transaction."""

    async def one(self, statement: Statement, **values: Any) -> Row | None:
        """The first row of the result, or None."""
        ...

    async def all(self, statement: Statement, **values: Any) -> list[Row]:
        """Every row of the result."""
        ...

    async def run(self, statement: Statement, **values: Any) -> int:
        """Run a statement and return how many rows it touched."""
        ...

    def after_commit(self, hook: _Hook) -> None:
        """Call `hook` once the transaction is durable (wake a worker, drop a cached value)."""
        ...


class Database(Protocol):
    """SQLite or PostgreSQL."""

    dialect: str
    failed_at: float | None
    """When it refused a transaction, in seconds of the monotonic clock; None once it has kept one since."""

    async def open(self) -> None:
        """Connect; the schema must be there."""
        ...

    async def close(self) -> None:
        """Let running transactions end, then disconnect."""
        ...

    async def lookup(self, statement: Statement, **values: Any) -> Row | None:
        """One row by key. On SQLite it runs on the event loop, so its plan may not scan."""
        ...

    async def fetch(self, statement: Statement, **values: Any) -> list[Row]:
        """A few rows by key, as `lookup`."""
        ...

    async def query(self, statement: Statement, **values: Any) -> list[Row]:
        """Rows of a statement that may take long: on SQLite it runs on a reader thread."""
        ...

    async def find_damage(self) -> list[str]:
        """A sentence for each fault of the file itself. PostgreSQL sees to its own."""
        ...

    async def transact(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work` in one transaction. Its error rolls back and is raised again."""
        ...


def run_hooks(hooks: Iterable[_Hook]) -> None:
    """Run what was asked for after the commit. It is durable by then: a hook that fails harms neither it nor others."""
    for hook in hooks:
        try:
            hook()
        except Exception:  # noqa: BLE001 - the transaction has succeeded whatever a hook does
            _log.exception("hook.failed")


async def outcome(transaction: asyncio.Future[T]) -> T:
    """Wait for a transaction. A caller that goes away does not take it along: it is committed or not, as a whole."""
    transaction.add_done_callback(skip_question)
    return await asyncio.shield(transaction)


def skip_question(transaction: asyncio.Future[Any]) -> None:
    """Called at the end of a transaction: nobody asks for its error where its caller is gone, and that is no fault."""
    if not transaction.cancelled():
        transaction.exception()
