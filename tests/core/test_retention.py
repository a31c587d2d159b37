"""Retention: one process at a time deletes old records, and continues where the last one stopped."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.core.runtime.data_dir import DataDir
from retinue.core.work import retention
from retinue.core.work.retention import RetentionRule, RetentionWorker, expiries
from retinue.migrations.database import open_database

KEPT = timedelta(days=3)
_UNTIL = Statement(sa.select(expiries.c.name, expiries.c.expired_until))


@pytest.fixture
async def database(database_url: str | None, tmp_path: Path) -> AsyncIterator[Database]:
    """A migrated database."""
    opened = await open_database(database_url, DataDir(tmp_path))
    yield opened
    await opened.close()


class Shelf:
    """Removes three batches and records the arguments of each call."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.before: list[datetime] = []
        self.empty = asyncio.Event()

    async def remove(self, tx: Tx, before: datetime, after: Any) -> Any:
        """See `RetentionRule`."""
        self.asked.append(after)
        self.before.append(before)
        if after == 2:
            self.empty.set()
            return None
        return (after or 0) + 1


async def test_many_processes_remove_everything_once(database: Database) -> None:
    storage, began = Shelf(), now()
    kind = RetentionRule("things", KEPT, storage.remove)
    async with AsyncExitStack() as stack:
        for number in range(3):
            task = asyncio.create_task(RetentionWorker(database, f"node-{number}", [kind]).run())
            stack.callback(task.cancel)
        async with asyncio.timeout(120):
            await storage.empty.wait()
    assert storage.asked == [None, 1, 2]
    assert len(set(storage.before)) == 1
    assert began - KEPT <= storage.before[0] <= now() - KEPT
    assert await database.fetch(_UNTIL) == [("things", storage.before[0])]


async def test_a_kind_with_much_to_remove_leaves_the_others_their_turn(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "_TURN", 2)
    asked: list[tuple[str, Any]] = []
    done = asyncio.Event()

    def storage(name: str, batches: int) -> RetentionRule:
        async def remove(tx: Tx, before: datetime, after: Any) -> Any:
            asked.append((name, after))
            if (after or 0) < batches - 1:
                return (after or 0) + 1
            if name == "many":
                done.set()
            return None

        return RetentionRule(name, KEPT, remove)

    task = asyncio.create_task(RetentionWorker(database, "node", [storage("many", 5), storage("few", 1)]).run())
    async with asyncio.timeout(20):
        await done.wait()
    task.cancel()
    assert asked == [("many", None), ("many", 1), ("few", None), ("many", 2), ("many", 3), ("many", 4)]
