"""The form to create a batch of calls."""

from retinue.agents.daily_windows import DAYS, Day
from retinue.language.translation import gettext_noop
from retinue.portal.calls.forms import call_options
from retinue.portal.forms import Form, form_number, parse
from retinue.voice.batches.schemas import BatchOptions

DAY_NAMES: dict[Day, str] = {
    "mon": gettext_noop("Monday"),
    "tue": gettext_noop("Tuesday"),
    "wed": gettext_noop("Wednesday"),
    "thu": gettext_noop("Thursday"),
    "fri": gettext_noop("Friday"),
    "sat": gettext_noop("Saturday"),
    "sun": gettext_noop("Sunday"),
}
OUTCOMES = {
    "machine": gettext_noop("Answering machine"),
    "busy": gettext_noop("Busy"),
    "no_answer": gettext_noop("No answer"),
    "failed": gettext_noop("Failed"),
}
START = {
    "opening": "name",
    "at_once": "1",
    "per_minute": "10",
    "hours": "on",
    "start": "09:00",
    "end": "17:00",
    "times": "0",
    "after_minutes": "30",
    "on_busy": "on",
    "on_no_answer": "on",
    **{f"day_{day}": "on" for day in DAYS[:5]},
}
"""What a new form contains."""


def options_of(form: Form) -> BatchOptions:
    """Parse the form, without the recipients, as a draft. Raises `InvalidForm`."""
    fields = {
        **call_options(form),
        "name": form.text("name"),
        "country": form.optional("country"),
        "at_once": form_number(form.text("at_once")),
        "per_minute": form_number(form.text("per_minute")),
        "window": _window_of(form) if form.text("hours") == "on" else None,
        "retries": _retries_of(form),
        "start_at": form.optional("start_at"),
        "start": False,
    }
    return parse(BatchOptions, fields)


def _window_of(form: Form) -> dict[str, object]:
    days = [day for day in DAYS if form.text(f"day_{day}") == "on"]
    hours = {name: form.text(name) for name in ("start", "end")}
    return {"days": days, **hours, "timezone": form.optional("timezone")}


def _retries_of(form: Form) -> dict[str, object]:
    outcomes = [outcome for outcome in OUTCOMES if form.text(f"on_{outcome}") == "on"]
    counts = {name: form_number(form.text(name)) for name in ("times", "after_minutes")}
    filled = {name: count for name, count in counts.items() if count is not None}
    return {**filled, **({"on": outcomes} if outcomes else {"times": 0})}
