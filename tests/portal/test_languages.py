"""The user interface in other languages: every word is in the catalogues, and pages are in the reader's language."""

import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages.jslexer import tokenize
from jinja2 import Environment, nodes

from retinue.portal.templating import environment

ROOT = Path(__file__).parents[2] / "src" / "retinue"
PAGES = ("portal/templates/**/*.html", "oauth/pages/*.html", "voice/rooms/pages/*.html")
TEMPLATES = sorted(path for pattern in PAGES for path in ROOT.glob(pattern))
FOLDERS = ("portal/static", "portal/widget", "voice/rooms/pages")
SCRIPTS = sorted(path for folder in FOLDERS for path in (ROOT / folder).glob("*.js"))
WORDS = re.compile(r"[^\W\d_]{2}")
SENTENCE = re.compile(r"[A-Z][a-z]|s$")
SHOWN = {
    "placeholder",
    "title",
    "aria-label",
    "alt",
    "label",
    "data-confirm",
    "data-confirm-text",
    "data-confirm-action",
}
SAME_IN_ALL = {"Retinue", "·", "curl", "Python", "JavaScript", "UTC", "JSON", "API", "URL", "Alfred", "SKILL.md"}
PHRASE = re.compile(r"[\"'`][A-Z][a-z]* [a-z$]|[\"'`][A-Z].*[.?!…][\"'`]$")
PROTOCOL = re.compile(r"Bearer ")
CODE = re.compile(r"[{*/]|[a-z0-9]+(://|/)")
"""How an example of JSON, a pattern, an address or a path begins."""


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


def is_message(before: Sequence[str]) -> bool:
    """Return whether a string after these four parts of a template is a message, or the context of one."""
    return before[2:] in (["_", "("], ["pgettext", "("]) or (before[:2] == ["pgettext", "("] and before[3] == ",")


def find_untranslated(source: str) -> Iterator[str]:
    """Yield the words of a template that no catalogue can translate: text, attributes, and strings of expressions."""
    html, inside, before = "", False, ["", "", "", ""]
    for _, kind, value in Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).lex(source):
        if kind == "name" and value in ("trans", "endtrans") and "block_begin" in before[2:]:
            inside = value == "trans"
        elif kind == "data":
            html += "" if inside else value
        elif kind == "variable_begin":
            html += "0"
        elif kind == "string" and SENTENCE.match(value[1:-1]) and not (is_message(before) or inside):
            yield from {value[1:-1]} - SAME_IN_ALL
        if kind != "whitespace":
            before = [*before[1:], kind if kind.endswith("begin") else value]
    page = VisibleText()
    page.feed(html)
    shown = (text.strip() for text in page.texts if WORDS.search(text))
    yield from (text for text in shown if text.strip(" 0/·,.:()") not in SAME_IN_ALL and not CODE.match(text))


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_word_of_a_template_is_outside_the_catalogues(template: Path) -> None:
    assert not list(find_untranslated(template.read_text()))


def untranslated_in_script(source: str) -> Iterator[str]:
    """Yield the phrases of a script that are no argument of `_`, but for what it writes to the console."""
    before = ["", ""]
    for token in tokenize(source):
        is_phrase = token.type in ("string", "template_string") and PHRASE.match(token.value)
        if is_phrase and before not in (["_", "("], ["console.error", "("]) and not PROTOCOL.match(token.value[1:]):
            yield token.value
        before = [before[1], token.value]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_sentence_of_a_script_is_outside_the_catalogues(script: Path) -> None:
    assert not list(untranslated_in_script(script.read_text()))


@pytest.mark.parametrize("path", TEMPLATES, ids=[str(path.relative_to(ROOT)) for path in TEMPLATES])
def test_every_filter_and_test_of_a_template_exists(path: Path) -> None:
    # Jinja finds a missing one within a condition only when the condition is true.
    jinja = environment()
    syntax = jinja.parse(path.read_text())
    assert {one.name for one in syntax.find_all(nodes.Filter)} <= jinja.filters.keys()
    assert {one.name for one in syntax.find_all(nodes.Test)} <= jinja.tests.keys()
