"""Checks responses against the OpenAPI document that the server serves."""

import re
from dataclasses import dataclass, field
from typing import Any

import jsonschema_rs
import requests

Schema = dict[str, Any]
_COMPONENTS = "#/components/schemas/"
_NO_OPERATION = (404, 405)


@dataclass
class Document:
    """An OpenAPI 3.1 document."""

    content: Schema
    _validators: dict[tuple[str, str, int], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _close_objects(self.content.get("components", {}).get("schemas", {}))
        paths = sorted(self.content["paths"], key=lambda path: path.count("{"))
        self._templates = [(_pattern(path), path) for path in paths]

    def operation(self, method: str, path: str) -> tuple[str, Schema] | None:
        """Return the path template and the operation of a request, or None if there is none."""
        for pattern, template in self._templates:
            if pattern.fullmatch(path.rstrip("/")):
                if method.lower() in self.content["paths"][template]:
                    return template, self.content["paths"][template][method.lower()]
                if "{" not in template:  # A concrete path matches before a templated one (OpenAPI 4.8.8).
                    return None
        return None

    def check(self, response: requests.Response) -> None:
        """Check that the document describes the status, the headers and the body."""
        method, path = response.request.method or "", response.request.path_url.partition("?")[0]
        found = self.operation(method, path)
        if found is None:
            refused = response.status_code in (*_NO_OPERATION, 400, 401, 429)
            assert refused, f"{method} {path} responds with {response.status_code} but is not in the OpenAPI document"
            return
        template, operation = found
        documented = self._resolve(operation["responses"].get(str(response.status_code)))
        assert documented, f"{method} {template}: the status {response.status_code} is not documented"
        for name, header in documented.get("headers", {}).items():
            self._check_header(name, self._resolve(header), response)
        self._check_body(method, template, documented, response)

    def _resolve(self, schema: Schema | None) -> Schema:
        while schema and "$ref" in schema:
            name = schema["$ref"].removeprefix("#/")
            schema = self.content
            for part in name.split("/"):
                schema = schema[part]
        return schema or {}

    def _check_header(self, name: str, documented: Schema, response: requests.Response) -> None:
        value = response.headers.get(name)
        assert value is not None or not documented.get("required"), f"the header {name} is missing"
        if value is not None and documented["schema"].get("type") == "integer":
            assert value.isdecimal(), f"the header {name} is {value!r}, not an integer"

    def _check_body(self, method: str, template: str, documented: Schema, response: requests.Response) -> None:
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        bodies = documented.get("content", {})
        known = kind in bodies or "*/*" in bodies or not (bodies or response.content)
        assert known, f"{method} {template}: {kind!r} is not documented"
        if kind != "application/json" or kind not in bodies:
            return
        key = (method, template, response.status_code)
        if key not in self._validators:
            schemas = self.content.get("components", {}).get("schemas", {})
            schema = bodies[kind]["schema"]
            needed = {name: schemas[name] for name in _reachable(schema, schemas)}
            self._validators[key] = jsonschema_rs.Draft202012Validator({**schema, "components": {"schemas": needed}})
        wrong = [f"{list(e.instance_path)}: {e.message}" for e in self._validators[key].iter_errors(response.json())]
        assert not wrong, f"{method} {template} {response.status_code}: the body does not match the document: {wrong}"


def _reachable(schema: Schema, schemas: Schema) -> set[str]:
    """Return the names of the components that a schema refers to. Compiling all of them would take 20 ms each time."""
    found: set[str] = set()
    waiting: list[Any] = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        if not isinstance(node, dict):
            continue
        waiting += node.values()
        name = str(node.get("$ref", "")).removeprefix(_COMPONENTS)
        if name in schemas and name not in found:
            found.add(name)
            waiting.append(schemas[name])
    return found


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"(\{[^}]+\})", template)
    return re.compile("".join("[^/]+" if part.startswith("{") else re.escape(part) for part in parts))


def _close_objects(schemas: Schema) -> None:
    """Forbid undocumented properties in documented objects."""
    for schema in schemas.values():
        if isinstance(schema, dict) and "properties" in schema:
            schema.setdefault("additionalProperties", False)
