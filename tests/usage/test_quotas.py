"""The remaining monthly quotas of a plan: minutes of calls, and executions of tools."""

from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import repeat
from pathlib import Path

import pytest

from retinue.auth.caller import Caller
from retinue.auth.plans import Plan, RequestLimits
from retinue.core.database.interface import Database
from retinue.core.errors import RateLimited
from retinue.usage.ledger import UsageEntry, record
from retinue.usage.meter import Meter
from retinue.usage.quotas import Quotas
from tests.usage.conftest import ACCOUNT

LIMITS = RequestLimits(minute=1, hour=1, day=1)


def caller(minutes: int | None, sandbox: bool = False) -> Caller:
    """Return a caller whose plan has so many minutes of calls."""
    quotas = {} if minutes is None else {"voice_minutes": minutes}
    plan = Plan(tools="free", requests=LIMITS, keys=1, quotas=quotas)
    return Caller(1, ACCOUNT, sandbox, "key:1", "starter", plan, frozenset({"*"}))


async def test_minutes_of_calls_are_used_up(database: Database, tmp_path: Path) -> None:
    quotas = Quotas(database, Meter(database, tmp_path))
    for seconds, left in ((0.0, 300), (61.5, 239), (200.0, 39), (38.4, 1)):
        use = UsageEntry("voice", milliseconds=round(seconds * 1000))
        await database.transact(partial(record, account_id=ACCOUNT, use=use))
        assert await quotas.voice_seconds_left(caller(5)) == left
        assert await quotas.voice_seconds_left(caller(None)) is None
        assert await quotas.voice_seconds_left(caller(0, sandbox=True)) is None
    for minutes in (0, 4):
        with pytest.raises(RateLimited, match=f"voice_minutes of the plan starter \\({minutes} per month"):
            await quotas.voice_seconds_left(caller(minutes))


async def test_tools_are_refused_at_the_limit_and_beyond_it(database: Database, tmp_path: Path) -> None:
    """A plan that was lowered leaves an account beyond its limit."""
    quotas = Quotas(database, Meter(database, tmp_path))
    plan = Plan(tools="free", requests=LIMITS, keys=1, quotas={"tools_executed": 2})
    lowered = replace(caller(None), plan=plan)
    for refused in (False, False, True, True):
        with pytest.raises(RateLimited, match="tools_executed") if refused else nullcontext():
            await quotas.check_tools(lowered)
        await database.transact(partial(record, account_id=ACCOUNT, use=UsageEntry("tools")))


async def test_the_calls_of_a_month_do_not_count_in_the_next(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although the number of calls is cached."""
    monkeypatch.setattr("retinue.usage.quotas._FRESH_S", 3600.0)
    quotas = Quotas(database, Meter(database, tmp_path))
    limited = replace(caller(None), plan=Plan(tools="free", requests=LIMITS, keys=1, quotas={"api_calls": 2}))
    for moment in (datetime(2026, 1, 31, 23, 59, 59, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)):
        monkeypatch.setattr("retinue.usage.quotas.now", repeat(moment).__next__)
        for refused in (False, False, True):
            with pytest.raises(RateLimited, match="api_calls") if refused else nullcontext():
                await quotas.check_calls(limited)
