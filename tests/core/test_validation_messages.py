"""Messages about invalid requests name what is wrong in words, and no type of the validator's own."""

import importlib
from collections.abc import Iterator
from typing import Any, get_args

import pytest
import requests
from pydantic import BaseModel
from pydantic_core import ErrorDetails
from pydantic_core.core_schema import ErrorType

from retinue.core.http.envelope import Body, Changes
from retinue.core.http.pattern_words import PATTERN_WORDS
from retinue.core.http.validation_messages import reason
from tests.support.client import Client, refuse

importlib.import_module("retinue.platform.resources")  # its imports define all request bodies

CONTEXT: dict[str, object] = {
    **dict.fromkeys(("min_length", "max_length", "gt", "ge", "lt", "le", "multiple_of"), 7),
    **dict.fromkeys(("max_digits", "decimal_places", "whole_digits"), 7),
    **dict.fromkeys(("expected", "expected_tags", "discriminator"), "'a' or 'b'"),
    "error": "must be in words",
    "pattern": r"\S",
}
PYTHON_ONLY = {
    "no_such_attribute", "needs_python_object", "get_attribute_error", "dataclass_exact_type", "named_tuple_type",
    "default_factory_not_called", "iteration_error", "frozen_dict_type", "ordered_dict_type", "counter_type",
    "deque_type", "set_item_not_hashable", "missing_sentinel_error", "ellipsis_error", "is_instance_of",
    "is_subclass_of", "callable_type", "arguments_type", "missing_argument", "unexpected_keyword_argument",
    "missing_keyword_only_argument", "unexpected_positional_argument", "missing_positional_only_argument",
    "multiple_argument_values", "fraction_type", "fraction_parsing", "complex_type", "complex_str_parsing",
}  # fmt: skip
"""Types of errors about Python objects and arguments, which no JSON has."""


def subclasses(of: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for model in of.__subclasses__():
        yield model
        yield from subclasses(model)


def patterns(schema: object, seen: set[int]) -> Iterator[str]:
    """Yield the patterns of a core schema, which can contain itself."""
    if id(schema) in seen or not isinstance(schema, dict | list | tuple):
        return
    seen.add(id(schema))
    if isinstance(schema, dict) and schema.get("type") == "str" and "pattern" in schema:
        yield schema["pattern"]
    for part in schema.values() if isinstance(schema, dict) else schema:
        yield from patterns(part, seen)


@pytest.mark.parametrize("kind", sorted(set(get_args(ErrorType)) - PYTHON_ONLY))
def test_every_type_of_error_is_put_in_words(kind: str) -> None:
    problem: ErrorDetails = {
        "type": kind,
        "loc": ("body", "x"),
        "msg": "Input should be raw",
        "input": 1,
        "ctx": CONTEXT,
    }
    assert reason(problem).startswith(("must ", "can ", "is "))
    assert reason(problem) not in ("is invalid", "must be in the documented format")


def test_every_pattern_of_a_request_body_is_put_in_words() -> None:
    bodies = {*subclasses(Body), *subclasses(Changes)}
    found: set[str] = set()
    for body in bodies:
        body.model_rebuild()
        found |= set(patterns(body.__pydantic_core_schema__, set()))
    assert len(found) > 15
    assert found - PATTERN_WORDS.keys() == set()


CASES: list[tuple[str, dict[str, Any], str]] = [
    ("/knowledge/collections", {"name": "  "}, "name must not be empty."),
    (
        "/knowledge/collections/{collection}/documents",
        {},
        "Send exactly one of file_id, url and text.",
    ),
    (
        "/knowledge/collections/{collection}/documents",
        {"text": "a", "metadata": {"a": {"b": 1}, "bool": []}},
        "metadata.a must be a string, a number or true or false; "
        "metadata.bool must be a string, a number or true or false.",
    ),
    (
        "/knowledge/collections/{collection}/documents",
        {"text": "a", "metadata": {"a": "b" * 501}},
        "metadata.a must have at most 500 characters.",
    ),
    ("/webhooks", {"url": "https://example.com", "events": []}, "events must not be empty."),
    ("/keys", {"scopes": []}, "scopes must not be empty."),
    (
        "/providers",
        {"name": "S", "kind": "openai", "base_url": "x", "models": ["a"]},
        "base_url must be a URL such as https://example.com; models.0 must be an object; "
        "name must be up to 40 lower-case letters, digits and hyphens, beginning with a letter.",
    ),
    (
        "/agents",
        {"agent_name": "a", "agent_role": "leader", "budget": {"seconds": 0}},
        "budget.seconds must be more than 0.0.",
    ),
]


@pytest.mark.parametrize(("path", "body", "message"), CASES)
def test_a_problem_is_told_in_words(client: Client, path: str, body: dict[str, Any], message: str) -> None:
    collection = client.post("/knowledge/collections", {"name": "Manuals"}).json()["data"]["id"]
    refused = client.post(path.format(collection=collection), body)
    refuse(refused, 400)
    assert refused.json()["error"]["message"] == message


def test_a_problem_of_the_whole_body_is_a_sentence(client: Client) -> None:
    refuse(client.put("/models/default", {"model": None}), 400, "Send model, with its fallbacks if it has any")


def test_a_date_that_no_calendar_has_is_refused_in_words(client: Client) -> None:
    wanted = "start_date must be an existing date in the format YYYY-MM-DD."
    refuse(client.get("/usage/history?start_date=2026-13-01"), 400, wanted)


def test_alternatives_that_a_value_did_not_choose_are_left_out(client: Client) -> None:
    body: dict[str, Any] = {"model": "x", "messages": [{"role": "user", "content": [{"type": 5}]}]}
    address = f"{client.server.url}/v1/chat/completions"
    refused = requests.post(address, json=body, headers={"Authorization": f"Bearer {client.key}"}, timeout=10)
    assert refused.json()["error"]["message"] == "messages.0.content.0.type must be a string."
