"""What the search says by itself: no tool, or which ones in what order."""

from typing import Any

import pytest

from retinue.models.candidates import Candidate
from retinue.models.plausible import plausible

DATA = "How many hosts has 10.0.0.0/8?"


LEAD = 9.0


def offers(*fits: float | None, lead: float = LEAD) -> list[Candidate]:
    """Tools named by their place, with these scores; all lead talk by as much."""
    return [Candidate(f"tool_{place}", "Does it.", {}, fit=fit, lead=lead) for place, fit in enumerate(fits)]


def names(question: str, *fits: float | None, lead: float = LEAD) -> list[str]:
    """The tools that may be meant."""
    return [tool.name for tool in plausible(question, offers(*fits, lead=lead))]


@pytest.mark.parametrize(
    ("question", "lead", "left"), [(DATA, 1.1, 1), (DATA, 0.9, 0), ("cats", 3.6, 1), ("cats", 3.4, 0)]
)
def test_no_tool_is_meant_where_none_is_likelier(question: str, lead: float, left: int) -> None:
    assert len(names(question, 30.0, lead=lead)) == left


def test_what_is_talk_needs_none() -> None:
    assert names("Why do we have leap years?", 30.0, 12.5) == []


def test_the_order_is_that_of_the_search() -> None:
    assert names(DATA, 14.0, 30.0, 0.0) == ["tool_0", "tool_1", "tool_2"]


def test_tools_that_were_named_are_all_to_choose() -> None:
    assert names("Hello there!", None, None) == ["tool_0", "tool_1"]


def test_tools_that_work_on_a_file_are_left_out_where_none_is_named() -> None:
    schema = {"properties": {"file": {"type": "string", "format": "file-id"}}, "required": ["file"]}
    tool = Candidate("crop", "Crops.", schema, fit=30.0, lead=LEAD)
    named = "crop file_01k9z4m2n8q6r5t3v7w1x0y2za to 20 by 30"
    assert plausible("crop to 20 by 30", [tool]) == []
    assert plausible(named, [tool]) == [tool]


@pytest.mark.parametrize(
    ("question", "left"), [("total of qty 3", 0), ('total of qty in [{"qty":3}]', 1), ("total of a 1, b 2 and c 3", 1)]
)
def test_tools_of_tables_are_left_out_where_there_is_none(question: str, left: int) -> None:
    table = {"file": {"type": "string", "format": "file-id"}, "rows": {"type": "array", "items": {"type": "object"}}}
    assert len(plausible(question, [Candidate("total", "Adds.", {"properties": table}, fit=30.0, lead=LEAD)])) == left


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
    assert len(plausible(question, [Candidate("feel", "Feels.", schema, fit=30.0, lead=LEAD)])) == left


@pytest.mark.parametrize("text", [{"type": "string"}, {"type": "array", "items": {"type": "string"}}])
def test_words_can_be_texts_or_a_choice(text: dict[str, Any]) -> None:
    choice = {"enum": ["up", "down"], "type": "string"}
    schema = {"properties": {"text": text, "way": choice}, "required": ["text", "way"]}
    tool = Candidate("spell", "Spells.", schema, fit=30.0, lead=LEAD)
    assert plausible("spell lighthouse in words", [tool]) == [tool]
