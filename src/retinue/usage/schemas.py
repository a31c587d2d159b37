"""Request and response schemas of usage."""

import re
from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field

from retinue.core.http.envelope import Page, View

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
ResourceType = Literal["tools", "agents", "chat", "voice"]
GroupBy = Literal["key", "agent", "model", "user"]
PlanName = Literal["free", "starter", "professional", "enterprise"]


class TokenUsage(View):
    """Token counts of model calls."""

    input_tokens: int = Field(description="Tokens of the prompts, including cached ones.")
    cached_input_tokens: int = Field(description="Tokens of the prompts that the provider read from its cache.")
    output_tokens: int = Field(description="Tokens of the answers, including reasoning.")
    reasoning_tokens: int = Field(description="Tokens of the reasoning.")


Usage = Annotated[
    TokenUsage | None,
    Field(description="Token counts of all model calls; null if they were not all recorded, by an earlier version."),
]
Cost = Annotated[
    str | None,
    Field(description="Price of all model calls in USD, as a decimal number; null if a price is unknown."),
]
UnpricedTokens = Annotated[
    int, Field(description="Tokens of runs and other work with a model call whose price is unknown.")
]


class MetricView(BaseModel):
    """Usage of a metric and its limit. A null limit means no limit."""

    used: int = Field(
        description="Amount used in the billing period. For storage, agents and fleets: the current amount."
    )
    limit: int | None = Field(description="Limit of the plan; null means no limit.")


class UsageView(BaseModel):
    """Usage in the current billing period."""

    period: str = Field(description="Calendar month in UTC, as YYYY-MM.")
    plan: PlanName = Field(description="Plan of the account.")
    api_calls: MetricView = Field(description="Number of API responses, except 429 and 5xx.")
    tools_executed: MetricView = Field(description="Number of tool executions, including those by agents.")
    agents_active: MetricView = Field(description="Number of agents.")
    fleets_active: MetricView = Field(description="Number of fleets.")
    voice_minutes: MetricView = Field(description="Minutes of calls, rounded up.")
    storage_mb: MetricView = Field(
        description="Storage in MiB used by files, the workspace and imported tools, rounded up."
    )
    usage: Usage
    cost_usd: Cost
    unpriced_tokens: UnpricedTokens


def _written_out(value: object) -> object:
    """Accept only YYYY-MM-DD. Without this check, other formats and Unix times would also be accepted as dates."""
    if isinstance(value, str) and not _DAY.fullmatch(value):
        raise ValueError("must be a date in the format YYYY-MM-DD")
    return value


Day = Annotated[date, BeforeValidator(_written_out)]


class DaysQuery(BaseModel):
    """The range of days. Defaults to the last 30 days."""

    start_date: Day | None = Field(None, description="First day, as YYYY-MM-DD.")
    end_date: Day | None = Field(None, description="Last day, as YYYY-MM-DD.")
    resource_type: ResourceType | None = Field(None, description="Only return usage of this kind.")
    group_by: GroupBy | None = Field(
        None, description="Split each day and kind by API key, agent, requested model or user of your app."
    )


class HistoryQuery(DaysQuery, Page):
    """The range of days and the page of the list."""


class ExportQuery(DaysQuery):
    """The range of days and the format of the export."""

    format: Literal["json", "csv"] = Field("json", description="Format of the response.")


class HistoryView(View):
    """Usage of one kind of resource on one day."""

    date: str = Field(description="Day in UTC, as YYYY-MM-DD.")
    resource_type: ResourceType = Field(description="Kind of resource.")
    count: int = Field(description="Number of messages, runs, tool executions or calls, which are not API calls.")
    errors: int = Field(description="Number of failures.")
    tokens: int = Field(description="Tokens used by model calls.")
    credits: int = Field(description="Credits spent on tool executions.")
    seconds: float = Field(description="Total duration.")
    usage: Usage
    cost_usd: Cost
    unpriced_tokens: UnpricedTokens
    key_id: int | None = Field(description="With `group_by=key`: ID of the API key; null for usage of none.")
    agent_id: int | None = Field(description="With `group_by=agent`: ID of the agent; null for usage of none.")
    model: str | None = Field(description="With `group_by=model`: name of the requested model; null for usage of none.")
    user: str | None = Field(description="With `group_by=user`: user of your app; null for usage of none.")
