"""Arguments against schemas, and the sentences about what is wrong."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.errors import ValidationFailed
from retinue.tools.catalogue.argument_validation import ArgumentChecker
from tests.tools.made_up import make_tool

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["count"],
    "properties": {
        "count": {"type": "integer", "minimum": 1, "maximum": 9, "description": "How many"},
        "ratio": {"type": "number", "exclusiveMinimum": 0, "default": 0.5},
        "style": {"type": "string", "enum": ["plain", "bold"], "default": "plain"},
        "date": {"type": "string", "pattern": "^[0-9]{4}$", "examples": ["2026"], "maxLength": 4},
        "rows": {
            "type": "array",
            "maxItems": 1,
            "items": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}},
        },
        "flag": {"type": "boolean"},
    },
}

CHECKER = ArgumentChecker(make_tool("thing_do_it", input_schema=SCHEMA))


def complaint(**args: Any) -> str:
    with pytest.raises(ValidationFailed) as failed:
        CHECKER.check(args)
    return failed.value.message


def test_defaults_are_filled_in() -> None:
    assert CHECKER.check({"count": 1}) == {"count": 1, "ratio": 0.5, "style": "plain"}
    assert CHECKER.check({"count": 1, "style": "bold"})["style"] == "bold"


def test_null_for_an_optional_argument_means_absent() -> None:
    assert CHECKER.check({"count": 1, "ratio": None, "date": None}) == CHECKER.check({"count": 1})
    assert "count must be an integer, not null" in complaint(count=None)


def test_an_integer_is_a_number() -> None:
    assert CHECKER.check({"count": 1, "ratio": 2})["ratio"] == 2


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ({}, "count is missing"),
        ({"count": 5.0}, "count must be an integer, without a decimal point"),
        ({"count": True}, "count must be an integer, not true or false"),
        ({"count": "5"}, "count must be an integer, not text"),
        ({"count": 0}, "count must be at least 1"),
        ({"count": 10}, "count must be at most 9"),
        ({"count": 1, "ratio": 0}, "ratio must be more than 0"),
        ({"count": 1, "style": "thin"}, "style must be one of plain, bold"),
        ({"count": 1, "date": "x"}, "date must match the pattern ^[0-9]{4}$, as in 2026"),
        ({"count": 1, "date": "20260"}, "date must have at most 4 characters"),
        ({"count": 1, "rows": [{"n": 1.0}]}, "rows[0].n must be an integer, without a decimal point"),
        ({"count": 1, "rows": [{}]}, "rows[0].n is missing"),
        ({"count": 1, "rows": [{"n": 1}, {"n": 2}]}, "rows must have at most 1 item"),
        ({"count": 1, "flag": 1}, "flag must be true or false, not an integer"),
        ({"count": 1, "x": 1}, "x is not known (it takes count, ratio, style, date, rows, flag)"),
        ({"count": 1, "x": 1, "y": None}, "x, y are not known"),
    ],
)
def test_the_sentence_describes_the_problem(args: dict[str, Any], sentence: str) -> None:
    assert sentence in complaint(**args)


def test_every_bad_argument_is_named_at_once() -> None:
    message = complaint(ratio="x", style=3, flag=[], other=1)
    for name in ("count", "ratio", "style", "flag", "other"):
        assert name in message


def test_the_length_of_a_complaint_is_bounded() -> None:
    many = {f"{'n' * 500}{number}": number for number in range(500)}
    assert len(complaint(**many)) < 3000


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*SCHEMA["properties"], "other", ""]), JSON))  # type: ignore[misc]
def test_any_json_is_either_checked_or_refused(args: dict[str, Any]) -> None:
    try:
        checked = CHECKER.check(args)
    except ValidationFailed:
        return
    assert type(checked["count"]) is int
    assert 1 <= checked["count"] <= 9
    assert checked["style"] in ("plain", "bold")
