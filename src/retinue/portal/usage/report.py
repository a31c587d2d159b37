"""Data of the usage page: amounts by day and resource, and the plan's limits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Literal, get_args

from retinue.core.runtime.clock import now
from retinue.language.formats import format_day, format_share
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.forms import Form
from retinue.portal.page import Page
from retinue.usage.schemas import DaysQuery, HistoryView
from retinue.usage.service import UsageReport
from retinue.usage.totals import Metric

KINDS = {
    "chat": gettext_noop("Chat"),
    "agents": gettext_noop("Agents"),
    "tools": gettext_noop("Tools"),
    "voice": gettext_noop("Voice"),
}
SPANS = {
    "7": gettext_noop("7 days"),
    "30": gettext_noop("30 days"),
    "90": gettext_noop("90 days"),
    "364": gettext_noop("52 weeks"),
}
METRICS: dict[Metric, str] = {
    "api_calls": gettext_noop("API calls"),
    "tools_executed": gettext_noop("Tools executed"),
    "voice_minutes": gettext_noop("Voice minutes"),
    "agents_active": gettext_noop("Agents"),
    "fleets_active": gettext_noop("Fleets"),
    "storage_mb": gettext_noop("Storage"),
}
"""What plans limit. The first three reset each month; the others count current records."""

Amount = Literal["count", "errors", "tokens", "unpriced_tokens", "credits", "seconds"]
_AMOUNTS: tuple[Amount, ...] = get_args(Amount)
_USUAL = "30"
_MOST_BARS = 100
"""Maximum number of bars in a readable chart. Longer periods are shown by week."""


@dataclass(frozen=True)
class ReportFilter:
    """The selected days and kind of resource."""

    span: str
    kind: str
    last: date

    @property
    def days(self) -> list[date]:
        """The selected days, oldest first."""
        number = int(self.span)
        return [self.last - timedelta(days=number - 1 - ago) for ago in range(number)]

    @property
    def query(self) -> DaysQuery:
        """The selection as a query of the usage service."""
        return DaysQuery.model_validate(
            {
                "start_date": self.days[0].isoformat(),
                "end_date": self.last.isoformat(),
                "resource_type": self.kind or None,
            }
        )


def chosen_by(query: Form) -> ReportFilter:
    """Parse the selection of a query. Invalid values mean the default."""
    span, kind = query.text("days"), query.text("resource")
    return ReportFilter(span if span in SPANS else _USUAL, kind if kind in KINDS else "", now().date())


@dataclass(frozen=True)
class Report:
    """Usage of the selected days."""

    chosen: ReportFilter
    records: Sequence[HistoryView]

    @property
    def labels(self) -> list[str]:
        """The first day of each bar as a chart label."""
        return [format_day(bar[0], with_year=False) for bar in self._bars]

    def series(self, amount: Amount) -> dict[str, list[float]]:
        """Return the amounts of each kind by bar. Voice is left out if it is unused."""
        found: dict[tuple[str, str], float] = {
            (record.resource_type, record.date): getattr(record, amount) for record in self.records
        }
        return {
            _(KINDS[kind]): [sum(found.get((kind, day.isoformat()), 0) for day in bar) for bar in self._bars]
            for kind in self._kinds()
        }

    @property
    def total(self) -> dict[str, object]:
        """The sum of each amount over all kinds."""
        return _sums(self.records)

    @property
    def has_models(self) -> bool:
        """Whether a model was called."""
        return any(record.tokens for record in self.records)

    @property
    def by_kind(self) -> list[dict[str, object]]:
        """The sum of each amount by kind."""
        return [{"label": _(KINDS[kind]), **_sums(self._of(kind))} for kind in self._kinds()]

    @property
    def unit(self) -> str:
        """The period of one bar: day or week."""
        return "week" if len(self.chosen.days) > _MOST_BARS else "day"

    @property
    def _bars(self) -> list[list[date]]:
        days = self.chosen.days
        width = 7 if self.unit == "week" else 1
        return [days[start : start + width] for start in range(0, len(days), width)]

    def _of(self, kind: str) -> list[HistoryView]:
        return [record for record in self.records if record.resource_type == kind]

    def _kinds(self) -> Iterator[str]:
        kinds = (self.chosen.kind,) if self.chosen.kind else KINDS
        return (kind for kind in kinds if kind != "voice" or self.chosen.kind or self._of(kind))


async def report_of(page: Page, chosen: ReportFilter) -> Report:
    """Return the usage of the selected days."""
    return Report(chosen, await page.service(UsageReport).export(chosen.query))


def next_period(today: date) -> date:
    """Return the day when monthly counts reset, in UTC."""
    return (today.replace(day=1) + timedelta(days=32)).replace(day=1)


def cost_of(record: HistoryView) -> Decimal | None:
    """Return the price of the model calls of a day in USD, or None if it is unknown or no model was called."""
    return Decimal(record.cost_usd) if record.cost_usd is not None and record.tokens else None


def _sums(records: Sequence[HistoryView]) -> dict[str, object]:
    sums: dict[str, float] = {amount: sum(getattr(record, amount) for record in records) for amount in _AMOUNTS}
    costs = [cost for record in records if (cost := cost_of(record)) is not None]
    rate = format_share(sums["errors"] / sums["count"]) if sums["count"] else "-"
    return {**sums, "cost_usd": sum(costs, Decimal()) if costs else None, "error_rate": rate}
