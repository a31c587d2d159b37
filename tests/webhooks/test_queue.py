"""The delivery queue and its schedule, without a server."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import product
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.database.interface import Database, Tx
from retinue.core.database.postgres import connect_once
from retinue.core.database.statements import Statement
from retinue.core.network.retry_after import MOST_S
from retinue.core.runtime.clock import now
from retinue.core.work import events
from retinue.core.work.notifier import Notifier
from retinue.webhooks import queue
from retinue.webhooks import statements as sql
from retinue.webhooks.attempts import ClaimedDelivery, DeliveryAttempt, RetrySchedule, interrupted_attempt
from retinue.webhooks.events import WebhookTest
from retinue.webhooks.fan_out import FanOut
from retinue.webhooks.tables import endpoints

ACCOUNT = 7
DELAYS = (0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000)
SCHEDULE = RetrySchedule(DELAYS)
EVENT = Statement(sa.select(events.events).where(events.events.c.id == sa.bindparam("event", type_=sa.String)))
FAILED_FOR = Statement(
    sa.update(endpoints).values(failing_since=sa.bindparam("since", type_=endpoints.c.created_at.type))
)


async def add_endpoint(database: Database, **fields: Any) -> int:
    """Add an endpoint to the account. Returns its id."""
    values = {"url": "http://example.com/", "events": None, "description": "", "enabled": True, "secret": "x"}
    values |= {"grant_id": None, **fields}

    async def insert(tx: Tx) -> int:
        (row,) = await tx.all(sql.INSERT, account_id=ACCOUNT, created_at=now(), updated_at=now(), **values)
        return int(row.id)

    return await database.transact(insert)


async def emit(database: Database, count: int = 1) -> None:
    """Emit events for the account."""

    async def write(tx: Tx) -> None:
        for number in range(count):
            await events.emit(tx, ACCOUNT, WebhookTest(webhook_id=number))

    await database.transact(write)


async def claim(
    database: Database, owner: str = "a", at_most: int = 100, per_endpoint: int = 10
) -> list[ClaimedDelivery]:
    """Claim deliveries like a worker."""
    return await database.transact(lambda tx: queue.claim(tx, owner, at_most, lambda *_: per_endpoint))


def fail(delivery: ClaimedDelivery, **fields: Any) -> Any:
    """Return the result of a failed attempt."""
    return SCHEDULE.result(delivery, DeliveryAttempt(now(), 1, **{"error": "no", **fields}))


def deliver(delivery: ClaimedDelivery) -> Any:
    """Return the result of a successful attempt."""
    return SCHEDULE.result(delivery, DeliveryAttempt(now(), 1, status=200))


RESULTS: Mapping[str, Callable[[ClaimedDelivery], Any]] = {
    "failed": fail,
    "delivered": deliver,
    "gone": partial(fail, status=410),
}


async def show(database: Database, endpoint: int) -> Any:
    """Return the endpoint's row."""
    return await database.lookup(sql.GET, endpoint=endpoint, account=ACCOUNT)


async def statuses(database: Database, endpoint: int) -> Counter[str]:
    """Return the number of deliveries by status."""
    rows = await database.fetch(sql.DELIVERIES, endpoint=endpoint, per_page=1000, offset=0)
    return Counter(row.status for row in rows)


async def test_each_event_is_handed_out_once_however_many_do_it(database: Database) -> None:
    listening = [await add_endpoint(database) for _ in range(3)]
    await add_endpoint(database, events=["agent.created"])
    await add_endpoint(database, enabled=False)
    await emit(database, 120)
    hands = [FanOut(database, Notifier()) for _ in range(4)]
    while any([await hand.hand_out() for hand in hands]):
        pass
    counts = [(await show(database, endpoint)).deliveries_count for endpoint in range(1, 6)]
    assert counts == [120 if endpoint in listening else 0 for endpoint in range(1, 6)]
    assert await statuses(database, listening[0]) == {"pending": 120}


async def test_events_that_another_node_is_handing_out_are_passed_over(
    database: Database, database_url: str | None
) -> None:
    """Only PostgreSQL serves several nodes."""
    listening = await add_endpoint(database)
    await emit(database, 3)
    if database_url:
        other = await connect_once(database_url)
        async with asyncio.timeout(120), other.transaction():
            await other.execute("SELECT id FROM events FOR UPDATE")
            assert await FanOut(database, Notifier()).hand_out() == 0
        await other.close()
    assert await FanOut(database, Notifier()).hand_out() == 3
    assert await statuses(database, listening) == {"pending": 3}


