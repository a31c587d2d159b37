"""The user interface in other languages: every word is in the catalogues, and pages are in the reader's language."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2 import Environment

ROOT = Path(__file__).parents[2] / "src" / "retinue"
TEMPLATES = sorted(
    [*(ROOT / "portal/templates").rglob("*.html"), *ROOT.glob("oauth/pages/*.html"), *ROOT.glob("voice/rooms/pages/*.html")]
)
WORDS = re.compile(r"[^\W\d_]{2}")
SENTENCE = re.compile(r"[A-Z][a-z]|s$")
SHOWN = {"placeholder", "title", "aria-label", "alt", "label", "data-confirm", "data-confirm-text", "data-confirm-action"}
SAME_IN_ALL = {"Retinue", "·", "curl", "UTC", "JSON", "API", "URL"}


class VisibleText(HTMLParser):
    """Collects the texts of a page that a reader sees, but for code."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._hidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts += [value for name, value in attrs if name in SHOWN and value]
        if tag in ("code", "kbd", "pre", "script", "style", "title"):
            self._hidden.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._hidden and self._hidden[-1] == tag:
            self._hidden.pop()

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.texts.append(data)


def untranslated(source: str) -> Iterator[str]:
    """Yield the words of a template that no catalogue can translate: text, attributes, and strings of expressions."""
    html, inside, before = "", False, ["", ""]
    for _, kind, value in Environment(trim_blocks=True, lstrip_blocks=True).lex(source):
        if kind == "name" and value in ("trans", "endtrans") and "block_begin" in before:
            inside = value == "trans"
        elif kind == "data":
            html += "" if inside else value
        elif kind == "variable_begin":
            html += "0"
        elif kind == "string" and SENTENCE.match(value[1:-1]) and before != ["_", "("] and not inside:
            yield value
        if kind != "whitespace":
            before = [before[1], kind if kind.endswith("begin") else value]
    page = VisibleText()
    page.feed(html)
    yield from (text.strip() for text in page.texts if WORDS.search(text) and text.strip(" 0/·,.:()") not in SAME_IN_ALL)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_word_of_a_template_is_outside_the_catalogues(template: Path) -> None:
    assert not list(untranslated(template.read_text()))
