"""A full disk on SQLite: transactions fail completely with a clear error, and succeed again once there is room."""

import asyncio
import resource
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.database.sqlite import SqliteDatabase, connect
from retinue.core.database.statements import Statement
from tests.core import scratch

_BIG = "x" * 200_000
_FEW_PAGES = Statement(sa.text("PRAGMA max_page_count = 100"))
_MANY_PAGES = Statement(sa.text("PRAGMA max_page_count = 1000000"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path of the database's file."""
    return tmp_path / "scratch.db"


@pytest.fixture
async def database(path: Path) -> AsyncIterator[SqliteDatabase]:
    """A SQLite database with one row."""
    await scratch.create(path)
    opened = SqliteDatabase(path)
    await opened.open()
    await opened.transact(lambda tx: scratch.add(tx, "before"))
    yield opened
    await opened.close()


def big(*names: str) -> Callable[[Tx], Awaitable[None]]:
    """Return a transaction that adds large rows."""

    async def work(tx: Tx) -> None:
        for name in names:
            await tx.run(scratch.ADD_TEXT, name=name, value=0, text=_BIG)

    return work


@contextmanager
def no_file_may_grow_past(size: int) -> Iterator[None]:
    """Make this process's writes past `size` bytes of a file fail, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def settle(database: Database, *works: Callable[[Tx], Awaitable[None]]) -> list[object]:
    """Run transactions concurrently. Returns their results and exceptions."""
    return await asyncio.gather(*map(database.transact, works), return_exceptions=True)


def whole(path: Path) -> bool:
    """Return whether SQLite's integrity check succeeds."""
    connection = connect(path)
    answer: str = connection.execute("PRAGMA integrity_check").fetchone()[0]
    connection.close()
    return answer == "ok"


async def test_a_statement_without_room_is_unavailable_and_harms_no_other(database: SqliteDatabase) -> None:
    await database.transact(lambda tx: tx.run(_FEW_PAGES))
    small = [lambda tx, name=name: scratch.add(tx, name) for name in ("a", "b")]
    outcomes = await settle(database, small[0], big("1", "2", "3", "4"), small[1])
    assert isinstance(outcomes[1], DatabaseUnavailable)
    assert "full" in outcomes[1].message
    answered = {name for name, outcome in zip(("a", "-", "b"), outcomes, strict=True) if outcome is None}
    assert set(await scratch.names(database)) == {"before"} | answered
    await database.transact(lambda tx: tx.run(_MANY_PAGES))
    await database.transact(big("after"))
    assert "after" in await scratch.names(database)


async def test_a_commit_without_room_keeps_nothing_of_its_group(database: SqliteDatabase, path: Path) -> None:
    with no_file_may_grow_past(400_000):
        outcomes = await settle(database, *(big(str(number)) for number in range(8)))
        kept = [str(place) for place, outcome in enumerate(outcomes) if not isinstance(outcome, DatabaseUnavailable)]
        assert len(kept) < 8
        assert await scratch.names(database) == ["before", *kept]
    await database.transact(big("after"))
    assert await scratch.names(database) == ["before", *kept, "after"]
    assert whole(path)


async def test_writes_acknowledged_while_the_disk_filled_are_there(database: SqliteDatabase, path: Path) -> None:
    answered = ["before"]
    with no_file_may_grow_past(2_000_000):
        for number in range(40):
            try:
                await database.transact(big(str(number)))
            except DatabaseUnavailable:
                continue
            answered.append(str(number))
    assert 1 < len(answered) < 40
    assert await scratch.names(database) == answered
    await database.close()
    again = SqliteDatabase(path)
    await again.open()
    assert await scratch.names(again) == answered
    await again.close()
    await database.open()
    assert whole(path)