async def test_claims_keep_to_the_room_and_the_order(database: Database) -> None:
    first, second = await add_endpoint(database), await add_endpoint(database)
    await emit(database, 30)
    fan_out = FanOut(database, Notifier())
    while await fan_out.hand_out():
        pass
    claimed = await claim(database)
    assert Counter(delivery.endpoint_id for delivery in claimed) == {first: 10, second: 10}
    for endpoint in (first, second):
        assert [b'"webhook_id":%d,' % number in delivery.body for number, delivery in enumerate(
            [delivery for delivery in claimed if delivery.endpoint_id == endpoint])] == [True] * 10  # fmt: skip
    assert len(await claim(database, "b", at_most=7)) == 7
    assert {delivery.id for delivery in await claim(database, "b")}.isdisjoint(delivery.id for delivery in claimed)


@pytest.mark.parametrize(("days", "enabled"), [(4, True), (5, False)])
async def test_five_days_of_failure_disable_the_endpoint(database: Database, days: int, enabled: bool) -> None:
    endpoint = await add_endpoint(database)
    await emit(database, 3)
    await FanOut(database, Notifier()).hand_out()
    first, second = await claim(database, at_most=2)
    await database.transact(lambda tx: queue.write(tx, [fail(first)]))
    assert (await show(database, endpoint)).failing_since is not None
    await database.transact(lambda tx: tx.run(FAILED_FOR, since=now() - timedelta(days=days)))
    await database.transact(lambda tx: queue.write(tx, [fail(second)]))
    row = await show(database, endpoint)
    assert row.enabled is enabled
    assert row.disabled_reason == (None if enabled else "Every attempt has failed for 5 days.")
    assert await statuses(database, endpoint) == ({"pending": 3} if enabled else {"cancelled": 2, "failed": 1})


async def test_a_success_ends_the_count_of_days(database: Database) -> None:
    endpoint = await add_endpoint(database)
    await emit(database, 2)
    await FanOut(database, Notifier()).hand_out()
    one, two = await claim(database)
    await database.transact(lambda tx: queue.write(tx, [fail(one)]))
    await database.transact(lambda tx: queue.write(tx, [SCHEDULE.result(two, DeliveryAttempt(now(), 1, status=200))]))
    assert (await show(database, endpoint)).failing_since is None
    assert await statuses(database, endpoint) == {"pending": 1, "delivered": 1}


@pytest.mark.parametrize("batch", list(product(("failed", "delivered", "gone"), repeat=2)), ids="-".join)
async def test_a_batch_judges_its_endpoint_as_a_whole(database: Database, batch: tuple[str, ...]) -> None:
    """A success shows that the receiver works. The status 410 means that it wants no more deliveries."""
    endpoint = await add_endpoint(database)
    await emit(database, len(batch))
    await FanOut(database, Notifier()).hand_out()
    ended = [RESULTS[name](delivery) for name, delivery in zip(batch, await claim(database), strict=True)]
    await database.transact(lambda tx: queue.write(tx, ended))
    row = await show(database, endpoint)
    assert row.enabled == ("gone" not in batch)
    assert (row.failing_since is None) == ("delivered" in batch or "gone" in batch)
    counts = await statuses(database, endpoint)
    assert counts["delivered"] == batch.count("delivered")
    assert counts["pending"] == (batch.count("failed") if row.enabled else 0)


async def test_a_claim_that_was_lost_writes_nothing_and_is_told_in_the_log(database: Database) -> None:
    endpoint = await add_endpoint(database)
    await emit(database)
    await FanOut(database, Notifier()).hand_out()
    (stalled,) = await claim(database, "a")
    await database.transact(lambda tx: queue.LEASES.end_leases(tx, "a"))
    (taken,) = await claim(database, "b")
    assert [(entry["number"], entry["started_at"]) for entry in taken.log] == [(1, None)]
    ended = SCHEDULE.result(stalled, DeliveryAttempt(now(), 1, status=200))
    await database.transact(lambda tx: queue.write(tx, [ended]))
    assert await statuses(database, endpoint) == {"pending": 1}
    ended = SCHEDULE.result(taken, DeliveryAttempt(now(), 1, status=200))
    await database.transact(lambda tx: queue.write(tx, [ended]))
    assert await statuses(database, endpoint) == {"delivered": 1}


async def hand_back(delivery: ClaimedDelivery, tx: Tx) -> None:
    """End an attempt as a worker that is stopped."""
    await queue.hand_back(tx, [delivery])


async def die(_: ClaimedDelivery, tx: Tx) -> None:
    """End the lease of an attempt whose process died."""
    await queue.LEASES.end_leases(tx, "a")


