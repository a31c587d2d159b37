"""Load the guides: short texts with examples, stored as Markdown in the folder `guides`."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from markupsafe import Markup

from retinue.reference import markdown

NAMES = (
    "quickstart",
    "how-to",
    "portal",
    "agents-and-runs",
    "chat-and-streaming",
    "website",
    "tools",
    "connections",
    "models",
    "files",
    "knowledge",
    "skills",
    "simulations",
    "fleets",
    "schedules",
    "voice",
    "marketplace",
    "webhooks",
    "accounts-and-keys",
    "sandbox",
    "oauth",
    "usage-and-limits",
    "errors",
    "python-client",
    "javascript-client",
    "other-clients",
    "mcp-clients",
    "command-line",
    "operating",
    "scaling",
)
"""The guides in reading order. Each is the name of a page, and of a file without its extension."""

ADDRESS = "http://127.0.0.1:8000"
"""The server's address in the guides' examples, its default."""


@dataclass(frozen=True, slots=True)
class Guide:
    """A guide. `sections` holds the anchors and texts of its headings."""

    name: str
    title: str
    sections: list[tuple[str, str]]
    body: Markup


@cache
def guides() -> dict[str, Guide]:
    """Return the guides by name, in reading order."""
    return {name: _read(name) for name in NAMES}


def sections_of(name: str) -> list[str]:
    """Return the Markdown of a guide's opening, then of each section."""
    return re.split(r"^## ", _text_of(name), flags=re.MULTILINE)


def _read(name: str) -> Guide:
    tokens = markdown.parse(_text_of(name))
    ((_, title),) = markdown.headings(tokens, "h1")
    body = Markup(markdown.html(tokens))  # noqa: S704 - the package's own text, rendered
    return Guide(name, title, markdown.headings(tokens, "h2"), body)


def _text_of(name: str) -> str:
    return files("retinue.reference").joinpath("guides", f"{name}.md").read_text(encoding="utf-8")
