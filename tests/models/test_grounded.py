"""Arguments that can only be what a request says."""

from typing import Any

import pytest

from retinue.models.candidates import Candidate
from retinue.models.grounded import grounded, settled, stated
from retinue.models.interpreted import spoken_of
from retinue.models.route_prompts import arguments_schema

TEXT = {"type": "string"}
DATE = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "examples": ["2026-11-21"]}
NUMBERS = {"type": "array", "items": {"type": "number"}}
ROWS = {"type": "array", "items": {"type": "object"}}
MATRIX = {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}
CARD = {"type": "string", "pattern": "^[0-9 ]+$", "examples": ["4111111111111111"]}
FORMULA = {"type": "string", "examples": ["17 * 23 + 4"]}


def schema(required: tuple[str, ...] | None = None, **properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of a tool that takes these arguments."""
    return {"type": "object", "properties": properties, "required": list(required or properties)}


@pytest.mark.parametrize(
    ("request_", "taken", "wanted"),
    [
        ("rot13 this: Meet me", schema(text=TEXT), {"text": ["Meet me"]}),
        ("sha256 of swordfish", schema(text=TEXT), {}),
        ("'a b' under the key 'c'", schema(text=TEXT, key=TEXT), {"text": ["a b", "c"], "key": ["a b", "c"]}),
        ("'a b' under my key", schema(text=TEXT, key=TEXT), {}),
        ("What day was 20 July 1969?", schema(date=DATE), {"date": ["1969-07-20"]}),
        ("mean of 3, 4, 5", schema(numbers=NUMBERS), {"numbers": [[3, 4, 5]]}),
        ("mean of 3, 4, 5", schema(x=NUMBERS, y=NUMBERS), {}),
        ('csv of [{"a":1}]', schema(rows=ROWS, matrix=MATRIX), {"rows": [[{"a": 1}]]}),
        ("det of [[1,2],[3,4]]", schema(matrix=MATRIX), {"matrix": [[[1, 2], [3, 4]]]}),
        ("is 4929758135502311 a card, or abc123?", schema(number=CARD), {"number": ["4929758135502311"]}),
        ("what is 18500 * 1.05", schema(expression=FORMULA), {}),
    ],
)
def test_values_of_the_request_are_named(request_: str, taken: dict[str, Any], wanted: dict[str, Any]) -> None:
    made = grounded(taken, request_)["properties"]
    assert {name: value["enum"] for name, value in made.items() if "enum" in value} == wanted


def test_choices_stay_as_they_are() -> None:
    taken = schema(form={"type": "string", "enum": ["a", "b"]})
    assert grounded(taken, "this: 'c'") == taken


def test_what_has_one_value_is_settled_if_it_is_required() -> None:
    taken = schema(("text",), text=TEXT, date=DATE)
    assert settled(grounded(taken, "'hello' on 2026-11-21")) == {"text": "hello"}


def test_of_alternatives_the_one_that_has_a_value_is_settled() -> None:
    taken = {**schema(week=TEXT, date=DATE), "required": []}
    kept = spoken_of("iso week of 29 September 2026?", taken)
    assert list(kept["properties"]) == ["date"]
    assert settled(grounded(kept, "iso week of 29 September 2026?")) == {"date": "2026-09-29"}
    assert settled(grounded({**schema(a=DATE, b=DATE), "required": []}, "29 September 2026")) == {}


def test_files_are_spoken_of_where_one_is_named() -> None:
    taken = {**schema(text=TEXT, file={"type": "string", "format": "file-id"}), "required": ["text"]}
    assert list(spoken_of("count 'a b' 5", taken)["properties"]) == ["text"]
    assert list(spoken_of("count the words of file_01k9z4m2n8q6r5t3v7w1x0y2za", taken)["properties"]) == [
        "text",
        "file",
    ]


@pytest.mark.parametrize(
    ("request_", "kept"),
    [("5 and 6", ["given", "other"]), ("only 5", ["given"]), ("with the setting, 5", ["given", "setting"])],
)
def test_optional_arguments_are_kept_where_there_is_data_for_them(request_: str, kept: list[str]) -> None:
    number = {"type": "number"}
    taken = schema(("given",), given=number, other=number, setting={"type": "number", "default": 3})
    assert list(spoken_of(request_, taken)["properties"]) == kept


def test_a_mistake_leaves_nothing_settled() -> None:
    tool = Candidate("rotate", "Rotates.", schema(text=TEXT))
    assert arguments_schema("this: abc", tool)[0] == {"text": "abc"}
    known, rest = arguments_schema("this: abc", tool, mistaken=True)
    assert known == {}
    assert rest["properties"] == {"text": {"type": "string"}}


def test_patterns_of_other_dialects_are_borne() -> None:
    badge = {"type": "string", "pattern": r"^\p{Lu}+[0-9]+$", "examples": ["AB12345"]}
    assert grounded(schema(badge=badge), "is badge XY98765 known?")["properties"]["badge"]["enum"] == ["XY98765"]


def test_required_arguments_that_nobody_described_are_borne() -> None:
    taken = {**schema(text=TEXT), "required": ["text", "other"]}
    assert settled(grounded(spoken_of("this: abc", taken), "this: abc")) == {"text": "abc"}


@pytest.mark.parametrize(
    ("request_", "left"),
    [
        ("the net price is 100, tax 19%", ["net"]),
        ("Add 21% to 348.60, what's the gross?", ["net"]),
        ("what is the net price of 121 gross", ["gross"]),
        ("add 21% to 348.60", ["net", "gross"]),
    ],
)
def test_what_is_asked_for_is_not_what_is_given(request_: str, left: list[str]) -> None:
    amount_is = {"type": "string", "enum": ["net", "gross"], "description": "What the given amount is"}
    assert grounded(schema(amount_is=amount_is), request_)["properties"]["amount_is"]["enum"] == left


def test_numbers_that_need_not_be_given_are_those_that_are_left() -> None:
    taken = schema((), speed={"type": "number"}, angle={"type": "number"})
    made = grounded(taken, "at 9.81", (), {"speed": [9.81], "angle": []})["properties"]
    assert made == {"speed": {"type": "number", "enum": [9.81]}}


@pytest.mark.parametrize(
    ("request_", "wanted"), [("the SHA-1 of it", {"kind": "sha1"}), ("sha1 or md5?", {}), ("a digest", {})]
)
def test_a_code_that_is_named_is_chosen(request_: str, wanted: dict[str, str]) -> None:
    kind = {"type": "string", "enum": ["sha256", "sha1", "md5"], "default": "sha256"}
    assert stated(schema((), kind=kind), request_) == wanted


def test_where_nothing_must_be_given_a_word_may_be_the_text() -> None:
    taken = schema(text=TEXT, file={"type": "string", "format": "file-id"}, count={"type": "integer", "default": 3})
    assert list(spoken_of("crc of lighthouse", {**taken, "required": []})["properties"]) == ["text"]
