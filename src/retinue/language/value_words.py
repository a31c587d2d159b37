"""Write the values of a result within a sentence, as readers of a language write them.

Numbers keep their digits. Names that a tool chose, such as units and time zones, stay as they are.
"""

import calendar
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import Literal

from retinue.language.markdown_values import Json, group_thousands, in_sentence, inline, join_names, split_moment
from retinue.language.translation import LANGUAGES, SOURCE

_LABELS = Path(__file__).with_name("table_labels.tsv")
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_DECIMAL = re.compile(r"-?\d{1,18}\.\d{1,40}")
"""Matches an exact number, such as an amount of money."""
_WORDED = frozenset(("day", "local", "long", "month", "weekday", "weekdays", "words"))
"""Fields with days, months and lengths of time in the words of a tool."""
_VERBATIM = frozenset(("item", "items", "line", "lines", "match", "matches", "part", "parts", "text", "texts", "word"))
"""Fields with texts of the user, which may look like numbers."""
_SEPARATORS = {
    "de": str.maketrans(",.", ".,"),
    "es": str.maketrans(",.", ".,"),
    "fr": str.maketrans(",.", "\u202f,"),
}
"""Separators of thousands and decimals for the English ones."""
_CONSTANTS: Mapping[str, Mapping[Json, str]] = {
    "de": {True: "ja", False: "nein", None: "nichts"},
    "es": {True: "s\u00ed", False: "no", None: "nada"},
    "fr": {True: "oui", False: "non", None: "rien"},
}
_VALUES = {
    "de": {"heads": "Kopf", "tails": "Zahl"},
    "es": {"heads": "cara", "tails": "cruz"},
    "fr": {"heads": "face", "tails": "pile"},
}
_AT = {"de": "um", "es": "a las", "fr": "\u00e0"}
"""The word between a date and a time."""
_ON = {"de": "Uhr am", "es": "del", "fr": "le"}
"""The words between a time and its day."""
_OFFSETS = {
    "de": {"ahead of": "vor", "behind": "hinter"},
    "es": {"ahead of": "por delante de", "behind": "por detr\u00e1s de"},
    "fr": {"ahead of": "en avance sur", "behind": "en retard sur"},
}
"""How the clock of one place compares to that of another."""
_SINGULAR_BELOW_TWO = ("fr",)
"""Languages that write 0 and 1.5 of a thing in the singular (CLDR, plural rules)."""
_SPAN = r"\d[\d,]{0,20}(?:\.\d{1,12})? (?:year|month|week|day|hour|minute|second)s?"
_SPANS = re.compile(rf"(?P<spans>{_SPAN}(?:(?:, | and ){_SPAN}){{0,6}})(?: (?P<offset>ahead of|behind))?")
"""Matches "2 years, 1 month and 14 days" and "3 hours ahead of"."""
_NAMED_DAY = re.compile(
    rf"(?:(?P<clock>\d\d:\d\d(?::\d\d)?) on )?(?P<weekday>(?:{'|'.join(calendar.day_name)}),? )?"
    rf"(?P<day>\d{{1,2}}) (?P<month>{'|'.join(calendar.month_name[1:])}) (?P<year>\d{{4}})"
)
"""Matches "Tuesday, 1 December 2026" and "02:12 on Tuesday, 1 December 2026"."""


@dataclass(frozen=True)
class ValueWriter:
    """Writes values in a language: `word` a single one, `named` that of a field with this name, `count` a number of
    things, `join` several texts.

    `is_one` says whether the noun after a number is in the singular, and `labels` are the words of tables.
    """

    word: Callable[[Json], str]
    named: Callable[[str, Json], str]
    count: Callable[[Json], str]
    join: Callable[[Sequence[str]], str]
    is_one: Callable[[Json], bool]
    labels: Mapping[str, str] = field(default_factory=dict)


