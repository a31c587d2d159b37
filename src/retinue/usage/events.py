"""The events that usage emits."""

from retinue.core.events import Event


class UsageThreshold(Event):
    """A metric reached 80 % or 100 % of its limit; told once a metric, threshold and period."""

    event_name = "usage.threshold"
    metric: str
    threshold: int
    used: int
    limit: int
    period: str
