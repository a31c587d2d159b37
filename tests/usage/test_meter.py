"""The meter by itself: each call enters the ledger once, whatever is interrupted in between."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from retinue.core.database.interface import Database, outcome
from retinue.core.database.statements import Statement
from retinue.usage import meter as module
from retinue.usage.meter import Meter
from retinue.usage.tables import ledger, usage_days
from tests.usage.conftest import ACCOUNT

_LEDGER = Statement(sa.select(sa.func.coalesce(sa.func.sum(ledger.c["count"]), 0).label("calls")))
_DAYS = Statement(sa.select(sa.func.coalesce(sa.func.sum(usage_days.c["count"]), 0).label("calls")))
_ORDER = Statement(sa.select(ledger.c.day).order_by(ledger.c.id))


@pytest.fixture
async def meter(database: Database, tmp_path: Path) -> Meter:
    """A started meter."""
    begun = Meter(database, tmp_path)
    await begun.start()
    return begun


async def count(database: Database) -> int:
    """Return the number of calls in the ledger. Checks that the counts by day agree."""
    (written,), (by_day,) = await database.query(_LEDGER), await database.query(_DAYS)
    assert written == by_day
    return int(written.calls)


def files(folder: Path) -> list[Path]:
    """Return the meter's files."""
    return list(folder.glob("meter-*.log"))


async def fold_and_break_off(meter: Meter) -> None:
    """Start a fold and cancel it during the transaction."""
    folding = asyncio.create_task(meter.fold())
    await asyncio.wait([folding], timeout=0)
    assert not folding.done()
    folding.cancel()
    await asyncio.wait([folding])
    assert folding.cancelled()


async def test_a_fold_that_was_broken_off_counts_once(meter: Meter, database: Database) -> None:
    for round_ in range(3):
        for number in range(5):
            meter.count(ACCOUNT, refused=number == 0)
        await fold_and_break_off(meter)
        meter.count(ACCOUNT, refused=False)
        await meter.fold()
        assert await count(database) == 6 * (round_ + 1)
    await meter.stop()
    assert await count(database) == 18


async def test_a_transaction_that_comes_late_counts_once(
    meter: Meter, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    transact, come = database.transact, asyncio.Event()

    async def late(work: Any) -> Any:
        monkeypatch.setattr(database, "transact", transact)
        await come.wait()
        return await transact(work)

    under_way: list[asyncio.Future[Any]] = []

    def begin(work: Any) -> Any:
        under_way.append(asyncio.ensure_future(late(work)))
        return outcome(under_way[0])

    monkeypatch.setattr(database, "transact", begin)
    meter.count(ACCOUNT, refused=False)
    await fold_and_break_off(meter)
    stopping = asyncio.create_task(meter.stop())
    await asyncio.wait([stopping], timeout=0.3)
    come.set()
    await asyncio.gather(stopping, *under_way)
    assert await count(database) == 1


async def test_calls_that_come_while_a_full_file_is_folded_count_once(
    meter: Meter, database: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "_ROTATE_BYTES", 64)
    calls = 0
    (first,) = files(tmp_path)
    for _ in range(4):
        folding = asyncio.create_task(meter.fold())
        while not folding.done():
            meter.count(ACCOUNT, refused=False)
            calls += 1
            await asyncio.wait([folding], timeout=0)
        await folding
    assert first not in files(tmp_path)
    await meter.stop()
    assert await count(database) == calls
    assert files(tmp_path) == []


async def test_counts_of_a_dead_process_are_added_once(meter: Meter, database: Database, tmp_path: Path) -> None:
    for _ in range(5):
        meter.count(ACCOUNT, refused=False)
    await meter.fold()
    meter.count(ACCOUNT, refused=False)
    for _ in range(2):
        after = Meter(database, tmp_path)
        await after.start()
        await after.stop()
        assert await count(database) == 6


async def test_rows_are_folded_in_a_fixed_order(
    meter: Meter, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nodes that lock the same rows in different orders would deadlock."""
    days = [datetime(2026, 1, day, tzinfo=UTC) for day in range(1, 21)]
    monkeypatch.setattr(module, "now", iter(reversed(days)).__next__)
    for _ in days:
        meter.count(ACCOUNT, refused=False)
    await meter.fold()
    assert [row.day for row in await database.fetch(_ORDER)] == [f"{day:%Y-%m-%d}" for day in days]
