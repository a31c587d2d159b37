"""Data of the overview: usage by day, the latest runs and deliveries, and the getting-started steps."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, timedelta

from retinue.core.http.envelope import Page as Part
from retinue.core.runtime.clock import now
from retinue.language.formats import format_day, format_share
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.page import Page
from retinue.runs.service import Runs
from retinue.runs.tables import RunRow
from retinue.usage.schemas import DaysQuery, UsageView
from retinue.usage.service import UsageReport
from retinue.webhooks.deliveries import Deliveries
from retinue.webhooks.schemas import DeliveryFilter, DeliveryView, WebhookView
from retinue.webhooks.service import Webhooks

DAYS = 30
_ROWS = 6
_ENDPOINTS = 5
_KINDS = {
    "chat": gettext_noop("Chat"),
    "agents": gettext_noop("Agents"),
    "tools": gettext_noop("Tools"),
    "voice": gettext_noop("Voice"),
}
METRICS = {
    "api_calls": gettext_noop("API calls"),
    "tools_executed": gettext_noop("Tools executed"),
    "agents_active": gettext_noop("Agents"),
    "fleets_active": gettext_noop("Fleets"),
    "storage_mb": gettext_noop("Storage"),
}


@dataclass(frozen=True)
class DailyUsage:
    """Usage of the last days: counts by kind and day, oldest first."""

    days: list[date]
    series: Mapping[str, list[int]]
    operations: int
    errors: int
    tokens: int

    @property
    def labels(self) -> list[str]:
        """The days as chart labels."""
        return [format_day(day, with_year=False) for day in self.days]

    @property
    def error_rate(self) -> str:
        """The share of failed operations as a percentage."""
        return format_share(self.errors / self.operations) if self.operations else "-"


async def use_of(page: Page) -> DailyUsage:
    """Return the usage of the last days."""
    last = now().date()
    days = [last - timedelta(days=DAYS - 1 - number) for number in range(DAYS)]
    records = await page.service(UsageReport).export(DaysQuery(start_date=days[0], end_date=last))
    counts: dict[tuple[str, str], int] = {(record.resource_type, record.date): record.count for record in records}
    kinds = [kind for kind in _KINDS if kind != "voice" or any(key[0] == kind for key in counts)]
    return DailyUsage(
        days=days,
        series={_(_KINDS[kind]): [counts.get((kind, day.isoformat()), 0) for day in days] for kind in kinds},
        operations=sum(record.count for record in records),
        errors=sum(record.errors for record in records),
        tokens=sum(record.tokens for record in records),
    )


async def latest_deliveries(page: Page) -> list[tuple[DeliveryView, WebhookView]]:
    """Return the latest deliveries of the newest webhook endpoints, each with its endpoint."""
    endpoints, _ = await page.service(Webhooks).page(Part(per_page=_ENDPOINTS))
    found: list[tuple[DeliveryView, WebhookView]] = []
    for endpoint in endpoints:
        rows, _ = await page.service(Deliveries).page(endpoint.id, DeliveryFilter(per_page=_ROWS))
        found += [(row, endpoint) for row in rows]
    return sorted(found, key=lambda one: one[0].created_at, reverse=True)[:_ROWS]


async def latest_runs(page: Page) -> list[RunRow]:
    """Return the latest runs."""
    return await page.service(Runs).latest(_ROWS)


@dataclass(frozen=True)
class FirstStep:
    """A getting-started step. `name` is stored once it is done."""

    name: str
    label: str
    about: str
    path: str
    action: str
    done: bool
    optional: bool = False
    """True if the list of steps may disappear before this one is done."""


HIDDEN = "hidden"
"""Stored among the names of the steps if the user has hidden the list."""


def first_steps(usage: UsageView, conversations: int, runs: Sequence[RunRow], saved: Set[str]) -> list[FirstStep]:
    """Return the getting-started steps. A step that was once done stays done: `saved` has their names."""
    done = {
        "chat": conversations > 0,
        "agent": usage.agents_active.used > 0,
        "run": any(run.agent_id for run in runs),
        "tool": usage.tools_executed.used > 0,
        "fleet": usage.fleets_active.used > 0,
        "voice": usage.voice_minutes.used > 0,
    }
    done["agent"] |= done["run"]
    return [FirstStep(name, *texts, done[name] or name in saved, name == "voice") for name, texts in _STEPS.items()]


_STEPS = {
    "chat": (
        gettext_noop("Send a first message"),
        gettext_noop("Chat with the model, and watch it use tools"),
        "/playground",
        gettext_noop("Chat"),
    ),
    "agent": (
        gettext_noop("Create an agent"),
        gettext_noop("A name, instructions and its tools"),
        "/agents/new",
        gettext_noop("Create"),
    ),
    "run": (
        gettext_noop("Give it something to do"),
        gettext_noop("Follow its run step by step"),
        "/agents",
        gettext_noop("Start run"),
    ),
    "tool": (
        gettext_noop("Try a tool"),
        gettext_noop("Fill in a form, see the result"),
        "/tools",
        gettext_noop("Try"),
    ),
    "fleet": (
        gettext_noop("Deploy a fleet"),
        gettext_noop("Several agents share one task"),
        "/fleets",
        gettext_noop("Deploy"),
    ),
    "voice": (
        gettext_noop("Talk to an agent"),
        gettext_noop("Open a voice room, and join it in the browser"),
        "/voice-rooms/new",
        gettext_noop("Open a room"),
    ),
}
"""Title, description, path and button of each step. All but the path are messages of the catalogues."""
