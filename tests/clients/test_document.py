"""The client is what the OpenAPI document says: every operation, every parameter, every field."""

import filecmp
import inspect
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

import httpx
import pytest

import retinue_client
from clients.python.codegen.__main__ import PACKAGE, write
from clients.python.codegen.document import BASE, Document, Operation
from retinue_client import AsyncListing, AsyncRetinue, Listing, Record, Retinue, types
from tests.support.api_document import api_document
from tests.support.document import Document as Checker

ROOT = Path(__file__).parents[2]
NO_METHOD = {
    "change_password", "delete_account", "start_totp", "confirm_totp", "renew_recovery_codes", "disable_totp",
    "get_current_session", "sign_out", "sign_in", "use_link", "sign_up", "request_reset", "describe_service",
    "get_openapi", "check_health", "check_readiness",
}  # fmt: skip
"""What people do in a browser with a session, and what needs no key."""

_VALUES = {"string": "text", "integer": 7, "number": 0.5, "boolean": True, "array": [], "object": {"a": 1}}


@cache
def content() -> dict[str, Any]:
    return api_document()


def operations() -> list[Operation]:
    return Document(content()).operations


def value_of(schema: dict[str, Any]) -> Any:
    """Some value that the schema allows, objects with every field."""
    if "$ref" in schema:
        return value_of(content()["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if "const" in schema or "enum" in schema:
        return schema.get("const") or schema["enum"][0]
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return value_of(choices[0])
    kind = schema.get("type", "string")
    kind = kind if isinstance(kind, str) else kind[0]
    if kind == "array":
        return [value_of(schema.get("items", {}))]
    if kind == "object" and "properties" in schema:
        return {name: value_of(part) for name, part in schema["properties"].items()}
    return _VALUES[kind]


def arguments_of(operation: Operation) -> tuple[list[Any], dict[str, Any]]:
    """Values for every parameter in the path, and for every field of the body or the query."""
    schemas = content()["components"]["schemas"]
    fields = schemas[operation.body]["properties"] if operation.body else {}
    named = {name: value_of(part) for name, part in fields.items() if not part.get("description", "").startswith("Ign")}
    named |= {p["name"]: value_of(p["schema"]) for p in operation.query_parameters}
    return [value_of(p["schema"]) for p in operation.path_parameters], {**named, "stream": False, "background": False}


def answering(operation: Operation, sent: list[httpx.Request]) -> httpx.MockTransport:
    """Answers as the document says, and keeps what was sent."""
    status, schema = next(iter(operation.answers.items()))

    def answer(request: httpx.Request) -> httpx.Response:
        request.read()
        sent.append(request)
        body = value_of({"$ref": f"/{schema}"})
        if "meta" in body:
            body["meta"] = {"total": 1, "page": 1, "per_page": 20, "total_pages": 1}
        return httpx.Response(int(status), json=body)

    return httpx.MockTransport(answer)


def method_of(client: object, operation: Operation) -> Callable[..., Any]:
    """The client's method for an operation."""
    method = operation.client_method
    for name in (*method.resource, method.method):
        client = getattr(client, name)
    assert callable(client)
    return client


def check_request(operation: Operation, request: httpx.Request, positional: list[Any], named: dict[str, Any]) -> None:
    """What was sent is the operation with the arguments, nothing more and nothing less."""
    values = iter(positional)
    path = re.sub(r"\{\w+\}", lambda _: str(next(values)), operation.path)
    assert (request.method, request.url.path) == (operation.method, BASE + path)
    assert ("idempotency-key" in request.headers) == operation.takes_key
    assert request.headers["authorization"] == "Bearer k"
    if operation.body:
        assert json.loads(request.content) == named
    else:
        assert request.url.params == httpx.QueryParams(named)


def arguments_for(operation: Operation) -> tuple[list[Any], dict[str, Any]]:
    positional, named = arguments_of(operation)
    known = content()["components"]["schemas"][operation.body]["properties"] if operation.body else {}
    for choice in ("stream", "background"):
        if choice not in known:
            del named[choice]
    return positional, named


JSON_OPERATIONS = [one for one in operations() if one.answers and one.id not in ("upload_file", "export_usage")]


@pytest.mark.parametrize("operation", JSON_OPERATIONS, ids=lambda one: one.id)
async def test_a_method_sends_the_documented_request(operation: Operation) -> None:
    positional, named = arguments_for(operation)
    schema = next(iter(operation.answers.values()))
    sent: list[httpx.Request] = []
    transport = answering(operation, sent)
    client = Retinue(api_key="k", http_client=httpx.Client(transport=transport))
    later = AsyncRetinue(api_key="k", http_client=httpx.AsyncClient(transport=transport))
    result = method_of(client, operation)(*positional, **named)
    awaited = method_of(later, operation)(*positional, **named)
    if isinstance(result, Listing):
        assert isinstance(awaited, AsyncListing)
        ((result,), (awaited,)) = list(result), [record async for record in awaited]
    else:
        awaited = await awaited
    assert result == awaited
    data = value_of({"$ref": f"/{schema}"})["data"]
    assert result.to_dict() == (data[0] if isinstance(data, list) else data)
    for request in sent:
        if "page" in request.url.params:
            named = {**named, "page": request.url.params["page"]}
        check_request(operation, request, positional, named)
    assert len(sent) == 2


@pytest.mark.parametrize("operation", JSON_OPERATIONS, ids=lambda one: one.id)
def test_every_field_of_an_answer_is_known(operation: Operation) -> None:
    """The document closes its objects, so a field that a record does not declare would be one left out."""
    for schema in operation.answers.values():
        kind, _ = Document(content()).data_of(schema)
        record = getattr(types, kind)
        assert issubclass(record, Record)
        fields = content()["components"]["schemas"][kind]["properties"]
        assert get_type_hints(record).keys() == fields.keys()


def test_every_operation_has_a_method() -> None:
    documented = {
        entry["operationId"]: (method, path)
        for path, methods in content()["paths"].items()
        for method, entry in methods.items()
    }
    covered = {operation.id for operation in operations()}
    assert documented.keys() - covered == NO_METHOD
    for client in (Retinue(api_key="k"), AsyncRetinue(api_key="k")):
        for operation in operations():
            assert method_of(client, operation).__doc__


def test_both_clients_have_the_same_methods() -> None:
    def signatures(client: object, prefix: str = "") -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, member in inspect.getmembers(client, lambda one: not isinstance(one, str)):
            if name.startswith("_"):
                continue
            if type(member).__module__.startswith("retinue_client._resources"):
                found |= signatures(member, f"{prefix}{name}.")
            elif callable(member):
                found[prefix + name] = list(inspect.signature(member).parameters)
        return found

    both = [signatures(client) for client in (Retinue(api_key="k"), AsyncRetinue(api_key="k"))]
    assert both[0] == both[1]
    assert len(both[0]) > 100


def test_the_generated_files_are_those_of_this_document(tmp_path: Path) -> None:
    made = {path.relative_to(tmp_path) for path in write(tmp_path)}
    kept = {path.relative_to(PACKAGE) for path in [*PACKAGE.glob("_resources/*.py"), PACKAGE / "types.py"]}
    stale = [str(name) for name in made | kept if not same(tmp_path / name, PACKAGE / name)]
    assert stale == [], "the API has changed: run make client"


def same(one: Path, other: Path) -> bool:
    """Whether both files exist and have the same content."""
    return one.is_file() and other.is_file() and filecmp.cmp(one, other, shallow=False)


def test_versions_agree() -> None:
    metadata = (ROOT / "clients/python/pyproject.toml").read_text()
    assert f'version = "{retinue_client.__version__}"' in metadata
    assert Checker(content()).operation("GET", f"{BASE}/agents/7")
