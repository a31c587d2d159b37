"""What callers see of usage."""

from datetime import date
from typing import Literal

from pydantic import BaseModel, Field

from retinue.core.envelope import Page, View

ResourceType = Literal["tools", "agents", "chat", "voice"]
PlanName = Literal["free", "starter", "professional", "enterprise"]


class MetricView(BaseModel):
    """How much of a metric is used; a null limit means that there is none."""

    used: int
    limit: int | None


class UsageView(BaseModel):
    """The running billing period."""

    period: str = Field(description="The calendar month, in UTC, as YYYY-MM.")
    plan: PlanName
    api_calls: MetricView
    tools_executed: MetricView
    agents_active: MetricView
    fleets_active: MetricView
    voice_minutes: MetricView
    storage_mb: MetricView


class HistoryQuery(Page):
    """Which days; the last 30 by default."""

    start_date: date | None = Field(None, description="The first day, as YYYY-MM-DD.")
    end_date: date | None = Field(None, description="The last day, as YYYY-MM-DD.")
    resource_type: ResourceType | None = Field(None, description="Only this kind.")


class HistoryView(View):
    """A day's use of one kind of resource."""

    date: str = Field(description="The day in UTC, as YYYY-MM-DD.")
    resource_type: ResourceType
    count: int = Field(description="Executions, runs, messages or calls.")
    errors: int = Field(description="How many of them failed.")
    tokens: int
    credits: int
    seconds: float = Field(description="How long they took together.")
