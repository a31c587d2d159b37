"""Templates and their filters. Values are escaped unless a filter returns markup."""

import json
from datetime import UTC, date, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from retinue.auth import passwords
from retinue.core.errors import RetinueError
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.language import translation
from retinue.language.page_words import in_page_words
from retinue.models.registry import DEFAULT
from retinue.portal import charts, static_files
from retinue.portal.field_errors import in_form_words, settings_for
from retinue.portal.forms import InvalidForm
from retinue.portal.model_facts import abilities, price, usd, window
from retinue.portal.schedules.cron_words import cron_words

if TYPE_CHECKING:
    from jinja2 import Environment

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
        "shortest_password": passwords.SHORTEST,
        "longest_password": passwords.LONGEST,
    }
    made.filters |= {"ago": ago, "moment": moment, "clock": clock, "day_and_time": day_and_time}
    made.filters |= {"day_in_words": day_in_words, "place": place, "cron_words": cron_words, "code_words": code_words}
    made.filters |= {"number": number, "took": took, "pretty": pretty}
    made.filters |= {"in_page_words": in_page_words, "settings_for": settings_for}
    made.filters |= {"usd": usd, "window": window, "price": price, "abilities": abilities}
    return made


async def prepare() -> None:
    """Compile the templates off the event loop. Only the first call takes time."""
    if not _prepared:
        await run_on_compute_thread(compile_templates)


def compile_templates() -> None:
    """Compile the templates, which takes a second or two."""
    made = environment()
    for name in made.list_templates():
        made.get_template(name)
    translation.load_catalogues()
    static_files.version()
    _prepared.append(True)


def render(template: str, **values: Any) -> str:
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
    return f"{date.fromisoformat(day):%-d %b %Y}"


def clock(instant: datetime | None) -> Markup | str:
    """Return the time of day with seconds; a script converts it to the user's time zone."""
    return _time(instant, "clock")


def _time(instant: datetime | None, shown_as: str) -> Markup | str:
    if instant is None:
        return "-"
    utc = instant.astimezone(UTC)
    return Markup('<time datetime="{}" data-as="{}">{}</time>').format(
        utc.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), shown_as, utc.strftime("%-d %b %Y %H:%M UTC")
    )


def code_words(text: str) -> Markup:
    """Return a text in which the parts between backticks are code."""
    parts = text.split("`")
    return Markup("").join(Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts))


def place(zone: str) -> str:
    """Return a time zone in words: `America/New_York` becomes "New York time"."""
    return "UTC" if zone == "UTC" else f"{zone.rpartition('/')[2].replace('_', ' ')} time"


def number(value: float | None) -> str:
    """Format a number with thousands separators."""
    return "-" if value is None else f"{value:,}"


def took(milliseconds: float | None) -> str:
    """Format a duration in milliseconds."""
    if milliseconds is None:
        return "-"
    if milliseconds < 1000:
        return f"{round(milliseconds)} ms"
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
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
