"""Reports the usage of one account."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypedDict

import sqlalchemy as sa

from retinue.auth.caller import Caller
from retinue.core.database.interface import Database
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Row, Statement
from retinue.core.errors import ValidationFailed
from retinue.core.runtime.clock import now
from retinue.usage.groups import COUNT, FIELDS, LIST
from retinue.usage.meter import Meter
from retinue.usage.periods import period_of
from retinue.usage.schemas import DaysQuery, HistoryQuery, HistoryView, UsageView
from retinue.usage.tables import usage_days
from retinue.usage.totals import METRICS, spending, spending_of, use

_DEFAULT_DAYS = 30
LONGEST_EXPORT = 366
"""The maximum number of days in one export."""

MOST_RECORDS = 20_000
"""The maximum number of records in one export."""

_kind = sa.bindparam("kind", type_=sa.String)
_PERIOD = (
    usage_days.c.account_id == sa.bindparam("account", type_=BigInt),
    usage_days.c.day >= sa.bindparam("first", type_=sa.String),
    usage_days.c.day <= sa.bindparam("last", type_=sa.String),
    usage_days.c.resource != "api",
    sa.or_(_kind == "", usage_days.c.resource == _kind),
)
_COUNT = Statement(sa.select(sa.func.count().label("days")).where(*_PERIOD))
_DAYS = Statement(
    sa.select(usage_days)
    .where(*_PERIOD)
    .order_by(usage_days.c.day.desc(), usage_days.c.resource)
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)


class DaysOfAccount(TypedDict):
    """Which days a report reads, as parameters of its statements."""

    account: int
    first: str
    last: str
    kind: str


@dataclass(frozen=True)
class UsageReport:
    """Reports the usage of the caller's account."""

    caller: Caller
    database: Database
    meter: Meter

    async def summary(self) -> UsageView:
        """Return the usage and limits of the current period, not counting this call."""
        await self.meter.try_fold()
        amounts = await use(self.database, self.caller.account_id)
        quotas = self.caller.plan.quotas

        fields: dict[str, object] = {
            "period": period_of(now().date()),
            "plan": self.caller.plan_name,
            **{metric: {"used": amounts[metric], "limit": quotas.get(metric)} for metric in METRICS},
            **await spending(self.database, self.caller.account_id),
        }
        return UsageView.model_validate(fields)

    async def history(self, query: HistoryQuery) -> tuple[list[HistoryView], int]:
        """Return one page of days with usage, newest first, and the total count."""
        days = self._days(query)
        rows = await self._read(query, days, query.per_page, query.offset)
        if query.group_by:
            (groups,) = await self.database.query(COUNT[query.group_by], **days)
            return [_view(row) for row in rows], groups.groups
        (count,) = await self.database.query(_COUNT, **days)
        return [_view(row) for row in rows], count.days

    async def export(self, query: DaysQuery) -> list[HistoryView]:
        """Return every day with usage, newest first.

        Raises `ValidationFailed` for more than `LONGEST_EXPORT` days or `MOST_RECORDS`, which keeps the response small.
        """
        period = self._days(query)
        if date.fromisoformat(period["last"]) - date.fromisoformat(period["first"]) >= timedelta(days=LONGEST_EXPORT):
            raise ValidationFailed(
                f"start_date and end_date can span at most {LONGEST_EXPORT} days. Export one year at a time."
            )
        rows = await self._read(query, period, MOST_RECORDS + 1, 0)
        if len(rows) > MOST_RECORDS:
            raise ValidationFailed(
                f"The export has more than {MOST_RECORDS:,} records. Choose fewer days with start_date and end_date, "
                "or read the pages of GET /usage/history."
            )
        return [_view(row) for row in rows]

    async def _read(self, query: DaysQuery, days: DaysOfAccount, most: int, skipped: int) -> list[Row]:
        statement = LIST[query.group_by] if query.group_by else _DAYS
        return await self.database.query(statement, **days, per_page=most, offset=skipped)

    def _days(self, query: DaysQuery) -> DaysOfAccount:
        last = query.end_date or max(now().date(), query.start_date or date.min)
        first = query.start_date or last - timedelta(days=min(_DEFAULT_DAYS - 1, (last - date.min).days))
        if first > last:
            raise ValidationFailed(f"start_date {first} is after end_date {last}. Swap them.")
        return {
            "account": self.caller.account_id,
            "first": first.isoformat(),
            "last": last.isoformat(),
            "kind": query.resource_type or "",
        }


def _view(row: Row) -> HistoryView:
    derived: dict[str, object] = {name: getattr(row, name, None) for name in FIELDS.values()}
    derived |= {"date": row.day, "resource_type": row.resource, "seconds": row.milliseconds / 1000}
    return HistoryView.of_row(row, **derived, **spending_of(row))
