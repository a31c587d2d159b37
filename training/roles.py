"""Learning which number of a request is which argument of a tool."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import orjson

from retinue.models.encoder import Encoded
from retinue.models.reading.numerals import numerals
from retinue.models.roles import TURNS, Argument, Axes, Roles, Steps
from retinue.models.windows import PARTS, window
from retinue.tools.base import Tool
from training.descent import Numbers
from training.labels import Label, labels
from training.matching import Examples, Match, matched

_STEPS, _DIGITS = 127, 5


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


def roles(numbers: Sequence[Told], tools: Mapping[str, Sequence[str]], places: Numbers) -> Roles:
    """Learn from numbers. `tools` tells the names of their arguments; in their order, `places` where these lie."""
    scale = _scale(numbers)
    examples = _examples(numbers, tools, scale)
    centred = (places - places.mean(axis=0)) / places.std(axis=0)
    known = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    return _kept(matched(examples, np.vstack([known, np.zeros_like(known[:1])]).astype(np.float32)), tools, scale)


def _scale(numbers: Sequence[Told]) -> Scale:
    parts = np.vstack([one.window.reshape(PARTS, -1)[:1] for one in numbers]).astype(np.float32)
    return Scale(parts.mean(axis=0), parts.std(axis=0))


def _examples(numbers: Sequence[Told], tools: Mapping[str, Sequence[str]], scale: Scale) -> Examples:
    """What lies beyond a text is nought in a window, and in the centred one as well."""
    names = list(chain.from_iterable(((tool, name) for name in arguments) for tool, arguments in tools.items()))
    rows = {pair: row for row, pair in enumerate(names)}
    widest = max(map(len, tools.values())) + 1
    windows = np.empty((len(numbers), numbers[0].window.size), np.float16)
    choices = np.full((len(numbers), widest), -1)
    golds = np.zeros((len(numbers), widest, len(TURNS)), np.float32)
    for place, one in enumerate(numbers):
        parts = one.window.reshape(PARTS, -1).astype(np.float32)
        there = parts.any(axis=1, keepdims=True)
        windows[place] = (((parts - scale.means) / scale.spreads) * there).ravel()
        own = tools[one.tool]
        choices[place, : len(own) + 1] = [*(rows[one.tool, name] for name in own), len(names)]
        for name, turn in one.is_:
            golds[place, own.index(name), turn] = 1
        if not one.is_:
            golds[place, len(own)] = 1
    return Examples(windows, choices, golds)


def _kept(found: Match, tools: Mapping[str, Sequence[str]], scale: Scale) -> Roles:
    """What was found, in whole steps."""
    rows = iter(zip(found.places, found.biases, found.usual, strict=True))

    def argument(name: str, told_of: Any) -> Argument:
        place, bias, usual = told_of
        return Argument(name, _steps(place), round(float(bias), _DIGITS), _rounded(usual, 2))

    arguments = {tool: [argument(name, next(rows)) for name in names] for tool, names in tools.items()}
    axes = Axes(_rounded(scale.means), _rounded(scale.spreads), [*map(_steps, found.axes)], _rounded(found.shifts))
    return Roles(axes, [*map(_steps, found.turns)], arguments, argument("", next(rows)))


def _steps(vector: Numbers) -> Steps:
    scale = float(np.abs(vector).max()) / _STEPS or 1.0
    return Steps(array("b", np.round(vector / scale).astype(np.int8).tobytes()), scale)


def _rounded(numbers: Iterable[float], digits: int = _DIGITS) -> list[float]:
    return [round(float(one), digits) for one in numbers]
