"""APIs described by OpenAPI documents, and differences between versions."""

import json
from collections.abc import Iterator
from typing import Annotated, Any

import orjson
import yaml
from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockResponse, Refusal, ToolError, tool
from retinue.sdk.http import MIB, fetch
from retinue_tools.code._sources import refuse_deep_nesting
from retinue_tools.web._pages import resolve

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_MOST = 2_000_000

ApiText = Annotated[
    str | None,
    About("OpenAPI document as JSON or YAML, unless url is given", '{"openapi": "3.1.0"}', max_length=_MOST),
]
ApiUrl = Annotated[
    str | None,
    About("URL of the document, unless the document is given", "https://example.com/openapi.json", max_length=8192),
]

PETS = json.dumps(
    {
        "openapi": "3.0.3",
        "info": {"title": "Pets", "version": "1.0"},
        "servers": [{"url": "/v1"}],
        "paths": {
            "/pets/{id}": {
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                "get": {
                    "operationId": "getPet",
                    "summary": "One pet",
                    "tags": ["pets"],
                    "parameters": [{"$ref": "#/components/parameters/fields"}],
                },
                "delete": {"deprecated": True, "security": [{"key": []}]},
            },
            "/pets": {
                "post": {
                    "operationId": "addPet",
                    "requestBody": {"required": True, "content": {"application/json": {}}},
                }
            },
        },
        "components": {"parameters": {"fields": {"name": "fields", "in": "query", "schema": {"type": "string"}}}},
    }
)


class Parameter(TypedDict):
    """A parameter of an operation."""

    name: Annotated[str, About("Name of the parameter")]
    place: Annotated[str, About("path, query, header or cookie")]
    required: Annotated[bool, About("Whether it is required")]
    type: Annotated[str, About("Type of its values")]


class Operation(TypedDict):
    """An operation of an API."""

    operation: Annotated[str, About("Method and path, such as GET /pets/{id}")]
    id: Annotated[str, About("operationId of the operation")]
    summary: Annotated[str, About("Description of the operation")]
    parameters: Annotated[list[Parameter], About("Parameters")]
    body: Annotated[str, About("Media types of its body; empty if it has none")]
    deprecated: Annotated[bool, About("Whether it is deprecated")]
    secured: Annotated[bool, About("Whether it requires authentication")]


class Operations(TypedDict):
    """The operations of an API."""

    title: Annotated[str, About("Title of the API")]
    version: Annotated[str, About("Version of the API")]
    servers: Annotated[list[str], About("Server URLs")]
    operations: Annotated[list[Operation], About("In document order, at most 1,000")]
    total: Annotated[int, About("Number of matching operations")]


@tool(
    tags="openapi swagger api operations endpoints list parameters document",
    use_when=(
        "Which endpoints has the API of https://example.com/openapi.json?",
        "List the operations of this OpenAPI document about pets.",
        "What parameters does the operation take?",
    ),
    examples=(
        Example(
            {"document": PETS},
            {
                "title": "Pets",
                "servers": ["/v1"],
                "total": 3,
                "operations": [
                    {
                        "operation": "GET /pets/{id}",
                        "id": "getPet",
                        "parameters": [
                            {"name": "id", "place": "path", "required": True, "type": "string"},
                            {"name": "fields", "place": "query", "required": False, "type": "string"},
                        ],
                        "body": "",
                        "secured": False,
                    },
                    {"operation": "DELETE /pets/{id}", "deprecated": True, "secured": True},
                    {"operation": "POST /pets", "body": "application/json", "parameters": []},
                ],
            },
            source="OpenAPI 3.0.3, sections 4.7.9 and 4.7.10",
        ),
        Example(
            {"url": "{site}/api.json", "search": "ONE pet"},
            {"total": 1, "servers": ["{site}/v1"]},
            source="OpenAPI 3.0.3, section 4.7.5: a server is relative to the document",
            site={"/api.json": MockResponse(PETS, 200, {"Content-Type": "application/json"})},
        ),
        Refusal({"document": "{}"}, "not an OpenAPI document"),
    ),
    reply={
        "operations": "{title} has {total|operation}: {operations}",
        "operations, operations": "The operations: {operations}",
        "": "There are no such operations.",
    },
    open_world=True,
    pace="normal",
)
def openapi_list_operations(
    url: ApiUrl = None,
    document: ApiText = None,
    search: Annotated[str | None, About("Words in path, id, summary or tags", "pets", max_length=200)] = None,
) -> Operations:
    """List the operations of an API by its OpenAPI or Swagger document, with parameters and bodies.

    Use it to learn what an API can do before calling one of its operations.
    """
    api = api_of(url, document)
    found = [operation for operation, text in operations_of(api) if not search or search.lower() in text.lower()]
    about = _object(api.get("info"))
    return {
        "title": str(about.get("title") or ""),
        "version": str(about.get("version") or ""),
        "servers": server_addresses(api, url),
        "operations": found[:1000],
        "total": len(found),
    }


