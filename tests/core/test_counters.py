"""Counters change in the same transaction as the rows that they count."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.errors import NotFound
from retinue.core.runtime.data_dir import DataDir
from retinue.migrations.database import open_database


@pytest.fixture
async def database(database_url: str | None, tmp_path: Path) -> AsyncIterator[Database]:
    """A migrated database in which a counter of account 1 is zero."""
    opened = await open_database(database_url, DataDir(tmp_path))
    await opened.transact(lambda tx: counters.start(tx, 1, "agents"))
    yield opened
    await opened.close()


async def test_many_changes_at_once_are_all_counted(database: Database) -> None:
    values = await asyncio.gather(
        *(database.transact(lambda tx: counters.bump(tx, 1, "agents", 1)) for _ in range(100))
    )
    assert sorted(values) == list(range(1, 101))
    await database.transact(lambda tx: counters.bump(tx, 1, "agents", -40))
    assert await counters.read(database, 1, "agents") == 60


async def test_a_change_that_is_undone_is_not_counted(database: Database) -> None:
    async def work(tx: Tx) -> None:
        await counters.bump(tx, 1, "agents", 1)
        raise KeyError

    with pytest.raises(KeyError):
        await database.transact(work)
    assert await counters.read(database, 1, "agents") == 0


async def test_counters_of_others_are_others(database: Database) -> None:
    await database.transact(lambda tx: counters.start(tx, 2, "agents"))
    await database.transact(lambda tx: counters.bump(tx, 2, "agents", 3))
    assert await counters.read(database, 1, "agents") == 0
    assert await counters.read(database, 1, "conversations") == 0


async def test_an_account_without_counters_takes_nothing_more(database: Database) -> None:
    with pytest.raises(NotFound, match="being deleted"):
        await database.transact(lambda tx: counters.bump(tx, 3, "agents", 1))
