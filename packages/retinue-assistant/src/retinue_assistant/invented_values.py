"""Finds values of a call that a small model made up, because the request does not have them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

import orjson

from retinue.models.base import Candidate
from retinue_assistant.numbers import contains_value, has_digits
from retinue_assistant.similar_examples import likenesses
from retinue_assistant.text_parsing.iso_dates import MONTH_NAMES
from retinue_assistant.text_parsing.numbers import MOST, numerals
from retinue_assistant.text_parsing.relative_dates import write_relative_dates

_STUDIED = 12
"""Most examples that show whether requests state the value of an argument."""
_ENOUGH = 4
"""Fewest examples with the argument that show it."""
_MANY = 8
"""Minimum number of examples for a name, which requests may write in another way."""
_ZONE = re.compile(r"[a-z_]{1,30}/[a-z_/]{1,60}")
"""Matches the name of a time zone, which a request rarely has."""
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_DATE = re.compile(
    rf"\d[./:-]\d|\b(?:19|20)\d\d\b|\b{MONTH_NAMES}(?!\w)"
    r"|\b(?:now|today|christmas|easter|mon|tues|wednes|thurs|fri|satur|sun)(?:day)?\b",
    re.IGNORECASE,
)
"""Matches what may be a date, a clock time or a weekday."""
_UNREAD = re.compile(
    r"\d ?k\b|\b(?:hundred|thousand|million|billion|hundert|tausend|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|half|thirds?|quarters?|fifths?|tenths?|quartiles?|dozen|twice)\b",
    re.IGNORECASE,
)
"""Matches a number that `numerals` leaves to the model."""
_IDENTIFIER = re.compile(
    r"https?://(?:www\.)?(?P<host>[^\s/:?#\\\"'<>]+)|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"
    r"|(?<![\w.])\d{1,3}(?:\.\d{1,3}){2,3}(?![\w.])"
)
"""Matches an address, or a version with three or four parts."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_SENTENCE = 3
"""Fewest different words, and spaces, of a text that show where it comes from."""
_UNIT = "unit"
"""Part of the names of arguments with units, which have many names: C is Celsius."""
_STEM = 4
"""Letters of a word that stay the same in its forms, and fewest letters of a word that is no abbreviation."""
_SHORT = 12
"""Characters of a text that two arguments may share, such as a currency."""
_NAME = re.compile(r"[A-Z][\w'-]{1,30} [A-Z][\w'-]{1,30}|[A-Z][a-z]{3,30}")
_SMALL = 12
"""Largest number that two arguments may share: two sides of a square, a month and its day."""
_SHARED = re.compile(r"\b(?:against|back|both|each|equal|same)\b", re.IGNORECASE)
"""Matches a word by which one number stands for two."""
_FIGURE = re.compile(r"(?<![\d.])\d{1,15}(?:,\d{3})*(?:\.\d{1,15})?")
_ONE_UNIT = re.compile(r"\b(?:in|per|of|is|to) (?:an?|one)\b", re.IGNORECASE)
_ONE = re.compile(r"\b(?:an?|one|each|per|eine?|une?|una?)\b", re.IGNORECASE)


_PLACE = re.compile(
    r"\b(?:in|at|for|from|to|of|near)\s(?!(?:the|which|what|my|it|now)\b)[^\W\d]|(?<=\w\s)[A-Z]|\b[A-Z]{2,5}\b|/"
    r"|\btime ?zone|\b(?i:utc|gmt)\b|\b(?!(?i:the|is|current|right|local)\s)\w{3,40}\s(?:time|clock)\b"
)
"""Matches what may name a place or a time zone."""
TIMEZONE = "timezone"
"""The argument that a small model fills with any city: "Which calendar week is it now?" meant that of Sydney."""