def api_of(url: str | None, document: str | None) -> dict[str, Any]:
    if (url is None) == (document is None):
        raise ToolError("Give either url or document: the URL of the OpenAPI document, or its text.")
    text = document or "" if url is None else fetch(url, timeout_s=6.0, max_bytes=4 * MIB).raise_for_status().text
    try:
        api = orjson.loads(text if text.lstrip().startswith("{") else _json_of_yaml(text))
    except (ValueError, TypeError, RecursionError, yaml.YAMLError) as error:
        raise ToolError(f"The document is neither JSON nor YAML: {str(error)[:200]}.") from error
    if not isinstance(api, dict) or not isinstance(api.get("paths"), dict):
        raise ToolError("This is not an OpenAPI document: it has no paths.")
    return api


def _json_of_yaml(text: str) -> bytes:
    """Convert YAML to JSON; without aliases, with which a short text can expand without limit."""
    refuse_deep_nesting(text)
    if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
        raise ToolError("The YAML has aliases (*name). Replace them with their values.")
    found: bytes = orjson.dumps(yaml.safe_load(text), default=str, option=orjson.OPT_NON_STR_KEYS)
    return found


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def server_addresses(api: dict[str, Any], url: str | None) -> list[str]:
    places = [str(_object(server).get("url") or "/") for server in _list(api.get("servers"))]
    if api.get("host"):
        schemes = _list(api.get("schemes")) or ["https"]
        places = [f"{scheme}://{api['host']}{api.get('basePath') or ''}" for scheme in schemes]
    return [resolve(url or "", place) for place in places or ["/"]][:20]


def operations_of(api: dict[str, Any]) -> Iterator[tuple[Operation, str]]:
    """Return the operations with their search text."""
    for path, item in api["paths"].items():
        for method in _METHODS:
            operation = _object(item).get(method)
            if isinstance(operation, dict):
                found = _operation(api, str(path), method, _object(item), operation)
                tags = " ".join(map(str, _list(operation.get("tags"))))
                yield found, f"{found['operation']} {found['id']} {found['summary']} {tags}"


def _operation(
    api: dict[str, Any], path: str, method: str, item: dict[str, Any], operation: dict[str, Any]
) -> Operation:
    declared = [_refer(api, part) for part in _list(item.get("parameters")) + _list(operation.get("parameters"))]
    parameters: dict[tuple[str, str], Parameter] = {}
    for part in declared:
        name, place = str(part.get("name")), str(part.get("in"))
        kind = _object(part.get("schema")).get("type") or part.get("type") or ""
        required = bool(part.get("required"))
        parameters[name, place] = {"name": name, "place": place, "required": required, "type": str(kind)}
    body = _refer(api, operation.get("requestBody"))
    listed = [parameter for (_, place), parameter in parameters.items() if place not in ("body", "formData")]
    swagger = ", ".join(map(str, _list(operation.get("consumes")) or _list(api.get("consumes"))))
    return {
        "operation": f"{method.upper()} {path}",
        "id": str(operation.get("operationId") or ""),
        "summary": str(operation.get("summary") or operation.get("description") or "")[:500],
        "parameters": listed,
        "body": ", ".join(map(str, _object(body.get("content"))))
        if body
        else swagger
        if len(listed) < len(parameters)
        else "",
        "deprecated": bool(operation.get("deprecated")),
        "secured": bool(operation.get("security", api.get("security"))),
    }


def _refer(api: dict[str, Any], part: Any) -> dict[str, Any]:
    """Return a part of the document, or the target of its reference within the document."""
    for _ in range(5):
        reference = _object(part).get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/"):
            break
        part = api
        for name in reference[2:].split("/"):
            part = _object(part).get(name.replace("~1", "/").replace("~0", "~"))
    return _object(part)


class Change(TypedDict):
    """A difference of two documents."""

    breaking: Annotated[bool, About("Whether clients of the old version may fail")]
    operation: Annotated[str, About("Affected operation")]
    change: Annotated[str, About("Description of the difference")]


