"""Words an error of the API for people: it names the page of the portal instead of the request of a program."""

import re

_PAGES = {
    "agents": "Agents",
    "connections": "Connections",
    "files": "Files",
    "fleets": "Fleets",
    "keys": "API keys",
    "knowledge": "Knowledge",
    "models": "Models",
    "providers": "Models",
    "runs": "Runs",
    "schedules": "Schedules",
    "tools": "Tools",
    "users": "Users",
    "webhooks": "Webhooks",
}
"""The page of each resource."""
_REQUEST = re.compile(
    r"(?P<before>\b[Ww]ith )?`?(?:GET|POST|PUT|PATCH|DELETE)\s+/api/v1/(?P<resource>[a-z-]+)"
    r"(?:[/?][\w{}/?=&\u2026-]*)?`?"
)
_PATTERN = re.compile(r"must match the pattern \S+?(?=, as in |[;.]?$|[;.] )")


def in_page_words(text: str) -> str:
    """Return a message without requests of the API and without patterns of a JSON Schema."""
    said = _REQUEST.sub(_page, text)
    said = _PATTERN.sub("must be written in another form", said)
    said = re.sub(rf"\((the page (?:{'|'.join(_PAGES.values())}))\)", r"(on \1)", said)
    return re.sub(r"(?:(?<=[.!?] )|^)the page", "The page", said)


def _page(request: re.Match[str]) -> str:
    page = _PAGES.get(request["resource"])
    place = f"the page {page}" if page else "the API"
    return f"{'on' if page else 'with'} {place}" if request["before"] else place
