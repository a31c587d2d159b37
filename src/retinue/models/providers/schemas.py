"""Adapts the JSON Schema of a reply to what providers take."""

from collections.abc import Mapping


def is_strict(schema: object) -> bool:
    """Return whether OpenAI's strict mode takes the schema: its objects are closed, and all their properties
    required.
    """
    if isinstance(schema, list):
        return all(map(is_strict, schema))
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        properties = schema.get("properties") or {}
        if schema.get("additionalProperties") is not False or set(schema.get("required") or ()) != set(properties):
            return False
        return all(map(is_strict, properties.values()))
    return all(is_strict(value) for value in schema.values() if isinstance(value, dict | list))


def close_objects(schema: object) -> object:
    """Return the schema with `additionalProperties: false` in each object that lists its properties."""
    if isinstance(schema, list):
        return [close_objects(value) for value in schema]
    if not isinstance(schema, Mapping):
        return schema
    closed = {
        name: {key: close_objects(value) for key, value in part.items()}
        if name in ("properties", "$defs", "definitions") and isinstance(part, Mapping)
        else part
        if name in ("enum", "const", "default", "examples")
        else close_objects(part)
        for name, part in schema.items()
    }
    if closed.get("type") == "object" or "properties" in closed:
        closed["additionalProperties"] = False
    return closed
