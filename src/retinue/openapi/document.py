"""Builds the document from FastAPI's description of the routes, and adds what FastAPI cannot know."""

import warnings
from collections.abc import Iterator, Sequence

from fastapi.openapi.utils import get_openapi
from pydantic.warnings import UnsupportedFieldAttributeWarning

from retinue import __version__
from retinue.core.http.operations import BASE, Api, Operation
from retinue.openapi import examples
from retinue.openapi.chunks import chunk_schemas, stream_of
from retinue.openapi.events import webhooks
from retinue.openapi.public import PATHS as PUBLIC_PATHS
from retinue.openapi.responses import ERROR, ERRORS, HEADERS, error_responses, header_references
from retinue.openapi.schemas import Json, tidy_components, tidy_parameter, tidy_references

_ABOUT = f"""\
A self-hosted AI agent platform with a REST API. The base URL of version 1 is `{BASE}` on your own server.

A single record is returned as `{{"data": …}}`, a list as `{{"data": […], "meta": …}}`, and an error as
`{{"error": {{"code", "message", "status"}}}}`. Types are strict, and unknown fields in a body are rejected by name.
A `POST` or `PUT` request with a body requires `Content-Type: application/json`; an empty body is treated as `{{}}`."""

_TAGS = {
    "agents": (
        "Agents have a role, a task and skills. Execute one and wait for its reply, or deploy it to "
        "work in the background."
    ),
    "simulations": "People played by a model talk with an agent, and a judge rates each conversation.",
    "fleets": ("Groups of agents that work on a task together: in parallel, one after the other, or part by part."),
    "schedules": ("Cron expressions and single dates that run an agent or deploy a fleet, exactly once per due time."),
    "runs": "A run is one piece of work: its status, its reply and all its steps.",
    "approvals": "Tool calls of agents that wait for a person to approve them, or to answer a question.",
    "chat": "Conversations with a model that can use tools, optionally streamed.",
    "models": "The models that you can use, their providers, and the default.",
    "tools": (
        "The catalogue of tools: search it, retrieve a tool's schema, execute a tool, and import tools from other APIs."
    ),
    "connections": "Named credentials. Tools and sources use them by name, and no model ever sees them.",
    "memory": "Facts that agents remember across conversations: list, search, add, change, delete.",
    "knowledge": "Collections of documents that agents answer from, with sources: add, search, refresh.",
    "skills": "Agent Skills: instructions, references and scripts that agents read when they need them.",
    "files": "Files for tools and messages: upload once, then refer to them by ID.",
    "usage": "The usage of the account in the current billing period and by day.",
    "requests": "The log of your API requests with time, operation, credential and outcome.",
    "voice": "Phone calls in which an agent speaks, and conference rooms, with transcripts.",
    "webhooks": "Endpoints that receive signed events, and the log of deliveries.",
    "marketplace": "Published agents, fleets, tools and extensions: find, install and rate them.",
    "demo": "Sample records that show what the server does: load them, look around, remove them.",
    "keys": "API keys with scopes, networks and expiry, and their rotation without downtime.",
    "sharing": "Publishable keys, with which visitors of a site chat with an agent.",
    "account": "Your own user: password, second factor and sessions.",
    "oauth": "OAuth 2 apps that act for users, and the grants that you gave to apps.",
    "sign-in": "Exchange an e-mail address and a password, or a one-time link, for a session token.",
    "service": "Server status and version. These operations need no credential.",
}

_CREDENTIALS = {"key": "an API key", "session": "a session", "oauth": "an OAuth token"}

_SECURITY: Json = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "ak_live_…, ak_test_…, sess_… or aat_…",
        "description": "An API key, a session token or an OAuth token. `ak_live_` keys, sessions and OAuth tokens "
        "access your live records; `ak_test_` keys access a separate sandbox.",
    },
    "api_key": {
        "type": "apiKey",
        "in": "query",
        "name": "api_key",
        "description": (
            "The key as a query parameter, for trying things out. If both are sent, the header takes precedence."
        ),
    },
}

