"""What the fields of a schedule must be together."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from retinue.core.errors import ValidationFailed
from retinue.core.statements import Row
from retinue.schedules.timing import due_after
from retinue.workspace.moments import moment


def read_date(text: str | None, zone: str, clock: datetime, kept: datetime | None = None) -> datetime | None:
    """The single date of a schedule. It may be in the past only where it was `kept` as it is."""
    if text is None:
        return None
    at = moment(text, "at", zone)
    if at <= clock and at != kept:
        raise ValidationFailed(f"at: {text!r} is in the past. Send a date that is still to come.")
    return at


def check_rules(fields: Mapping[str, Any]) -> None:
    """Refuse fields that do not go together, all problems at once."""
    problems = []
    if (fields["cron"] is None) == (fields["at"] is None):
        problems.append("Send either cron or at.")
    if (fields["agent_id"] is None) == (fields["fleet_id"] is None):
        problems.append("Send either agent_id or fleet_id.")
    elif fields["agent_id"] is not None:
        if fields["message"] is None:
            problems.append("An agent needs a message.")
        if fields["task"] is not None:
            problems.append("The field task goes with fleet_id; an agent takes a message.")
    elif fields["message"] is not None:
        problems.append("The field message goes with agent_id; a fleet takes a task.")
    if problems:
        raise ValidationFailed(" ".join(problems))


def next_due(row: Row, clock: datetime) -> datetime | None:
    """The next due time of a schedule; None while it is paused. Refuses an expression that is never due."""
    if not row.enabled:
        return None
    due = due_after(row, clock)
    if due is None and row.cron is not None:
        raise ValidationFailed(f"cron: {row.cron!r} is not due within the next 50 years.")
    return due
