"""Forms for schedules."""

from datetime import datetime
from functools import cache
from zoneinfo import ZoneInfo

from retinue.core.errors import RetinueError, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.language.timezone_aliases import zone_names
from retinue.language.translation import gettext_noop
from retinue.portal.forms import Form, InvalidForm, form_number, parse
from retinue.portal.schedules.repetition import FIRST, cron_of, repetition_of
from retinue.schedules.cron import cron_in
from retinue.schedules.schemas import ScheduleCreate, ScheduleUpdate, ScheduleView

OVERLAPS = {
    "skip": gettext_noop("Skip this time"),
    "queue": gettext_noop("Start when the previous run has ended"),
    "parallel": gettext_noop("Run both at the same time"),
}
MISSED = {"once": gettext_noop("Run once for all of them"), "skip": gettext_noop("Skip them")}
_UPCOMING = 3
"""Number of due times that pages show."""

_TIMES, _TARGETS = ("cron", "at"), ("agent_id", "fleet_id")


@cache
def zones() -> list[str]:
    """Return the time zones to choose from: UTC and those of places."""
    places = (name for name in zone_names() if "/" in name and not name.startswith(("Etc/", "SystemV/")))
    return ["UTC", *sorted(places)]


def creation_of(form: Form) -> ScheduleCreate:
    """Parse the form of a new schedule. Raises `InvalidForm`."""
    return parse(ScheduleCreate, _fields(form))


def changes_of(form: Form) -> ScheduleUpdate:
    """Parse the changes to a schedule. Raises `InvalidForm`."""
    return parse(ScheduleUpdate, _fields(form))


def form_of(schedule: ScheduleView) -> Form:
    """Return a form filled in with a schedule."""
    names = {"name", "cron", "timezone", "agent_id", "fleet_id", "message", "task", "overlap", "missed", "jitter_s"}
    when, target = "at" if schedule.at else "cron", "fleet" if schedule.fleet_id else "agent"
    at = _local(schedule.at, schedule.timezone) if schedule.at else None
    chosen = {"at": at, "when": when, "target": target}
    return Form.of({**schedule.model_dump(include=names), **chosen, **repetition_of(schedule.cron or FIRST)})


def due_times(cron: str, zone: str, first: datetime | None) -> list[datetime]:
    """Return the next due times of an expression from the first one on."""
    times: list[datetime] = []
    while first is not None and len(times) < _UPCOMING:
        times.append(first)
        first = cron_in(cron, zone).after(first)
    return times


def preview_of(form: Form) -> tuple[str, str, list[datetime]]:
    """Return the expression that a form describes, its time zone, and its next due times. Raises `InvalidForm`."""
    fields = {"name": "-", "cron": cron_of(form), "timezone": form.text("timezone")}
    draft = parse(ScheduleCreate, fields)
    cron, zone = draft.cron or "", draft.timezone or "UTC"
    return cron, zone, due_times(cron, zone, cron_in(cron, zone).after(now()))


def beside_field(error: RetinueError) -> RetinueError:
    """Assign an error that begins with a field's name to that field."""
    name, colon, text = error.message.partition(": ")
    if isinstance(error, ValidationFailed) and colon and name in (*_TIMES, *_TARGETS):
        return InvalidForm(error.message, {name: text})
    return error


def _fields(form: Form) -> dict[str, object]:
    """Return the chosen fields. Those of the alternatives are empty."""
    single, fleet = form.text("when") == "at", form.text("target") == "fleet"
    return {
        "name": form.text("name"),
        "cron": None if single else cron_of(form),
        "at": form.text("at") if single else None,
        "timezone": form.text("timezone"),
        "agent_id": None if fleet else form_number(form.text("agent_id")),
        "fleet_id": form_number(form.text("fleet_id")) if fleet else None,
        "message": None if fleet else form.text("message"),
        "task": form.optional("task") if fleet else None,
        "overlap": form.text("overlap"),
        "missed": form.text("missed"),
        "jitter_s": form_number(form.text("jitter_s")) or 0,
    }


def _local(at: datetime, zone: str) -> str:
    """Return an instant in the format of a datetime-local input."""
    local = at.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    return local.isoformat(timespec="seconds" if local.second else "minutes")