class Comparison(TypedDict):
    """Differences between two versions of an API."""

    breaking: Annotated[int, About("Number of changes that may break clients")]
    changes: Annotated[list[Change], About("Breaking changes first, at most 1,000")]


_NEWER = json.dumps(
    {
        "openapi": "3.0.3",
        "paths": {
            "/pets/{id}": {
                "get": {
                    "parameters": [
                        {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
                        {"name": "owner", "in": "query", "required": True},
                    ]
                }
            },
            "/pets": {"post": {}, "get": {}},
        },
    }
)


@tool(
    tags="openapi diff compare versions breaking changes api swagger",
    use_when=(
        "Does the new version of the API break clients?",
        "What changed between these OpenAPI documents?",
        "List breaking changes of the API.",
    ),
    examples=(
        Example(
            {"old": PETS, "new": _NEWER},
            {
                "breaking": 4,
                "changes": [
                    {"breaking": True, "operation": "GET /pets/{id}", "change": "parameter id is integer, was string"},
                    {"breaking": True, "operation": "GET /pets/{id}", "change": "required parameter owner is new"},
                    {"breaking": True, "operation": "DELETE /pets/{id}", "change": "the operation is gone"},
                    {
                        "breaking": True,
                        "operation": "POST /pets",
                        "change": "the body application/json is not taken any more",
                    },
                    {"breaking": False, "operation": "GET /pets/{id}", "change": "parameter fields is gone"},
                    {"breaking": False, "operation": "GET /pets", "change": "the operation is new"},
                ],
            },
            source="the two documents, read by eye",
        ),
        Example({"old": PETS, "new": PETS}, {"breaking": 0, "changes": []}, source="a document is equal to itself"),
        Refusal({"old": PETS, "new": "x: *a"}, "YAML"),
    ),
    reply={
        "breaking": "{breaking|change} may break clients: {changes}",
        "changes": "No change breaks clients: {changes}",
        "": "The documents describe the same API.",
    },
)
def openapi_compare_documents(
    old: Annotated[str, About("Old document as JSON or YAML", '{"openapi": "3.0.3", "paths": {}}', max_length=_MOST)],
    new: Annotated[str, About("New document as JSON or YAML", '{"openapi": "3.1.0", "paths": {}}', max_length=_MOST)],
) -> Comparison:
    """Compare two versions of an OpenAPI document and find which changes may break clients.

    Use it before publishing a new version of an API. It compares operations, parameters and bodies, but not schemas.
    """
    before, after = (
        {found["operation"]: found for found, _ in operations_of(api_of(None, text))} for text in (old, new)
    )
    changes = [change for name, operation in before.items() for change in _changes(operation, after.get(name))]
    changes += [_change(name, "the operation is new") for name in after if name not in before]
    ordered = sorted(changes, key=lambda change: not change["breaking"])
    return {"breaking": sum(change["breaking"] for change in changes), "changes": ordered[:1000]}


def _change(operation: str, text: str, *, breaking: bool = False) -> Change:
    return {"breaking": breaking, "operation": operation, "change": text}


def _changes(old: Operation, new: Operation | None) -> Iterator[Change]:
    name = old["operation"]
    if new is None:
        yield _change(name, "the operation is gone", breaking=True)
        return
    yield from _parameter_changes(name, old, new)
    for kind in sorted(set(old["body"].split(", ")) - set(new["body"].split(", ")) - {""}):
        yield _change(name, f"the body {kind} is not taken any more", breaking=True)
    if new["deprecated"] and not old["deprecated"]:
        yield _change(name, "the operation is deprecated now")


def _parameter_changes(name: str, old: Operation, new: Operation) -> Iterator[Change]:
    before, after = ({(part["name"], part["place"]): part for part in one["parameters"]} for one in (old, new))
    for key, part in before.items():
        if key not in after:
            yield _change(name, f"parameter {key[0]} is gone", breaking=key[1] == "path")
        elif after[key]["type"] != part["type"]:
            yield _change(name, f"parameter {key[0]} is {after[key]['type']}, was {part['type']}", breaking=True)
    for key, part in after.items():
        if key not in before:
            kind = "required parameter" if part["required"] else "optional parameter"
            yield _change(name, f"{kind} {key[0]} is new", breaking=part["required"])
        elif part["required"] and not before[key]["required"]:
            yield _change(name, f"parameter {key[0]} is required now", breaking=True)
