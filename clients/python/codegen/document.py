"""The OpenAPI document as the generator reads it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

Json = Mapping[str, Any]
SCHEMAS = "#/components/schemas/"
BASE = "/api/v1"
_METHODS = ("get", "post", "put", "delete", "patch")


def schema_name(schema: Json) -> str:
    """The name of the component that a schema refers to, or nothing."""
    reference: str = schema.get("$ref", "")
    return reference.removeprefix(SCHEMAS)


@dataclass(frozen=True)
class Operation:
    """One operation of the document. `path` is relative to the version's base address."""

    method: str
    path: str
    content: Json

    @property
    def id(self) -> str:
        """The operation's name in the document."""
        return str(self.content["operationId"])

    @property
    def path_parameters(self) -> list[Json]:
        """The parameters in the path, in order."""
        return [p for p in self.content.get("parameters", ()) if p.get("in") == "path"]

    @property
    def query_parameters(self) -> list[Json]:
        """The parameters in the query."""
        return [p for p in self.content.get("parameters", ()) if p.get("in") == "query"]

    @property
    def takes_key(self) -> bool:
        """Whether it may be sent with an Idempotency-Key."""
        return any(p.get("$ref", "").endswith("/Idempotency-Key") for p in self.content.get("parameters", ()))

    @property
    def resumes(self) -> bool:
        """Whether its stream can be resumed."""
        return any(p.get("name") == "Last-Event-ID" for p in self.content.get("parameters", ()))

    @property
    def body(self) -> str:
        """The name of the body's schema, or nothing."""
        content = self.content.get("requestBody", {}).get("content", {})
        return schema_name(content.get("application/json", {}).get("schema", {}))

    @property
    def body_required(self) -> bool:
        """Whether a body must be sent."""
        return bool(self.content.get("requestBody", {}).get("required"))

    @property
    def answers(self) -> dict[str, str]:
        """The name of the JSON answer's schema for each status of success."""
        found = {
            status: schema_name(answer.get("content", {}).get("application/json", {}).get("schema", {}))
            for status, answer in self.content["responses"].items()
            if status.startswith("2")
        }
        return {status: name for status, name in found.items() if name}

    @property
    def chunk(self) -> str:
        """The name of the schema of its stream's chunks, or nothing."""
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
        """The operations below the version's base address that take an API key."""
        return list(self._operations())

    def _operations(self) -> Iterator[Operation]:
        for path, methods in self.content["paths"].items():
            for method, content in methods.items():
                takes_key = any("api_key" in scheme for scheme in content.get("security", ()))
                if method in _METHODS and takes_key and path.startswith(BASE):
                    yield Operation(method.upper(), path.removeprefix(BASE), content)

    def data_of(self, answer: str) -> tuple[str, bool]:
        """The record's schema under `data` in an answer, and whether it is a list of them."""
        data = self.schemas[answer]["properties"]["data"]
        return (schema_name(data["items"]), True) if data.get("type") == "array" else (schema_name(data), False)

    @cached_property
    def events(self) -> dict[str, str]:
        """The schema of each webhook event's data, by the event's name."""
        found = {}
        for name, entry in self.content["webhooks"].items():
            payload = entry["post"]["requestBody"]["content"]["application/json"]["schema"]
            found[name] = schema_name(payload["properties"]["data"])
        return found

    def reachable(self, names: set[str]) -> set[str]:
        """The components that these lead to, themselves included."""
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
