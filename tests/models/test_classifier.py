"""The classifier with real weights: it runs alongside an endpoint, and selects tools in five languages."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from retinue.models.classifier import RequestClassifier
from retinue.models.request_classification import RequestClassification
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.selection.selector import Query
from tests.support.sampling import EXHAUSTIVE
from tests.support.waiting import until
from tests.tools.selection.test_selection import HELD_OUT, OFFERED, Labelled

SOME = HELD_OUT[::5]
"""Enough requests to detect a regression. docs/tool-selection.md has the figures for all."""


@pytest.fixture
async def classifier(weights_folder: Path) -> AsyncIterator[RequestClassifier]:
    running = RequestClassifier(weights_folder)
    await running.start()
    await until(lambda: running.running, 240)
    yield running
    await running.stop()


@EXHAUSTIVE
@pytest.mark.long
async def test_the_right_tools_are_offered_in_five_languages(classifier: RequestClassifier) -> None:
    catalogue = Catalogue.load()

    async def right(one: Labelled) -> bool:
        meaning = await classifier.meaning(one.request)
        assert isinstance(meaning, RequestClassification)
        ranking = catalogue.rank([Query(one.request, 1.0, meaning.likelihoods)])
        names = [name for name, _ in ranking.tools[:OFFERED]] if ranking.evidence >= 0 else []
        return not one.tools.isdisjoint(names) if one.tools else names == []

    answers = [await right(one) for one in SOME]
    assert {one.language for one in SOME if one.tools} == {"en", "de", "fr", "es", "zh"}
    assert sum(answers) / len(answers) >= 0.9


async def test_without_weights_it_does_not_run(tmp_path: Path) -> None:
    idle = RequestClassifier(tmp_path)
    await idle.start()
    assert await idle.meaning("convert 5 km to miles") is None
    await idle.stop()
