"""Classifies which tool a request means, from the embedding that the model's first blocks compute.

Each tool has a weight vector, trained by multinomial logistic regression on example requests; one more class stands
for requests that need no tool.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from retinue.models.assistant import RequestHints
from retinue.models.heads import Floats, Head
from retinue.models.request_classification import RequestClassification

LENGTH = 12.0
"""Norm to which embeddings are scaled. It limits how confident the regression can be."""


class ClassifierWeights(NamedTuple):
    """The learned arrays: the mean and standard deviation of embeddings along each axis, and the weight vector (a row
    of `weights`) and the bias of each tool.
    """

    means: Floats
    deviations: Floats
    weights: Floats
    biases: Floats


class ToolClassifier:
    """Classifies with a trained head."""

    def __init__(self, head: Head) -> None:
        self._learned, self._tools = ClassifierWeights(**head.arrays), tuple(head.tools)

    def meaning(self, embedding: Sequence[float], hints: RequestHints | None = None) -> RequestClassification:
        """Classify a request by its embedding; the result carries its `hints`."""
        centred = (np.array(embedding) - self._learned.means) / self._learned.deviations
        centred *= LENGTH / (np.linalg.norm(centred) or 1.0)
        likelihoods = self._learned.weights @ centred.astype(np.float32) + self._learned.biases
        return RequestClassification(dict(zip(self._tools, likelihoods.tolist(), strict=True)), hints)
