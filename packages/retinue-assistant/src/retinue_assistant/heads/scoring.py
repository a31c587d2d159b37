"""Maths that both heads share."""

import numpy as np

from retinue.models.heads import Arguments, Floats


def argument_rows(tools: Arguments) -> dict[str, dict[str, int]]:
    """Map each tool to the rows of its arguments."""
    rows: dict[str, dict[str, int]] = {}
    first = 0
    for tool, names in tools.items():
        rows[tool] = {name: first + place for place, name in enumerate(names)}
        first += len(names)
    return rows


def similarity_scale(axes: int) -> float:
    """Return the scale of a dot product of two vectors with `axes` dimensions."""
    return float(2 / np.sqrt(axes))


def softmax(scores: Floats) -> Floats:
    """Return the softmax of `scores` along the last axis."""
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return shares
