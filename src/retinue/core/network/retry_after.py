"""Parses the header `Retry-After` of other servers' responses."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

MOST_S = 86_400
"""One day. A longer pause counts as one day."""


def seconds_to_wait(retry_after: str | None, now: datetime | None = None) -> int | None:
    """Return the seconds of a `Retry-After` header (RFC 9110, section 10.2.3), at most `MOST_S`.

    The header is a number of seconds or a date, which counts from `now`. Returns None if it is missing or invalid.
    """
    text = (retry_after or "").strip()
    if text.isascii() and text.isdecimal():
        return min(int(text[:9]), MOST_S)
    try:
        date = parsedate_to_datetime(text)
        left = (date if date.tzinfo else date.replace(tzinfo=UTC)) - (now or datetime.now(UTC))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return min(max(round(left.total_seconds()), 0), MOST_S)
