"""Adapts the JSON Schema of a reply to what providers take."""

from collections.abc import Iterator, Mapping

_NAMED = ("properties", "$defs", "definitions")
"""Keywords whose values have schemas by name."""
_DATA = ("enum", "const", "default", "examples")
"""Keywords whose values are not schemas, even if they look like some."""


def is_strict(schema: object) -> bool:
    """Return whether OpenAI's strict mode takes a valid schema: its objects are closed, and all their properties
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
    return all(map(is_strict, _parts(schema)))


def _parts(schema: Mapping[str, object]) -> Iterator[object]:
    """Yield the schemas within a schema."""
    for name, part in schema.items():
        if name in _NAMED and isinstance(part, Mapping):
            yield from part.values()
        elif name not in _DATA:
            yield part


def close_objects(schema: object) -> object:
    """Return the schema with `additionalProperties: false` in each object that lists its properties."""
    if isinstance(schema, list):
        return [close_objects(value) for value in schema]
    if not isinstance(schema, Mapping):
        return schema
    closed = {
        name: {key: close_objects(value) for key, value in part.items()}
        if name in _NAMED and isinstance(part, Mapping)
        else part
        if name in _DATA
        else close_objects(part)
        for name, part in schema.items()
    }
    if closed.get("type") == "object" or "properties" in closed:
        closed["additionalProperties"] = False
    return closed
