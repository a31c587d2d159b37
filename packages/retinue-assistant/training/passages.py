"""Labels the text spans of a precedent that match its arguments."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import orjson

from retinue.models.encoder import Encoded
from retinue.tools.authoring.tool import Tool
from retinue_assistant.heads.span_candidates import Boundary, boundaries
from retinue_assistant.slots import are_texts, have_blanks, is_text
from retinue_assistant.text_parsing.list_items import split_items
from training.descent import Array

_COPIED = 0.6
"""Minimum share of an argument's values that requests contain literally. Above it, the other values are paraphrases
and are not used for training."""


Span: TypeAlias = tuple[int, int]
"""The first character and the end of a span."""


class Passage(NamedTuple):
    """A training example for one argument of a precedent: the token states and boundaries of the request, the spans
    that match the value as pairs of boundary indexes (`stands`), and whether the precedent has the argument
    (`given`).
    """

    tool: str
    argument: str
    states: Array
    begins: Sequence[Boundary]
    ends: Sequence[Boundary]
    stands: Sequence[tuple[int, int]]
    given: bool


def passages(tool: Tool, arguments: str, request: Encoded) -> Iterator[Passage]:
    """Yield an example for each argument that takes a text or a list of texts."""
    values, (begins, ends) = orjson.loads(arguments), boundaries(request)
    states = np.array(request.states, np.float16)
    first, last = ({one.offset: at for at, one in enumerate(some)} for some in (begins, ends))
    for name, schema in tool.input_schema.get("properties", {}).items():
        if is_text(schema) or are_texts(schema):
            found = (
                [(first[begin], last[end]) for begin, end in spans if begin in first and end in last]
                for spans in _spans(values.get(name), request.text, not have_blanks(name, tool.precedents))
            )
            stands = next(filter(None, found), [])
            yield Passage(tool.name, name, states, begins, ends, stands, values.get(name) is not None)


def teaching(found: Iterable[Passage]) -> list[Passage]:
    """Return the examples to train on, without paraphrased values of arguments that are usually copied."""
    all_ = list(found)
    counts = Counter((one.tool, one.argument) for one in all_ if one.given)
    standing = Counter((one.tool, one.argument) for one in all_ if one.stands)
    copied = {name for name, count in counts.items() if standing[name] >= _COPIED * count}
    return [one for one in all_ if one.stands or not one.given or (one.tool, one.argument) not in copied]


def _spans(value: Any, text: str, at_blanks: bool) -> Iterator[list[Span]]:
    """Yield the spans that match a value, the strictest comparison first."""
    if isinstance(value, str) and value.strip():
        yield from _as_text(value, text)
    elif isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        yield _as_list(value, text, at_blanks)


def _as_text(value: str, text: str) -> Iterator[list[Span]]:
    """Match a text exactly, then ignoring case and plural endings. Requests may write a line break as \\n."""
    spelled = value if value in text else value.replace("\n", "\\n")
    exactly, freely = rf"(?=({re.escape(spelled)}))", rf"(?i)(?=((?<!\w){re.escape(spelled)}(?:e?s)?(?!\w)))"
    yield from ([match.span(1) for match in re.finditer(pattern, text)] for pattern in (exactly, freely))


def _as_list(values: list[str], text: str, at_blanks: bool) -> list[Span]:
    """Match spans that split into exactly these items."""
    first, last = ([match.span() for match in re.finditer(re.escape(one), text)] for one in (values[0], values[-1]))
    return [
        (begin - marks, end + marks)
        for begin, behind in first
        for _, end in last
        for marks in (0, 1)
        if end >= behind and begin >= marks and split_items(text[begin - marks : end + marks], at_blanks) == values
    ]
