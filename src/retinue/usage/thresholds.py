"""Emits an event when a metric reaches 80 % or 100 % of its limit."""

import asyncio

import sqlalchemy as sa
import structlog
from sqlalchemy.dialects.postgresql import insert

from retinue.auth.plans import Plans
from retinue.auth.tables import accounts, users
from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.core.work.events import emit
from retinue.usage.events import UsageThreshold
from retinue.usage.periods import period_of
from retinue.usage.tables import usage_thresholds
from retinue.usage.totals import use

_log = structlog.get_logger()
THRESHOLDS = (80, 100)
"""Percentages of the limit."""

_LOOK_S = 1.0
_LIVE = Statement(sa.select(accounts.c.id).where(accounts.c.sandbox.is_(False)))
_PLAN = Statement(
    sa.select(users.c.plan)
    .join(accounts, accounts.c.user_id == users.c.id)
    .where(accounts.c.id == sa.bindparam("account", type_=BigInt), accounts.c.sandbox.is_(False))
)
_REPORTED = Statement(
    insert(usage_thresholds)
    .values({column.name: sa.bindparam(column.name, type_=column.type) for column in usage_thresholds.c})
    .on_conflict_do_nothing(index_elements=["account_id", "period", "metric", "threshold"])
)


class Thresholds:
    """Checks the thresholds of accounts whose usage grew."""

    def __init__(self, database: Database, plans: Plans, touched: set[int]) -> None:
        self._database = database
        self._plans = plans
        self._touched = touched

    async def run(self) -> None:
        """Check every second until cancelled. Checks every account first, in case a process died before its check."""
        all_touched = False
        while True:
            try:
                if not all_touched:
                    self._touched |= {row.id for row in await self._database.query(_LIVE)}
                    all_touched = True
                await self.look()
            except DatabaseUnavailable as error:
                _log.debug("thresholds.not_looked", reason=error.message)
            await asyncio.sleep(_LOOK_S)

    async def look(self) -> None:
        """Emit an event for every threshold that a touched account has reached."""
        for account_id in list(self._touched):
            # Before the check: usage that grows during it must be checked again.
            self._touched.discard(account_id)
            try:
                await self._look_at(account_id)
            except Exception:
                self._touched.add(account_id)
                raise

    async def _look_at(self, account_id: int) -> None:
        plan = await self._database.lookup(_PLAN, account=account_id)
        limits = self._plans[plan.plan].quotas if plan else {}
        if not limits:
            return
        amounts = await use(self._database, account_id)
        for metric, limit in limits.items():
            for threshold in THRESHOLDS:
                if limit and amounts[metric] * 100 >= threshold * limit:
                    await self._emit(account_id, metric, threshold, amounts[metric], limit)

    async def _emit(self, account_id: int, metric: str, threshold: int, amount: int, limit: int) -> None:
        period = period_of(now().date())
        event = UsageThreshold(metric=metric, threshold=threshold, used=amount, limit=limit, period=period)

        async def write(tx: Tx) -> None:
            if await tx.run(_REPORTED, account_id=account_id, period=period, metric=metric, threshold=threshold):
                await emit(tx, account_id, event)

        await self._database.transact(write)
