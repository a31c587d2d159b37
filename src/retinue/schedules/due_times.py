"""Computes when a schedule is due, the jitter that delays it, and how to handle missed due times."""

import hashlib
from bisect import bisect_left
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from retinue.schedules.cron import cron_in
from retinue.schedules.tables import NEVER, ScheduleTiming

_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class DueTime:
    """The due time to handle now. If due times were missed, `missed_since` is the first that it stands for."""

    due: datetime
    missed_since: datetime | None
    skip: bool
    next_at: datetime | None


def due_after(row: ScheduleTiming, moment: datetime) -> datetime | None:
    """Return the first due time of a schedule after an instant, without jitter."""
    if row.cron is None:
        return row.at if row.at and row.at > moment else None
    return cron_in(row.cron, row.timezone).after(moment)


def starts_at(row: ScheduleTiming, due: datetime) -> datetime:
    """Return a due time plus its jitter.

    The jitter is a hash of the schedule and the due time, so that all nodes agree. It ends before the next due time.
    """
    if not row.jitter_s:
        return due
    following = due_after(row, due)
    most = min(row.jitter_s, (following - due).total_seconds()) if following else row.jitter_s
    digest = hashlib.sha256(f"{row.id}:{due.timestamp():.0f}".encode()).digest()
    return due + timedelta(seconds=most * int.from_bytes(digest[:6]) / 2**48)


def lease_until(row: ScheduleTiming, next_at: datetime | None) -> float:
    """Return when a schedule with this next due time must be handled, in seconds since 1970."""
    return starts_at(row, next_at).timestamp() if next_at else NEVER


def turn_of(row: ScheduleTiming, moment: datetime, up_since: datetime) -> DueTime | None:
    """Return the due time to handle at an instant, or None if nothing is due.

    Due times before `up_since`, when servers came back, were missed; the last one stands for all of them.
    """
    first: datetime | None = row.next_at
    if first is None or starts_at(row, first) > moment:
        return None
    if starts_at(row, first) >= up_since:
        return DueTime(first, None, False, due_after(row, first))
    latest = _latest(row, first, up_since)
    return DueTime(latest, first, row.missed == "skip", due_after(row, latest))


def _latest(row: ScheduleTiming, first: datetime, until: datetime) -> datetime:
    """Return the last due time, from `first` on, that starts before `until`."""

    def is_late(seconds: int) -> bool:
        due = due_after(row, first + seconds * _SECOND)
        return due is None or starts_at(row, due) >= until

    # Due times and their starts have the same order, so a binary search finds the last one.
    found = bisect_left(range(int((until - first).total_seconds())), True, key=is_late)
    return due_after(row, first + (found - 1) * _SECOND) or first if found else first


def instant(seconds: float) -> datetime:
    """Convert the database's seconds since 1970 to an aware UTC datetime."""
    return datetime.fromtimestamp(seconds, UTC)
