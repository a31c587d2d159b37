"""Trains the number matcher."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import orjson

from retinue.models.encoder import Encoded
from retinue.models.heads import Head
from retinue.tools.authoring.tool import Tool
from retinue_assistant.heads.number_matcher import PARTS, window
from retinue_assistant.heads.scoring import argument_rows
from retinue_assistant.text_parsing.numbers import numerals
from training.descent import Array
from training.labels import labels
from training.matching import Examples, argument_vectors, fit_matching


class NumberExample(NamedTuple):
    """A number of a precedent: its tool, its features and its labels."""

    tool: str
    window: Array
    labels: set[str]


def descriptions(tool: Tool) -> Iterator[str]:
    """Yield a description of each argument of a tool."""
    does = tool.description.partition(". ")[0]
    for name, schema in tool.input_schema.get("properties", {}).items():
        yield f"{does}: {name.replace('_', ' ')}, {schema.get('description') or ''}"


def number_examples(tool: str, arguments: str, request: Encoded) -> Iterator[NumberExample]:
    """Yield an example for each number of a precedent."""
    found, states = numerals(request.text), np.array(request.states, np.float32)
    for one, own in zip(found, labels(request.text, found, orjson.loads(arguments)), strict=True):
        if tokens := request.tokens(one.begin, one.end):
            yield NumberExample(tool, window(states, *tokens).astype(np.float16), own)


def learn_roles(numbers: Sequence[NumberExample], tools: Mapping[str, Sequence[str]], described: Array) -> Head:
    """Train on numbers. `tools` has the arguments of each tool; `described` embeds their descriptions, in order."""
    states = np.array([one.window[PARTS // 2] for one in numbers], np.float32)
    means, deviations = states.mean(axis=0), states.std(axis=0)
    windows = np.array([((one.window - means) / deviations).ravel().astype(np.float16) for one in numbers])
    all_ = np.vstack([described, np.zeros_like(described[:1])])
    weights = fit_matching(Examples(windows, *_choices(numbers, tools)), all_)
    arrays = {name: weights[name] for name in ("axes", "shifts", "biases")}
    vectors = argument_vectors(weights, all_)
    return Head({"means": means, "deviations": deviations, "vectors": vectors, **arrays}, tools)


def _choices(numbers: Sequence[NumberExample], tools: Mapping[str, Sequence[str]]) -> tuple[Array, Array]:
    """Return for each number the rows of its candidate arguments (the last one means none), and the right ones."""
    rows, none = argument_rows(tools), sum(map(len, tools.values()))
    choices = np.full((len(numbers), max(map(len, rows.values())) + 1), -1)
    golds = np.zeros(choices.shape, np.float32)
    for choice, gold, one in zip(choices, golds, numbers, strict=True):
        names = tools[one.tool]
        choice[: len(names) + 1] = [*rows[one.tool].values(), none]
        gold[[names.index(name) for name in one.labels] or len(names)] = 1
    return choices, golds