_PARAMETERS: Json = {
    "Idempotency-Key": {
        "name": "Idempotency-Key",
        "in": "header",
        "required": False,
        "description": (
            "Requests with the same key and body within 24 hours are executed once and return the first response."
        ),
        "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    }
}


def build(apis: Sequence[Api]) -> Json:
    """Return the document of `apis`, with all possible responses of each operation. Needs no running server."""
    with warnings.catch_warnings():
        # FastAPI silences this warning about its own fields when it creates them, but most are built only here.
        warnings.simplefilter("ignore", UnsupportedFieldAttributeWarning)
        document: Json = get_openapi(
            title="Retinue",
            version=__version__,
            openapi_version="3.1.0",
            description=_ABOUT,
            license_info={"name": "Apache 2.0", "identifier": "Apache-2.0"},
            routes=[route for api in apis for route in api.router.routes],
        )
    document["servers"] = [{"url": "/", "description": "This server."}]
    document["tags"] = [{"name": name, "description": about} for name, about in _TAGS.items()]
    components = document["components"]
    components["schemas"] |= chunk_schemas()
    for operation in _operations(apis):
        _complete(document["paths"][operation.address][operation.method.lower()], operation, components["schemas"])
    document["paths"] |= PUBLIC_PATHS
    document["webhooks"] = webhooks(components["schemas"])
    components["schemas"] = examples.add_to(tidy_components(components["schemas"]) | {"Error": ERROR})
    components |= {"responses": ERRORS, "headers": HEADERS, "parameters": _PARAMETERS, "securitySchemes": _SECURITY}
    complete: Json = tidy_references(document)
    return complete


def _operations(apis: Sequence[Api]) -> Iterator[Operation]:
    for api in apis:
        yield from api.operations


def _complete(entry: Json, operation: Operation, schemas: Json) -> None:
    """Add the details that FastAPI cannot know to an operation's entry."""
    entry["summary"] = operation.name.replace("_", " ").capitalize()
    entry["description"] = f"{entry['description'].strip()}\n\n{_needs(operation)}"
    entry["security"] = [{name: [operation.scope]} for name in _schemes(operation)]
    entry["parameters"] = [_with_example(tidy_parameter(p), operation) for p in entry.get("parameters", ())]
    if operation.takes_key:
        entry["parameters"].append({"$ref": "#/components/parameters/Idempotency-Key"})
    if "requestBody" in entry:
        _complete_body(entry["requestBody"], operation, schemas)
    _complete_responses(entry, operation)


def _needs(operation: Operation) -> str:
    if not operation.scope:
        return "Needs no credential."
    kinds = " or ".join(_CREDENTIALS[kind] for kind in sorted(operation.credentials))
    return f"Needs the scope `{operation.scope}`{kinds and f', of {kinds}'}."


def _schemes(operation: Operation) -> list[str]:
    """Return the security schemes of an operation. Only API keys may appear in the query."""
    if not operation.scope:
        return []
    takes_keys = not operation.credentials or "key" in operation.credentials
    return ["bearer", "api_key"] if takes_keys else ["bearer"]


def _with_example(parameter: Json, operation: Operation) -> Json:
    values = examples.QUERIES.get(operation.name, {})
    return {**parameter, "example": values[parameter["name"]]} if parameter["name"] in values else parameter


def _complete_body(body: Json, operation: Operation, schemas: Json) -> None:
    """Mark a body as required if it has required fields, because an empty body counts as an empty object.

    Bodies that are not JSON objects, such as files, declare this themselves.
    """
    content = body["content"].get("application/json")
    if content is None:
        return
    body["required"] = bool(schemas[content["schema"]["$ref"].rpartition("/")[2]].get("required"))
    if operation.name in examples.BODIES:
        content["example"] = examples.BODIES[operation.name]


def _complete_responses(entry: Json, operation: Operation) -> None:
    responses = {status: answer for status, answer in entry["responses"].items() if status != "422"}
    success = responses[str(operation.status)]
    success["description"] = "Created" if operation.status == 201 else "Success"
    if operation.streams:
        success["content"]["text/event-stream"] = stream_of(operation.name)
    replayed = ("Idempotency-Replayed",) if operation.takes_key else ()
    for answer in responses.values():
        answer["headers"] = header_references(*replayed)
    entry["responses"] = responses | error_responses(entry, operation)
