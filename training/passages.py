"""Which words of a precedent are which argument, by their letters."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import orjson

from retinue.models.boundaries import Boundary, boundaries
from retinue.models.encoder import Encoded
from retinue.tools.base import Tool
from training.descent import Numbers

_COPIED = 0.6
"""The share of an argument's values that stand in requests, from which on those that do not are another way to say what
does: they teach nothing."""


class Passage(NamedTuple):
    """An argument of a precedent: the states of the request's tokens, the boundaries, from which of these to which it
    may stand (nowhere, where there are none), and whether it is `given`.
    """

    tool: str
    argument: str
    states: Numbers
    begins: Sequence[Boundary]
    ends: Sequence[Boundary]
    stands: Sequence[tuple[int, int]]
    given: bool


def text_arguments(tool: Tool) -> list[str]:
    """The arguments of a tool that are any text."""
    return [name for name, schema in tool.input_schema.get("properties", {}).items() if _is_text(schema)]


def passages(tool: Tool, arguments: str, request: Encoded) -> Iterator[Passage]:
    """The texts of a precedent."""
    meant, (begins, ends) = orjson.loads(arguments), boundaries(request)
    states = np.array(request.states, np.float16)
    for name in text_arguments(tool):
        value = meant.get(name)
        if value is None or (isinstance(value, str) and value.strip()):
            stands = [*_places(value, request.text, begins, ends)] if value else []
            yield Passage(tool.name, name, states, begins, ends, stands, value is not None)


def teaching(found: Iterable[Passage]) -> list[Passage]:
    """Those that teach something."""
    all_ = list(found)
    given = Counter((one.tool, one.argument) for one in all_ if one.given)
    standing = Counter((one.tool, one.argument) for one in all_ if one.stands)
    copied = {name for name, count in given.items() if standing[name] >= _COPIED * count}
    return [one for one in all_ if one.stands or not one.given or (one.tool, one.argument) not in copied]


def _is_text(schema: Mapping[str, Any]) -> bool:
    kinds = {schema.get("type"), *(one.get("type") for one in schema.get("anyOf", ()))}
    return "string" in kinds and "enum" not in schema and schema.get("format") != "file-id"


def _places(value: str, text: str, begins: Sequence[Boundary], ends: Sequence[Boundary]) -> Iterator[tuple[int, int]]:
    """Where a value stands: letter for letter, else in any case or as a plural. Requests write lines with a \\n."""
    written = value if value in text else value.replace("\n", "\\n")
    first, last = ({one.place: at for at, one in enumerate(some)} for some in (begins, ends))
    exactly, freely = rf"(?=({re.escape(written)}))", rf"(?i)(?=((?<!\w){re.escape(written)}(?:e?s)?(?!\w)))"
    for pattern in (exactly, freely):
        spans = [match.span(1) for match in re.finditer(pattern, text)]
        found = [(first[begin], last[end]) for begin, end in spans if begin in first and end in last]
        if found:
            yield from found
            return
