"""Learning which number of a request is which argument of a tool."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
import orjson

from retinue.models.encoder import Encoded
from retinue.models.reading.numerals import numerals
from retinue.models.roles import TURNS, Argument, Axes, Roles, Steps
from retinue.models.windows import PARTS, window
from retinue.tools.base import Tool
from training.descent import STEPS, Numbers, rounded
from training.labels import Label, labels
from training.matching import Examples, Weights, matched, places


class Told(NamedTuple):
    """A number of a precedent: its tool, what is told of it, and what it is."""

    tool: str
    window: Numbers
    is_: set[Label]


class Scale(NamedTuple):
    """Mean and spread of states along each axis."""

    means: Numbers
    spreads: Numbers


def descriptions(tool: Tool) -> Iterator[str]:
    """For each argument of a tool, what it is."""
    does = tool.description.partition(". ")[0]
    for name, schema in tool.input_schema.get("properties", {}).items():
        yield f"{does}: {name.replace('_', ' ')}, {schema.get('description') or ''}"


def told(tool: str, arguments: str, request: Encoded) -> Iterator[Told]:
    """The numbers of a precedent."""
    found = numerals(request.text)
    for one, is_ in zip(found, labels(request.text, found, orjson.loads(arguments)), strict=True):
        if tokens := request.tokens(one.begin, one.end):
            yield Told(tool, np.array(window(request.states, *tokens), np.float16), is_)


def learned_roles(numbers: Sequence[Told], tools: Mapping[str, Sequence[str]], described: Numbers) -> Roles:
    """Learn from numbers. `tools` tells the names of their arguments; `described`, in their order, where what is told
    of these lies.
    """
    scale = _scale(numbers)
    centred = (described - described.mean(axis=0)) / described.std(axis=0)
    known = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    all_ = np.vstack([known, np.zeros_like(known[:1])]).astype(np.float32)
    found = matched(_examples(numbers, tools, scale), all_)
    return _kept(found, places(found, all_), tools, scale)


def _scale(numbers: Sequence[Told]) -> Scale:
    parts = np.vstack([one.window.reshape(PARTS, -1)[:1] for one in numbers]).astype(np.float32)
    return Scale(parts.mean(axis=0), parts.std(axis=0))


def _examples(numbers: Sequence[Told], tools: Mapping[str, Sequence[str]], scale: Scale) -> Examples:
    rows = _rows(tools)
    widest = max(map(len, rows.values()))
    choices = np.array([rows[one.tool] + [-1] * (widest - len(rows[one.tool])) for one in numbers])
    golds = np.zeros((*choices.shape, len(TURNS)), np.float32)
    for gold, one in zip(golds, numbers, strict=True):
        names = tools[one.tool]
        for name, turn in one.is_:
            gold[names.index(name), turn] = 1
        if not one.is_:
            gold[len(names)] = 1
    return Examples(np.array([_centred(one.window, scale) for one in numbers]), choices, golds)


def _rows(tools: Mapping[str, Sequence[str]]) -> dict[str, list[int]]:
    """For each tool the rows of its arguments, and the last of all for none."""
    counted = count()
    own = {tool: [next(counted) for _ in names] for tool, names in tools.items()}
    none = next(counted)
    return {tool: [*rows, none] for tool, rows in own.items()}


def _centred(told_of: Numbers, scale: Scale) -> Numbers:
    """What lies beyond a text is nought in a window, and in the centred one as well."""
    parts = told_of.reshape(PARTS, -1).astype(np.float32)
    there = parts.any(axis=1, keepdims=True)
    return (((parts - scale.means) / scale.spreads) * there).ravel().astype(np.float16)


def _kept(found: Weights, lie: Numbers, tools: Mapping[str, Sequence[str]], scale: Scale) -> Roles:
    """What was found, in whole steps."""
    rows = zip(lie, found.biases, found.usual, strict=True)
    arguments = {tool: [_argument(name, *next(rows)) for name in names] for tool, names in tools.items()}
    axes = Axes(rounded(scale.means), rounded(scale.spreads), [*map(_steps, found.axes)], rounded(found.shifts))
    return Roles(axes, [*map(_steps, found.turns)], arguments, _argument("", *next(rows)))


def _argument(name: str, place: Numbers, bias: Numbers, usual: Numbers) -> Argument:
    return Argument(name, _steps(place), rounded([bias])[0], rounded(usual, 2))


def _steps(vector: Numbers) -> Steps:
    scale = float(np.abs(vector).max()) / STEPS or 1.0
    return Steps(array("b", np.round(vector / scale).astype(np.int8).tobytes()), scale)
