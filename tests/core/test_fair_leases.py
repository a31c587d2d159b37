"""Accounts take turns: a long queue of one account does not delay the others."""

from collections import Counter
from collections.abc import Sequence

import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retinue.core.database.interface import Database, Tx
from retinue.core.database.postgres import PostgresDatabase
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Row, Statement
from retinue.core.work.fair_leases import PLACES, ClaimCapacity, FairLeases, Priority, fair_share
from tests.core import scratch
from tests.core.scratch import jobs

OPEN = ~jobs.c.done
LEASES = FairLeases(jobs, open_work=OPEN, claimed={})
ADD = Statement(sa.insert(jobs), ["account_id", "lease_until"])
EXPIRE = Statement(sa.update(jobs).where(jobs.c.id == sa.bindparam("job", type_=BigInt)).values(lease_until=100.0))
CLEAR = Statement(sa.delete(jobs))
ACCOUNTS = st.integers(1, 5)


async def add(tx: Tx, account: int, count: int = 1, priority: Priority = "normal") -> None:
    """Queue jobs of an account."""
    for _ in range(count):
        await tx.run(ADD, account_id=account, lease_until=PLACES[priority])


async def claim(tx: Tx, free: int, served: int = 0, most: int = 1000, held: dict[int, int] | None = None) -> list[Row]:
    """Claim jobs for a worker with room for `free` of them."""
    return await LEASES.claim_in_turn(tx, "a", ClaimCapacity(free, most, held or {}, served))


async def test_one_place_goes_round(database: Database) -> None:
    async def write(tx: Tx) -> list[int]:
        for account, count in ((1, 50), (2, 2), (3, 1)):
            await add(tx, account, count)
        order, served = [], 0
        for _ in range(6):
            (row,) = await claim(tx, 1, served)
            served = row.account_id
            order.append(served)
        return order

    assert await database.transact(write) == [1, 2, 3, 1, 2, 1]


async def test_many_places_are_shared_evenly(database: Database) -> None:
    async def write(tx: Tx) -> Counter[int]:
        for account, count in ((1, 50), (2, 1), (3, 50)):
            await add(tx, account, count)
        return Counter(row.account_id for row in await claim(tx, 10))

    assert await database.transact(write) == {1: 5, 2: 1, 3: 4}


async def test_no_account_gets_more_than_its_share(database: Database) -> None:
    async def write(tx: Tx) -> Sequence[Counter[int]]:
        await add(tx, 1, 50)
        first = await claim(tx, 8, most=fair_share(8))
        await add(tx, 2, 5)
        second = await claim(tx, 2, most=6, held={1: 6}, served=1)
        return Counter(row.account_id for row in first), Counter(row.account_id for row in second)

    assert await database.transact(write) == ({1: 6}, {2: 2})
    assert [fair_share(places) for places in (1, 2, 3, 4, 32)] == [1, 1, 2, 3, 24]


async def test_started_runs_go_first_and_then_by_priority(database: Database) -> None:
    async def write(tx: Tx) -> list[int]:
        for priority in ("low", "normal", "high"):
            await add(tx, 1, priority=priority)
        await claim(tx, 1)
        await LEASES.hand_back(tx, "a")
        await add(tx, 1, priority="high")
        return [row.id for _ in range(4) for row in await claim(tx, 1)]

    assert await database.transact(write) == [3, 4, 2, 1]


async def test_an_expired_lease_is_queued_before_new_rows(database: Database) -> None:
    async def write(tx: Tx) -> list[int]:
        await add(tx, 1, 3)
        await claim(tx, 1)
        await tx.run(EXPIRE, job=1)
        before = await claim(tx, 1)
        rejoined = await LEASES.requeue_expired(tx)
        assert rejoined == 1
        return [row.id for row in [*before, *await claim(tx, 1)]]

    assert await database.transact(write) == [2, 1]


async def test_a_lease_in_a_stalled_transaction_does_not_keep_others_from_rejoining(scratch_postgres: str) -> None:
    await scratch.create(scratch_postgres)
    database = PostgresDatabase(scratch_postgres)
    await database.open()

    async def prepare(tx: Tx) -> None:
        await add(tx, 1, 2)
        await claim(tx, 2)
        for job in (1, 2):
            await tx.run(EXPIRE, job=job)

    async def rejoin_while_one_is_locked(tx: Tx) -> int:
        await tx.run(EXPIRE, job=1)
        return await database.transact(LEASES.requeue_expired)

    await database.transact(prepare)
    assert await database.transact(rejoin_while_one_is_locked) == 1
    assert await database.transact(LEASES.requeue_expired) == 1
    await database.close()


async def test_a_returned_claim_does_not_count(database: Database) -> None:
    async def write(tx: Tx) -> tuple[Row, Row]:
        await add(tx, 1)
        (first,) = await claim(tx, 1)
        assert await LEASES.hand_back(tx, "b") == 0
        assert await LEASES.hand_back(tx, "a") == 1
        (again,) = await claim(tx, 1)
        return first, again

    first, again = await database.transact(write)
    assert (first.attempts, again.attempts) == (1, 1)
    assert again.epoch > first.epoch


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    queued=st.dictionaries(ACCOUNTS, st.integers(1, 8), min_size=1),
    held=st.dictionaries(ACCOUNTS, st.integers(0, 6)),
    free=st.integers(1, 12),
    most=st.integers(1, 6),
    served=st.integers(0, 6),
)
async def test_room_is_filled_and_shared_as_evenly_as_can_be(
    database: Database, queued: dict[int, int], held: dict[int, int], free: int, most: int, served: int
) -> None:
    async def write(tx: Tx) -> Counter[int]:
        await tx.run(CLEAR)
        for account, count in queued.items():
            await add(tx, account, count)
        return Counter(row.account_id for row in await claim(tx, free, served, most, held))

    got = await database.transact(write)
    could = {account: min(count, max(0, most - held.get(account, 0)), free) for account, count in queued.items()}
    assert got.total() == min(free, sum(could.values()))
    assert all(got[account] <= could[account] for account in queued)
    wanting = [got[account] for account in could if got[account] < could[account]]
    assert not wanting or max(got.values()) <= min(wanting) + 1