def invented_arguments(request: str, candidate: Candidate, found: Mapping[str, Any], today: date) -> list[str]:
    """Return the required arguments whose values the request does not state, although the examples of the tool do.

    "Convert 100 USD to EUR" states one number, so a rate of 1 is invented, and "return shoes after 40 days" has no
    date to add the days to. "A mile in km" means 1. A request without any number can mean 0 or 1, but no other number.
    Of 5,835 example requests, this rejects 2 (0.03 %).
    """
    text = write_relative_dates(request, today)
    numbers = [one.value for one in numerals(text)]
    required = {name: found[name] for name in candidate.tool.input_schema.get("required", ()) if name in found}
    if (
        not numbers
        and not has_digits(text)
        and (odd := [one for one in required if _begins_with_number(required[one])])
    ):
        return odd
    repeated = _find_repeated(request, required)
    is_table = len(numbers) == MOST  # its numbers are not separate arguments
    if is_table or _UNREAD.search(text):
        return repeated
    dates, counts = _find_unstated(request, candidate, required, today, required)
    return [*repeated, *counts, *(dates if not _DATE.search(text) else ())]


def without_invented_options(
    request: str, candidate: Candidate, found: Mapping[str, Any], today: date
) -> dict[str, Any]:
    """Return the arguments without the optional numbers and dates that the request does not state, although the
    examples of the tool do, and without a time zone if it names no place. If the request states one date that no
    argument has, this is the value.
    """
    text, required = write_relative_dates(request, today), candidate.tool.input_schema.get("required", ())
    single = {name: value for name, value in found.items() if not isinstance(value, list | dict)}
    optional = [name for name in single if name not in required]
    dates, counts = _find_unstated(request, candidate, single, today, optional, dates_of=1)
    days = [day for day in {*_ISO_DATE.findall(text)} if not any(str(one).startswith(day) for one in found.values())]
    zones = [one for one in optional if one == TIMEZONE and not _PLACE.search(request)]
    invented = [*dates, *(counts if not _UNREAD.search(text) else ()), *zones]
    stated = {name: value for name, value in found.items() if name not in invented}
    return {**stated, dates[0]: days[0]} if len(days) == len(dates) == 1 else stated


def invented_texts(request: str, known: str, candidate: Candidate, found: Mapping[str, Any]) -> list[str]:
    """Return the arguments with texts that are not in `known`, the conversation: an address whose host it does not
    have, or names and sentences of other words although the examples of the tool copy theirs.

    Of 29,607 example requests, this rejects 22 (0.07 %).
    """
    said, properties = known.casefold(), candidate.tool.input_schema.get("properties", {})
    texts = {name: str(value) for name, value in found.items() if isinstance(value, str | list | dict)}
    foreign = [name for name, text in texts.items() if has_foreign_identifier(said, text)]
    free = [name for name in texts if not (name in foreign or _UNIT in name or _has_choices(properties.get(name, {})))]
    unknown = [name for name in free if _is_in_words(said, found[name]) is False]
    return [*foreign, *(one for one in unknown if _is_copied_in_examples(one, found[one], candidate, request))]


def _has_choices(schema: Mapping[str, Any]) -> bool:
    return "enum" in schema or "enum" in schema.get("items", {})


def _is_copied_in_examples(name: str, text: object, candidate: Candidate, request: str) -> bool:
    """Return whether all similar examples with texts in an argument copy them, and these are many enough."""
    near = [example for example, _ in likenesses(request, candidate.examples)][-_STUDIED:]
    given = [(message, orjson.loads(arguments).get(name)) for message, arguments in near]
    copied = [_is_in_words(message.casefold(), value) for message, value in given if value]
    is_shown = len(copied) >= _ENOUGH if _is_sentence(text) else copied.count(True) >= _MANY
    return is_shown and False not in copied


def _is_in_words(said: str, value: object) -> bool | None:
    """Return whether what was said has a text, or each text of a list: half of the words of a sentence, or one word of
    a shorter text, whatever its ending. None if the text has no words.
    """
    if isinstance(value, list):
        parts = [_is_in_words(said, one) for one in value]
        return False not in parts if any(one is not None for one in parts) else None
    text = value.casefold() if isinstance(value, str) else ""
    words = {*_WORD.findall(text)}
    if _is_sentence(text):
        return 2 * len(words & {*_WORD.findall(said)}) >= len(words)
    names = [word for word in words if len(word) >= _STEM and not _ZONE.fullmatch(text)]
    return any(word[:_STEM] in said for word in names) if names else None


def _is_sentence(text: object) -> bool:
    return isinstance(text, str) and min(len({*_WORD.findall(text)}), text.count(" ")) >= _SENTENCE


