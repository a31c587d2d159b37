"""Collect measured values by name over several rounds."""

import sys
from collections.abc import Sequence
from statistics import median

AGENTS = 20
"""Number of agents on each measured platform."""

Figures = dict[str, float]
"""Named figures, such as `create.cpu_ms`."""

Results = dict[str, Figures]
"""Median figures by benchmark."""


def medians(rounds: Sequence[Figures]) -> Figures:
    """Return the median of each figure."""
    return {key: round(median(figures[key] for figures in rounds), 3) for key in rounds[0]}


def tell(text: str) -> None:
    """Print progress to standard error."""
    print(text, file=sys.stderr, flush=True)
