"""Operations of OpenAPI documents, and sample values generated from their schemas."""

from typing import Annotated, Any

from retinue.sdk import About, ToolError

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")

_MOST_DEPTH = 12

Operation = Annotated[
    str, About("Operation as METHOD /path, or its operationId", "GET /users/{id}", min_length=1, max_length=300)
]


def list_operations(api: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    stated = api.get("paths")
    paths: dict[str, Any] = stated if isinstance(stated, dict) else {}
    return [
        (method.upper(), path, {**found, "parameters": as_list(item, "parameters") + as_list(found, "parameters")})
        for path, item in paths.items()
        if isinstance(item, dict)
        for method, found in item.items()
        if method in _METHODS and isinstance(found, dict)
    ]


def as_list(part: dict[str, Any], name: str) -> list[Any]:
    return part[name] if isinstance(part.get(name), list) else []


def find_operation(api: dict[str, Any], operation_name: str) -> tuple[str, str, dict[str, Any]]:
    operations = list_operations(api)
    for method, path, found in operations:
        if operation_name.strip() in (f"{method} {path}", f"{method.lower()} {path}", found.get("operationId")):
            return method, path, found
    known = ", ".join(f"{method} {path}" for method, path, _ in operations[:30])
    raise ToolError(f"The document has no operation {operation_name}. It has: {known or 'none'}.")


def resolve_reference(api: dict[str, Any], part: Any) -> dict[str, Any]:
    """Return the part itself, or the target if it is a reference."""
    for _ in range(_MOST_DEPTH):
        if not isinstance(part, dict) or not isinstance(part.get("$ref"), str):
            break
        target: Any = api
        for key in part["$ref"].removeprefix("#/").split("/"):
            target = target.get(key.replace("~1", "/").replace("~0", "~")) if isinstance(target, dict) else None
        part = target
    return part if isinstance(part, dict) else {}


def example_of(api: dict[str, Any], part: Any) -> Any:
    """Return an example of a parameter or media type."""
    media = resolve_reference(api, part)
    if "example" in media:
        return media["example"]
    examples = media.get("examples")
    if isinstance(examples, dict) and examples:
        return resolve_reference(api, next(iter(examples.values()))).get("value")
    return _sample(api, media.get("schema", media), 0)


def _sample(api: dict[str, Any], schema: Any, depth: int) -> Any:
    schema = resolve_reference(api, schema)
    if depth > _MOST_DEPTH:
        return None
    for key in ("example", "default", "const"):
        if key in schema:
            return schema[key]
    for key in ("examples", "enum"):
        if isinstance(schema.get(key), list) and schema[key]:
            return schema[key][0]
    if parts := as_list(schema, "allOf"):
        samples = [_sample(api, part, depth + 1) for part in [*parts, {**schema, "allOf": []}]]
        return {key: value for sample in samples if isinstance(sample, dict) for key, value in sample.items()}
    if choices := as_list(schema, "oneOf") or as_list(schema, "anyOf"):
        return _sample(api, choices[0], depth + 1)
    return _by_type(api, schema, depth)


_FORMATS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "email": "user@example.com",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "uri": "https://example.com",
    "ipv4": "192.0.2.1",
}


def _by_type(api: dict[str, Any], schema: dict[str, Any], depth: int) -> Any:
    kind = schema.get("type")
    kind = next((one for one in kind if one != "null"), "null") if isinstance(kind, list) else kind
    if kind == "object" or "properties" in schema:
        fields = schema.get("properties")
        return {
            name: _sample(api, part, depth + 1) for name, part in (fields if isinstance(fields, dict) else {}).items()
        }
    if kind == "array":
        return [_sample(api, schema.get("items"), depth + 1)]
    least = schema.get("minimum")
    numbers = {"integer": 0, "number": 0.5, "boolean": True}
    if kind in ("integer", "number") and isinstance(least, int | float):
        return least
    return _FORMATS.get(str(schema.get("format")), "string") if kind == "string" else numbers.get(str(kind))
