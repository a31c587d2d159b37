"""The OpenAPI document is valid, complete, and as strict as the server."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from schemathesis.specs.openapi.definitions import OPENAPI_31_VALIDATOR

from retinue.app import operations, public_operations
from retinue.core.http.operations import BASE, Operation
from retinue.core.work.events import Event

Json = dict[str, Any]
ALWAYS = {"401", "403", "429", "500", "503"}


def entry_of(document: Json, operation: Operation) -> Json:
    entry: Json = document["paths"][BASE + operation.path][operation.method.lower()]
    return entry


def resolve(document: Json, schema: Json) -> Json:
    while "$ref" in schema:
        found = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        schema = found
    return schema


def faults(document: Json, schema: Json, value: Any) -> list[str]:
    """Return the errors of `value` under `schema`."""
    validator = jsonschema_rs.Draft202012Validator(
        {**schema, "components": document["components"]}, validate_formats=True
    )
    return [f"{error.instance_path}: {error.message}" for error in validator.iter_errors(value)]


def objects(schema: Any) -> Iterator[Json]:
    """Yield every object schema with named properties, at any depth."""
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    if isinstance(schema, dict) and isinstance(schema.get("properties"), dict):
        yield schema
    for part in parts:
        yield from objects(part)


every_operation = pytest.mark.parametrize("operation", operations(), ids=lambda operation: operation.name)


def test_it_is_valid_openapi(document: Json) -> None:
    assert [(list(e.instance_path), e.message) for e in OPENAPI_31_VALIDATOR.iter_errors(document)] == []
    assert document["openapi"].startswith("3.1.")


def test_every_schema_is_valid_json_schema(document: Json) -> None:
    for name, schema in document["components"]["schemas"].items():
        assert jsonschema_rs.meta.is_valid(schema), name


def test_every_reference_leads_somewhere(document: Json) -> None:
    def references(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            if isinstance(value.get("$ref"), str):
                yield value["$ref"]
            for part in value.values():
                yield from references(part)
        elif isinstance(value, list):
            for part in value:
                yield from references(part)

    found = set(references(document))
    assert len(found) > 30
    for reference in found:
        assert resolve(document, {"$ref": reference}), reference


def test_it_holds_every_operation_and_nothing_else(document: Json) -> None:
    documented = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    public = {("GET", path) for path in (BASE, f"{BASE}/openapi.json", "/healthz", "/readyz")}
    every = [*operations(), *public_operations()]
    assert documented == public | {(operation.method, operation.address) for operation in every}


@every_operation
def test_an_operation_is_described(document: Json, operation: Operation) -> None:
    entry = entry_of(document, operation)
    assert entry["operationId"] == operation.name
    assert entry["summary"]
    assert entry["x-scope"] == operation.scope
    assert f"`{operation.scope}`" in entry["description"]
    takes_keys = not operation.credentials or "key" in operation.credentials
    schemes = {("bearer",), ("api_key",)} if takes_keys else {("bearer",)}
    assert {tuple(each) for each in entry["security"]} == schemes
    assert all(scopes == [operation.scope] for each in entry["security"] for scopes in each.values())
    for parameter in entry["parameters"]:
        assert resolve(document, parameter)["description"]


@every_operation
def test_an_operation_tells_every_answer(document: Json, operation: Operation) -> None:
    responses = entry_of(document, operation)["responses"]
    assert str(operation.status) in responses
    assert responses.keys() >= ALWAYS
    assert "422" not in responses
    assert ("404" in responses) == ("{" in operation.path or operation.name == "chat")
    kinds = responses[str(operation.status)]["content"]
    assert ("text/event-stream" in kinds) == operation.streams
    for status, response in responses.items():
        answer = resolve(document, response)
        assert "X-Request-ID" in answer["headers"], status
        assert "X-RateLimit-Remaining" in answer["headers"], status
        assert ("Retry-After" in answer["headers"]) == (status == "429")


@every_operation
def test_a_body_must_be_sent_only_where_a_field_is_required(document: Json, operation: Operation) -> None:
    body = entry_of(document, operation).get("requestBody", {"content": {}})
    content = body["content"].get("application/json")
    if content is None:
        assert operation.name not in {"create_agent", "update_agent", "chat", "execute_agent", "execute_tool"}
        return
    schema = resolve(document, content["schema"])
    assert body["required"] == bool(schema.get("required"))
    assert schema["additionalProperties"] is False
    assert all(part.get("description") for part in schema["properties"].values()), schema
    assert faults(document, content["schema"], content["example"]) == []


def test_every_object_is_closed(document: Json) -> None:
    schemas = document["components"]["schemas"]
    closed = {
        name: [found.get("additionalProperties") for found in objects(schema)] for name, schema in schemas.items()
    }
    assert {name for name, values in closed.items() if None in values or True in values} == set()
    assert len(closed) > 40


def test_every_example_is_as_its_schema_says(document: Json) -> None:
    schemas = {name: schema for name, schema in document["components"]["schemas"].items() if "examples" in schema}
    assert schemas.keys() >= {"Agent", "RunDetails", "ChatReply", "Tool"}
    for name, schema in schemas.items():
        for example in schema["examples"]:
            assert faults(document, schema, example) == [], name
    for name, response in document["components"]["responses"].items():
        content = response["content"]["application/json"]
        assert faults(document, content["schema"], content["example"]) == [], name


@pytest.mark.parametrize("name", ["chat", "execute_agent", "stream_run"])
def test_every_chunk_of_an_example_stream_is_documented(document: Json, name: str) -> None:
    operation = next(operation for operation in operations() if operation.name == name)
    stream = entry_of(document, operation)["responses"]["200"]["content"]["text/event-stream"]
    payloads = [line[6:] for line in stream["example"].splitlines() if line.startswith("data: ")]
    assert payloads[-1] == "[DONE]"
    for payload in payloads[:-1]:
        assert faults(document, stream["x-chunk"], json.loads(payload)) == []
    assert faults(document, stream["x-chunk"], {"type": "surprise"}) != []


def test_an_agent_may_lack_a_task_and_nothing_else(document: Json) -> None:
    schema = document["components"]["schemas"]["Agent"]
    assert schema["properties"].keys() - set(schema["required"]) == {"task"}
    assert schema["properties"]["task"]["type"] == "string"
    example = schema["examples"][0]
    assert faults(document, schema, {**example, "created_at": "yesterday"}) != []
    assert faults(document, schema, {**example, "surprise": 1}) != []
    assert faults(document, schema, {**example, "task": None}) != []


def test_ids_reach_as_far_as_the_server_takes_them(document: Json) -> None:
    fleet = document["components"]["schemas"]["AgentCreate"]["properties"]["fleet_id"]
    assert (fleet["minimum"], fleet["maximum"]) == (1, 2**63 - 1)


def test_every_tag_is_explained(document: Json) -> None:
    used = {tag for methods in document["paths"].values() for entry in methods.values() for tag in entry["tags"]}
    explained = {tag["name"]: tag["description"] for tag in document["tags"]}
    assert used == explained.keys()
    assert all(len(about) > 20 for about in explained.values())


def test_every_event_is_in_the_catalogue(document: Json) -> None:
    kinds = {kind.event_name: kind for kind in Event.__subclasses__()}
    assert document["webhooks"].keys() == kinds.keys()
    assert {"agent.created", "agent.deployed", "agent.completed", "agent.error", "tool.executed"} <= kinds.keys()
    for name, kind in kinds.items():
        content = document["webhooks"][name]["post"]["requestBody"]["content"]["application/json"]
        payload = content["schema"]
        assert payload["properties"]["event"] == {"const": name}
        data = resolve(document, payload["properties"]["data"])
        assert data["properties"].keys() == kind.model_fields.keys() == content["example"]["data"].keys()
        assert data["additionalProperties"] is False
        assert all(field["description"] for field in data["properties"].values())
        assert faults(document, payload, content["example"]) == []


def test_the_framework_speaks_nowhere(document: Json) -> None:
    text = json.dumps(document)
    assert "HTTPValidationError" not in text
    assert "Successful Response" not in text
    assert "Agent Name" not in text
