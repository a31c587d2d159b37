"""Templates and their filters. Values are escaped unless a filter returns markup."""

import json
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from retinue.auth import passwords
from retinue.core.errors import RetinueError
from retinue.core.http.server_address import is_local_address
from retinue.core.runtime.data_dir import DataDir
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.language import translation
from retinue.language.error_words import error_words
from retinue.language.formats import format_day, format_fixed, format_number, load_locales
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.models.registry import DEFAULT
from retinue.portal import charts, static_files
from retinue.portal.field_errors import in_form_words, settings_for
from retinue.portal.forms import InvalidForm
from retinue.portal.model_facts import abilities, price, usd, window
from retinue.portal.records.lists import KIND_OF_TOOLS
from retinue.portal.schedules.cron_words import cron_words
from retinue.voice.media.status_words import status_words

if TYPE_CHECKING:
    from jinja2 import Environment

_STATUSES = {
    "active": gettext_noop("Active"),
    "cancelled": gettext_noop("Cancelled"),
    "completed": gettext_noop("Completed"),
    "confined": gettext_noop("Confined"),
    "delivered": gettext_noop("Delivered"),
    "error": gettext_noop("Error"),
    "failed": gettext_noop("Failed"),
    "fired": gettext_noop("Fired"),
    "idle": gettext_noop("Idle"),
    "installing": gettext_noop("Installing"),
    "loading": gettext_noop("Loading"),
    "missing": gettext_noop("Missing"),
    "not tried yet": gettext_noop("Not tried yet"),
    "off": gettext_noop("Off"),
    "pulling": gettext_noop("Pulling"),
    "queued": gettext_noop("Queued"),
    "ready": gettext_noop("Ready"),
    "running": gettext_noop("Running"),
    "skipped": gettext_noop("Skipped"),
    "starting": gettext_noop("Starting"),
    "timed_out": gettext_noop("Timed out"),
    "waiting": gettext_noop("Waiting"),
    "working": gettext_noop("Working"),
}
"""The statuses of runs, agents, fleets, deployments, schedules, deliveries and parts of the server as labels."""

_ROLES = {
    "leader": gettext_noop("Leader"),
    "specialist": gettext_noop("Specialist"),
    "generalist": gettext_noop("Generalist"),
    "reviewer": gettext_noop("Reviewer"),
}
"""The roles of agents as labels."""

_PLANS = {
    "free": gettext_noop("Free"),
    "starter": gettext_noop("Starter"),
    "pro": gettext_noop("Pro"),
    "professional": gettext_noop("Professional"),
    "enterprise": gettext_noop("Enterprise"),
}
"""The plans of accounts and the tiers of tools as labels."""

_ENGINES = {"hibari": "Hibari", "kokoro": "Kokoro", "piper": "Piper", "openai": gettext_noop("Speech server")}
"""The speech engines as labels."""

_ABBREVIATIONS = {
    "api", "bcc", "bic", "cc", "css", "csv", "cve", "dna", "dns", "gtin", "html", "http", "https",
    "iban", "id", "ip", "iso", "json", "ocr", "pdf", "rgb", "rna", "sql", "ssl", "svg", "tls",
    "uri", "url", "utc", "uuid", "vat", "xml", "yaml", "zip",
}  # fmt: skip
"""The words in names that are written in capitals."""

_prepared: list[bool] = []


@cache
def environment() -> "Environment":
    """Return the environment of the folder `templates`."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - a start can do without it

    made = Environment(
        loader=PackageLoader("retinue.portal"),
        autoescape=True,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    translation.translate_templates(made)
    made.globals |= {
        "static": static_files.address,
        "interface_languages": translation.LANGUAGES,
        "icon": icon,
        "charts": charts,
        "wrong": field_problem,
        "server_default": DEFAULT,
        "record_kinds": KIND_OF_TOOLS,
        "shortest_password": passwords.SHORTEST,
        "longest_password": passwords.LONGEST,
    }
    made.filters |= {"ago": ago, "moment": moment, "clock": clock, "day_and_time": day_and_time}
    made.filters |= {"day_in_words": day_in_words, "place": place, "cron_words": cron_words, "code_words": code_words}
    made.filters |= {"status_label": status_label, "role_label": role_label, "plan_label": plan_label}
    made.filters |= {"engine_label": engine_label, "model_label": model_label, "value_words": value_words}
    made.filters |= {"name_words": name_words}
    made.tests |= {"local_address": is_local_address}
    made.filters |= {"number": number, "fixed": format_fixed, "took": took, "pretty": pretty}
    made.filters |= {"translated": translation.gettext}  # `_` would format the percent signs of a stored text.
    made.filters |= {"error_words": error_words, "settings_for": settings_for}
    made.filters |= {"usd": usd, "window": window, "price": price, "abilities": abilities}
    return made


async def prepare(data_dir: DataDir) -> None:
    """Load the templates off the event loop. Only the first call takes time."""
    if not _prepared:
        await run_on_compute_thread(load_templates, data_dir.cache / "templates")


def load_templates(folder: Path) -> None:
    """Load the templates. Those that are not in `folder` are compiled: all of them take two seconds."""
    from retinue.portal.template_cache import TemplateCache  # noqa: PLC0415 - see `environment`

    made = environment()
    made.bytecode_cache = TemplateCache(folder)
    for name in made.list_templates():
        made.get_template(name)
    translation.load_catalogues()
    load_locales()
    static_files.version()
    _prepared.append(True)


def render(template: str, /, **values: object) -> str:
    """Render a template."""
    return environment().get_template(template).render(**values)


@cache
def icon(name: str, size: int = 16) -> Markup:
    """Return an icon from `static/icons.svg`. Screen readers skip it."""
    shape = Markup('<svg class="icon" width="{0}" height="{0}" aria-hidden="true"><use href="{1}#{2}"/></svg>')
    return shape.format(size, static_files.address("icons.svg"), name)


def field_problem(problem: RetinueError | None, name: str) -> str:
    """Return the problem of a field in the reader's words, or an empty string."""
    return in_form_words(problem.fields.get(name, "")) if isinstance(problem, InvalidForm) else ""


