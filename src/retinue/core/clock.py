"""Wall time for records, and how it is written. Deadlines inside the process use the event loop's monotonic time."""

from datetime import UTC, datetime


def now() -> datetime:
    """The current instant, aware, in UTC."""
    return datetime.now(UTC)


def to_text(moment: datetime) -> str:
    """ISO 8601 in UTC with microseconds and `Z`: of fixed width, so that text order is time order."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def from_text(text: str) -> datetime:
    """The inverse of `to_text`."""
    return datetime.fromisoformat(text)
