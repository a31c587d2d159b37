"""`transact` on both databases: all or nothing, alone or concurrently."""

import asyncio
import gc
import threading
import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from retinue.core.database.interface import Database, DatabaseUnavailable, Priority, Tx, UniqueConflict, priority
from retinue.core.database.sqlite import SqliteDatabase
from tests.core import scratch


class Refused(Exception):
    """An error of a service."""


def adding(*names: str) -> Callable[[Tx], Awaitable[None]]:
    """Return a transaction that adds a row for each name."""
    return lambda tx: scratch.add(tx, *names)


async def test_a_commit_stores_the_rows_and_returns_the_result(database: Database) -> None:
    async def work(tx: Tx) -> str:
        await scratch.add(tx, "one", "two")
        return "done"

    assert await database.transact(work) == "done"
    assert await scratch.names(database) == ["one", "two"]


async def test_a_transaction_sees_its_own_changes(database: Database) -> None:
    async def work(tx: Tx) -> Any:
        await scratch.add(tx, "one")
        touched = await tx.run(scratch.RAISE, called="one")
        return touched, await tx.all(scratch.NAMES), await tx.one(scratch.BY_NAME, called="two")

    assert await database.transact(work) == (1, [("one",)], None)


async def test_a_value_that_the_statement_has_no_parameter_for_is_refused(database: Database) -> None:
    with pytest.raises(TypeError, match="no parameter for account, owner"):
        await database.transact(lambda tx: tx.run(scratch.RAISE, called="one", owner=1, account=2))
    with pytest.raises(TypeError, match="no parameter for owner"):
        await database.fetch(scratch.NAMES, owner=1)


async def test_an_error_undoes_everything_and_is_raised_as_it_is(database: Database) -> None:
    error = Refused("no")

    async def work(tx: Tx) -> None:
        await scratch.add(tx, "one", "two")
        raise error

    with pytest.raises(Refused) as raised:
        await database.transact(work)
    assert raised.value is error
    assert await scratch.names(database) == []


async def test_in_a_crowd_each_transaction_stands_or_falls_alone(database: Database) -> None:
    async def work(number: int, tx: Tx) -> int:
        await scratch.add(tx, f"{number}-first", f"{number}-second")
        if number % 3 == 1:
            raise Refused(number)
        if number % 3 == 2:
            await scratch.add(tx, f"{number}-first")
        return number

    outcomes = await asyncio.gather(
        *(database.transact(partial(work, number)) for number in range(300)), return_exceptions=True
    )
    for number, outcome in enumerate(outcomes):
        match number % 3:
            case 0:
                assert outcome == number
            case 1:
                assert isinstance(outcome, Refused)
                assert outcome.args == (number,)
            case _:
                assert isinstance(outcome, UniqueConflict)
    kept = {f"{number}-{part}" for number in range(0, 300, 3) for part in ("first", "second")}
    assert set(await scratch.names(database)) == kept


async def test_a_conflict_of_unique_names_is_told_as_such(database: Database) -> None:
    await database.transact(adding("taken"))
    with pytest.raises(UniqueConflict):
        await database.transact(adding("free", "taken"))
    assert await scratch.names(database) == ["taken"]


async def test_many_at_once_lose_no_update(database: Database) -> None:
    await database.transact(adding("counter"))

    async def raise_once(tx: Tx) -> int:
        rows = await tx.all(scratch.RAISE, called="counter")
        return int(rows[0].value)

    values = await asyncio.gather(*(database.transact(raise_once) for _ in range(400)))
    assert sorted(values) == list(range(1, 401))
    row = await database.lookup(scratch.BY_NAME, called="counter")
    assert row is not None
    assert row.value == 400


