"""Manual runs at the same instant as other due times of the schedule."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from retinue.auth.owners import account_of, caller_for
from retinue.auth.plans import Plans
from retinue.auth.service import Users
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.work.notifier import Notifier
from retinue.schedules.schemas import ScheduleCreate
from retinue.schedules.service import Schedules
from retinue.schedules.starter import StartedWork, Starter

NOON = datetime(2100, 3, 1, 12, tzinfo=UTC)
TICK, MILLISECOND = timedelta(microseconds=1), timedelta(milliseconds=1)


class Begins:
    """A starter whose work always begins."""

    async def check(self, tx: Tx, agent_id: int | None, fleet_id: int | None) -> None:
        """Accept every agent and fleet."""

    async def begin(self, tx: Tx, schedule: Row) -> StartedWork:
        """Start nothing."""
        return StartedWork(run_id=1)

    def narrow(self, scopes: list[str]) -> "Begins":
        """Return the same starter."""
        return self


async def schedules_of_new_account(database: Database) -> Schedules:
    """Return the schedules of a new account."""
    plans = Plans.load()
    user = await Users(database, plans).create("ada@example.com")
    caller = await caller_for(database, plans, await account_of(database, user.id, sandbox=False), frozenset({"*"}))
    return Schedules(caller, database, Notifier(), cast("Starter", Begins()))


@pytest.mark.parametrize(
    ("at", "clock", "expected"),
    [
        (None, NOON + MILLISECOND, [NOON + MILLISECOND, NOON + MILLISECOND + TICK]),
        (None, NOON, [NOON + TICK, NOON + 2 * TICK]),
        (NOON + MILLISECOND, NOON + MILLISECOND, [NOON + MILLISECOND + TICK, NOON + MILLISECOND + 2 * TICK]),
    ],
    ids=["the same instant", "a due time of the cron expression", "the schedule's date"],
)
async def test_each_manual_run_has_an_instant_of_its_own(
    database: Database, monkeypatch: pytest.MonkeyPatch, at: datetime | None, clock: datetime, expected: list[datetime]
) -> None:
    schedules = await schedules_of_new_account(database)
    times: dict[str, Any] = {"at": at.isoformat()} if at else {"cron": "0 12 * * *"}
    created = await schedules.create(ScheduleCreate(name="s", agent_id=1, message="Work", **times))

    async def stopped_clock(_: Schedules) -> datetime:
        return clock

    monkeypatch.setattr(Schedules, "clock", stopped_clock)
    manual = [await schedules.run(created.id) for _ in expected]
    assert [entry.due_at for entry in manual] == expected