def value_writer(language: str = SOURCE, *, as_iso: bool = False) -> ValueWriter:
    """Return the writer of a language. Dates stay in ISO 8601 if `as_iso`."""
    if language == SOURCE:
        word = inline if as_iso else in_sentence
        return ValueWriter(word, lambda _, value: word(value), group_thousands, join_names, lambda value: value == 1)
    return ValueWriter(
        inline if as_iso else partial(_word, language),
        (lambda _, value: inline(value)) if as_iso else partial(_field, language),
        lambda value: _number(language, group_thousands(value)),
        partial(_join, language),
        partial(_is_one, language),
        _labels(language),
    )


def _is_one(language: str, value: Json) -> bool:
    if language in _SINGULAR_BELOW_TWO and isinstance(value, int | float):
        return abs(value) < 2
    return bool(value == 1)


def _number(language: str, text: str) -> str:
    return text.translate(_SEPARATORS[language]) if _NUMBER.fullmatch(text) else text


def _word(language: str, value: Json) -> str:
    if value is None or isinstance(value, bool):
        return _CONSTANTS[language][value]
    if isinstance(value, str):
        if moment := split_moment(value):
            day, clock = moment
            return f"{_day(language, day)} {_AT[language]} {clock}" if clock else _day(language, day)
        return _VALUES[language].get(value, value)
    if isinstance(value, list):
        return ", ".join(_word(language, one) for one in value)
    return _number(language, in_sentence(value))


def _field(language: str, name: str, value: Json) -> str:
    """Write the value of a field. Texts of the user stay as they are: only some fields have words of a tool."""
    if isinstance(value, str) and name in _WORDED:
        return _calendar_names(language).get(value) or _phrase(language, value) or _word(language, value)
    if isinstance(value, str) and _DECIMAL.fullmatch(value) and name not in _VERBATIM and "version" not in name:
        return _number(language, value)
    return _word(language, value)


def _phrase(language: str, text: str) -> str:
    """Translate a length of time, or a day in words; return an empty string for any other text."""
    if found := _SPANS.fullmatch(text):
        spans = [_span(language, *span.split(" ")) for span in re.split(", | and ", found["spans"])]
        offset = [_OFFSETS[language][found["offset"]]] if found["offset"] else []
        return " ".join([_join(language, spans), *offset])
    if (found := _NAMED_DAY.fullmatch(text)) is None:
        return ""
    try:
        day = date(int(found["year"]), list(calendar.month_name).index(found["month"]), int(found["day"]))
    except ValueError:
        return ""
    written = _day(language, day, "full" if found["weekday"] else "long")
    return f"{found['clock']} {_ON[language]} {written}" if found["clock"] else written


def _span(language: str, number: str, unit: str) -> str:
    from babel.units import format_unit  # noqa: PLC0415 - a start can do without Babel

    return str(
        format_unit(float(number.replace(",", "")), f"duration-{unit.removesuffix('s')}", "long", locale=language)
    )


def _day(language: str, day: date, width: Literal["long", "full"] = "long") -> str:
    from babel.dates import format_date  # noqa: PLC0415 - a start can do without Babel

    return str(format_date(day, width, locale=language))


def _join(language: str, names: Sequence[str]) -> str:
    from babel.lists import format_list  # noqa: PLC0415 - a start can do without Babel

    return str(format_list(names, "standard", language)) if names else ""


@cache
def _calendar_names(language: str) -> Mapping[str, str]:
    """Return the names of weekdays and months by the English ones."""
    from babel.dates import get_day_names, get_month_names  # noqa: PLC0415 - a start can do without Babel

    days, months = get_day_names("wide", "format", language), get_month_names("wide", "format", language)
    weekdays = {english: days[number] for number, english in enumerate(calendar.day_name)}
    return weekdays | {english: months[number] for number, english in enumerate(calendar.month_name) if english}


@cache
def _labels(language: str) -> Mapping[str, str]:
    """Return the words of tables by the English ones."""
    rows = [line.split("\t") for line in _LABELS.read_text(encoding="utf-8").splitlines()]
    column = list(LANGUAGES).index(language)
    return {**{row[0]: row[column] for row in rows}, **_calendar_names(language)}