async def refuse(delivery: ClaimedDelivery, tx: Tx) -> None:
    """End an attempt as failed, with the next one due at once."""
    await queue.write(tx, [replace(fail(delivery), delay_s=-1.0)])


ENDS: Mapping[str, Callable[[ClaimedDelivery, Tx], Awaitable[None]]] = {"died": die, "refused": refuse}


@pytest.mark.parametrize("ends", [ends for length in range(5) for ends in product(ENDS, repeat=length)], ids="-".join)
async def test_every_attempt_is_in_the_log_and_three_deaths_in_a_row_are_the_last(
    database: Database, ends: tuple[str, ...]
) -> None:
    endpoint = await add_endpoint(database)
    await emit(database)
    await FanOut(database, Notifier()).hand_out()
    log: list[bool] = []
    for end in ends:
        if log[-3:] == [False] * 3:
            break
        (delivery,) = await claim(database)
        assert [(entry["number"], entry["started_at"] is not None) for entry in delivery.log] == [*enumerate(log, 1)]
        await database.transact(partial(ENDS[end], delivery))
        log.append(end == "refused")
    given_up = log[-3:] == [False] * 3
    assert len(await claim(database)) == (not given_up)
    (row,) = await database.fetch(sql.DELIVERIES, endpoint=endpoint, per_page=10, offset=0)
    assert row.status == ("failed" if given_up else "pending")
    if given_up:
        ended = await database.lookup(sql.DELIVERY, endpoint=endpoint, delivery=row.public_id)
        assert ended is not None
        assert [entry["number"] for entry in ended.log] == list(range(1, len(log) + 2))
        assert ended.log[-2] == interrupted_attempt(len(log))


async def test_an_attempt_that_a_stop_interrupts_is_due_at_once_and_does_not_count(database: Database) -> None:
    await add_endpoint(database)
    await emit(database)
    await FanOut(database, Notifier()).hand_out()
    for number in range(5):
        (delivery,) = await eventually_claim(database)
        assert [entry["number"] for entry in delivery.log] == list(range(1, number + 1))
        assert delivery.interrupted == 0
        await database.transact(partial(hand_back, delivery))


async def eventually_claim(database: Database) -> list[ClaimedDelivery]:
    """Claim deliveries that are due within the resolution of the database's clock."""
    while not (claimed := await claim(database)):
        pass
    return claimed


@pytest.mark.parametrize(("microseconds", "signs"), [(-1, 1), (0, 1), (1, 2)])
async def test_a_rotation_ends_at_its_moment(database: Database, microseconds: int, signs: int) -> None:
    endpoint = await add_endpoint(database)
    moment = now()
    until = moment + timedelta(microseconds=microseconds)
    key = {"endpoint": endpoint, "account": ACCOUNT}
    await database.transact(lambda tx: tx.run(sql.ROTATE, **key, fresh="fresh", until=until, moment=moment))
    await emit(database)
    await FanOut(database, Notifier()).hand_out()
    (row,) = await database.transact(lambda tx: queue.LEASES.claim(tx, "a", 1, endpoint=endpoint))
    told = await database.lookup(EVENT, event=row.event_id)
    held = await database.transact(lambda tx: tx.one(sql.LOCK, **key))
    assert ClaimedDelivery.of(row, held, told, moment).secrets == ("x", "fresh")[-signs:]


async def test_claimed_deliveries_of_a_disabled_endpoint_are_cancelled(database: Database) -> None:
    endpoint = await add_endpoint(database)
    await emit(database, 2)
    await FanOut(database, Notifier()).hand_out()
    disable = Statement(sa.update(endpoints).values(enabled=False))
    await database.transact(lambda tx: tx.run(disable))
    assert await claim(database) == []
    assert await statuses(database, endpoint) == {"cancelled": 2}


DELIVERY = ClaimedDelivery(1, 1, "dlv_1", ACCOUNT, 1, "webhook.test", "evt_1", "http://example.com/", ("x",), b"{}", ())


@given(st.lists(st.booleans(), max_size=20), st.integers(0, MOST_S))
def test_waits_follow_the_schedule(counted: list[bool], retry_after: int) -> None:
    log = tuple({"started_at": "2026-11-21T08:00:00Z" if real else None} for real in counted)
    made = sum(counted) + 1
    delivery = replace(DELIVERY, log=log)
    result = fail(delivery, retry_after_s=retry_after)
    if made >= len(DELAYS):
        assert result.delay_s is None
        return
    assert result.delay_s is not None
    assert max(DELAYS[made] * 0.9, retry_after) <= result.delay_s <= max(DELAYS[made] * 1.1, retry_after)
    assert SCHEDULE.result(delivery, DeliveryAttempt(now(), 1, status=200)).delay_s is None
