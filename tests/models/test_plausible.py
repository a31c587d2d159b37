"""What the search says by itself: no tool, this one, or ask the model."""

import pytest

from retinue.models.base import ToolOffer
from retinue.models.plausible import plausible

DATA = "How many hosts has 10.0.0.0/8?"


def offers(*fits: float | None) -> list[ToolOffer]:
    """Tools named by their place, with these scores."""
    return [ToolOffer(f"tool_{place}", "Does it.", {"type": "object"}, fit=fit) for place, fit in enumerate(fits)]


def names(question: str, *fits: float | None) -> list[str]:
    """The tools that are left to choose from."""
    return [tool.name for tool in plausible(question, offers(*fits))]


def test_nothing_fits_a_request_that_needs_no_tool() -> None:
    assert names("Hello there!", 9.0, 8.0, 0.0) == []
    assert names(DATA, 7.0, 6.0, 0.0) == []
    assert names(DATA, 9.0, 8.0, 0.0) != []


def test_one_that_stands_out_is_taken_where_there_is_data() -> None:
    assert names(DATA, 30.0, 12.0) == ["tool_0"]
    assert names("the leap years of this century", 30.0, 12.5) == ["tool_0", "tool_1"]


def test_what_is_talk_needs_none() -> None:
    assert names("Why do we have leap years?", 30.0, 12.5) == []


@pytest.mark.parametrize("fits", [(30.0, 28.0, 20.0), (14.0, 6.0, 5.9)])
def test_where_there_is_doubt_the_model_chooses_among_those_that_fit(fits: tuple[float, ...]) -> None:
    assert names(DATA, *fits) == [f"tool_{place}" for place, fit in enumerate(fits) if fit >= 0.4 * fits[0]]


def test_the_calculator_is_always_to_choose() -> None:
    assert names(DATA, 20.0, 19.0, 1.0, 0.0) == ["tool_0", "tool_1", "tool_3"]


def test_tools_that_were_named_are_all_to_choose() -> None:
    assert names("Hello there!", None, None) == ["tool_0", "tool_1"]


def test_tools_that_work_on_a_file_are_left_out_where_none_is_named() -> None:
    schema = {"properties": {"file": {"type": "string", "format": "file-id"}}, "required": ["file"]}
    tool = ToolOffer("crop", "Crops.", schema, fit=30.0)
    named = "crop file_01k9z4m2n8q6r5t3v7w1x0y2za to 20 by 30"
    assert plausible("crop to 20 by 30", [tool]) == []
    assert plausible(named, [tool]) == [tool]


@pytest.mark.parametrize(("question", "left"), [("total of qty 3", 0), ('total of qty in [{"qty":3}]', 1)])
def test_tools_of_tables_are_left_out_where_there_is_none(question: str, left: int) -> None:
    table = {"file": {"type": "string", "format": "file-id"}, "rows": {"type": "array", "items": {"type": "object"}}}
    assert len(plausible(question, [ToolOffer("total", "Adds.", {"properties": table}, fit=30.0)])) == left


@pytest.mark.parametrize(("question", "left"), [("split 146.80 by 5", 2), ("split (1, 2), (3, 4)", 1)])
def test_the_search_does_not_decide_for_a_tool_whose_lists_are_not_there(question: str, left: int) -> None:
    items = {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}
    first = ToolOffer("split", "Splits.", {"properties": {"items": items}, "required": ["items"]}, fit=30.0)
    assert len(plausible(question, [first, *offers(14.0)])) == left


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("the difference between weather and climate", 0),
        ("how warm do twenty or thirty degrees feel", 0),
        ("how warm does half a degree feel", 1),
        ("how warm are 30 degrees", 1),
    ],
)
def test_without_data_no_number_is_made_up(question: str, left: int) -> None:
    schema = {"properties": {"degrees": {"type": "number"}}, "required": ["degrees"]}
    assert len(plausible(question, [ToolOffer("feel", "Feels.", schema, fit=30.0)])) == left


def test_words_can_be_a_text_or_a_choice() -> None:
    choice = {"enum": ["up", "down"], "type": "string"}
    schema = {"properties": {"text": {"type": "string"}, "way": choice}, "required": ["text", "way"]}
    tool = ToolOffer("spell", "Spells.", schema, fit=30.0)
    assert plausible("spell lighthouse in words", [tool]) == [tool]
