"""Trains the span extractor."""

from collections.abc import Mapping, Sequence

import numpy as np

from retinue.models.heads import argument_rows
from retinue.models.span_extractor import Axes, Learned, Texts
from training.descent import Numbers
from training.passages import Passage, teaching
from training.pointing import fit_pointing, places


def learn_texts(found: Sequence[Passage], tools: Mapping[str, Sequence[str]], described: Numbers) -> Texts:
    """Train on passages. `tools` has the argument names of each tool; `described` has the embeddings of their
    descriptions, in the same order.
    """
    taught = teaching(found)
    known, rows = _find_known(taught, tools), argument_rows(tools)
    own = described[[rows[tool][name] for tool, names in known.items() for name in names]]
    tokens = np.concatenate([one.states for one in taught]).astype(np.float32)
    means, spreads = tokens.mean(axis=0), tokens.std(axis=0)
    centred = [((one.states - means) / spreads).astype(np.float16) for one in taught]
    weights = fit_pointing(taught, argument_rows(known), own, centred)
    axes = Axes(*weights[: len(Axes._fields)])
    return Texts(Learned(means, spreads, axes, places(weights, own), weights.nowhere), known)


def _find_known(found: Sequence[Passage], tools: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the arguments that have training examples."""
    taught = {(one.tool, one.argument) for one in found}
    named = {tool: [name for name in names if (tool, name) in taught] for tool, names in tools.items()}
    return {tool: names for tool, names in named.items() if names}
