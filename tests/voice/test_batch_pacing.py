"""The worker of batches: its pace on two nodes, its window, retries, and what makes it wait."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import AsyncMock

import pytest
import sqlalchemy as sa

from retinue.agents.daily_windows import Window, next_opening
from retinue.core.database.interface import Database
from retinue.core.database.statements import Row, Statement
from retinue.core.errors import NotFound, RateLimited
from retinue.core.work.notifier import Notifier
from retinue.voice.batches import statements
from retinue.voice.batches.pacing import plan_calls
from retinue.voice.batches.tables import batches, recipients
from retinue.voice.batches.worker import BatchWorker
from retinue.voice.calls.feed import CallFeed
from retinue.voice.calls.records import CallRecords
from retinue.voice.calls.service import Calls
from retinue.voice.calls.tables import calls
from tests.voice.dialling import NewSwitchboard, calls_of

MONDAY = datetime(2027, 1, 4, 10, 0, tzinfo=UTC)
LONDON = {"days": ["mon", "tue"], "start": "09:00", "end": "17:00", "timezone": "Europe/London"}
CALLS = Statement(sa.select(calls).order_by(calls.c.id))
RECIPIENTS = Statement(sa.select(recipients).order_by(recipients.c.number))
BATCHES = Statement(sa.select(batches))


class Clock:
    """The time that the worker sees."""

    def __init__(self) -> None:
        self.moment = MONDAY

    def now(self) -> datetime:
        """Return the time."""
        return self.moment

    def advance(self, **ahead: float) -> None:
        """Let time pass."""
        self.moment += timedelta(**ahead)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock that tests advance."""
    made = Clock()
    for module in ("batches.attempts", "batches.ending", "batches.worker", "calls.service"):
        monkeypatch.setattr(f"retinue.voice.{module}.now", made.now)
    return made


class Node:
    """A server process with a worker of batches, whose calls ring until the test ends them."""

    def __init__(self, database: Database, switchboard: Any) -> None:
        self.database = database
        self.calls = calls_of(switchboard, database)
        self.worker = BatchWorker(database, Notifier(), switchboard, self._calls_of)

    async def _calls_of(self, batch: Row) -> Calls:
        return replace(self.calls, caller=replace(self.calls.caller, credential=batch.credential))

    async def look(self) -> None:
        """Begin all calls that may begin now."""
        while await self.worker._look():
            pass

    async def end(self, call: Row, outcome: str, answered_by: str | None = None) -> None:
        """End a call."""
        records = CallRecords(self.database, set(), CallFeed(self.database, Notifier()))
        if answered_by:
            await records.identify(call, answered_by)
        await records.finish(call, outcome)


@pytest.fixture
def new_node(database: Database, new_switchboard: NewSwitchboard, clock: Clock) -> Callable[[], Node]:
    """Make nodes that dial."""
    return lambda: Node(database, new_switchboard(sip="127.0.0.1:5060", calls=40, calls_per_key=40))


async def add_batch(database: Database, people: int, **fields: Any) -> int:
    """Add a running batch of calls to `people` numbers."""
    values = {
        "account_id": 1, "credential": "key:1", "scopes": ["*"], "name": "Reminders", "agent_id": None,
        "options": {"record": False}, "at_once": 100, "per_minute": 100, "window": None, "start_at": None,
        "retries": {"times": 0, "after_minutes": 30, "on": ["busy", "no_answer"]}, "status": "running",
        "next_at": MONDAY, "created_at": MONDAY, **fields,
    }  # fmt: skip
    rows: list[list[Any]] = [[number, f"+44163296{number:04}", {}, "waiting", None] for number in range(1, people + 1)]
    (batch,) = await database.transact(lambda tx: tx.all(statements.INSERT, **values))
    await database.transact(lambda tx: tx.run(statements.ADD_RECIPIENTS, batch=batch.id, rows=rows, moment=MONDAY))
    return int(batch.id)


async def statuses(database: Database) -> list[tuple[str, int]]:
    """Return the status and the attempts of every recipient."""
    return [(row.status, row.attempts) for row in await database.fetch(RECIPIENTS)]


async def test_two_nodes_keep_the_pace_and_call_nobody_twice(
    database: Database, new_node: Callable[[], Node], clock: Clock
) -> None:
    await add_batch(database, 12, at_once=3, per_minute=5)
    nodes = [new_node(), new_node()]
    made: list[Row] = []
    for _ in range(10):
        await asyncio.gather(*(node.look() for node in nodes))
        made = await database.fetch(CALLS)
        assert len([call for call in made if call.ended_at is None]) <= 3
        assert len([call for call in made if call.created_at > clock.moment - timedelta(seconds=60)]) <= 5
        for call in made:
            if call.ended_at is None:
                await nodes[0].end(call, "completed")
        clock.advance(seconds=20)
    assert sorted(call.to_address for call in made) == [f"+44163296{number:04}" for number in range(1, 13)]
    assert await statuses(database) == [("completed", 1)] * 12
    (batch,) = await database.fetch(BATCHES)
    assert (batch.status, batch.ended_at is not None) == ("completed", True)


async def test_a_busy_recipient_is_called_again_as_often_as_wanted(
    database: Database, new_node: Callable[[], Node], clock: Clock
) -> None:
    await add_batch(database, 2, retries={"times": 1, "after_minutes": 30, "on": ["busy"]})
    node = new_node()
    await node.look()
    for call, outcome in zip(await database.fetch(CALLS), ("busy", "no_answer"), strict=True):
        await node.end(call, outcome)
    await node.look()
    assert await statuses(database) == [("waiting", 1), ("no_answer", 1)]
    clock.advance(minutes=29)
    await node.look()
    assert len(await database.fetch(CALLS)) == 2
    clock.advance(minutes=1)
    await node.look()
    *_, last = await database.fetch(CALLS)
    assert last.to_address == "+441632960001"
    await node.end(last, "busy")
    await node.look()
    assert await statuses(database) == [("busy", 2), ("no_answer", 1)]


