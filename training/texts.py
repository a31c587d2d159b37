"""Learning which words of a request are which argument of a tool."""

from collections.abc import Mapping, Sequence
from itertools import count

import numpy as np

from retinue.models.texts import Learned, Texts
from training.descent import Numbers
from training.passages import Passage, teaching
from training.pointing import Weights, places, pointed


def learned_texts(found: Sequence[Passage], tools: Mapping[str, Sequence[str]], described: Numbers) -> Texts:
    """Learn from passages. `tools` tells the names of their arguments; `described`, in their order, where what is told
    of these lies.
    """
    taught = teaching(found)
    known = _known(taught, tools)
    row_of = dict(zip(((tool, name) for tool, names in tools.items() for name in names), count(), strict=False))
    told = _unit(described)[[row_of[tool, name] for tool, names in known.items() for name in names]]
    rows = dict(zip(((tool, name) for tool, names in known.items() for name in names), count(), strict=False))
    tokens = np.concatenate([one.states for one in taught]).astype(np.float32)
    means, spreads = tokens.mean(axis=0), tokens.std(axis=0)
    centred = [((one.states - means) / spreads).astype(np.float16) for one in taught]
    return Texts(_kept(pointed(taught, rows, told, centred), told, means, spreads), known)


def _known(found: Sequence[Passage], tools: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The arguments that there is something to learn about."""
    there = {(one.tool, one.argument) for one in found}
    named = {tool: [name for name in names if (tool, name) in there] for tool, names in tools.items()}
    return {tool: names for tool, names in named.items() if names}


def _unit(described: Numbers) -> Numbers:
    centred = (described - described.mean(axis=0)) / described.std(axis=0)
    return (centred / np.linalg.norm(centred, axis=1, keepdims=True)).astype(np.float32)


def _kept(found: Weights, told: Numbers, means: Numbers, spreads: Numbers) -> Learned:
    shared = {name: value for name, value in found._asdict().items() if name not in ("spread", "usual", "own")}
    return Learned(means=means, spreads=spreads, places=places(found, told), **shared)
