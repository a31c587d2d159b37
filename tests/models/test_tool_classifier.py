"""The classifier compares the weight vectors of tools with a request's embedding."""

import numpy as np
import pytest

from retinue.models.heads import FILE, Head, read_head
from retinue.models.request_classification import NO_TOOL
from retinue.models.tool_classifier import ToolClassifier
from retinue.tools.catalogue.catalogue import Catalogue


def test_a_request_means_the_tool_in_whose_direction_it_lies() -> None:
    arrays = {"means": np.array([5.0, 5.0]), "deviations": np.array([1.0, 2.0])}
    arrays |= {"weights": np.eye(2), "biases": np.array([0.0, 3.0])}
    classifier = ToolClassifier(Head(arrays, {"east": [], "north": []}))
    eastward = classifier.meaning([9.0, 6.0])
    assert eastward.of("east") == pytest.approx(12 * 4 / (4**2 + 0.5**2) ** 0.5)
    assert eastward.of("north") == pytest.approx(3 + 12 * 0.5 / (4**2 + 0.5**2) ** 0.5)
    assert eastward.of("west") is None
    assert classifier.meaning([5.0, 5.0]).of("east") == 0


def test_every_tool_that_has_precedents_is_known() -> None:
    """A new tool with examples needs `make train`: until then, only their words find it."""
    known = set(read_head("tool_classifier", FILE).tools)
    assert {tool.name for tool in Catalogue.load() if tool.precedents and not tool.alias_of} - known == set()
    assert NO_TOOL in known
