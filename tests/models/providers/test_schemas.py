"""JSON Schemas of replies as providers take them."""

import pytest

from retinue.models.providers.schemas import close_objects, is_strict

CLOSED = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
LOOKS_LIKE_A_SCHEMA = {"properties": {"a": 1}, "required": [[None]]}


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (CLOSED, True),
        ({**CLOSED, "required": []}, False),
        ({**CLOSED, "additionalProperties": True}, False),
        ({**CLOSED, "properties": {"a": {"type": "object"}}}, False),
        ({**CLOSED, "$defs": {"default": {"type": "object"}}}, False),
        ({"type": "array", "items": CLOSED}, True),
        ({"anyOf": [CLOSED, {"type": "object"}]}, False),
        ({"default": LOOKS_LIKE_A_SCHEMA, "examples": [LOOKS_LIKE_A_SCHEMA]}, True),
        ({"const": LOOKS_LIKE_A_SCHEMA, "enum": [LOOKS_LIKE_A_SCHEMA]}, True),
    ],
)
def test_strict_schemas_close_all_objects(schema: object, strict: bool) -> None:
    assert is_strict(schema) is strict


def test_values_are_not_closed() -> None:
    schema = {"type": "object", "properties": {"default": {"type": "object"}}, "default": LOOKS_LIKE_A_SCHEMA}
    closed = close_objects(schema)
    assert closed == {
        "type": "object",
        "properties": {"default": {"type": "object", "additionalProperties": False}},
        "default": LOOKS_LIKE_A_SCHEMA,
        "additionalProperties": False,
    }
