"""API calls: GraphQL queries, and operations of an OpenAPI document."""

import json
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleConnection, HttpConnection, MockResponse, Refusal, ToolError, tool
from retinue.sdk.http import MIB, HttpCredential, Request, send
from retinue_tools.web._pages import Address
from retinue_tools.web.http_requests import Headers
from retinue_tools.web.openapi import PETS, ApiText, ApiUrl, Operation, api_of, operations_of, server_addresses


class GraphError(TypedDict):
    """An error of a GraphQL server."""

    message: Annotated[str, About("Error message")]
    path: Annotated[str, About("Path of the field, such as items.0.name")]


class GraphAnswer(TypedDict):
    """Response of a GraphQL server."""

    result: Annotated[Any, About("Requested data; null if there is none")]
    errors: Annotated[list[GraphError], About("Errors")]
    status: Annotated[int, About("HTTP status")]


@tool(
    tags="graphql query mutation api request variables",
    use_when=(
        "Run this GraphQL query against https://api.example.com/graphql.",
        "Ask the GraphQL API for the name of item 7.",
        "Send a mutation with variables to the endpoint.",
    ),
    examples=(
        Example(
            {"url": "{site}/graphql", "query": "query($i:ID!){item(id:$i){name}}", "variables": {"i": "7"}},
            {"result": {"sent": {"query": "query($i:ID!){item(id:$i){name}}", "variables": {"i": "7"}}}, "errors": []},
            source="GraphQL over HTTP, section 5.4: a request is a JSON object with query and variables",
            site={"/graphql": MockResponse('{"data": {"sent": {sent}}}', 200, {"Content-Type": "application/json"})},
        ),
        Example(
            {"url": "{site}/graphql", "query": "{a}"},
            {"result": None, "errors": [{"message": "no field a", "path": "a.0"}], "status": 200},
            source="GraphQL, section 7.1.2 (errors)",
            site={"/graphql": MockResponse('{"errors": [{"message": "no field a", "path": ["a", 0]}]}')},
        ),
        Example(
            {"url": "{site}/graphql", "query": "{a}", "connection": "work-api"},
            {"result": {"key": "[secret of connection work-api]"}},
            source="the stand-in sends back the header that it was sent",
            site={
                "/graphql": MockResponse('{"data": {"key": "{x-api-key}"}}', 200, {"Content-Type": "application/json"})
            },
            connections={
                "work-api": ExampleConnection(
                    "http", {"base_url": "{site}", "type": "header", "name": "X-Api-Key"}, {"value": "key-of-work"}
                )
            },
        ),
        Refusal({"url": "{site}/graphql", "query": "{a}"}, "not with JSON", site={"/graphql": MockResponse("<p>x")}),
    ),
    reply={
        "errors, result": "The endpoint returned data as well as errors: {errors}",
        "errors": "The endpoint reported errors: {errors}",
        "result": "The data: {result}",
        "": "The endpoint returned no data.",
    },
    open_world=True,
    pace="normal",
    read_only=False,
    destructive=True,
    idempotent=False,
)
def graphql_send_query(
    url: Address,
    query: Annotated[str, About("Query or mutation", "{ viewer { login } }", min_length=1, max_length=100_000)],
    variables: Annotated[dict[str, Any] | None, About("Variables of the query", {"id": "7"})] = None,
    headers: Headers = None,
    connection: HttpConnection | None = None,
    operation: Annotated[
        str | None, About("Name of the operation to run, if there are several", "Item", max_length=200)
    ] = None,
) -> GraphAnswer:
    """Send a query or mutation to a GraphQL endpoint and return its data and errors.

    Use it instead of a plain request for GraphQL APIs: errors are returned with the path of their field.
    """
    request = {"query": query, "variables": variables, "operationName": operation}
    body = json.dumps({name: value for name, value in request.items() if value is not None}).encode()
    defaults = {"Content-Type": "application/json", "Accept": "application/graphql-response+json, application/json"}
    sent = {**defaults, **(headers or {})}
    answer = send(Request("POST", url, sent, body, HttpCredential.of(connection, url)), timeout_s=18.0)
    value = answer.json()
    if not isinstance(value, dict):
        raise ToolError(f"{url} is not a GraphQL server: its response is not an object.")
    found = value.get("errors")
    errors = [error for error in found if isinstance(error, dict)] if isinstance(found, list) else []
    return {
        "result": value.get("data"),
        "errors": [
            {"message": str(error.get("message", "")), "path": _path(error.get("path"))} for error in errors[:100]
        ],
        "status": answer.status,
    }


def _path(path: Any) -> str:
    return ".".join(map(str, path))[:500] if isinstance(path, list) else ""


class Called(TypedDict):
    """Response of an operation."""

    request: Annotated[str, About("Method and URL of the request")]
    status: Annotated[int, About("HTTP status")]
    json: Annotated[Any, About("Response as a JSON value; null if it is not JSON")]
    text: Annotated[str, About("Response as text if it is not JSON, up to 200,000 characters")]


