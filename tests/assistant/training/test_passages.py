"""Labels for the spans of an example request."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from retinue.models.encoder import Encoded
from retinue.tools.authoring.tool import Tool
from tests.support.catalogue import CATALOGUE
from training.passages import passages, teaching


def tool(**arguments: dict[str, Any]) -> Tool:
    return replace(CATALOGUE.get("text_reverse_order"), input_schema={"type": "object", "properties": arguments})


TEXTS, LIST = tool(text={"type": "string"}), tool(items={"type": "array", "items": {"type": "string"}})


def cut(text: str) -> Encoded:
    """Return a request whose tokens are its words with the spaces before them."""
    ends = [len(text[: match.end()].encode()) for match in re.finditer(r"\s*\S+", text)]
    return Encoded(text, ends, [[0.0]] * len(ends))


def standing(tool: Tool, request: str, **meant: Any) -> list[str]:
    (found,) = passages(tool, json.dumps(meant), cut(request))
    return [request[found.begins[begin].offset : found.ends[end].offset] for begin, end in found.stands]


@pytest.mark.parametrize(
    ("request_", "text", "stands"),
    [
        ('turn "no lemon" round', "no lemon", ["no lemon"]),
        ("turn tea, then tea again", "tea", ["tea", "tea"]),
        ("turn Tea round", "tea", ["Tea"]),
        ("turn miles round", "mile", ["miles"]),
        (r"turn a\nb round", "a\nb", [r"a\nb"]),
        ("turn it round", "no lemon", []),
        ("turn it round", " ", []),
    ],
)
def test_the_passage_of_a_text_is_found(request_: str, text: str, stands: list[str]) -> None:
    assert standing(TEXTS, request_, text=text) == stands


@pytest.mark.parametrize(
    ("request_", "items", "stands"),
    [
        ("sort pears, figs and plums now", ["pears", "figs", "plums"], ["pears, figs and plums"]),
        ('sort "pears", "figs" now', ["pears", "figs"], ['"pears", "figs"']),
        ("sort figs now", ["figs"], ["figs"]),
        ("pears cost 3 and figs cost 4", ["pears", "figs"], []),
    ],
)
def test_the_passages_of_a_list_are_found(request_: str, items: list[str], stands: list[str]) -> None:
    assert standing(LIST, request_, items=items) == stands


def test_paraphrased_values_are_not_training_examples() -> None:
    said = [("in miles", "miles"), ("in feet", "feet"), ("in inch", "inch"), ("in yards", "yd"), ("hello", None)]
    found = [
        one
        for request, unit in said
        for one in passages(TEXTS, json.dumps({"text": unit} if unit else {}), cut(request))
    ]
    assert [bool(one.stands) for one in teaching(found)] == [True, True, True, False]


def test_composed_values_are_not_copied_from_the_request() -> None:
    said = [("add 2 and 3", "2 + 3"), ("4 less 1", "4 - 1"), ("5 + 6", "5 + 6")]
    found = [one for request, text in said for one in passages(TEXTS, json.dumps({"text": text}), cut(request))]
    assert [bool(one.stands) for one in teaching(found)] == [False, False, True]
