"""Old rows of the ledger are merged without changing what they add up to."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa

from retinue.check.usage import RULES
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row, Statement
from retinue.usage import ledger as module
from retinue.usage.ledger import BudgetOwners, UsageEntry, merge_old, record
from retinue.usage.tables import ledger
from tests.usage.conftest import ACCOUNT

_ROWS = Statement(sa.select(ledger).order_by(ledger.c.id))
OLD = datetime(2026, 3, 5, 12, tzinfo=UTC)
RECENT = OLD + timedelta(days=30)
NOW = OLD + timedelta(days=60)
SPENDERS = ((None, None), (1, None), (1, 2))


@dataclass
class Clock:
    """A clock that stands still."""

    moment: datetime = OLD

    def now(self) -> datetime:
        return self.moment


async def use_everything(tx: Tx) -> None:
    """Record usage of each kind."""
    for agent_id, key_id in SPENDERS:
        spenders = BudgetOwners(agent_id, key_id)
        await record(tx, ACCOUNT, UsageEntry("agents", tokens=10, credits=1, milliseconds=5), spenders=spenders)
        await record(tx, ACCOUNT, UsageEntry("api", count=3, errors=1), spenders=spenders)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The ledger's clock."""
    made = Clock()
    monkeypatch.setattr(module, "now", made.now)
    return made


async def fill(database: Database, clock: Clock) -> None:
    """Record each kind of usage five times on two old days and on a recent one."""
    for moment in (OLD, OLD + timedelta(days=1), RECENT):
        clock.moment = moment
        for _ in range(5):
            await database.transact(use_everything)


async def merge_all(database: Database, clock: Clock, moment: datetime) -> list[Row]:
    """Merge what is then older than 40 days, batch by batch. Returns the ledger."""
    clock.moment = moment
    place: Any = None
    while True:
        place = await database.transact(partial(merge_old, before=moment - timedelta(days=40), after=place))
        if place is None:
            return await database.query(_ROWS)


async def test_old_usage_is_merged_and_its_sums_stay(database: Database, clock: Clock) -> None:
    await fill(database, clock)
    rows = await merge_all(database, clock, NOW)
    assert Counter(row.day for row in rows) == {"2026-03-05": 6, "2026-03-06": 6, "2026-04-04": 30}
    first_day = {(row.resource, row.agent_id, row.key_id): row._asdict() for row in rows if row.day == "2026-03-05"}
    assert set(first_day) == {(kind, *both) for kind in ("agents", "api") for both in SPENDERS}
    assert {(one["tokens"], one["credits"]) for one in first_day.values()} == {(50, 5), (0, 0)}
    for statement in RULES.values():
        assert await database.query(statement) == []
    assert await merge_all(database, clock, NOW) == rows


async def test_a_later_pass_merges_the_rows_of_several_batches(
    database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MERGED", 18)
    await fill(database, clock)
    rows = await merge_all(database, clock, NOW)
    assert Counter(row.day for row in rows)["2026-03-05"] == 12
    rows = await merge_all(database, clock, NOW + timedelta(days=41))
    assert Counter(row.day for row in rows)["2026-03-05"] == 6
    for statement in RULES.values():
        assert await database.query(statement) == []
