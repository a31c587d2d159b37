"""Classifies which tool a request means, from the embedding that the model's first blocks compute.

Each tool has a weight vector, trained by multinomial logistic regression on example requests; one more class stands
for requests that need no tool.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from retinue.models.heads import FILE, Floats, Head, read_head
from retinue.models.meaning import Meaning
from retinue.models.number_matcher import Numbers
from retinue.models.span_extractor import Passages

LENGTH = 12.0
"""Norm to which embeddings are scaled. It limits how confident the regression can be."""


class Learned(NamedTuple):
    """The learned arrays: the mean and standard deviation of embeddings along each axis, and the weight vector (a row
    of `weights`) and the bias of each tool.
    """

    means: Floats
    spreads: Floats
    weights: Floats
    biases: Floats


class ToolClassifier:
    """The trained classifier: the arrays, and the name of the tool of each row."""

    def __init__(self, learned: Learned, tools: Iterable[str]) -> None:
        self._learned, self._tools = learned, tuple(tools)

    @classmethod
    def read(cls, path: Path = FILE) -> Self:
        """Read the file of the heads."""
        head = read_head("tool_classifier", path)
        return cls(Learned(**head.arrays), head.tools)

    def to_head(self) -> Head:
        """Return what the file stores."""
        return Head(self._learned._asdict(), dict.fromkeys(self._tools, ()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def meaning(
        self, place: Sequence[float], numbers: Numbers | None = None, passages: Passages | None = None
    ) -> Meaning:
        """Classify a request by its embedding `place`; the result carries its `numbers` and `passages`."""
        centred = (np.array(place) - self._learned.means) / self._learned.spreads
        centred *= LENGTH / (np.linalg.norm(centred) or 1.0)
        likelihoods = self._learned.weights @ centred.astype(np.float32) + self._learned.biases
        return Meaning(dict(zip(self._tools, likelihoods.tolist(), strict=True)), numbers, passages)
