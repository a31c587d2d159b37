"""Everyday requests with the real classifier: each leads to a tool that answers it, or to none.

Each line of `everyday_requests.tsv` is a request and the tools that answer it, `-` for none.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from retinue.models.base import Candidate
from retinue.models.local import LocalModel
from retinue.runs.tool_selection.tool_offers import candidate_of
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.selection.selector import Query
from retinue_assistant.known_words import in_known_words
from retinue_assistant.tool_choice import likely_tools
from tests.support.sampling import EXHAUSTIVE
from tests.support.waiting import until

NONE = "-"


async def candidates(model: LocalModel, catalogue: Catalogue, request: str) -> Sequence[Candidate]:
    """Return the tools that the classifier and the words of a request suggest, as a run without named tools does."""
    meaning = await model.meaning(request)
    assert meaning is not None
    ranking = catalogue.rank([Query(request, 1.0, meaning.likelihoods)])
    if ranking.evidence < 0:
        return []
    best = ranking.tools[0][1]
    return [
        candidate_of(catalogue.get(name), ranking.evidence - best + score, meaning, catalogue.aliases_of(name))
        for name, score in ranking.tools
    ]


async def first_tool(model: LocalModel, catalogue: Catalogue, request: str) -> str:
    """Return the tool that the assistant tries first for a request, or `-`."""
    likely = likely_tools(request, await candidates(model, catalogue, request))
    if not likely and (known := in_known_words(request)):
        likely = likely_tools(known, await candidates(model, catalogue, known))
    return likely[0].tool.name if likely else NONE


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("every", [6, pytest.param(1, marks=EXHAUSTIVE)])
async def test_everyday_requests_lead_to_their_tools(weights_folder: Path, every: int) -> None:
    lines = (Path(__file__).parent / "everyday_requests.tsv").read_text("utf-8").splitlines()[::every]
    catalogue, model = Catalogue.load(), LocalModel(weights_folder, ["0.5b"])
    await model.start()
    try:
        await until(lambda: model.state == "ready", within=300)
        first = {line: await first_tool(model, catalogue, line.partition("\t")[0]) for line in lines}
    finally:
        await model.stop()
    assert [f"{line} -> {tool}" for line, tool in first.items() if tool not in line.partition("\t")[2].split()] == []
