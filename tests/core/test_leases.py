"""Leases: one owner at a time, and no write under a lost claim succeeds."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import sqlalchemy as sa
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from retinue.core.database.interface import Database, Tx
from retinue.core.database.schema import BigInt
from retinue.core.database.sqlite import SqliteDatabase
from retinue.core.database.statements import Row, Statement
from retinue.core.work.leases import LEASE_S, RENEW_S, Leases
from tests.core import scratch
from tests.core.scratch import jobs

OPEN = ~jobs.c.done
LEASES = Leases(jobs, open_work=OPEN, claimed={})

_THIS = jobs.c.id == sa.bindparam("job", type_=BigInt)
_FENCED = (_THIS, jobs.c.epoch == sa.bindparam("under", type_=BigInt), OPEN)
ADD = Statement(sa.insert(jobs).values(done=False).returning(jobs.c.id))
ALL = Statement(sa.select(jobs).order_by(jobs.c.id))
EXPIRE = Statement(sa.update(jobs).where(_THIS).values(lease_until=1.0))
FINISH = Statement(sa.update(jobs).where(*_FENCED).values(done=True, lease_owner=None, lease_until=0.0))
TOUCH = Statement(sa.update(jobs).where(*_FENCED).values(attempts=jobs.c.attempts))

OWNERS = st.sampled_from(["a", "b", "c"])
JOBS = st.integers(1, 6)


async def test_many_claimers_get_every_row_once(database: Database) -> None:
    async def fill(tx: Tx) -> None:
        for _ in range(200):
            await tx.one(ADD)

    await database.transact(fill)

    async def claimer(owner: str) -> list[int]:
        mine: list[int] = []
        while rows := await database.transact(lambda tx: LEASES.claim(tx, owner, 7)):
            mine += [row.id for row in rows]
        return mine

    claimed = await asyncio.gather(*(claimer(f"node-{number}") for number in range(8)))
    assert sorted(job for mine in claimed for job in mine) == list(range(1, 201))
    rows = await database.fetch(ALL)
    assert {(row.epoch, row.attempts) for row in rows} == {(1, 1)}
    assert [row.lease_owner for row in rows] == [owner for _, owner in sorted(_owners(claimed))]


def _owners(claimed: list[list[int]]) -> Iterator[tuple[int, str]]:
    return ((job, f"node-{number}") for number, mine in enumerate(claimed) for job in mine)


async def test_rows_that_wait_longest_come_first(database: Database) -> None:
    async def write(tx: Tx) -> list[Row]:
        for _ in range(3):
            await tx.one(ADD)
        await LEASES.claim(tx, "dead", 1)
        await tx.run(EXPIRE, job=1)
        return await LEASES.claim(tx, "a", 2)

    assert [row.id for row in await database.transact(write)] == [2, 3]
    assert [row.id for row in await database.transact(lambda tx: LEASES.claim(tx, "a", 2))] == [1]


async def test_a_lease_lasts_as_long_as_it_says_by_the_database_s_clock(database: Database) -> None:
    now = Statement(sa.select(jobs.c.lease_until))

    async def write(tx: Tx) -> tuple[float, float]:
        await tx.one(ADD)
        await LEASES.claim(tx, "a", 1)
        first = await tx.all(now)
        await tx.run(EXPIRE, job=1)
        assert await LEASES.renew(tx, "a", [1]) == {1}
        again = await tx.all(now)
        return first[0].lease_until, again[0].lease_until

    first, again = await database.transact(write)
    assert 0 <= again - first < LEASE_S / 2
    assert RENEW_S * 3 < LEASE_S


class LeaseModel(RuleBasedStateMachine):
    """Owners claim, renew, die and write late, in any order. A plain model predicts the table's rows."""

    def __init__(self) -> None:
        super().__init__()
        self._stack = _sqlite()
        self.runner, self.database = self._stack.__enter__()
        self.owner: dict[int, str | None] = {}
        self.epoch: dict[int, int] = {}
        self.free: set[int] = set()
        self.done: set[int] = set()
        self.held: set[tuple[int, int]] = set()
        """All claims ever made, as job and epoch."""

    def transact(self, work: Any) -> Any:
        return self.runner.run(self.database.transact(work))

    @initialize()
    def some_jobs(self) -> None:
        async def fill(tx: Tx) -> None:
            for _ in range(6):
                await tx.one(ADD)

        self.transact(fill)
        self.free = set(range(1, 7))
        self.owner = dict.fromkeys(self.free)
        self.epoch = dict.fromkeys(self.free, 0)

    @rule(owner=OWNERS, at_most=st.integers(1, 4))
    def claim(self, owner: str, at_most: int) -> None:
        rows = self.transact(lambda tx: LEASES.claim(tx, owner, at_most))
        assert len(rows) == min(at_most, len(self.free))
        for row in rows:
            assert row.id in self.free
            self.free.discard(row.id)
            self.owner[row.id] = owner
            self.epoch[row.id] += 1
            assert row.epoch == self.epoch[row.id]
            self.held.add((row.id, row.epoch))

    @rule(owner=OWNERS, asked=st.lists(JOBS, max_size=6))
    def renew(self, owner: str, asked: list[int]) -> None:
        kept = self.transact(lambda tx: LEASES.renew(tx, owner, asked))
        assert kept == {job for job in asked if self.owner[job] == owner and job not in self.done}
        self.free -= kept

    @rule(job=JOBS)
    def expire(self, job: int) -> None:
        if job not in self.done:
            self.transact(lambda tx: tx.run(EXPIRE, job=job))
            self.free.add(job)

    @rule(owner=OWNERS)
    def end_leases(self, owner: str) -> None:
        self.transact(lambda tx: LEASES.end_leases(tx, owner))
        self.free |= {job for job, held in self.owner.items() if held == owner and job not in self.done}

    @rule(owner=OWNERS)
    def end_other_leases(self, owner: str) -> None:
        self.transact(lambda tx: LEASES.end_other_leases(tx, owner))
        self.free |= {job for job, held in self.owner.items() if held not in (owner, None) and job not in self.done}

    @precondition(lambda self: self.held)
    @rule(data=st.data(), last=st.booleans())
    def write_under_some_claim(self, data: st.DataObject, last: bool) -> None:
        job, epoch = data.draw(st.sampled_from(sorted(self.held)))
        touched = self.transact(lambda tx: tx.run(FINISH if last else TOUCH, job=job, under=epoch))
        assert touched == (job not in self.done and epoch == self.epoch[job])
        if touched and last:
            self.done.add(job)
            self.free.discard(job)
            self.owner[job] = None

    @invariant()
    def the_table_says_what_the_model_says(self) -> None:
        for row in self.runner.run(self.database.fetch(ALL)):
            assert (row.epoch, row.lease_owner, row.done) == (
                self.epoch[row.id], self.owner[row.id], row.id in self.done,
            )  # fmt: skip
            assert row.attempts == row.epoch

    def teardown(self) -> None:
        self._stack.__exit__(None, None, None)


@contextmanager
def _sqlite() -> Iterator[tuple[asyncio.Runner, SqliteDatabase]]:
    with TemporaryDirectory() as folder, asyncio.Runner() as runner:
        path = Path(folder) / "jobs.db"
        runner.run(scratch.create(path))
        database = SqliteDatabase(path)
        runner.run(database.open())
        yield runner, database
        runner.run(database.close())


LeaseModel.TestCase.settings = settings(max_examples=30, stateful_step_count=30, deadline=None)
TestLeases = LeaseModel.TestCase