async def test_a_statement_that_fails_is_raised_and_undoes_everything(database: Database) -> None:
    async def work(tx: Tx) -> None:
        await scratch.add(tx, "one")
        await tx.run(scratch.ADD, name=None, value=0)

    with pytest.raises(Exception, match=r"(?i)not.null"):
        await database.transact(work)
    assert await scratch.names(database) == []
    await database.transact(adding("two"))
    assert await scratch.names(database) == ["two"]


def seen_from_outside(place: Path | str) -> list[str]:
    """Return the names that another connection sees now, in another thread and event loop."""
    found: list[str] = []

    async def look() -> None:
        other = scratch.database_at(place)
        await other.open()
        found.extend(await scratch.names(other))
        await other.close()

    thread = threading.Thread(target=asyncio.run, args=(look(),))
    thread.start()
    thread.join()
    return found


async def test_hooks_run_after_the_commit(database: Database, place: Path | str) -> None:
    told: list[list[str]] = []

    async def work(tx: Tx) -> None:
        tx.after_commit(lambda: told.append(seen_from_outside(place)))
        await scratch.add(tx, "one")
        assert told == []

    await database.transact(work)
    assert told == [["one"]]


async def test_work_and_hooks_run_in_the_context_of_their_caller(database: Database) -> None:
    caller: ContextVar[int] = ContextVar("caller")
    seen: list[tuple[str, int, int]] = []

    async def write(number: int) -> None:
        caller.set(number)

        async def work(tx: Tx) -> None:
            seen.append(("work", number, caller.get(-1)))
            tx.after_commit(lambda: seen.append(("hook", number, caller.get(-1))))
            await scratch.add(tx, f"row {number}")

        await database.transact(work)

    await asyncio.gather(*map(write, range(50)))
    assert {kind for kind, _, _ in seen} == {"work", "hook"}
    assert [one for one in seen if one[1] != one[2]] == []


async def test_hooks_do_not_run_after_a_rollback(database: Database) -> None:
    told: list[str] = []

    async def work(tx: Tx) -> None:
        tx.after_commit(lambda: told.append("told"))
        raise Refused

    with pytest.raises(Refused):
        await database.transact(work)
    assert told == []


async def test_a_broken_hook_harms_nobody(database: Database) -> None:
    def fail() -> None:
        raise ValueError

    async def broken(tx: Tx) -> str:
        tx.after_commit(fail)
        await scratch.add(tx, "broken")
        return "done"

    others = (database.transact(adding(name)) for name in ("a", "b", "c"))
    outcomes = await asyncio.wait_for(asyncio.gather(database.transact(broken), *others), 120)
    assert outcomes == ["done", None, None, None]
    assert set(await scratch.names(database)) == {"broken", "a", "b", "c"}


async def test_a_caller_that_goes_away_leaves_all_or_nothing(database: Database) -> None:
    for turns in range(20):
        task = asyncio.ensure_future(database.transact(adding(f"{turns}-first", f"{turns}-second")))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
    await database.transact(adding("last"))
    begun = {f"{turns}-{part}" for turns in range(1, 20) for part in ("first", "second")}
    await _settle(database, len(begun) + 1)
    assert set(await scratch.names(database)) == {"last", *begun}


async def test_the_error_of_a_caller_that_went_away_is_nobody_s(database: Database) -> None:
    unhandled: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unhandled.append(context))

    async def work(tx: Tx) -> None:
        await scratch.add(tx, "one")
        raise Refused

    task = asyncio.ensure_future(database.transact(work))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    await asyncio.gather(*(database.transact(adding(str(number))) for number in range(40)))
    del task
    gc.collect()
    assert unhandled == []
    assert "one" not in await scratch.names(database)


async def _settle(database: Database, rows: int) -> None:
    """Wait for transactions whose callers were cancelled."""
    for _ in range(10_000):
        if len(await scratch.names(database)) == rows:
            return
        await asyncio.sleep(0.001)


