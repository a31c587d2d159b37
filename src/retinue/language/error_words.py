"""Show errors of services to people: in the words of the portal, and in the language of the page.

Services write their messages in English, for the API, for logs and for records that are shown later. `make
translations` collects the messages from the code as templates: `f"There is no agent {agent_id}."` becomes "There is no
agent {agent_id}.". A page finds the template that a message fits, and puts the values into its translation.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from retinue.language.formats import format_choices, format_number
from retinue.language.page_words import in_page_words
from retinue.language.translation import SOURCE, current_language, error_messages, gettext

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_FIELD = re.compile(r"([a-z_][a-z_0-9.]{0,63}(?:, [a-z_][a-z_0-9.]{0,63}){0,9}|\{\w+\}): (?=\S)")
_ENDS = (".", "?", "!", ":", "-")
_FIELD_AND_REASON = re.compile(r"([a-z_][a-z_0-9.\[\]]{0,63}) (\S.*?)\.?")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")
_CHOICES = re.compile(r"'[^']*'(?:(?:, | or )'[^']*')+")
_NEXT_SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z'])")
_ADDRESS = re.compile(r"[a-z]{2,16}://")
_STATES = {"state", "status", "wanted"}
"""Values that pages show as labels, such as "In progress" for `in_progress`."""

_LONGEST = 2000
"""Longer messages are shown as they are. In characters."""

_MOST_PARTS = 20
_DEPTH = 3
"""Levels of messages within the values of messages. Hostile text could nest so many that their search takes seconds."""


def error_words(text: str) -> str:
    """Return the message of an error as people read it. Without a translation, it is English."""
    if current_language.get() == SOURCE or len(text) > _LONGEST:
        return in_page_words(text)
    return _translate(in_page_words(text, str)) or in_page_words(text)


def as_sentence(text: str) -> str:
    """Return a message as the catalogues have it: without the field before a colon, capitalized, and with an end."""
    if field := _FIELD.match(text):
        text = text[field.end() :]
    first = text[:1] if _ADDRESS.match(text) else text[:1].upper()
    return f"{first}{text[1:]}{'' if text.endswith(_ENDS) else '.'}"


def _translate(text: str, depth: int = _DEPTH) -> str:
    """Translate a message, or return an empty string. A field before it stays. `depth` is the levels of messages."""
    if not depth:
        return ""
    field = _FIELD.match(text)
    found, is_sure = _find(as_sentence(text), depth)
    if not is_sure:
        found = _translate_sentences(text[field.end() :] if field else text, depth) or found
    if found:
        return f"{field[0]}{found}" if field else found
    parts = [_translate_part(part, depth) for part in text.split("; ", _MOST_PARTS)]
    return " ".join(parts) if all(parts) else ""


def _translate_sentences(text: str, depth: int) -> str:
    """Translate several sentences, such as a reason and what follows from it, or return an empty string."""
    sentences = _NEXT_SENTENCE.split(text, _MOST_PARTS)
    found = [_find(as_sentence(sentence), depth)[0] for sentence in sentences] if len(sentences) > 1 else [""]
    return " ".join(found) if all(found) else ""


def _translate_part(part: str, depth: int) -> str:
    """Translate one problem of a request body, such as "name must not be empty", or return an empty string."""
    named = _FIELD_AND_REASON.fullmatch(part)
    reason, _ = _find(as_sentence(named[2]), depth) if named else ("", False)
    return f"{named[1]}: {reason}" if named and reason else _find(as_sentence(part), depth)[0]


def _find(sentence: str, depth: int) -> tuple[str, bool]:
    """Return the translation of a sentence, or an empty string, and whether it is sure.

    It is unsure if a value took in whole sentences that are no message: a template that ends with a value fits them.
    """
    known = _errors(current_language.get())
    if sentence in known.whole:
        return known.whole[sentence], True
    unsure = ""
    for template in known.templates:
        if (values := template.values_in(sentence)) is not None:
            written = {name: _write_value(name, value, depth - 1) for name, value in values.items()}
            if not any(_NEXT_SENTENCE.search(value) and value == written[name] for name, value in values.items()):
                return template.fill(written), True
            unsure = unsure or template.fill(written)
    return unsure, False


def _write_value(name: str, value: str, depth: int) -> str:
    """Return a value as the language writes it: a state, a number, a list of choices, and a sentence or phrase."""
    if value and name in _STATES:
        label = value.removeprefix("a ").replace("_", " ").capitalize()
        return found if (found := gettext(label)) != label else value
    if _GROUPED.fullmatch(value):
        return format_number(int(value.replace(",", "")))
    if _CHOICES.fullmatch(value):
        return format_choices(re.findall(r"'[^']*'", value))
    is_message = " " in value or as_sentence(value) in _errors(current_language.get()).whole
    found = _translate(value, depth) if is_message else ""
    if value[:1].islower() and not found[1:2].isupper():
        found = f"{found[:1].lower()}{found[1:]}"
    return (found if value.endswith(".") else found.removesuffix(".")) or value


@dataclass(frozen=True)
class _Template:
    """A message with placeholders, and its translation."""

    message: str
    translation: str

    @cached_property
    def _parts(self) -> Sequence[str]:
        """The texts and the names of the placeholders between them, in turn."""
        return _PLACEHOLDER.split(self.message)

    @cached_property
    def _texts(self) -> Sequence[str]:
        return self._parts[::2]

    @property
    def letters(self) -> int:
        """How many characters stand in the message itself."""
        return sum(map(len, self._texts))

    def values_in(self, text: str) -> dict[str, str] | None:
        """Return the values of the placeholders if a text fits, else None. It takes linear time."""
        first, last = self._texts[0], self._texts[-1]
        if not (text.startswith(first) and text.endswith(last) and len(text) >= len(first) + len(last)):
            return None
        end = len(text) - len(last)
        values, at = [], len(first)
        for part in self._texts[1:-1]:
            found = text.find(part, at, end)
            if found < 0:
                return None
            values.append(text[at:found])
            at = found + len(part)
        values.append(text[at:end])
        return dict(zip(self._parts[1::2], values, strict=True))

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the translation with these values."""
        return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), self.translation)


@dataclass(frozen=True)
class _Errors:
    """The messages of a language: those without values by the English text, and templates, the most specific first."""

    whole: dict[str, str]
    templates: Sequence[_Template]


@cache
def _errors(language: str) -> _Errors:
    translated = error_messages(language)
    templates = [_Template(message, text) for message, text in translated.items() if _PLACEHOLDER.search(message)]
    return _Errors(translated, sorted(templates, key=lambda one: -one.letters))
