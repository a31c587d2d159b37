"""What callers see of usage."""

import re
from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field

from retinue.core.envelope import Page, View

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
ResourceType = Literal["tools", "agents", "chat", "voice"]
PlanName = Literal["free", "starter", "professional", "enterprise"]


class MetricView(BaseModel):
    """How much of a metric is used; a null limit means that there is none."""

    used: int = Field(description="Used so far; of what is held, held now.")
    limit: int | None = Field(description="The plan's limit; null where there is none.")


class UsageView(BaseModel):
    """The running billing period."""

    period: str = Field(description="The calendar month, in UTC, as YYYY-MM.")
    plan: PlanName = Field(description="The account's plan.")
    api_calls: MetricView = Field(description="Answers of the API, but for 429 and 5xx.")
    tools_executed: MetricView = Field(description="Executions of tools, agents' included.")
    agents_active: MetricView = Field(description="Agents that exist.")
    fleets_active: MetricView = Field(description="Fleets that exist.")
    voice_minutes: MetricView = Field(description="Minutes of calls, rounded up.")
    storage_mb: MetricView = Field(description="MiB of files, of the workspace and of imported tools, rounded up.")


def _written_out(value: object) -> object:
    """Only YYYY-MM-DD: other forms, and numbers of seconds, would be taken for dates as well."""
    if isinstance(value, str) and not _DAY.fullmatch(value):
        raise ValueError("must be a date as YYYY-MM-DD")
    return value


Day = Annotated[date, BeforeValidator(_written_out)]


class DaysQuery(BaseModel):
    """Which days; the last 30 by default."""

    start_date: Day | None = Field(None, description="The first day, as YYYY-MM-DD.")
    end_date: Day | None = Field(None, description="The last day, as YYYY-MM-DD.")
    resource_type: ResourceType | None = Field(None, description="Only this kind.")


class HistoryQuery(DaysQuery, Page):
    """Which days, and which part of the list."""


class ExportQuery(DaysQuery):
    """Which days, and in which format."""

    format: Literal["json", "csv"] = Field("json", description="The format of the answer.")


class HistoryView(View):
    """A day's use of one kind of resource."""

    date: str = Field(description="The day in UTC, as YYYY-MM-DD.")
    resource_type: ResourceType = Field(description="What was used.")
    count: int = Field(description="Executions, runs, messages or calls.")
    errors: int = Field(description="How many of them failed.")
    tokens: int = Field(description="Tokens of model calls.")
    credits: int = Field(description="What executions of tools cost.")
    seconds: float = Field(description="How long they took together.")
