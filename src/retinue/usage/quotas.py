"""Enforces monthly quotas: refuses requests until the next period once a quota is used up."""

import time
from dataclasses import dataclass

from retinue.auth.caller import Caller
from retinue.core.database.interface import Database
from retinue.core.errors import RateLimited
from retinue.core.runtime.clock import now
from retinue.usage.meter import Meter
from retinue.usage.periods import next_first_day, period_of, seconds_left
from retinue.usage.totals import used_of, voice_seconds

_FRESH_S = 2.0
"""How long a node caches an account's number of calls. It adds its own calls to the cached value."""


@dataclass(slots=True)
class _Known:
    period: str
    until: float
    used: int


class Quotas:
    """Checks quotas. Plans without quotas cost no query."""

    def __init__(self, database: Database, meter: Meter) -> None:
        self._database = database
        self.meter = meter
        self.touched = meter.touched
        """Ids of accounts whose usage grew, for the threshold check."""
        self._known: dict[int, _Known] = {}

    async def check_calls(self, caller: Caller) -> None:
        """Raise `RateLimited` if the plan's API calls are used up, else add this call to the cached count."""
        limit = caller.plan.quotas.get("api_calls")
        if limit is None or caller.sandbox:
            return
        known = self._known.get(caller.account_id)
        if known is None or known.until < time.monotonic() or known.period != period_of(now().date()):
            known = await self._read(caller)
        if known.used >= limit:
            raise _used_up("api_calls", limit, caller)
        known.used += 1

    async def check_tools(self, caller: Caller, running: int = 0) -> None:
        """Raise `RateLimited` if the plan's tool executions are used up. `running` are not counted yet."""
        limit = caller.plan.quotas.get("tools_executed")
        if limit is None or caller.sandbox:
            return
        if await used_of(self._database, caller.account_id, "tools_executed") + running >= limit:
            raise _used_up("tools_executed", limit, caller)

    async def voice_seconds_left(self, caller: Caller) -> int | None:
        """Return the remaining seconds of voice calls, or None if unlimited. Raises `RateLimited` if none remain."""
        limit = caller.plan.quotas.get("voice_minutes")
        if limit is None or caller.sandbox:
            return None
        left = limit * 60 - await voice_seconds(self._database, caller.account_id)
        if left <= 0:
            raise _used_up("voice_minutes", limit, caller)
        return left

    async def _read(self, caller: Caller) -> _Known:
        await self.meter.try_fold()
        used = await used_of(self._database, caller.account_id, "api_calls")
        known = _Known(period_of(now().date()), time.monotonic() + _FRESH_S, used)
        self._known[caller.account_id] = known
        return known


def _used_up(metric: str, limit: int, caller: Caller) -> RateLimited:
    moment = now()
    return RateLimited(
        f"The quota {metric} of the plan {caller.plan_name} ({limit:,} per month) is used up. It begins again on "
        f"{next_first_day(moment.date())} (UTC). A larger plan has a higher quota.",
        seconds_left(moment),
    )
