"""Trains the span extractor."""

from collections.abc import Mapping, Sequence

import numpy as np

from retinue.models.heads import Head
from retinue_assistant.heads.scoring import argument_rows
from retinue_assistant.heads.span_extractor import SIDES, beside, enclose, normalize, one_hot_kinds
from training.descent import Array
from training.passages import Passage, teaching
from training.pointing import Example, argument_vectors, fit_pointing


def learn_texts(found: Sequence[Passage], tools: Mapping[str, Sequence[str]], described: Array) -> Head:
    """Train on passages. `tools` has the arguments of each tool; `described` embeds their descriptions, in order."""
    taught = teaching(found)
    known, rows = _find_known(taught, tools), argument_rows(tools)
    own = described[[rows[tool][name] for tool, names in known.items() for name in names]]
    tokens, rows = np.concatenate([one.states for one in taught]).astype(np.float32), argument_rows(known)
    means, deviations = tokens.mean(axis=0), tokens.std(axis=0)
    weights = fit_pointing([example(one, rows[one.tool][one.argument], means, deviations) for one in taught], own)
    vectors = argument_vectors(weights, own, np.arange(len(own)))
    arrays = {name: weights[name] for name in ("down", "beside", "kinds", "absent")}
    return Head({"means": means, "deviations": deviations, "vectors": vectors, **arrays}, known)


def example(passage: Passage, row: int, means: Array, deviations: Array) -> Example:
    """Return the training example of a passage, whose argument has this row."""
    boundaries = passage.begins, passage.ends
    tokens = [beside(some, offsets) for some, offsets in zip(boundaries, SIDES, strict=True)]
    right = np.zeros((len(passage.begins), len(passage.ends)), bool)
    right[tuple(np.array(passage.stands, int).reshape(-1, 2).T)] = True
    states = normalize(passage.states, means, deviations).astype(np.float16)
    return Example(row, states, tokens, [*map(one_hot_kinds, boundaries)], enclose(*boundaries), right)


def _find_known(found: Sequence[Passage], tools: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the arguments that have training examples."""
    taught = {(one.tool, one.argument) for one in found}
    trained = {tool: [name for name in names if (tool, name) in taught] for tool, names in tools.items()}
    return {tool: names for tool, names in trained.items() if names}
