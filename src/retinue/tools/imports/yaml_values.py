"""Read YAML as the equivalent JSON (YAML 1.2.2, sections 10.2 and 10.3), with anchors, aliases and merge keys.

PyYAML's constructors follow YAML 1.1, in which `1:30` is ninety and `no` is false; an integer in base 60 takes
quadratic time. Here libyaml only finds the structure, and each plain scalar is null, a boolean, a decimal number or
text. Other tags and keys that are not scalars are refused.

An alias is the value of its anchor itself, not a copy. It counts towards the limits as often as it occurs, so a short
text cannot stand for a document without end.
"""

import math
import re
from collections.abc import Iterator

import yaml

from retinue.core.errors import ValidationFailed

MOST_NODES = 300_000
"""Maximum number of mappings, lists and scalars in one document, with its aliases expanded."""

_MOST_CHARACTERS = 20 << 20
"""Maximum characters of the keys and texts that aliases stand for."""

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
_MERGE = "<<"

_REASONS = {
    "found character that cannot start any token": "a tab in the indentation, or a value that must be in quotes",
    "mapping values are not allowed": "wrong indentation, or a text with a colon that must be in quotes",
    "did not find expected ',' or ']'": "a list lacks a comma or its closing bracket",
    "did not find expected ',' or '}'": "an object lacks a comma or its closing brace",
    "did not find expected node content": "a value is missing, or must be in quotes",
    "did not find expected": "wrong indentation, or a value that must be in quotes",
    "could not find expected ':'": "a key without a colon, or wrong indentation",
    "found unexpected end of stream": "a quote is not closed",
    "found unknown escape character": "an unknown escape after \\ in double quotes; use single quotes",
}
"""How libyaml's messages begin, and what they mean. The first match counts."""


def read_yaml(raw: bytes) -> object:
    """Return the value of the only document in `raw`. Raises `ValidationFailed` with the reason and the line."""
    try:
        return _Reader(yaml.parse(raw, Loader=yaml.CSafeLoader)).value()
    except yaml.MarkedYAMLError as error:
        problem = error.problem or ""
        reason = next((ours for theirs, ours in _REASONS.items() if problem.startswith(theirs)), "a syntax error")
        mark = error.problem_mark
        raise ValidationFailed(f"The document cannot be read: it is not valid YAML{_line(mark)}: {reason}.") from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise ValidationFailed(
            "The document cannot be read: it is not text in UTF-8, or has control characters."
        ) from error


class _Reader:
    """Builds values from libyaml's events, so that a refusal comes before the rest is read."""

    def __init__(self, events: Iterator[yaml.Event]) -> None:
        self._events = events
        self._nodes = self._characters = 0
        self._anchors: dict[str, object] = {}

    def value(self) -> object:
        """Return the value in the stream; None if it is empty."""
        next(self._events)
        if isinstance(next(self._events), yaml.StreamEndEvent):
            return None
        value = self._node(next(self._events), 0)
        next(self._events)
        if not isinstance(after := next(self._events), yaml.StreamEndEvent):
            raise _refusal("it contains more than one document", after)
        return value

    def _node(self, event: yaml.Event, depth: int) -> object:
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, depth)
        self._count(depth)
        value = _scalar(event) if isinstance(event, yaml.ScalarEvent) else self._collection(event, depth + 1)
        self._anchor(event, value)
        return value

    def _count(self, depth: int) -> None:
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise ValidationFailed(
                f"The document is YAML of more than {MOST_NODES:,} values, with its aliases written out. Use $ref "
                "instead of aliases, or import it as JSON."
            )
        if depth > _DEEPEST:
            raise ValidationFailed(f"The document is nested more than {_DEEPEST} levels deep.")

    def _anchor(self, event: yaml.ScalarEvent, value: object) -> None:
        if event.anchor is not None:
            self._anchors[event.anchor] = value

    def _alias(self, event: yaml.AliasEvent, depth: int) -> object:
        if event.anchor not in self._anchors:
            raise _refusal(
                f"the alias *{event.anchor[:60]} refers to itself or to no anchor before it. Define "
                f"&{event.anchor[:60]} above it",
                event,
            )
        value = self._anchors[event.anchor]
        self._count_all(value, depth)
        return value

    def _count_all(self, value: object, depth: int) -> None:
        """Count a value as if it was written out again."""
        self._count(depth)
        if isinstance(value, str):
            self._count_characters(value)
        elif isinstance(value, list):
            for one in value:
                self._count_all(one, depth + 1)
        elif isinstance(value, dict):
            for key, one in value.items():
                self._count_characters(key)
                self._count_all(one, depth + 1)

    def _count_characters(self, text: str) -> None:
        self._characters += len(text)
        if self._characters > _MOST_CHARACTERS:
            raise ValidationFailed(
                f"The document's aliases stand for more than {_MOST_CHARACTERS >> 20} MiB. Use $ref instead."
            )

    def _collection(self, event: yaml.Event, depth: int) -> object:
        if event.tag not in _COLLECTION_TAGS:
            raise _refusal(f"the tag {event.tag[:60]} is not supported", event)
        return self._list(depth) if isinstance(event, yaml.SequenceStartEvent) else self._read_mapping(depth)

    def _list(self, depth: int) -> list[object]:
        found = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            found.append(self._node(event, depth))
        return found

    def _read_mapping(self, depth: int) -> dict[str, object]:
        found: dict[str, object] = {}
        merged: dict[str, object] = {}
        while not isinstance(key := next(self._events), yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent):
                raise _refusal("a key is not a string", key)
            self._anchor(key, key.value)
            value = self._node(next(self._events), depth)
            if key.value == _MERGE and key.implicit[0]:
                merged |= _merge(value, key)
            else:
                found[key.value] = value
        return {**merged, **found}


def _merge(value: object, key: yaml.ScalarEvent) -> dict[str, object]:
    """Return the entries that a merge key adds (https://yaml.org/type/merge.html): of several mappings, the first
    counts.
    """
    mappings = value if isinstance(value, list) else [value]
    if not all(isinstance(one, dict) for one in mappings):
        raise _refusal("the value of << must be a mapping or a list of mappings", key)
    return {name: one for mapping in reversed(mappings) for name, one in mapping.items()}


def _scalar(event: yaml.ScalarEvent) -> object:
    text: str = event.value
    if event.tag in _TEXT_TAGS or (event.tag is None and not event.implicit[0]):
        return text
    if event.tag is not None and event.tag not in _PLAIN_TAGS:
        raise _refusal(f"the tag {event.tag[:60]} is not supported", event)
    if text in _NULLS:
        return None
    return _TRUTHS[text] if text in _TRUTHS else _number(text)


def _number(text: str) -> int | float | str:
    """Return a number in a form that JSON has; any other text unchanged."""
    if len(text) > _LONGEST_NUMBER or not _FLOAT.fullmatch(text):
        return text
    number = int(text) if _INTEGER.fullmatch(text) else float(text)
    return number if math.isfinite(number) else text


def _refusal(reason: str, event: yaml.Event) -> ValidationFailed:
    return ValidationFailed(f"The document cannot be read: {reason}{_line(event.start_mark)}.")


def _line(mark: yaml.Mark | None) -> str:
    return f" (line {mark.line + 1})" if mark else ""
