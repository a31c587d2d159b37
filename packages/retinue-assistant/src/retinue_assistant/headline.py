"""Determines which fields of a tool result a request asks for."""

import re
from collections.abc import Mapping, Set
from typing import Any

from retinue.language.text_normalization import stem, stems
from retinue_assistant.numbers import contains_value
from retinue_assistant.units import label

_SMALL = frozenset(("of", "in", "per", "the", "to", "at", "is", "for"))
"""Words in field names that do not count."""
COUNTS = frozenset(("columns", "count", "found", "row_count", "total"))
"""Fields that count or describe the values of another one."""
_VERDICT = "valid"
"""The main field of a check."""
_SETTING = re.compile(r"%(?:\s[a-z]{1,20}){1,2}|\bof (?:the|an?|its) [a-z]{1,20}", re.IGNORECASE)
"""Matches what a request does not ask for itself: "8 % sales tax", "the interval of the mean"."""
_HOW_MANY = re.compile(r"\bhow (?:many|often)\b|\bnumber of\b|\bcount\b", re.IGNORECASE)
_COUNTED = re.compile(r"\bhow many ((?:[a-z]+ ){0,2}?[a-z]+)\b", re.IGNORECASE)
"""Matches what a request asks the number of, with up to two words before it."""
_YES_NO = re.compile(r"^\W*(?:is|are|was|were|does|do|has|have|can)\b", re.IGNORECASE)


def requested_fields(fields: Mapping[str, Any], request: str, args: Mapping[str, Any]) -> list[str]:
    """Return the fields that match a request best; empty if none does. Values of the call's `args` do not count."""
    shares = _shares(fields, request, args)
    most = max(shares.values(), default=0.0)
    first = [name for name, share in shares.items() if share == most] if most else []
    return [name for name in first if not is_given(fields[name], request, args)] or first


def answering_fields(fields: Mapping[str, Any], request: str, args: Mapping[str, Any]) -> list[str]:
    """Return the fields that clearly answer a request, which has their full name or asks to confirm their value."""
    shares = _shares(fields, _SETTING.sub(" ", request), args)
    matching = [name for name, share in shares.items() if share == 1 and not is_given(fields[name], request, args)]
    if (counted := _counted_field(fields, request, args)) and counted not in matching:
        return [counted]
    if not matching:
        return [name for name in shares if _is_asserted(fields[name], request)]
    if _YES_NO.match(request) and (verdicts := [name for name in matching if isinstance(fields[name], bool)]):
        return verdicts
    request_words, chosen = request.lower().split(), dict[str, str]()
    for name in matching:
        # One quantity in several units: the unit of the request, else the first one.
        if label(name, fields[name]) not in chosen or name.rpartition("_")[2] in request_words:
            chosen[label(name, fields[name])] = name
    return [name for one, name in chosen.items() if not any(f" {one}" in other for other in chosen)]


def main_field(fields: Mapping[str, Any], request: str, args: Mapping[str, Any]) -> str:
    """Return the first field whose value is in neither the request nor the arguments, and no mere count of a list."""
    fresh = [name for name, value in fields.items() if name not in args or args[name] != value] or list(fields)
    new = [name for name in fresh if not (isinstance(fields[name], str) and contains_value(request, fields[name]))]
    if _HOW_MANY.search(request) and (counts := [name for name in new if name in COUNTS]):
        return counts[0]
    telling = [name for name in new if not (is_given(fields[name], request, args) or name in COUNTS)]
    return next((name for name in new if name == _VERDICT), (telling or new or fresh)[0])


def _counted_field(fields: Mapping[str, Any], request: str, args: Mapping[str, Any]) -> str:
    """Return the number whose name ends with the noun after "how many"; an empty string if none does."""
    if (counted := _COUNTED.search(request)) is None:
        return ""
    nouns = stems(counted[1])
    numbers = [name for name, value in fields.items() if type(value) in (int, float) and not is_given(value, "", args)]
    return next((name for name in numbers if stem(label(name, fields[name]).split(" ")[-1]) in nouns), "")


def _shares(fields: Mapping[str, Any], request: str, args: Mapping[str, Any]) -> dict[str, float]:
    """Return for each field the share of its name's words that a request contains."""
    stemmed = stems(request)
    fresh = (name for name, value in fields.items() if name not in args or args[name] != value)
    return {name: _name_overlap(label(name, fields[name]), stemmed) for name in fresh}


def _is_asserted(value: Any, request: str) -> bool:
    """Return whether a request asks for a value by its word, as in "Is it a private address?"."""
    return (
        _YES_NO.match(request) is not None
        and isinstance(value, str)
        and value.isalpha()
        and value.islower()
        and (value in request.lower().strip("?! ").split())
    )


def _name_overlap(name: str, stemmed: Set[str]) -> float:
    """Return the share of a name's words that the request contains. "Day of the week" matches `weekday`."""
    words = [word for word in name.split() if word not in _SMALL]
    return sum(_is_named(word, stemmed) for word in words) / max(len(words), 1)


def _is_named(word: str, stemmed: Set[str]) -> bool:
    joins = range(3, len(word) - 2)
    return stem(word) in stemmed or any(word[:end] in stemmed and word[end:] in stemmed for end in joins)


def is_given(value: Any, request: str, args: Mapping[str, Any]) -> bool:
    """Return whether the request states a number outside a list argument: a median, for example, may equal a list
    item.
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not contains_value(request, value):
        return False
    return not contains_value(str([one for one in args.values() if isinstance(one, list)]), value)
