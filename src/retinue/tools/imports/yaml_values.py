"""Read YAML as the equivalent JSON (YAML 1.2.2, sections 10.2 and 10.3).

PyYAML's constructors follow YAML 1.1, in which `1:30` is ninety, `no` is false and `<<` merges mappings; an integer
in base 60 takes quadratic time. Here libyaml only finds the structure, and each plain scalar is null, a boolean, a
decimal number or text. Aliases, other tags and keys that are not scalars are refused.
"""

import math
import re
from collections.abc import Iterator
from typing import Any

import yaml

from retinue.core.errors import ValidationFailed

MOST_NODES = 300_000
"""Maximum number of mappings, lists and scalars in one document."""

_DEEPEST = 100
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_TRUTHS = {word: truth for truth in (True, False) for word in (str(truth), str(truth).lower(), str(truth).upper())}
_LONGEST_NUMBER = 40
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_CORE = "tag:yaml.org,2002:"
_PLAIN_TAGS = {f"{_CORE}{name}" for name in ("null", "bool", "int", "float")}
_TEXT_TAGS = {"!", f"{_CORE}str"}
_COLLECTION_TAGS = {None, "!", f"{_CORE}map", f"{_CORE}seq"}


def read_yaml(raw: bytes) -> Any:
    """The value of the only document in `raw`. Raises `ValidationFailed` with the reason and the line."""
    try:
        return _Reader(yaml.parse(raw, Loader=yaml.CSafeLoader)).value()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or "it is neither JSON nor YAML"
        raise ValidationFailed(f"The document cannot be read: {reason}{_line(mark)}.") from error
    except UnicodeError as error:
        raise ValidationFailed("The document cannot be read: it is not text in UTF-8.") from error


class _Reader:
    """Builds values from libyaml's events, so that a refusal comes before the rest is read."""

    def __init__(self, events: Iterator[yaml.Event]) -> None:
        self._events = events
        self._nodes = 0

    def value(self) -> Any:
        """The value in the stream; None if it is empty."""
        next(self._events)
        if isinstance(next(self._events), yaml.StreamEndEvent):
            return None
        value = self._node(next(self._events), 0)
        next(self._events)
        if not isinstance(after := next(self._events), yaml.StreamEndEvent):
            raise _refusal("it contains more than one document", after)
        return value

    def _node(self, event: yaml.Event, depth: int) -> Any:
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise ValidationFailed(f"The document is YAML of more than {MOST_NODES:,} values. Import it as JSON.")
        if depth > _DEEPEST:
            raise ValidationFailed(f"The document is nested more than {_DEEPEST} levels deep.")
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event)
        if isinstance(event, yaml.AliasEvent):
            raise ValidationFailed(
                "The document uses YAML aliases, which are not supported. Expand them, or send JSON."
            )
        if event.tag not in _COLLECTION_TAGS:
            raise _refusal(f"the tag {event.tag[:60]} is not supported", event)
        return self._list(depth + 1) if isinstance(event, yaml.SequenceStartEvent) else self._mapping(depth + 1)

    def _list(self, depth: int) -> list[Any]:
        found = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            found.append(self._node(event, depth))
        return found

    def _mapping(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(key := next(self._events), yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent):
                raise _refusal("a key is not a string", key)
            found[key.value] = self._node(next(self._events), depth)
        return found


def _scalar(event: yaml.ScalarEvent) -> Any:
    text: str = event.value
    if event.tag in _TEXT_TAGS or (event.tag is None and not event.implicit[0]):
        return text
    if event.tag is not None and event.tag not in _PLAIN_TAGS:
        raise _refusal(f"the tag {event.tag[:60]} is not supported", event)
    if text in _NULLS:
        return None
    return _TRUTHS[text] if text in _TRUTHS else _number(text)


def _number(text: str) -> int | float | str:
    """A number in a form that JSON has; any other text unchanged."""
    if len(text) > _LONGEST_NUMBER or not _FLOAT.fullmatch(text):
        return text
    number = int(text) if _INTEGER.fullmatch(text) else float(text)
    return number if math.isfinite(number) else text


def _refusal(reason: str, event: yaml.Event) -> ValidationFailed:
    return ValidationFailed(f"The document cannot be read: {reason}{_line(event.start_mark)}.")


def _line(mark: Any) -> str:
    return f" (line {mark.line + 1})" if mark else ""
