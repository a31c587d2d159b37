"""Questions to GraphQL servers."""

import json
from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Given, HttpConnection, Refusal, Served, ToolError, tool
from retinue.sdk.http import HttpCredential, Request, send
from retinue_tools.web._pages import Address
from retinue_tools.web.exchange import Headers


class GraphError(TypedDict):
    """An error of a GraphQL server."""

    message: Annotated[str, About("What it says")]
    path: Annotated[str, About("Field it is about, as items.0.name")]


class GraphAnswer(TypedDict):
    """What a GraphQL server answered."""

    result: Annotated[Any, About("What was asked for; null where nothing came back")]
    errors: Annotated[list[GraphError], About("What went wrong")]
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
            site={"/graphql": Served('{"data": {"sent": {sent}}}', 200, {"Content-Type": "application/json"})},
        ),
        Example(
            {"url": "{site}/graphql", "query": "{a}"},
            {"result": None, "errors": [{"message": "no field a", "path": "a.0"}], "status": 200},
            source="GraphQL, section 7.1.2 (errors)",
            site={"/graphql": Served('{"errors": [{"message": "no field a", "path": ["a", 0]}]}')},
        ),
        Example(
            {"url": "{site}/graphql", "query": "{a}", "connection": "work-api"},
            {"result": {"key": "[secret of connection work-api]"}},
            source="the stand-in sends back the header that it was sent",
            site={"/graphql": Served('{"data": {"key": "{x-api-key}"}}', 200, {"Content-Type": "application/json"})},
            connections={
                "work-api": Given(
                    "http", {"base_url": "{site}", "type": "header", "name": "X-Api-Key"}, {"value": "key-of-work"}
                )
            },
        ),
        Refusal({"url": "{site}/graphql", "query": "{a}"}, "not with JSON", site={"/graphql": Served("<p>x")}),
    ),
    open_world=True,
    pace="normal",
    read_only=False,
    destructive=True,
    idempotent=False,
)
def graphql_send_query(
    url: Address,
    query: Annotated[str, About("Query or mutation", "{ viewer { login } }", min_length=1, max_length=100_000)],
    variables: Annotated[dict[str, Any] | None, About("Its variables", {"id": "7"})] = None,
    headers: Headers = None,
    connection: HttpConnection | None = None,
    operation: Annotated[str | None, About("Operation to run of several", "Item", max_length=200)] = None,
) -> GraphAnswer:
    """Send a query or mutation to a GraphQL endpoint and return its data and errors.

    Use it instead of a plain request for GraphQL APIs: errors come back with the field that they are about.
    """
    request = {"query": query, "variables": variables, "operationName": operation}
    body = json.dumps({name: value for name, value in request.items() if value is not None}).encode()
    wanted = {"Content-Type": "application/json", "Accept": "application/graphql-response+json, application/json"}
    sent = {**wanted, **(headers or {})}
    answer = send(Request("POST", url, sent, body, HttpCredential.of(connection, url)), timeout_s=18.0)
    value = answer.json()
    if not isinstance(value, dict):
        raise ToolError(f"{url} does not answer as a GraphQL server: its answer is no object.")
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
