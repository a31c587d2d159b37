"""The events of usage."""

from pydantic import Field

from retinue.core.work.events import Event


class UsageThreshold(Event):
    """A metric reached 80 % or 100 % of its limit. Sent once per metric, threshold and billing period."""

    event_name = "usage.threshold"
    metric: str = Field(description="What the plan limits, as in `GET /usage`.", examples=["api_calls"])
    threshold: int = Field(description="The share of the limit that was reached, in percent: 80 or 100.", examples=[80])
    used: int = Field(description="The amount that is used up.", examples=[8000])
    limit: int = Field(description="The limit of the plan.", examples=[10000])
    period: str = Field(description="The calendar month.", examples=["2026-11"])
