"""Figures: measured values by name, gathered over rounds."""

import sys
from collections.abc import Sequence
from statistics import median

Figures = dict[str, float]
"""Named figures, such as `create.cpu_ms`."""

Results = dict[str, Figures]
"""Median figures by what was measured."""


def medians(rounds: Sequence[Figures]) -> Figures:
    """The median of each figure."""
    return {key: round(median(figures[key] for figures in rounds), 3) for key in rounds[0]}


def tell(text: str) -> None:
    """Say what goes on."""
    print(text, file=sys.stderr, flush=True)
