"""The check of thresholds by itself."""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any, cast

import pytest
import sqlalchemy as sa

from retinue.auth.plans import Plan, Plans, RequestLimits
from retinue.core.database.interface import Database, DatabaseUnavailable
from retinue.core.database.statements import Statement
from retinue.core.work.events import events
from retinue.usage import thresholds as module
from retinue.usage.ledger import UsageEntry, record
from retinue.usage.thresholds import Thresholds
from retinue.usage.totals import use
from tests.usage.conftest import ACCOUNT

_EVENTS = Statement(sa.select(events.c.data))


@pytest.fixture
def touched_accounts() -> set[int]:
    """The ids of accounts whose usage grew."""
    return set()


@pytest.fixture
def thresholds(database: Database, touched_accounts: set[int]) -> Thresholds:
    """The check for a plan of five API calls a month."""
    limits = RequestLimits(minute=1, hour=1, day=1)
    plan = Plan(tools="free", requests=limits, keys=1, quotas={"api_calls": 5})
    return Thresholds(database, cast(Plans, {"free": plan}), touched_accounts)


async def call(database: Database, touched_accounts: set[int], count: int) -> None:
    """Count API calls of the account."""
    await database.transact(partial(record, account_id=ACCOUNT, use=UsageEntry("api", count=count)))
    touched_accounts.add(ACCOUNT)


async def reached_thresholds(database: Database) -> list[int]:
    """Return the thresholds of all events."""
    return sorted(row.data["threshold"] for row in await database.fetch(_EVENTS))


async def test_a_call_during_the_check_is_checked_afterwards(
    thresholds: Thresholds, database: Database, touched_accounts: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def use_before_the_last_call(*account: Any) -> Mapping[str, int]:
        amounts = await use(*account)
        monkeypatch.setattr(module, "use", use)
        await call(database, touched_accounts, 1)
        return amounts

    monkeypatch.setattr(module, "use", use_before_the_last_call)
    await call(database, touched_accounts, 4)
    await thresholds.look()
    await thresholds.look()
    assert await reached_thresholds(database) == [80, 100]
    assert not touched_accounts


async def test_an_account_whose_check_failed_is_checked_again(
    thresholds: Thresholds, database: Database, touched_accounts: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any) -> None:
        raise DatabaseUnavailable("The database is away.")

    await call(database, touched_accounts, 5)
    with monkeypatch.context() as away:
        away.setattr(module, "use", fail)
        with pytest.raises(DatabaseUnavailable):
            await thresholds.look()
    await thresholds.look()
    assert await reached_thresholds(database) == [80, 100]


async def test_the_first_check_waits_for_the_database(
    thresholds: Thresholds, database: Database, touched_accounts: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    query = database.query

    async def fail_once(*_: Any) -> None:
        monkeypatch.setattr(database, "query", query)
        raise DatabaseUnavailable("The database is away.")

    monkeypatch.setattr(module, "_LOOK_S", 0)
    monkeypatch.setattr(database, "query", fail_once)
    await call(database, touched_accounts, 5)
    touched_accounts.clear()
    running = asyncio.create_task(thresholds.run())
    async with asyncio.timeout(120):
        while await reached_thresholds(database) != [80, 100]:
            assert not running.done()
            await asyncio.sleep(0)
    running.cancel()
