"""Converts JSON Schemas to Python annotations."""

from collections.abc import Callable
from typing import Any

from clients.python.codegen.document import Json, schema_name

_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}

Rename = Callable[[str], str]
"""Returns the Python name of a component."""


def annotation(schema: Json, rename: Rename) -> str:
    """Return the annotation of a value that matches the schema."""
    if name := schema_name(schema):
        return rename(name)
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    if "enum" in schema:
        return _union(f"Literal[{', '.join(repr(v) for v in schema['enum'] if v is not None)}]", None in schema["enum"])
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return " | ".join(dict.fromkeys(annotation(choice, rename) for choice in choices))
    kinds: Any = schema.get("type")
    if kinds is None:
        return "Any"
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return " | ".join(_of_kind(kind, schema, rename) for kind in kinds)


def _of_kind(kind: str, schema: Json, rename: Rename) -> str:
    if kind == "array":
        return f"list[{annotation(schema.get('items', {}), rename)}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {annotation(values, rename) if isinstance(values, dict) else 'Any'}]"
    return _SCALARS[kind]


def _union(one: str, nullable: bool) -> str:
    return f"{one} | None" if nullable else one