@pytest.mark.parametrize(("repeated", "last"), [("machine", "waiting"), ("busy", "machine")])
async def test_an_answering_machine_is_an_outcome_of_its_own(
    database: Database, new_node: Callable[[], Node], repeated: str, last: str
) -> None:
    await add_batch(database, 2, retries={"times": 1, "after_minutes": 30, "on": [repeated]})
    node = new_node()
    await node.look()
    for call, answered_by in zip(await database.fetch(CALLS), ("machine", "human"), strict=True):
        await node.end(call, "completed", answered_by)
    await node.look()
    assert await statuses(database) == [(last, 1), ("completed", 1)]


async def test_calls_wait_for_the_window(database: Database, new_node: Callable[[], Node], clock: Clock) -> None:
    clock.advance(hours=7)
    await add_batch(database, 1, window=LONDON)
    node = new_node()
    await node.look()
    (batch,) = await database.fetch(BATCHES)
    assert (await database.fetch(CALLS), batch.next_at) == ([], datetime(2027, 1, 5, 9, 0, tzinfo=UTC))
    clock.moment = batch.next_at
    await node.look()
    assert len(await database.fetch(CALLS)) == 1


async def test_a_used_up_quota_makes_a_batch_wait_and_a_missing_agent_pauses_it(
    database: Database, new_node: Callable[[], Node], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await add_batch(database, 1)
    node = new_node()
    refusing: Any = AsyncMock(side_effect=RateLimited("No minutes are left.", 60))
    monkeypatch.setattr(node.calls.quotas, "voice_seconds_left", refusing)
    await node.look()
    (batch,) = await database.fetch(BATCHES)
    assert (batch.status, batch.problem, await statuses(database)) == (
        "running",
        "No minutes are left.",
        [("waiting", 0)],
    )
    refusing.side_effect = None
    refusing.return_value = 60
    clock.advance(seconds=15)
    agents: Any = AsyncMock()
    agents.record.side_effect = NotFound("There is no agent 7 in your account.")
    node.calls = replace(node.calls, agents=agents)
    await database.transact(lambda tx: tx.run(Statement(sa.update(batches).values(agent_id=7))))
    await node.look()
    (batch,) = await database.fetch(BATCHES)
    assert (batch.status, "no agent 7" in batch.problem, await database.fetch(CALLS)) == ("paused", True, [])


async def test_a_batch_leaves_a_quarter_of_the_calls_to_others(
    database: Database,
    new_switchboard: NewSwitchboard,
    clock: Clock,
) -> None:
    await add_batch(database, 12)
    node = Node(database, new_switchboard(sip="127.0.0.1:5060", calls=8, calls_per_key=40))
    await node.look()
    assert len(await database.fetch(CALLS)) == 6


async def test_a_cancelled_batch_ends_with_its_last_call(
    database: Database, new_node: Callable[[], Node], clock: Clock
) -> None:
    batch_id = await add_batch(database, 3, at_once=1, retries={"times": 5, "after_minutes": 1, "on": ["busy"]})
    node = new_node()
    await node.look()
    key = {"batch": batch_id, "account": 1}
    await database.transact(lambda tx: tx.run(statements.CANCEL, **key))
    await database.transact(lambda tx: tx.run(statements.CANCEL_WAITING, batch=batch_id))
    await node.look()
    assert await statuses(database) == [("calling", 1), ("cancelled", 0), ("cancelled", 0)]
    (call,) = await database.fetch(CALLS)
    await node.end(call, "busy")
    await node.look()
    (batch,) = await database.fetch(BATCHES)
    assert (batch.status, batch.ended_at is not None, (await statuses(database))[0]) == ("cancelled", True, ("busy", 1))


@pytest.mark.parametrize(
    ("window", "moment", "opening"),
    [
        (None, "2027-01-04T23:00+00:00", "2027-01-04T23:00+00:00"),
        (LONDON, "2027-01-04T12:00+00:00", "2027-01-04T12:00+00:00"),
        (LONDON, "2027-01-05T17:00+00:00", "2027-01-11T09:00+00:00"),
        (LONDON, "2027-07-05T07:30+00:00", "2027-07-05T08:00+00:00"),
        ({**LONDON, "end": "24:00"}, "2027-01-04T23:59+00:00", "2027-01-04T23:59+00:00"),
        # The clocks in London go from 01:00 to 02:00 on 28 March 2027.
        (
            {**LONDON, "days": ["sun"], "start": "01:00", "end": "02:00"},
            "2027-03-28T00:00+00:00",
            "2027-04-04T00:00+00:00",
        ),
    ],
)
def test_a_window_opens(window: Window | None, moment: str, opening: str) -> None:
    assert next_opening(window, datetime.fromisoformat(moment)) == datetime.fromisoformat(opening)


async def test_a_plan_keeps_the_pace(database: Database, new_node: Callable[[], Node]) -> None:
    new_node()
    await add_batch(database, 5, at_once=2, per_minute=3, window=LONDON)
    (batch,) = await database.fetch(BATCHES)
    planned = plan_calls(batch, await database.fetch(RECIPIENTS), MONDAY, 20)
    assert [(at - MONDAY).total_seconds() for _, at in planned] == [0, 0, 20, 60, 60]
