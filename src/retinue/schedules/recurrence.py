"""When something recurs that is not a schedule of its own, such as the synchronization of a source."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from retinue.schedules.cron import check_cron, cron_in


def next_recurrence(schedule: Mapping[str, Any], moment: datetime) -> datetime | None:
    """Return when `{cron, timezone}` or `{every_hours}` is due after a moment, or None if it never is.

    Raises `ValueError` that says what is wrong with the cron expression.
    """
    if (cron := schedule.get("cron")) is not None:
        return cron_in(check_cron(cron), schedule.get("timezone") or "UTC").after(moment)
    return moment + timedelta(hours=schedule["every_hours"]) if schedule["every_hours"] else None
