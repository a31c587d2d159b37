"""Makes the framework's JSON Schemas what the API really accepts and sends, and pleasant to read."""

import re
from typing import Any

from retinue.core.envelope import MAX_ID

Json = dict[str, Any]

_FRAMEWORKS_OWN = ("HTTPValidationError", "ValidationError")
_WRAPPER = re.compile(r"(Data|Listing)_(.+)_")
_PREFIX = "#/components/schemas/"


def tidy_components(schemas: Json) -> Json:
    """The schemas under the names that callers see, every object closed."""
    kept = {name: schema for name, schema in schemas.items() if name not in _FRAMEWORKS_OWN}
    return {public_name(name): _close(tidy(kept[name])) for name in sorted(kept, key=public_name)}


def public_name(name: str) -> str:
    """A schema's name as callers see it: `Data[AgentView]` is `AgentResponse`, a page of them `AgentList`."""
    if found := _WRAPPER.fullmatch(name):
        return public_name(found[2]) + ("Response" if found[1] == "Data" else "List")
    return name.removesuffix("View")


def tidy(schema: Any) -> Any:
    """A schema without generated titles, with whole bounds for integers, and `null` as one of its types."""
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
    """A parameter whose schema leaves out `null`, which no query can hold, and its second description."""
    schema = tidy(parameter["schema"])
    schema.pop("description", None)
    if isinstance(schema.get("type"), list):
        schema["type"] = schema["type"][0]
        if "enum" in schema:
            schema["enum"] = [value for value in schema["enum"] if value is not None]
    return {**parameter, "schema": schema}


def tidy_references(value: Any) -> Any:
    """Point every reference at the names that callers see."""
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
    """The generator makes floats of an optional integer's bounds, which cannot hold the largest id."""
    if schema.get("type") == "integer":
        for bound in ("minimum", "maximum"):
            if bound in schema:
                schema[bound] = min(int(schema[bound]), MAX_ID)
    return schema


def _nullable(schema: Json) -> Json:
    """`anyOf` of one plain type and null, written as a list of types."""
    choices = schema.get("anyOf", [])
    if len(choices) != 2 or choices[1] != {"type": "null"} or "type" not in choices[0]:
        return schema
    outer = {key: value for key, value in schema.items() if key != "anyOf"}
    merged = {**choices[0], **outer, "type": [choices[0]["type"], "null"]}
    if "enum" in merged:
        merged["enum"] = [*merged["enum"], None]
    return merged


def _close(schema: Json) -> Json:
    """Close an object that is sent: nothing else is in it, and what may be left out is never null instead."""
    if schema.get("type") != "object" or "additionalProperties" in schema or "properties" not in schema:
        return schema
    for name, part in schema["properties"].items():
        if name not in schema.get("required", ()) and isinstance(part.get("type"), list):
            part["type"] = part["type"][0]
            part.pop("default", None)
    return {**schema, "additionalProperties": False}
