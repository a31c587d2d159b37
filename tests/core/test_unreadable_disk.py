"""A disk that cannot be read for a while: reads on SQLite are unavailable, and succeed again afterwards."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pysqlite3 import dbapi2 as driver

from retinue.core.database.interface import DatabaseDamaged, DatabaseUnavailable
from retinue.core.database.sqlite import SqliteDatabase
from retinue.core.database.statements import Statement
from tests.core import scratch

_NO_SUCH_TABLE = Statement(sa.text("SELECT 1 FROM missing"))
Read = Callable[[SqliteDatabase, Statement], Awaitable[Any]]
READS = pytest.mark.parametrize("read", [SqliteDatabase.lookup, SqliteDatabase.fetch, SqliteDatabase.query])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path of the database's file."""
    return tmp_path / "scratch.db"


@pytest.fixture
async def database(path: Path) -> AsyncIterator[SqliteDatabase]:
    """A SQLite database that has not read its tables yet."""
    await scratch.create(path)
    opened = SqliteDatabase(path)
    await opened.open()
    yield opened
    await opened.close()


@contextmanager
def unreadable(path: Path) -> Iterator[None]:
    """Make this process's reads of an open file fail, as on a broken disk."""
    handles = [int(link.name) for link in Path("/proc/self/fd").iterdir() if link.resolve() == path]
    copies = [os.dup(handle) for handle in handles]
    write_only = os.open(path, os.O_WRONLY)
    for handle in handles:
        os.dup2(write_only, handle, inheritable=False)
    os.close(write_only)
    try:
        yield
    finally:
        for handle, copy in zip(handles, copies, strict=True):
            os.dup2(copy, handle, inheritable=False)
            os.close(copy)


@READS
async def test_a_read_error_is_unavailable_and_passes(database: SqliteDatabase, path: Path, read: Read) -> None:
    with unreadable(path), pytest.raises(DatabaseUnavailable, match="disk I/O error") as raised:
        await read(database, scratch.NAMES)
    assert not isinstance(raised.value, DatabaseDamaged)
    assert not await read(database, scratch.NAMES)


@READS
async def test_a_wrong_statement_is_no_fault_of_the_disk(database: SqliteDatabase, read: Read) -> None:
    with pytest.raises(driver.OperationalError, match="no such table"):
        await read(database, _NO_SUCH_TABLE)
