"""Adapts the framework's JSON Schemas to what the API accepts and returns, and simplifies them."""

import re
from typing import Any

from retinue.core.runtime.whole_numbers import MAX_ID

Json = dict[str, Any]

_FRAMEWORKS_OWN = ("HTTPValidationError", "ValidationError")
_WRAPPER = re.compile(r"(Data|Listing)_(.+)_")
_PREFIX = "#/components/schemas/"


def tidy_components(schemas: Json) -> Json:
    """Return the schemas under their public names, with all objects closed."""
    own = {name: schema for name, schema in schemas.items() if name not in _FRAMEWORKS_OWN}
    return {public_name(name): _close(tidy(own[name])) for name in sorted(own, key=public_name)}


def public_name(name: str) -> str:
    """Return the public name of a schema: `Data[AgentView]` becomes `AgentResponse`, a page of them `AgentList`."""
    if found := _WRAPPER.fullmatch(name):
        return public_name(found[2]) + ("Response" if found[1] == "Data" else "List")
    return name.removesuffix("View")


def tidy(schema: Any) -> Any:
    """Return a schema without generated titles, with integer bounds, and with `null` as one of its types."""
    if isinstance(schema, list):
        return [tidy(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {
        key: value if key in ("default", "enum", "const") else tidy(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }
    return _nullable(_whole_bounds(parts))


def tidy_parameter(parameter: Json) -> Json:
    """Return a parameter without `null` in its schema, because queries have no null, and without its duplicate
    description.
    """
    schema = tidy(parameter["schema"])
    schema.pop("description", None)
    if isinstance(schema.get("type"), list):
        schema["type"] = schema["type"][0]
        if "enum" in schema:
            schema["enum"] = [value for value in schema["enum"] if value is not None]
    return {**parameter, "schema": schema}


def tidy_references(value: Any) -> Any:
    """Replace all references by the public names."""
    if isinstance(value, list):
        return [tidy_references(part) for part in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _PREFIX + public_name(part.removeprefix(_PREFIX))
        if key == "$ref" and part.startswith(_PREFIX)
        else tidy_references(part)
        for key, part in value.items()
    }


def _whole_bounds(schema: Json) -> Json:
    """Convert the bounds of optional integers back to integers.

    The generator turns them into floats, which cannot represent the largest ID.
    """
    if schema.get("type") == "integer":
        for bound in ("minimum", "maximum"):
            if bound in schema:
                schema[bound] = min(int(schema[bound]), MAX_ID)
    return schema


def _nullable(schema: Json) -> Json:
    """Write `anyOf` of one simple type and null as a list of types."""
    choices = schema.get("anyOf", [])
    if len(choices) != 2 or choices[1] != {"type": "null"} or "type" not in choices[0]:
        return schema
    outer = {key: value for key, value in schema.items() if key != "anyOf"}
    merged = {**choices[0], **outer, "type": [choices[0]["type"], "null"]}
    if "enum" in merged:
        merged["enum"] = [*merged["enum"], None]
    return merged


def _close(schema: Json) -> Json:
    """Close an object in a response: it has no other fields, and optional fields are omitted instead of null."""
    if schema.get("type") != "object" or "additionalProperties" in schema or "properties" not in schema:
        return schema
    for name, part in schema["properties"].items():
        if name not in schema.get("required", ()) and isinstance(part.get("type"), list):
            part["type"] = part["type"][0]
            part.pop("default", None)
    return {**schema, "additionalProperties": False}
