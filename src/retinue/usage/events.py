"""The events of usage."""

from retinue.core.work.events import Event


class UsageThreshold(Event):
    """A metric reached 80 % or 100 % of its limit. Sent once per metric, threshold and billing period."""

    event_name = "usage.threshold"
    metric: str
    threshold: int
    used: int
    limit: int
    period: str