def has_foreign_identifier(known: str, text: str) -> bool:
    """Return whether a text has an address or a version (1.2.0) that is not in `known`, a text in small letters."""
    return any((one["host"] or one[0]) not in known for one in _IDENTIFIER.finditer(text.casefold()))


def _find_repeated(request: str, arguments: Mapping[str, Any]) -> list[str]:
    """Return the arguments with the text or the number of an earlier argument that the request has once: "Compare 'A'
    with the old one" has no second text, and "my weight at 175 cm" no second number.
    """
    texts = {name: value for name, value in arguments.items() if isinstance(value, str) and _is_own(value)}
    firsts = {value: name for name, value in reversed(texts.items())}
    repeated = [name for name, value in texts.items() if firsts[value] != name and request.count(value) == 1]
    if _SHARED.search(request):
        return repeated
    figures = {name: value for name, value in arguments.items() if type(value) in (int, float) and value > _SMALL}
    first_figures = {value: name for name, value in reversed(figures.items())}
    written = [one.replace(",", "") for one in _FIGURE.findall(request)]
    return repeated + [
        name for name, value in figures.items() if first_figures[value] != name and written.count(f"{value:g}") == 1
    ]


def _is_own(text: str) -> bool:
    """Return whether two arguments rarely share a text: a long one, or a name."""
    return len(text) > _SHORT or _NAME.fullmatch(text) is not None


def _find_unstated(
    request: str,
    candidate: Candidate,
    arguments: Mapping[str, Any],
    today: date,
    names: Iterable[str],
    dates_of: int = _ENOUGH,
) -> tuple[list[str], list[str]]:
    """Return the dates, and the numbers, among `names` that the request does not state although the examples do.

    There are no such numbers if the request has as many that no argument states: those may be meant in another unit.
    `dates_of` examples are enough for a date.
    """
    text = write_relative_dates(request, today)
    numbers = [one.value for one in numerals(text)]
    undated = _ISO_DATE.sub(" ", text)
    measures = [one.value for one in numerals(undated)]
    properties = candidate.tool.input_schema.get("properties", {})
    stated = {
        name: _states(undated, measures, value)
        if properties.get(name, {}).get("type") == "number"  # the day of a date is no latitude
        else _states(text, numbers, value)
        for name, value in arguments.items()
    }
    dates: list[str] = []
    counts: list[str] = []
    for name in (one for one in names if stated[one] is False):
        is_date = isinstance(arguments[name], str)
        if _is_stated_in_examples(name, candidate, request, today, dates_of if is_date else _ENOUGH):
            (dates if is_date else counts).append(name)
    unused = len(measures) - sum(stated[name] is True and not isinstance(arguments[name], str) for name in arguments)
    return dates, counts if len(counts) > unused else []


def means_one(request: str) -> bool:
    """Return whether a request without numbers asks for one unit of something: "How many ounces are in a pound?"."""
    return not has_digits(request) and not numerals(request) and _ONE_UNIT.search(request) is not None


def _begins_with_number(value: object) -> bool:
    """True for a number but 0 and 1, a list or a text that begins with a number."""
    return value not in (None, 0, 1) and str(value).lstrip("[")[:1].isdigit()


def _states(text: str, numbers: Sequence[float], value: object) -> bool | None:
    """Return whether a text states a number or a date, or all those of a list; None for other values."""
    if isinstance(value, list | dict):
        parts = [_states(text, numbers, one) for one in (value.values() if isinstance(value, dict) else value)]
        known = [one for one in parts if one is not None]
        return all(known) if known else None
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value in numbers or contains_value(text, value) or (value == 1 and _ONE.search(text) is not None)
    return value[:10] in text if isinstance(value, str) and _ISO_DATE.match(value) else None


def _is_stated_in_examples(name: str, candidate: Candidate, request: str, today: date, enough: int = _ENOUGH) -> bool:
    """Return whether all similar examples that have the argument state its value, and these are `enough`."""
    near = [example for example, _ in likenesses(request, candidate.examples)][-_STUDIED:]
    values = [(write_relative_dates(message, today), orjson.loads(arguments).get(name)) for message, arguments in near]
    stated = [_states(text, [one.value for one in numerals(text)], value) for text, value in values]
    known = [one for one in stated if one is not None]
    return len(known) >= enough and all(known)
