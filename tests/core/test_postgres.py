"""Transactions under PostgreSQL's own failures: deadlocks, lost connections, an unreachable server."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
import sqlalchemy as sa

from retinue.core.database import postgres
from retinue.core.database.interface import DatabaseUnavailable, Priority, Tx, priority
from retinue.core.database.postgres import PostgresDatabase, connect_once
from retinue.core.database.statements import Statement
from retinue.core.errors import ValidationFailed
from retinue.core.work.leases import LEASE_S
from tests.core import scratch
from tests.support.databases import Postgres

_END_OTHERS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
_NO_ROOM = Statement(sa.text("DO $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = 'disk_full'; END $$"))
_BECOME_STANDBY = Statement(sa.text("SET TRANSACTION READ ONLY"))
_SLEEP = Statement(sa.text("SELECT pg_sleep(60)"))


@pytest.fixture
async def database(scratch_postgres: str) -> AsyncIterator[PostgresDatabase]:
    """A PostgreSQL database."""
    await scratch.create(scratch_postgres)
    opened = PostgresDatabase(scratch_postgres)
    await opened.open()
    yield opened
    await opened.close()


async def end_connections(address: str) -> None:
    """Close every other connection, as a restart of PostgreSQL does."""
    connection = await connect_once(address)
    await connection.execute(_END_OTHERS)
    await connection.close()


async def test_urgent_transactions_wait_for_no_connection(scratch_postgres: str) -> None:
    await scratch.create(scratch_postgres)
    database = PostgresDatabase(scratch_postgres, pool_size=1)
    await database.open()
    begun, ended = asyncio.Event(), asyncio.Event()

    async def hold(tx: Tx) -> None:
        await scratch.add(tx, "long")
        begun.set()
        await ended.wait()

    async def urgently(name: str) -> None:
        priority.set(Priority.HIGH)
        await database.transact(lambda tx: scratch.add(tx, name))

    holding = asyncio.create_task(database.transact(hold))
    await begun.wait()
    await asyncio.create_task(urgently("renewal"))
    assert not holding.done()
    ended.set()
    await holding
    assert await scratch.names(database) == ["long", "renewal"]
    await database.close()


async def test_a_deadlock_is_tried_again_until_both_are_done(database: PostgresDatabase) -> None:
    await database.transact(lambda tx: scratch.add(tx, "a", "b"))
    attempts: list[str] = []
    both_hold_one = asyncio.Barrier(2)

    async def cross(tx: Tx, first: str, second: str) -> None:
        attempts.append(first)
        await tx.run(scratch.RAISE, called=first)
        if len(attempts) <= 2:
            await both_hold_one.wait()
        await tx.run(scratch.RAISE, called=second)

    await asyncio.gather(
        database.transact(lambda tx: cross(tx, "a", "b")), database.transact(lambda tx: cross(tx, "b", "a"))
    )
    values = [(await database.lookup(scratch.BY_NAME, called=name)) for name in ("a", "b")]
    assert [row.value for row in values if row] == [2, 2]
    assert len(attempts) > 2, "no transaction blocked another"


async def test_a_transaction_that_stalls_within_a_statement_frees_its_rows(
    scratch_postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_LIMIT", "SET transaction_timeout = '4s'")
    await scratch.create(scratch_postgres)
    pool = await postgres.connect_pool(scratch_postgres, 1)
    other = await connect_once(scratch_postgres)
    await other.execute("INSERT INTO notes (name, value) VALUES ('a', 0)")
    stalled = await pool.acquire()
    await stalled.execute("BEGIN; UPDATE notes SET value = 1")
    await stalled.prepare("SELECT $1::int")  # PostgreSQL awaits the parameter
    await other.execute("UPDATE notes SET value = 2 WHERE value = 0")
    assert await other.fetchval("SELECT value FROM notes") == 2
    await other.close()
    pool.terminate()


async def test_a_conflict_that_never_ends_says_so(database: PostgresDatabase) -> None:
    async def work(tx: Tx) -> None:
        await scratch.add(tx, "one")
        raise asyncpg.SerializationError("made up")

    with pytest.raises(DatabaseUnavailable, match="conflicting"):
        await database.transact(work)
    assert await scratch.names(database) == []


async def test_a_connection_that_the_server_ends_is_told_plainly_and_replaced(
    database: PostgresDatabase, scratch_postgres: str
) -> None:
    async def work(tx: Tx) -> None:
        await scratch.add(tx, "lost")
        await end_connections(scratch_postgres)
        await scratch.add(tx, "never")

    with pytest.raises(DatabaseUnavailable):
        await database.transact(work)
    await database.transact(lambda tx: scratch.add(tx, "found"))
    assert await scratch.names(database) == ["found"]


async def test_idle_connections_that_the_server_ends_are_replaced_unseen(
    database: PostgresDatabase, scratch_postgres: str
) -> None:
    await asyncio.gather(*(database.transact(scratch.add) for _ in range(32)))
    await end_connections(scratch_postgres)
    outcomes = await asyncio.gather(*(scratch.names(database) for _ in range(64)), return_exceptions=True)
    assert [outcome for outcome in outcomes if not isinstance(outcome, list | DatabaseUnavailable)] == []
    assert await asyncio.gather(*(scratch.names(database) for _ in range(64))) == [[]] * 64


async def test_a_statement_that_the_server_breaks_off_is_told_plainly(
    database: PostgresDatabase, scratch_postgres: str
) -> None:
    sleeping = asyncio.ensure_future(database.transact(lambda tx: tx.all(_SLEEP)))
    while not sleeping.done():
        await end_connections(scratch_postgres)
        await asyncio.wait([sleeping], timeout=0.1)
    with pytest.raises(DatabaseUnavailable):
        await sleeping


@pytest.mark.parametrize("trouble", [_NO_ROOM, _BECOME_STANDBY])
async def test_a_server_that_cannot_write_is_unavailable(database: PostgresDatabase, trouble: Statement) -> None:
    async def work(tx: Tx) -> None:
        await tx.all(trouble)
        await scratch.add(tx, "one")

    with pytest.raises(DatabaseUnavailable):
        await database.transact(work)
    assert await scratch.names(database) == []


async def test_a_text_that_postgresql_cannot_store_is_the_callers_fault(database: PostgresDatabase) -> None:
    with pytest.raises(ValidationFailed, match="NUL"):
        await database.lookup(scratch.BY_NAME, called="a\0b")
    with pytest.raises(ValidationFailed, match="NUL"):
        await database.transact(lambda tx: scratch.add(tx, "a\0b"))
    assert await scratch.names(database) == []


async def test_an_unreachable_server_is_reported_with_a_remedy(postgres: Postgres) -> None:
    address = postgres.new_database().replace("retinue_", "nowhere_")
    with pytest.raises(DatabaseUnavailable, match="RETINUE_DATABASE_URL"):
        await PostgresDatabase(address).open()


@pytest.mark.slow
async def test_the_locks_of_a_node_that_says_nothing_more_are_given_to_others(database: PostgresDatabase) -> None:
    await database.transact(lambda tx: scratch.add(tx, "a"))
    locked, awake = asyncio.Event(), asyncio.Event()

    async def stall(tx: Tx) -> None:
        await tx.run(scratch.RAISE, called="a")
        locked.set()
        await awake.wait()
        await tx.run(scratch.RAISE, called="a")

    stalled = asyncio.ensure_future(database.transact(stall))
    await locked.wait()
    async with asyncio.timeout(LEASE_S):
        await database.transact(lambda tx: tx.run(scratch.RAISE, called="a"))
    awake.set()
    with pytest.raises(DatabaseUnavailable):
        await stalled
    row = await database.lookup(scratch.BY_NAME, called="a")
    assert row is not None
    assert row.value == 1
