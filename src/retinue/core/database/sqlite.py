"""Implements the database interface for SQLite: one writer that commits in groups, and readers.

The process must load only one SQLite library. If a second one closed the file, the first one would lose its POSIX
locks, and acknowledged rows would be lost.
"""

import asyncio
import contextlib
import queue
import time
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import structlog
from pysqlite3 import dbapi2 as driver

from retinue.core.database.interface import (
    DatabaseDamaged,
    DatabaseUnavailable,
    Priority,
    Tx,
    UniqueConflict,
    mark_retrieved,
    priority,
    run_hooks,
)
from retinue.core.database.statements import Statement
from retinue.core.runtime.executors import FairExecutor
from retinue.core.runtime.failpoints import crash_point

if TYPE_CHECKING:
    # pysqlite3 has no types. It is this module, built with another SQLite.
    from sqlite3 import Connection  # noqa: TID251 - its types alone

T = TypeVar("T")
R = TypeVar("R")

_log = structlog.get_logger()

_GROUP = 64
"""Maximum number of transactions per commit."""

_IN_TURN = 4
"""Every fourth transaction may be a background one, however many others are queued."""

_HOLD_S = 0.004
"""Seconds that a group may occupy the event loop before the rest of it is postponed."""

_READERS = 2
_MOST_FAULTS = 20
_PRAGMAS = (
    "foreign_keys=ON",
    "busy_timeout=5000",
    "cache_size=-20000",
    "temp_store=MEMORY",
    "mmap_size=0",
    "secure_delete=ON",
)


def connect(path: Path, synchronous: str = "FULL") -> "Connection":
    """Open a connection in autocommit mode with the pragmas that durability needs. Raises `DatabaseDamaged`."""
    connection: Connection = driver.connect(
        str(path), isolation_level=None, check_same_thread=False, cached_statements=512
    )
    try:
        for pragma in ("journal_mode=WAL", f"synchronous={synchronous}", *_PRAGMAS):
            connection.execute(f"PRAGMA {pragma}")
    except driver.DatabaseError as error:
        connection.close()
        raise public_error(error) from error
    return connection


def public_error(error: Exception) -> Exception:
    """Convert a plain `DatabaseError`, which means a damaged file, to `DatabaseDamaged`. Return others as is."""
    return DatabaseDamaged(str(error)) if type(error) is driver.DatabaseError else error


class SqliteTx:
    """A transaction on the writer's connection. Its methods never suspend."""

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection
        self.hooks: list[Callable[[], None]] = []

    async def one(self, statement: Statement[R], **values: object) -> R | None:
        """See `Tx`."""
        rows = await self.all(statement, **values)
        return rows[0] if rows else None

    async def all(self, statement: Statement[R], **values: object) -> list[R]:
        """See `Tx`."""
        return _rows(self._connection, statement, values)

    async def run(self, statement: Statement, **values: object) -> int:
        """See `Tx`."""
        compiled = statement.compile("sqlite")
        return int(self._connection.execute(compiled.sql, compiled.bind(values)).rowcount)

    def after_commit(self, hook: Callable[[], None]) -> None:
        """See `Tx`."""
        self.hooks.append(hook)


@dataclass
class _Job:
    """A transaction queued for the writer, and its outcome.

    Its work and its hooks run in the context of its caller, which has the id of the request, for example. The writer's
    task has the context of another caller.
    """

    work: Callable[[Tx], Awaitable[object]]
    done: asyncio.Future[Any]
    priority: Priority
    result: object = None
    error: BaseException | None = None
    hooks: list[Callable[[], None]] = field(default_factory=list)
    context: Context = field(default_factory=copy_context)

    def settle(self, failure: BaseException | None = None) -> None:
        error = failure or self.error
        if error is None:
            self.context.run(run_hooks, self.hooks)
        if self.done.done():
            return
        if error is None:
            self.done.set_result(self.result)
        else:
            self.done.set_exception(error)


