"""Reduces the JSON Schemas of arguments to what a grammar compiler accepts and a small model understands."""

from collections.abc import Mapping
from typing import Any

_KEYWORDS = ("type", "enum", "const")
_MAX_DEPTH = 6
_MAX_DESCRIPTION = 120


def one_field(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """An object with one field."""
    return {"type": "object", "properties": {name: schema}, "required": [name], "additionalProperties": False}


def grammar_schema(
    schema: Mapping[str, Any], definitions: Mapping[str, Any] | None = None, depth: int = 0
) -> dict[str, Any]:
    """Return only the structure: types, enums, properties, items and alternatives.

    Patterns, formats, lengths and ranges are omitted: llama.cpp's grammars reject some of them and grow too large with
    others. Arguments are validated against the full schema before a tool runs. References are resolved in place.
    """
    definitions = schema.get("$defs", {}) if definitions is None else definitions
    if depth > _MAX_DEPTH:
        return {}
    if reference := schema.get("$ref"):
        return grammar_schema(definitions.get(str(reference).rpartition("/")[2], {}), definitions, depth + 1)
    structure: dict[str, Any] = {key: schema[key] for key in _KEYWORDS if key in schema}
    for key in ("anyOf", "oneOf"):
        if key in schema:
            structure["anyOf"] = [grammar_schema(option, definitions, depth + 1) for option in schema[key]]
    if "items" in schema:
        structure["items"] = grammar_schema(schema["items"], definitions, depth + 1)
    if "properties" in schema:
        structure |= _object(schema, definitions, depth)
    return structure


def _object(schema: Mapping[str, Any], definitions: Mapping[str, Any], depth: int) -> dict[str, Any]:
    properties = schema["properties"]
    return {
        "properties": {name: grammar_schema(value, definitions, depth + 1) for name, value in properties.items()},
        "required": [name for name in schema.get("required", ()) if name in properties],
        "additionalProperties": False,
    }


def argument_lines(schema: Mapping[str, Any]) -> list[str]:
    """Return a line for each argument with its type or choices, default and meaning."""
    required = schema.get("required", ())
    return [_argument(name, value, name in required) for name, value in schema.get("properties", {}).items()]


def _argument(name: str, schema: Mapping[str, Any], required: bool) -> str:
    default = f", default {schema['default']}" if "default" in schema else "" if required else ", optional"
    meaning = str(schema.get("description") or "")[:_MAX_DESCRIPTION].rstrip(".")
    return f"- {name} ({_type(schema)}{default}): {meaning}".replace("\n", " ")


def _type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "|".join(str(value) for value in schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return "|".join(_type(option) for option in schema[key])
    if schema.get("type") == "array":
        return f"{_type(schema.get('items') or {})}[]"
    kind = schema.get("type", "any")
    return "|".join(kind) if isinstance(kind, list) else str(kind)
