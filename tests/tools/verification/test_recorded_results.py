"""Tools compute what they computed before, also for arguments that no example has."""

from pathlib import Path

import pytest

from tests.support.catalogue import TOOLS
from tests.support.sampling import sample
from tests.tools.executors import open_executor
from tests.tools.recorded_results import SNAPSHOT, digests, steady

RECORDED = {line.partition("\t")[0]: line for line in SNAPSHOT.path.read_text().splitlines()}
STEADY = steady(TOOLS)


def test_all_tools_whose_results_are_steady_are_recorded() -> None:
    assert [*RECORDED] == [tool.name for tool in STEADY], SNAPSHOT.hint


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("category", sample(sorted({tool.category for tool in STEADY}), every=5))
async def test_results_are_those_on_record(category: str, tmp_path: Path) -> None:
    tools = [tool for tool in STEADY if tool.category == category]
    async with open_executor(tools, tmp_path) as executor:
        found = [await digests(executor, tool) for tool in tools]
    others = [line for line in found if line != RECORDED[line.partition("\t")[0]]]
    assert not others, SNAPSHOT.hint