def ago(instant: datetime | None) -> Markup | str:
    """Return the time since an instant. A script renders it in the user's language."""
    return _time(instant, "ago")


def moment(instant: datetime | None) -> Markup | str:
    """Return date and time; a script converts them to the user's time zone."""
    return _time(instant, "moment")


def day_and_time(instant: datetime | None) -> Markup | str:
    """Return weekday, day and time; a script converts them to the user's time zone."""
    return _time(instant, "day")


def day_in_words(day: str) -> str:
    """Return an ISO date in words: `2026-11-29` becomes "29 Nov 2026"."""
    return format_day(date.fromisoformat(day))


def clock(instant: datetime | None) -> Markup | str:
    """Return the time of day with seconds; a script converts it to the user's time zone."""
    return _time(instant, "clock")


def _time(instant: datetime | None, shown_as: str) -> Markup | str:
    if instant is None:
        return "-"
    utc = instant.astimezone(UTC)
    return Markup('<time datetime="{}" data-as="{}">{}</time>').format(
        utc.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), shown_as, f"{format_day(utc.date())} {utc:%H:%M} UTC"
    )


def code_words(text: str) -> Markup:
    """Return a text in which the parts between backticks are code."""
    parts = text.split("`")
    return Markup("").join(Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts))


def status_label(status: str) -> str:
    """Return the status of a record as a label: `queued` becomes "Queued"."""
    if status in _STATUSES:
        return _(_STATUSES[status])
    words = status_words(status)
    return f"{words[:1].upper()}{words[1:]}"


def role_label(role: str) -> str:
    """Return the role of an agent as a label: `leader` becomes "Leader"."""
    return _(_ROLES[role])


def plan_label(plan: str) -> str:
    """Return a plan or a tier as a label: `free` becomes "Free"."""
    return _(_PLANS[plan])


def engine_label(engine: str) -> str:
    """Return a speech engine as a label: `hibari` becomes "Hibari"."""
    return _(_ENGINES[engine])


def model_label(name: str) -> str:
    """Return the name of a model. The account's default has a name only in the API."""
    return _("Default model") if name == DEFAULT else name


def value_words(value: object) -> str:
    """Return a JSON value as people read it.

    Lists of simple values have commas, and objects have a line for each value. What is nested deeper is JSON. So are
    objects with texts of several lines, which could look like further values.
    """
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    if isinstance(value, int | float):
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    if isinstance(value, dict) and all(_is_line(name) and _is_line(each) for name, each in value.items()):
        return "\n".join(f"{name_words(name)}: {value_words(each)}" for name, each in value.items())
    if isinstance(value, list) and all(map(_is_simple, value)):
        return ", ".join(map(value_words, value))
    return pretty(value)


def _is_simple(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bool)


def _is_line(value: object) -> bool:
    return _is_simple(value) and "\n" not in str(value)


def name_words(name: str) -> str:
    """Return the name of an argument or a field as a label: `base_url` becomes "Base URL"."""
    words = [word.upper() if word in _ABBREVIATIONS else word for word in name.replace("-", "_").split("_") if word]
    label = " ".join(words) or name
    return label[:1].upper() + label[1:]


def place(zone: str) -> str:
    """Return a time zone in words: `America/New_York` becomes "New York time"."""
    return "UTC" if zone == "UTC" else _("{city} time").format(city=zone.rpartition("/")[2].replace("_", " "))


def number(value: float | None) -> str:
    """Format a number with thousands separators."""
    return "-" if value is None else format_number(value)


def took(milliseconds: float | None) -> str:
    """Format a duration in milliseconds."""
    if milliseconds is None:
        return "-"
    if milliseconds < 1000:
        return f"{round(milliseconds)} ms"
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{format_fixed(seconds, 1)} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def pretty(value: object) -> str:
    """Format JSON with indentation. A string that contains JSON is formatted too."""
    if not isinstance(value, str):
        return json.dumps(value, indent=2, ensure_ascii=False)
    try:
        return json.dumps(json.loads(value), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return value
