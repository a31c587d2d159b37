"""When a schedule is due, when that is put off to by its jitter, and what is to be done about due times that passed."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from retinue.core.statements import Row
from retinue.schedules.cron import cron_in
from retinue.schedules.tables import NEVER

_SPANS = [timedelta(hours=4**power) for power in range(9)]
"""How far back to look for the latest due time: a frequent one is found in the first, a yearly one in the last."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The due time to handle now. `missed_since` is the first due time that it stands for, if it was missed."""

    due: datetime
    missed_since: datetime | None
    skip: bool
    next_at: datetime | None


def due_after(row: Row, moment: datetime) -> datetime | None:
    """The first due time of a schedule after an instant, jitter left aside."""
    if row.cron is None:
        return row.at if row.at > moment else None
    return cron_in(row.cron, row.timezone).after(moment)


def starts_at(row: Row, due: datetime) -> datetime:
    """A due time put off by its jitter.

    It is a hash of the schedule and the due time, so that all nodes agree, and ends before the next due time.
    """
    if not row.jitter_s:
        return due
    following = due_after(row, due)
    most = min(row.jitter_s, (following - due).total_seconds()) if following else row.jitter_s
    digest = hashlib.sha256(f"{row.id}:{due.timestamp():.0f}".encode()).digest()
    return due + timedelta(seconds=most * int.from_bytes(digest[:6]) / 2**48)


def lease_until(row: Row, next_at: datetime | None) -> float:
    """When a schedule with that next due time has to be worked on next, in seconds since 1970."""
    return starts_at(row, next_at).timestamp() if next_at else NEVER


def turn_of(row: Row, moment: datetime, up_since: datetime) -> Turn | None:
    """What is to be done at an instant; None where nothing is due.

    Due times that passed before `up_since`, when servers came back, were missed: the last of them stands for all.
    """
    first: datetime | None = row.next_at
    if first is None or starts_at(row, first) > moment:
        return None
    if starts_at(row, first) >= up_since:
        return Turn(first, None, False, due_after(row, first))
    latest = _latest(row, first, up_since)
    return Turn(latest, first, row.missed == "skip", due_after(row, latest))


def _latest(row: Row, first: datetime, until: datetime) -> datetime:
    """The last due time from `first` on whose start is before `until`."""
    for span in _SPANS:
        since = max(first, until - span)
        latest, following = first, due_after(row, since)
        while following and starts_at(row, following) < until:
            latest, following = following, due_after(row, following)
        if latest > first or since == first:
            return latest
    return first


def instant(seconds: float) -> datetime:
    """Seconds since 1970, as the database tells its time, as an instant."""
    return datetime.fromtimestamp(seconds, UTC)