@tool(
    tags="openapi swagger call operation api request invoke endpoint",
    use_when=(
        "Call the operation getPet of the API with id 7.",
        "Use the API described at https://example.com/openapi.json to add a pet.",
        "Invoke GET /pets/{id} by its OpenAPI document.",
    ),
    examples=(
        Example(
            {"url": "{site}/api.json", "operation": "getPet", "parameters": {"id": "a/b", "fields": "name"}},
            {"request": "GET {site}/v1/pets/a%2Fb?fields=name", "status": 200, "json": {"name": "Rex"}},
            source="OpenAPI 3.0.3, section 4.7.12: where parameters go; RFC 3986 for the escape",
            site={
                "/api.json": MockResponse(PETS, 200, {"Content-Type": "application/json"}),
                "/v1/pets/a%2Fb?fields=name": MockResponse(
                    '{"name": "Rex"}', 200, {"Content-Type": "application/json"}
                ),
            },
        ),
        Example(
            {"document": PETS, "operation": "POST /pets", "body": {"a": 1}, "server": "{site}"},
            {"status": 201, "json": {"a": 1}},
            source="the stand-in sends back what it was sent",
            site={"/pets": MockResponse("{sent}", 201, {"Content-Type": "application/json"})},
        ),
        Example(
            {"document": PETS, "operation": "POST /pets", "body": {}, "server": "{site}", "connection": "work-api"},
            {"status": 201, "json": {"auth": "Basic [secret of connection work-api]"}},
            source="the stand-in sends back the header that it was sent (RFC 7617)",
            site={"/pets": MockResponse('{"auth": "{authorization}"}', 201, {"Content-Type": "application/json"})},
            connections={
                "work-api": ExampleConnection(
                    "http", {"base_url": "{site}", "type": "basic", "name": "ann"}, {"value": "password-of-work"}
                )
            },
        ),
        Refusal({"document": PETS, "operation": "getPet", "server": "https://example.com"}, "id is missing"),
        Refusal({"document": PETS, "operation": "nothing"}, "no operation"),
    ),
    reply={
        "json": "{request} answered with {status}: {json}",
        "text": "{request} answered with {status}: {text}",
        "": "{request} answered with {status}.",
    },
    open_world=True,
    pace="normal",
    read_only=False,
    destructive=True,
    idempotent=False,
)
def openapi_call_operation(
    operation: Annotated[str, About("operationId, or method and path", "GET /pets/{id}", min_length=1, max_length=500)],
    url: ApiUrl = None,
    document: ApiText = None,
    parameters: Annotated[dict[str, str | float | bool] | None, About("Parameter values by name", {"id": "7"})] = None,
    body: Annotated[dict[str, Any] | list[Any] | None, About("Body, sent as JSON", {"name": "Rex"})] = None,
    headers: Headers = None,
    connection: HttpConnection | None = None,
    server: Annotated[
        str | None,
        About(
            "Base URL of the API, if it differs from that of the document", "https://example.com/v1", max_length=2000
        ),
    ] = None,
) -> Called:
    """Call an operation of an API by its OpenAPI document, which determines where parameters are sent.

    Use it after listing the operations. Credentials come from a connection. Missing parameters are reported before
    anything is sent.
    """
    api = api_of(url, document)
    known = [found for found, _ in operations_of(api)]
    chosen = next((one for one in known if operation in (one["id"], one["operation"])), None)
    if chosen is None:
        names = ", ".join(one["id"] or one["operation"] for one in known[:10])
        raise ToolError(f"There is no operation {operation}. Available operations: {names}.")
    method, place, sent = _address(chosen, parameters or {})
    base = server or next((one for one in server_addresses(api, url) if one.startswith("http")), "")
    if not base:
        raise ToolError("The document does not contain the server of the API. Give server.")
    content = None if body is None else json.dumps(body).encode()
    sent = {**({} if body is None else {"Content-Type": "application/json"}), **sent, **(headers or {})}
    address = base.rstrip("/") + place
    credential = HttpCredential.of(connection, address)
    answer = send(Request(method, address, sent, content, credential), max_bytes=MIB, timeout_s=12.0)
    is_json = "json" in answer.media_type and bool(answer.body)
    return {
        "request": f"{method} {address}",
        "status": answer.status,
        "json": answer.json() if is_json else None,
        "text": "" if is_json else answer.text[:200_000],
    }


def _address(operation: Operation, values: dict[str, Any]) -> tuple[str, str, dict[str, str]]:
    """Return method, path with query, and headers of a call."""
    known = {part["name"]: part for part in operation["parameters"]}
    if missing := [name for name, part in known.items() if part["required"] and name not in values]:
        raise ToolError(f"The parameter {', '.join(missing)} is missing.")
    if unknown := [name for name in values if name not in known]:
        raise ToolError(
            f"There is no parameter {unknown[0][:100]}. Available parameters: {', '.join(known) or 'none'}."
        )
    method, _, path = operation["operation"].partition(" ")
    texts = {name: _render(value) for name, value in values.items()}
    for name, text in texts.items():
        path = path.replace(f"{{{name}}}", quote(text, safe="")) if known[name]["place"] == "path" else path
    query = urlencode({name: text for name, text in texts.items() if known[name]["place"] == "query"}, quote_via=quote)
    headers = {name: text for name, text in texts.items() if known[name]["place"] == "header"}
    cookies = "; ".join(f"{name}={quote(text)}" for name, text in texts.items() if known[name]["place"] == "cookie")
    return method, f"{path}?{query}" if query else path, headers | ({"Cookie": cookies} if cookies else {})


def _render(value: Any) -> str:
    return (
        str(value).lower() if isinstance(value, bool) else f"{value:.15g}" if isinstance(value, float) else str(value)
    )
