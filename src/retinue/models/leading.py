"""Which fields of a tool's result the question is about."""

from collections.abc import Mapping, Set
from typing import Any

from retinue.core.stems import stem, stems
from retinue.models.measured import label
from retinue.models.stated import stands_in

_SMALL = frozenset(("of", "in", "per", "the", "to", "at", "is", "for"))
"""Words of names that say nothing by themselves."""


def leading(fields: Mapping[str, Any], question: str, given: Mapping[str, Any]) -> list[str]:
    """The names of which the question says most; else the first field that it does not give. `given` are arguments."""
    fresh = [name for name, value in fields.items() if name not in given or given[name] != value] or list(fields)
    wanted = stems(question)
    said = {name: _said(label(name, fields[name]), wanted) for name in fresh}
    most = max(said.values())
    if not most:
        return [name for name in fresh if not (isinstance(fields[name], str) and stands_in(fields[name], question))][:1]
    first = [name for name in fresh if said[name] == most]
    listed = str([value for value in given.values() if isinstance(value, list)])
    return [name for name in first if not _is_given(fields[name], question, listed)] or first


def _said(name: str, wanted: Set[str]) -> float:
    """Which part of a name's words stands in the question; a weekday is said by a day of the week."""
    words = [word for word in name.split() if word not in _SMALL]
    return sum(_is_said(word, wanted) for word in words) / max(len(words), 1)


def _is_said(word: str, wanted: Set[str]) -> bool:
    joins = range(3, len(word) - 2)
    return stem(word) in wanted or any(word[:end] in wanted and word[end:] in wanted for end in joins)


def _is_given(value: Any, question: str, listed: str) -> bool:
    """Whether a question gives a value, and not just in a list of them, whose median may be one of them."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and stands_in(value, question) and not stands_in(value, listed)
