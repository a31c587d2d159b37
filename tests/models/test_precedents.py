"""What precedents teach about the reading of requests."""

from typing import Any

import orjson
import pytest

from retinue.models.base import ToolOffer
from retinue.models.grounded import named_choices
from retinue.models.precedents import Reading, lessons, nearest, shown
from retinue.models.route_prompts import arguments_prompt, arguments_schema

STYLES = {"enum": ["pascal", "snake"], "default": "snake"}
PROPERTIES: dict[str, dict[str, Any]] = {
    "text": {"type": "string", "description": "What to write otherwise"},
    "style": STYLES,
    "width": {"type": "integer", "description": "Columns"},
}
SCHEMA = {
    "type": "object",
    "properties": PROPERTIES,
    "required": ["text"],
}


def tool(*precedents: tuple[str, dict[str, Any]]) -> ToolOffer:
    """A tool with these precedents."""
    known = [(request, orjson.dumps(arguments).decode()) for request, arguments in precedents]
    return ToolOffer("text_convert_case", "Writes a name in another case.", SCHEMA, fit=30.0, precedents=known)


CASE = tool(
    ("write order id in pascal case", {"text": "order id", "style": "pascal"}),
    ("first name as snake", {"text": "first name", "style": "snake"}),
)


def reads(known: dict[str, Any], left: dict[str, Any]) -> Any:
    """A reading that finds the same in every request."""

    def read(_question: str, _tool: ToolOffer) -> Reading:
        return known, left

    return read


def test_a_reading_that_precedents_contradict_is_not_believed() -> None:
    taught = lessons(CASE, reads({"text": "case"}, {"width": {"enum": [1]}}))
    both = frozenset({"text", "style"})
    assert (taught.given, taught.most, taught.misread) == (both, both, frozenset({"text"}))


def test_what_is_always_copied_is_known() -> None:
    assert lessons(CASE, reads({}, {})).copied == {"text"}


def test_values_among_which_the_right_one_is_missing_do_not_bound() -> None:
    other = tool(
        ("pascal case of order id", {"text": "order id"}), ("snake case of first name", {"text": "first name"})
    )
    assert lessons(other, reads({}, {"text": {"enum": ["of"]}})).unbounded == {"text"}


def test_a_choice_that_is_named_is_believed_as_far_as_it_was_meant() -> None:
    assert lessons(CASE, reads({}, {})).named == {"style"}
    unmeant = tool(("a snake in pascal", {"text": "a snake", "style": "pascal"}), ("is it pascal", {"text": "it"}))
    assert lessons(unmeant, reads({}, {})).named == frozenset()


@pytest.mark.parametrize(("said", "found"), [("pascal", {"style": "pascal"}), ("snake or pascal", {}), ("neither", {})])
def test_one_choice_is_named_or_none(said: str, found: dict[str, Any]) -> None:
    assert named_choices(PROPERTIES, said) == found


def test_the_nearest_precedent_comes_last() -> None:
    assert nearest("last name as snake", CASE.precedents, 1) == [CASE.precedents[1]]
    assert nearest("write user id in pascal case", CASE.precedents, 2)[-1] == CASE.precedents[0]


def test_what_is_shown_are_the_arguments_that_are_asked_for() -> None:
    assert [*shown(CASE.precedents, ["style", "width"])] == [
        ("write order id in pascal case", '{"style":"pascal"}'),
        ("first name as snake", '{"style":"snake"}'),
    ]


def test_precedents_are_turns_before_the_question() -> None:
    system, *turns, asked = arguments_prompt("write user id in pascal case", CASE)
    assert [turn.role for turn in turns] == ["user", "assistant", "user", "assistant"]
    assert turns[-1].content == '{"text":"order id"}'
    assert asked.content == "write user id in pascal case"
    assert "- text (string)" in system.content
    assert "width" not in system.content


def test_what_is_settled_is_not_asked_for() -> None:
    known, rest = arguments_schema("write user id in pascal case", CASE)
    assert known == {"style": "pascal"}
    assert [*rest["properties"]] == rest["required"] == ["text"]
