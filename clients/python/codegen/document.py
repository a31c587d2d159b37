"""The OpenAPI document, as the generator reads it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from retinue.openapi.method_names import ClientMethod, client_method

Json = Mapping[str, Any]
SCHEMAS = "#/components/schemas/"
BASE = "/api/v1"
_METHODS = ("get", "post", "put", "delete", "patch")


def schema_name(schema: Json) -> str:
    """Return the name of the component that a schema refers to, or an empty string."""
    reference: str = schema.get("$ref", "")
    return reference.removeprefix(SCHEMAS)


@dataclass(frozen=True)
class Operation:
    """An operation of the document. `path` is relative to the base URL of the version."""

    method: str
    path: str
    content: Json

    @property
    def id(self) -> str:
        """The operation ID."""
        return str(self.content["operationId"])

    @property
    def client_method(self) -> ClientMethod:
        """The method of the clients: `agents.create`."""
        returns_list = any(answer.endswith("List") for answer in self.answers.values())
        return client_method(self.id, self.method, self.path, returns_list=returns_list)

    @property
    def path_parameters(self) -> list[Json]:
        """The path parameters, in order."""
        return [p for p in self.content.get("parameters", ()) if p.get("in") == "path"]

    @property
    def query_parameters(self) -> list[Json]:
        """The query parameters."""
        return [p for p in self.content.get("parameters", ()) if p.get("in") == "query"]

    @property
    def takes_key(self) -> bool:
        """Whether the operation accepts an Idempotency-Key."""
        return any(p.get("$ref", "").endswith("/Idempotency-Key") for p in self.content.get("parameters", ()))

    @property
    def resumes(self) -> bool:
        """Whether the operation's stream can be resumed."""
        return any(p.get("name") == "Last-Event-ID" for p in self.content.get("parameters", ()))

    @property
    def body(self) -> str:
        """The name of the request body's schema, or an empty string."""
        content = self.content.get("requestBody", {}).get("content", {})
        return schema_name(content.get("application/json", {}).get("schema", {}))

    @property
    def body_required(self) -> bool:
        """Whether a request body is required."""
        return bool(self.content.get("requestBody", {}).get("required"))

    @property
    def answers(self) -> dict[str, str]:
        """The name of the JSON response's schema for each success status."""
        found = {
            status: schema_name(answer.get("content", {}).get("application/json", {}).get("schema", {}))
            for status, answer in self.content["responses"].items()
            if status.startswith("2")
        }
        return {status: name for status, name in found.items() if name}

    @property
    def chunk(self) -> str:
        """The name of the schema of the stream's chunks, or an empty string."""
        content = self.content["responses"].get("200", {}).get("content", {})
        return schema_name(content.get("text/event-stream", {}).get("x-chunk", {}))


@dataclass(frozen=True)
class Document:
    """An OpenAPI 3.1 document."""

    content: Json

    @cached_property
    def schemas(self) -> Mapping[str, Json]:
        """The components by name."""
        found: Mapping[str, Json] = self.content["components"]["schemas"]
        return found

    @cached_property
    def operations(self) -> list[Operation]:
        """The operations below the base URL of the version that accept an API key."""
        return list(self._operations())

    def _operations(self) -> Iterator[Operation]:
        for path, methods in self.content["paths"].items():
            for method, content in methods.items():
                takes_key = any("api_key" in scheme for scheme in content.get("security", ()))
                if method in _METHODS and takes_key and path.startswith(BASE):
                    yield Operation(method.upper(), path.removeprefix(BASE), content)

    def data_of(self, answer: str) -> tuple[str, bool]:
        """Return the schema of the record under `data` in a response, and whether `data` is a list of records."""
        data = self.schemas[answer]["properties"]["data"]
        return (schema_name(data["items"]), True) if data.get("type") == "array" else (schema_name(data), False)

    @cached_property
    def events(self) -> dict[str, str]:
        """The schema of each webhook event's data, by event name."""
        found = {}
        for name, entry in self.content["webhooks"].items():
            payload = entry["post"]["requestBody"]["content"]["application/json"]["schema"]
            found[name] = schema_name(payload["properties"]["data"])
        return found

    def reachable(self, names: set[str]) -> set[str]:
        """Return the given components and all components that they refer to."""
        seen: set[str] = set()
        waiting = [name for name in names if name]
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                waiting += _references(self.schemas[name])
        return seen


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if name := schema_name(schema):
            yield name
        for key, part in schema.items():
            if key not in ("example", "examples", "discriminator"):
                yield from _references(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _references(part)
