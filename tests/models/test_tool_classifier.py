"""The classifier's parameters are stored in a file and compared with a request's embedding."""

from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.tool_classifier import NO_TOOL, Direction, ToolClassifier
from retinue.tools.catalogue import Catalogue

STEPS = st.lists(st.integers(-127, 127), min_size=3, max_size=3)
NUMBERS = st.floats(-100, 100)


@given(st.dictionaries(st.text(max_size=9), st.tuples(STEPS, NUMBERS, NUMBERS), max_size=5))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, tools: dict[str, tuple[list[int], float, float]]
) -> None:
    known = {name: Direction(array("b", steps), scale, bias) for name, (steps, scale, bias) in tools.items()}
    path = tmp_path_factory.mktemp("directions") / "directions.bin"
    path.write_bytes(ToolClassifier([0, 1, 2], [1, 1, 1], known).to_bytes())
    read = ToolClassifier.read(path)
    assert list(read) == list(known)
    place, expected = [1.0, -2.0, 0.5], ToolClassifier([0, 1, 2], [1, 1, 1], known)
    for name in known:
        assert read.meaning(place).of(name) == expected.meaning(place).of(name)


def test_a_request_means_the_tool_in_whose_direction_it_lies() -> None:
    tools = {"east": Direction(array("b", [100, 0]), 0.01, 0.0), "north": Direction(array("b", [0, 100]), 0.01, 0.0)}
    directions = ToolClassifier([5.0, 5.0], [1.0, 2.0], tools)
    eastward = directions.meaning([9.0, 6.0])
    assert eastward.of("east") == pytest.approx(12 * 4 / (4**2 + 0.5**2) ** 0.5)
    assert eastward.of("north") == pytest.approx(12 * 0.5 / (4**2 + 0.5**2) ** 0.5)
    assert eastward.of("west") is None
    assert directions.meaning([5.0, 5.0]).of("east") == 0


def test_there_is_a_direction_for_every_tool_that_has_precedents() -> None:
    known = set(ToolClassifier.read())
    tools = list(Catalogue.load())
    by_old_name = {tool.alias_of for tool in tools if tool.name in known}
    assert {tool.name for tool in tools if tool.precedents} - known - by_old_name == set()
    assert NO_TOOL in known


def test_the_file_is_small_enough_to_ship() -> None:
    assert (Path(__file__).parents[2] / "src/retinue/models/directions.bin").stat().st_size < 2_000_000