class SqliteDatabase:
    """A SQLite file with one writer. Only the process that holds the lock on its folder may open it."""

    dialect = "sqlite"
    failed_at: float | None = None
    responds = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self._queues: dict[Priority, deque[_Job]] = {one: deque() for one in Priority}
        self._writing: asyncio.Task[None] | None = None
        self._committer = ThreadPoolExecutor(1, "sqlite-commit")
        self._query_threads = FairExecutor("sqlite-read", _READERS)
        self._spare: queue.SimpleQueue[Connection] = queue.SimpleQueue()

    async def open(self) -> None:
        """Open the connections of the writer, the event loop and the reader threads."""
        self._writer = connect(self._path)
        self._reader = connect(self._path)
        for _ in range(_READERS):
            self._spare.put(connect(self._path))

    async def close(self) -> None:
        """Wait for queued transactions, then close all connections."""
        if self._writing:
            await self._writing
        self._committer.shutdown()
        self._query_threads.shutdown()
        for connection in (self._reader, *(self._spare.get() for _ in range(_READERS)), self._writer):
            connection.close()

    async def lookup(self, statement: Statement[R], **values: object) -> R | None:
        """See `Database`."""
        rows = _read(self._reader, statement, values)
        return rows[0] if rows else None

    async def fetch(self, statement: Statement[R], **values: object) -> list[R]:
        """See `Database`."""
        return _read(self._reader, statement, values)

    async def query(self, statement: Statement[R], **values: object) -> list[R]:
        """See `Database`."""
        return await self._query_threads.run(self._on_thread, statement, values)

    def _on_thread(self, statement: Statement[R], values: dict[str, object]) -> list[R]:
        connection = self._spare.get()
        try:
            return _read(connection, statement, values)
        finally:
            self._spare.put(connection)

    async def find_damage(self) -> list[str]:
        """See `Database`."""
        found = await self._query_threads.run(self._check_pages)
        return [f"the database is damaged: {fault}" for fault in found if fault != "ok"]

    def _check_pages(self) -> list[str]:
        connection = self._spare.get()
        try:
            return [row[0] for row in connection.execute(f"PRAGMA integrity_check({_MOST_FAULTS})")]
        except driver.DatabaseError as error:
            return [str(error)]
        finally:
            self._spare.put(connection)

    async def transact(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """See `Database`. Returns once the group with `work` is on disk."""
        job = _Job(work, asyncio.get_running_loop().create_future(), priority.get())
        self._queues[job.priority].append(job)
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_groups())
        job.done.add_done_callback(mark_retrieved)
        answer: T = await job.done
        return answer

    async def _write_groups(self) -> None:
        try:
            while group := self._next_group():
                await self._write(group)
        finally:
            self._writing = None

    def _next_group(self) -> list[_Job]:
        """Take the next transactions, in order within each queue."""
        group: list[_Job] = []
        while len(group) < _GROUP and (queue := self._next_queue(len(group))):
            group.append(queue.popleft())
        return group

    def _next_queue(self, place: int) -> "deque[_Job] | None":
        urgent, usual, patient = self._queues.values()
        in_turn = place % _IN_TURN == _IN_TURN - 1
        order = (urgent, patient, usual) if in_turn else (urgent, usual, patient)
        return next((queue for queue in order if queue), None)

    async def _write(self, group: list[_Job]) -> None:
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            self._drive_some(group)
            crash_point("database.before_commit")
            await asyncio.get_running_loop().run_in_executor(self._committer, self._writer.execute, "COMMIT")
            crash_point("database.after_commit")
        except driver.Error as error:
            self._abandon(group, error)
        else:
            self.failed_at = None
            for job in group:
                job.settle()

    def _abandon(self, group: list[_Job], error: Exception) -> None:
        with contextlib.suppress(driver.Error):
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
        failure = _unavailable(error)
        if self.failed_at is None:
            _log.error("database.not_written", reason=str(error))
        self.failed_at = time.monotonic()
        for job in group:
            job.settle(failure)

    def _drive_some(self, group: list[_Job]) -> None:
        """Run the jobs of a group until they have held the event loop too long. Put the rest back in the queue."""
        end = time.perf_counter() + _HOLD_S
        for number, job in enumerate(group, start=1):
            self._drive(job)
            if time.perf_counter() > end:
                for waiting in reversed(group[number:]):
                    self._queues[waiting.priority].appendleft(waiting)
                del group[number:]
                return

    def _drive(self, job: _Job) -> None:
        """Run one job inside a savepoint. Raises only if the whole transaction is lost."""
        tx = SqliteTx(self._writer)
        self._writer.execute("SAVEPOINT job")
        try:
            job.result = job.context.run(lambda: _finish(job.work(tx)))
            job.hooks = tx.hooks
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the caller's
            job.error = _translate_error(error)
            self._undo(error)
        self._writer.execute("RELEASE job")

    def _undo(self, cause: Exception) -> None:
        # On a full disk, SQLite itself rolls back the whole transaction. Then every job of the group must fail.
        if not self._writer.in_transaction:
            raise driver.OperationalError(str(cause)) from cause
        self._writer.execute("ROLLBACK TO job")


def _translate_error(error: Exception) -> Exception:
    """Convert a driver error to one of the database interface. Return other errors as is."""
    if isinstance(error, driver.IntegrityError) and "UNIQUE" in str(error):
        return UniqueConflict(str(error))
    return _unavailable(error) if isinstance(error, driver.OperationalError) else public_error(error)


def _unavailable(error: Exception) -> DatabaseUnavailable:
    return DatabaseUnavailable(f"The database could not write ({error}). Nothing was changed. Try again.")


def _read(connection: "Connection", statement: Statement[R], values: dict[str, object]) -> list[R]:
    """Run a statement outside a transaction. Raises `DatabaseUnavailable` if the error may pass."""
    try:
        return _rows(connection, statement, values)
    except driver.OperationalError as error:
        # SQLITE_ERROR means a wrong statement, and the driver's own errors have no code.
        if getattr(error, "sqlite_errorcode", driver.SQLITE_ERROR) == driver.SQLITE_ERROR:
            raise
        raise DatabaseUnavailable(f"The database could not be read ({error}). Try again.") from error


def _rows(connection: "Connection", statement: Statement[R], values: dict[str, object]) -> list[R]:
    row = statement.compile("sqlite").row
    return [row(raw) for raw in _raw(connection, statement, values)]


def _raw(connection: "Connection", statement: Statement, values: dict[str, object]) -> list[tuple[object, ...]]:
    compiled = statement.compile("sqlite")
    try:
        found: list[tuple[object, ...]] = connection.execute(compiled.sql, compiled.bind(values)).fetchall()
    except driver.DatabaseError as error:
        raise public_error(error) from error
    return found


def _finish(work: Awaitable[T]) -> T:
    """Run a coroutine that never suspends, and return its result. Raises `RuntimeError` if it suspends."""
    steps = work.__await__()
    try:
        next(steps)
    except StopIteration as end:
        value: T = end.value
        return value
    with contextlib.suppress(AttributeError):
        steps.close()
    raise RuntimeError("A transaction must not await anything except its own statements.")