async def test_acknowledged_writes_are_there_after_a_restart(place: Path | str) -> None:
    database = scratch.database_at(place)
    await database.open()
    calls = [asyncio.ensure_future(database.transact(adding(str(number)))) for number in range(100)]
    await asyncio.sleep(0)
    await database.close()
    outcomes = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 120)
    assert all(outcome is None or isinstance(outcome, DatabaseUnavailable) for outcome in outcomes)
    answered = {str(number) for number, outcome in enumerate(outcomes) if outcome is None}
    assert answered == set(seen_from_outside(place))


async def test_waiting_for_something_foreign_is_refused(tmp_path: Path) -> None:
    await scratch.create(tmp_path / "one.db")
    database = SqliteDatabase(tmp_path / "one.db")
    await database.open()

    async def foreign(tx: Tx) -> None:
        await scratch.add(tx, "foreign")
        await asyncio.sleep(0)

    others = (database.transact(adding(name)) for name in ("a", "b"))
    refused, *fine = await asyncio.gather(database.transact(foreign), *others, return_exceptions=True)
    assert isinstance(refused, RuntimeError)
    assert fine == [None, None]
    assert set(await scratch.names(database)) == {"a", "b"}
    await database.close()


async def test_between_transactions_that_take_long_others_have_the_loop(tmp_path: Path) -> None:
    await scratch.create(tmp_path / "one.db")
    database = SqliteDatabase(tmp_path / "one.db")
    await database.open()
    turns = 0
    seen: list[int] = []

    async def take_long(tx: Tx) -> None:
        seen.append(turns)
        await scratch.add(tx, f"long-{len(seen)}")
        end = time.perf_counter() + 0.01
        while time.perf_counter() < end:
            pass

    async def others() -> None:
        nonlocal turns
        while len(seen) < 10:
            turns += 1
            await asyncio.sleep(0)

    await asyncio.gather(others(), *(database.transact(take_long) for _ in range(10)))
    assert seen == sorted(set(seen))
    assert sorted(await scratch.names(database)) == sorted(f"long-{number}" for number in range(1, 11))
    await database.close()


@pytest.mark.parametrize("its", Priority)
async def test_transactions_that_take_long_are_carried_out_in_the_order_they_came(
    its: Priority, tmp_path: Path
) -> None:
    """A group is interrupted after a time. Its remaining transactions run before all others, in their order."""
    await scratch.create(tmp_path / "scratch.db")
    database = SqliteDatabase(tmp_path / "scratch.db")
    await database.open()
    priority.set(its)

    async def take_long(name: str, tx: Tx) -> None:
        await scratch.add(tx, name)
        end = time.perf_counter() + 0.005
        while time.perf_counter() < end:
            pass

    came = [f"{number}" for number in range(10)]
    await asyncio.gather(*(database.transact(partial(take_long, name)) for name in came))
    assert await scratch.names(database) == came
    await database.close()


async def test_renewals_run_first_and_background_work_runs_last(tmp_path: Path) -> None:
    await scratch.create(tmp_path / "scratch.db")
    database = SqliteDatabase(tmp_path / "scratch.db")
    await database.open()
    begun: list[str] = []

    async def work(name: str, tx: Tx) -> None:
        begun.append(name)
        await scratch.add(tx, name)

    async def transact(its: Priority, name: str) -> None:
        priority.set(its)
        await database.transact(partial(work, name))

    patients = [asyncio.create_task(transact(Priority.LOW, f"patient {number}")) for number in range(8)]
    others = [asyncio.create_task(database.transact(partial(work, f"{number}"))) for number in range(9)]
    await asyncio.gather(*patients, *others, transact(Priority.HIGH, "urgent"))
    await database.close()
    assert begun.pop(0) == "urgent"
    assert begun.index("patient 2") > begun.index("7")
    for start, count in (("patient ", 8), ("", 9)):
        assert [name for name in begun if name.rpartition(" ")[0] == start.strip()] == [
            f"{start}{number}" for number in range(count)
        ]
