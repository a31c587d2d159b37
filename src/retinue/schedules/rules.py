"""Validates the fields of a schedule against each other."""

from collections.abc import Mapping
from datetime import datetime

from retinue.core.errors import ValidationFailed
from retinue.schedules.due_times import due_after
from retinue.schedules.tables import ScheduleRow
from retinue.workspace.datetimes import parse_datetime


def read_date(text: str | None, zone: str, clock: datetime, current: datetime | None = None) -> datetime | None:
    """Parse a schedule's single date. Raises `ValidationFailed` if it is past, unless it equals `current`."""
    if text is None:
        return None
    at = parse_datetime(text, "at", zone)
    if at <= clock and at != current:
        raise ValidationFailed(f"at: {text!r} is in the past. Send a future date.")
    return at


def check_rules(fields: Mapping[str, object]) -> None:
    """Raise `ValidationFailed` with all conflicts between the fields."""
    problems = []
    if (fields["cron"] is None) == (fields["at"] is None):
        problems.append("Send either cron or at.")
    if (fields["agent_id"] is None) == (fields["fleet_id"] is None):
        problems.append("Send either agent_id or fleet_id.")
    elif fields["agent_id"] is not None:
        if fields["message"] is None:
            problems.append("An agent needs a message.")
        if fields["task"] is not None:
            problems.append("The field task is only valid with fleet_id. For an agent, send message.")
    elif fields["message"] is not None:
        problems.append("The field message is only valid with agent_id. For a fleet, send task.")
    if problems:
        raise ValidationFailed(" ".join(problems))


def next_due(row: ScheduleRow, clock: datetime) -> datetime | None:
    """Return the next due time, or None if the schedule is paused or its date has passed.

    Raises `ValidationFailed` for a cron expression that is not due within 50 years.
    """
    if not row.enabled:
        return None
    due = due_after(row, clock)
    if due is None and row.cron is not None:
        raise ValidationFailed(f"cron: {row.cron!r} is not due within the next 50 years.")
    return due
