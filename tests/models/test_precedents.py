"""What precedents teach about the reading of requests."""

from typing import Any

import orjson
import pytest

from retinue.models.candidates import Candidate
from retinue.models.chosen import Vote, given, voted
from retinue.models.grounded import named_choices
from retinue.models.precedents import followed, lessons, nearest, shown
from retinue.models.route_prompts import arguments_prompt, arguments_schema
from retinue.models.understood import corrected

STYLES = {"enum": ["pascal", "snake", "kebab"], "default": "snake"}
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


def tool(*precedents: tuple[str, dict[str, Any]]) -> Candidate:
    """A tool with these precedents."""
    known = [(request, orjson.dumps(arguments).decode()) for request, arguments in precedents]
    return Candidate("text_convert_case", "Writes a name in another case.", SCHEMA, fit=30.0, precedents=known)


CASE = tool(
    ("write order id in pascal case", {"text": "order id", "style": "pascal"}),
    ("first name as snake", {"text": "first name", "style": "snake"}),
)


def test_a_reading_that_precedents_contradict_is_not_believed() -> None:
    """What follows a colon is the text of a request, but not of these."""
    odd = tool(
        ("note: order id in snake", {"text": "order id"}), ("note: first name in pascal", {"text": "first name"})
    )
    assert lessons("note: last name", odd).misread == {"text"}


def test_what_is_given_and_what_is_always_copied_is_known() -> None:
    taught = lessons("last name as snake", CASE)
    assert (taught.given, taught.copied) == (frozenset({"text", "style"}), frozenset({"text"}))


def test_values_among_which_the_right_one_is_missing_do_not_bound() -> None:
    joined = tool(
        ("'order' and 'id' as one", {"text": "order id"}), ("'first' and 'name' as one", {"text": "first name"})
    )
    assert lessons("'last' and 'name' as one", joined).unbounded == {"text"}


def test_a_choice_that_is_named_is_believed_unless_precedents_meant_another() -> None:
    assert lessons("last name as snake", CASE).misnamed == frozenset()
    unmeant = tool(("a snake in pascal", {"text": "a snake", "style": "pascal"}), ("is it pascal", {"text": "it"}))
    assert lessons("is he pascal", unmeant).misnamed == {"style"}


def test_precedents_that_make_the_same_choice_are_followed() -> None:
    mixed = tool(
        ("write order id in pascal", {"text": "order id", "style": "pascal"}),
        ("write first name in pascal", {"text": "first name", "style": "pascal"}),
        ("write user id in snake", {"text": "user id", "style": "snake"}),
    )
    shown_ = followed("write user id in pascal", mixed, {"style": "pascal"})
    assert {request for request, _ in shown_} == {"write order id in pascal", "write first name in pascal"}
    assert mixed.precedents[2] in followed("write user id in pascal", mixed, {"style": "snake"})


def test_most_of_the_likest_precedents_settle_a_choice() -> None:
    pascal = [(f"as a class {word} id", {"text": f"{word} id", "style": "pascal"}) for word in ("order", "user")]
    snake = [(f"as a column {word} id", {"text": f"{word} id", "style": "snake"}) for word in ("first", "last")]
    kebab = [(f"as a path {word} id", {"text": f"{word} id", "style": "kebab"}) for word in ("home", "work")]
    both = tool(*pascal, *snake, *kebab)
    assert voted("as a class shop id", both)["style"] == Vote(True, ["pascal"])
    assert voted("as a column street id", both)["style"] == Vote(True, [])
    undecided = voted("shop id", both)["style"]
    assert not undecided.settled
    assert {*undecided.values} == {"pascal", "kebab"}


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("pascal", {"style": "pascal"}),
        ("pascalCase", {"style": "pascal"}),
        ("snakes and Pascal", {"style": "pascal"}),
        ("snake or pascal", {}),
        ("from snake_case to pascal", {}),
        ("neither", {}),
    ],
)
def test_one_choice_is_named_or_none(said: str, found: dict[str, Any]) -> None:
    assert named_choices(PROPERTIES, said) == found


def test_what_the_likest_precedents_mostly_leave_out_is_not_asked_for() -> None:
    plain = [(f"write {word} name", {"text": f"{word} name"}) for word in ("first", "last", "middle")]
    wide = [(f"write {word} name wide", {"text": f"{word} name", "width": 40}) for word in ("street", "town")]
    both = tool(*plain, *wide)
    assert given("write pet name", both)["text"] == pytest.approx(1.0)
    assert given("write pet name", both)["width"] < 0.4 < given("write pet name wide", both)["width"]
    assert "width" not in arguments_schema("write pet name", both)[1]["properties"]
    assert "width" in arguments_schema("write pet name wide", both)[1]["properties"]


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


def test_nothing_of_a_request_is_in_two_optional_places() -> None:
    properties = {"left": {"type": "number"}, "right": {"type": "number"}, "text": {"type": "string"}}
    some = Candidate(
        "pair", "Pairs.", {"properties": properties}, precedents=[("pair 1 with a", '{"left":1,"text":"a"}')]
    )
    assert corrected("pair 2.5", some, {"right": 2.5, "left": 2.5}) == {"right": 2.5}
    assert corrected("pair 2.5 with 2.5", some, {"right": 2.5, "left": 2.5}) == {"right": 2.5, "left": 2.5}
    keyed = Candidate(
        "hash",
        "Hashes.",
        {"properties": {"text": {"type": "string"}, "key": {"type": "string"}}, "required": ["text"]},
        precedents=[("hash of a", '{"text":"a"}')],
    )
    assert corrected("hash of open sesame", keyed, {"text": "open sesame", "key": "sesame"}) == {"text": "open sesame"}


def test_long_precedents_teach_and_are_not_shown() -> None:
    endless = "word " * 300
    long = tool((f"write {endless} in pascal", {"text": endless, "style": "pascal"}))
    assert lessons("write order id in pascal", long).given == {"text", "style"}
    assert followed("write order id in pascal", long, {}) == []
    known, rest = arguments_schema("write order id in pascal", long)
    assert (known, [*rest["properties"]]) == ({"style": "pascal"}, ["text"])
