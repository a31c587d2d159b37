"""Numbers and texts of a request become arguments without a model call."""

import json
from typing import Any

import pytest

from retinue.models.base import Candidate, ToolOffer
from retinue_assistant.argument_hints import ArgumentHints, NumberSpan, SlotScore, TextSpan
from retinue_assistant.slots import slots

SCHEMA = {
    "type": "object",
    "properties": {
        "price": {"type": "number"},
        "count": {"type": "integer", "minimum": 1},
        "values": {"type": "array", "items": {"type": "number"}},
        "text": {"type": "string", "maxLength": 9},
        "items": {"type": "array", "items": {"type": "string"}},
        "unit": {"enum": ["kg", "lb"]},
    },
    "required": ["price"],
}


def number(value: float, *roles: tuple[str, float]) -> NumberSpan:
    return NumberSpan(value, [SlotScore(*role) for role in roles])


def find(numbers: Any = (), texts: Any = (), examples: Any = ()) -> dict[str, Any]:
    tool = ToolOffer("tool", "Does.", SCHEMA)
    return slots(Candidate(tool, examples=examples, hints=ArgumentHints(numbers, texts)), [*SCHEMA["properties"]])


def test_each_number_goes_to_its_likeliest_argument() -> None:
    said = [number(18, ("price", 0.6), ("count", 0.2)), number(3, ("count", 0.9), ("price", 0.5))]
    assert find(said) == {"price": 18, "count": 3}


@pytest.mark.parametrize(("likelihood", "wanted"), [(0.79, {}), (0.8, {"count": 3})])
def test_an_optional_number_has_to_be_surer_than_a_required_one(likelihood: float, wanted: dict[str, int]) -> None:
    assert find([number(3, ("count", likelihood))]) == wanted
    assert find([number(3, ("price", 0.5))]) == {"price": 3}


def test_a_value_that_the_argument_refuses_is_left_to_the_model() -> None:
    assert find([number(0, ("count", 0.9))]) == {}
    assert find(texts=[TextSpan("text", 0.9, "far too long", 0)]) == {}


def test_several_numbers_of_one_argument_are_a_list() -> None:
    assert find([number(one, ("values", 0.9)) for one in (4, 8, 15)]) == {"values": [4, 8, 15]}
    assert find([number(4, ("values", 0.9)), number(8, ("values", 0.7))]) == {}


def test_no_word_is_in_two_arguments() -> None:
    texts = [TextSpan("items", 0.9, "red, blue", 5), TextSpan("text", 0.95, "blue", 10)]
    assert find(texts=texts) == {"text": "blue"}


@pytest.mark.parametrize(("known", "wanted"), [(["sour plum"], ["a sour plum"]), (["plum"], ["a", "sour", "plum"])])
def test_lists_are_cut_at_blanks_only_where_items_have_none(known: list[str], wanted: list[str]) -> None:
    examples = [("x", json.dumps({"items": known}))]
    assert find(texts=[TextSpan("items", 0.9, "a sour plum", 4)], examples=examples) == {"items": wanted}
