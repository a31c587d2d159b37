"""Words an error of the API for people: it names the page of the portal instead of the request of a program."""

import re
from collections.abc import Callable
from functools import partial

from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop

_PAGES = {
    "agents": gettext_noop("Agents"),
    "connections": gettext_noop("Connections"),
    "files": gettext_noop("Files"),
    "fleets": gettext_noop("Fleets"),
    "keys": gettext_noop("API keys"),
    "knowledge": gettext_noop("Knowledge"),
    "models": gettext_noop("Models"),
    "providers": gettext_noop("Models"),
    "runs": gettext_noop("Runs"),
    "schedules": gettext_noop("Schedules"),
    "tools": gettext_noop("Tools"),
    "users": gettext_noop("Users"),
    "webhooks": gettext_noop("Webhooks"),
}
"""The page of each resource, as the menu names it."""
_REQUEST = re.compile(
    r"(?P<before>\b[Ww]ith )?`?(?:GET|POST|PUT|PATCH|DELETE)\s+/api/v1/(?P<resource>[a-z-]+)"
    r"(?:[/?][\w{}/?=&\u2026-]*)?`?"
)
_OF_TOOL = re.compile(r"^Arguments of [\w.{}-]{1,200}: ")
"""What stands before the faults of a call: the page shows the tool."""
_PATTERN = re.compile(r"must match the pattern \S+?(?=, as in |[;.]?$|[;.] )")


def in_page_words(text: str, translate: Callable[[str], str] = _) -> str:
    """Return a message without requests of the API, patterns of a JSON Schema, and the name of a called tool.

    `translate` is applied to the names of pages, by default as the menu has them.
    """
    message = _REQUEST.sub(partial(_page, translate), _OF_TOOL.sub("", text))
    message = _PATTERN.sub("must be written in another form", message)
    names = "|".join(re.escape(translate(name)) for name in _PAGES.values())
    message = re.sub(rf"\((the page (?:{names}))\)", r"(on \1)", message)
    return re.sub(r"(?:(?<=[.!?] )|^)the page", "The page", message)


def _page(translate: Callable[[str], str], request: re.Match[str]) -> str:
    page = _PAGES.get(request["resource"])
    place = f"the page {translate(page)}" if page else "the API"
    return f"{'on' if page else 'with'} {place}" if request["before"] else place
