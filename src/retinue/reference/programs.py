"""Generate example programs in Python and JavaScript. They use the clients, or HTTP for operations without a method."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from retinue.core.http.operations import BASE
from retinue.openapi.method_names import ClientMethod, camel_case, client_method
from retinue.reference.rows import Json
from retinue.reference.samples import fill_path, only_streams, request_body

_LINE = 72
_VARIABLE = re.compile(r"\$([A-Z_]+)")
_OWN_RECORDS = {"agent_id": "AGENT_ID", "collections": "COLLECTION_ID"}
"""Fields of bodies that hold the reader's own records, with the shell's names for them."""

_UPLOAD = "upload_file"
_RESPONSES = {"files.download", "usage.export"}
"""Methods of the JavaScript client that return the response itself."""


@dataclass(frozen=True, slots=True)
class Expression:
    """Code in the place of a value."""

    code: str


@dataclass(frozen=True, slots=True)
class Language:
    """How a language writes values and names."""

    indent: str
    constants: Mapping[object, str]
    name: Callable[[str], str]
    key: Callable[[str], str]
    braces: tuple[str, str]

    def literal(self, value: object, indent: str = "", used: int = 0) -> str:
        """Write a value on one line if it fits, beside the `used` characters of the line."""
        if isinstance(value, Expression):
            return value.code
        if isinstance(value, str):
            return json.dumps(value, ensure_ascii=False)
        if isinstance(value, Mapping):
            parts = [(f"{self.key(name)}: ", part) for name, part in value.items()]
            return self.sequence(self.braces, parts, indent, used) if parts else "{}"
        if isinstance(value, list):
            return self.sequence(("[", "]"), [("", part) for part in value], indent, used)
        return self.constants[value] if value is None or isinstance(value, bool) else str(value)

    def sequence(
        self, brackets: tuple[str, str], parts: Iterable[tuple[str, object]], indent: str = "", used: int = 0
    ) -> str:
        """Write parts, each a prefix and a value, between brackets: on one line if they fit, else one on each line."""
        parts = list(parts)
        opening, closing = brackets
        short = opening + ", ".join(prefix + self.literal(value) for prefix, value in parts) + closing
        if "\n" not in short and len(indent + short) + used <= _LINE:
            return short
        inner = indent + self.indent
        lines = [f"{inner}{prefix}{self.literal(value, inner)},\n" for prefix, value in parts]
        return f"{opening.strip()}\n{''.join(lines)}{indent}{closing.strip()}"


_PYTHON = Language("    ", {None: "None", True: "True", False: "False"}, str, json.dumps, ("{", "}"))
_JAVASCRIPT = Language(
    "  ", {None: "null", True: "true", False: "false"}, camel_case,
    lambda name: name if name.isidentifier() else json.dumps(name), ("{ ", " }"),
)  # fmt: skip


def python_client(address: str) -> str:
    """Return the beginning of a Python program, which reads the key from RETINUE_KEY."""
    return f'from retinue_client import Retinue\n\nclient = Retinue(base_url="{address}")'


def javascript_client(address: str) -> str:
    """Return the beginning of a JavaScript program, which reads the key from RETINUE_KEY."""
    return f'import {{ Retinue }} from "retinue-client";\n\nconst client = new Retinue({{ baseUrl: "{address}" }});'


def python_tool_call(address: str, name: str, args: Json) -> str:
    """Return a Python program that executes a tool."""
    call = _PYTHON.sequence(("client.tools.execute(", ")"), [("", name), ("args=", args)])
    return f"{python_client(address)}\n\nresponse = {call}\nprint(response.result)"


def javascript_tool_call(address: str, name: str, args: Json) -> str:
    """Return a JavaScript program that executes a tool."""
    call = _javascript_call("client.tools.execute", [name], {"args": args})
    return f"{javascript_client(address)}\n\nconst response = await {call};\nconsole.log(response.result);"


def python(address: str, method: str, path: str, operation: Json, changes: Json | None = None) -> str:
    """Return a Python program for an operation. `changes` are merged into its example body."""
    if not _has_method(path, operation):
        return _python_request(address, method, path, operation)
    called = _method(method, path, operation)
    if operation["operationId"] == _UPLOAD:
        return 'file = client.files.upload(b"A report.", name="report.txt")\nprint(file)'
    fields = _fields(operation, changes, _PYTHON)
    arguments = [("", value) for value in _ids(path, operation, _PYTHON)]
    arguments += [(f"{name}=", value) for name, value in fields.items()]
    call = _PYTHON.sequence((f"client.{called}(", ")"), arguments)
    if _iterates(operation, changes):
        return f"for {_item(operation, changes)} in {call}:\n    print({_item(operation, changes)})"
    return f"response = {call}\nprint(response)"


def javascript(address: str, method: str, path: str, operation: Json, changes: Json | None = None) -> str:
    """Return a JavaScript program for an operation. `changes` are merged into its example body."""
    if not _has_method(path, operation):
        return _javascript_request(address, method, path, operation)
    called = _method(method, path, operation)
    name = ".".join(map(camel_case, str(called).split(".")))
    if operation["operationId"] == _UPLOAD:
        return (
            'const file = await client.files.upload(new Blob(["A report."]), { name: "report.txt" });\n'
            "console.log(file);"
        )
    ids = _ids(path, operation, _JAVASCRIPT)
    call = _javascript_call(f"client.{name}", ids, _fields(operation, changes, _JAVASCRIPT))
    if _iterates(operation, changes):
        item, wait = _item(operation, changes), "await " if _streams(operation, changes) else ""
        return f"for await (const {item} of {wait}{call}) {{\n  console.log({item});\n}}"
    printed = "await response.text()" if str(called) in _RESPONSES else "response"
    return f"const response = await {call};\nconsole.log({printed});"


def _javascript_call(method: str, ids: list[object], fields: Json) -> str:
    arguments = [_JAVASCRIPT.literal(value) for value in ids]
    used = len(f"const response = await {method}({', '.join(arguments)}, );")
    arguments += [_JAVASCRIPT.literal(fields, used=used)] if fields else []
    return f"{method}({', '.join(arguments)})"


def _has_method(path: str, operation: Json) -> bool:
    """Return whether the clients have a method for the operation."""
    return path.startswith(BASE) and any("api_key" in scheme for scheme in operation.get("security", ()))


def _method(method: str, path: str, operation: Json) -> ClientMethod:
    return client_method(
        operation["operationId"], method, path.removeprefix(BASE), returns_list=_returns_list(operation)
    )


def _returns_list(operation: Json) -> bool:
    schemas = [
        answer.get("content", {}).get("application/json", {}).get("schema", {})
        for answer in operation["responses"].values()
    ]
    return any(schema.get("$ref", "").endswith("List") for schema in schemas)


def _streams(operation: Json, changes: Json | None) -> bool:
    return bool(changes and changes.get("stream")) or only_streams(operation)


def _iterates(operation: Json, changes: Json | None) -> bool:
    return _returns_list(operation) or _streams(operation, changes)


def _item(operation: Json, changes: Json | None) -> str:
    return "chunk" if _streams(operation, changes) else "item"


def _ids(path: str, operation: Json, language: Language) -> list[Any]:
    """Return the values of the path's parameters: variables for IDs, and names of examples."""
    filled, _, _ = fill_path(path, operation).partition("?")
    pairs = zip(path.split("/"), filled.split("/"), strict=True)
    return [_variable(value, language) for parameter, value in pairs if parameter.startswith("{")]


def _variable(value: str, language: Language) -> object:
    found = _VARIABLE.fullmatch(value)
    return Expression(language.name(found[1].lower())) if found else value


def _fields(operation: Json, changes: Json | None, language: Language) -> dict[str, Any]:
    """Return the example of the body or the query."""
    body = request_body(operation, changes)
    if body is None:
        return {p["name"]: p["example"] for p in operation.get("parameters", ()) if "example" in p}
    own = {name: _variable(f"${variable}", language) for name, variable in _OWN_RECORDS.items()}
    return {
        name: value if name not in own else [own[name]] if isinstance(value, list) else own[name]
        for name, value in body.items()
    }


def _python_request(address: str, method: str, path: str, operation: Json) -> str:
    arguments: list[tuple[str, object]] = [("", method), ("", address + fill_path(path, operation))]
    if operation.get("security"):
        session = Expression("f\"Bearer {os.environ['RETINUE_SESSION']}\"")
        arguments.append(("headers=", {"Authorization": session}))
    if (body := request_body(operation, None)) is not None:
        arguments.append(("json=", body))
    call = _PYTHON.sequence(("httpx.request(", ")"), arguments)
    return f"response = {call}\nprint(response.json())"


def _javascript_request(address: str, method: str, path: str, operation: Json) -> str:
    body = request_body(operation, None)
    headers: dict[str, object] = {} if body is None else {"Content-Type": "application/json"}
    if operation.get("security"):
        headers["Authorization"] = Expression("`Bearer ${process.env.RETINUE_SESSION}`")
    options: dict[str, object] = {} if method == "GET" else {"method": method}
    options |= {"headers": headers} if headers else {}
    if body is not None:
        options["body"] = Expression(f"JSON.stringify({_JAVASCRIPT.literal(body, _JAVASCRIPT.indent)})")
    arguments = [json.dumps(address + fill_path(path, operation))]
    arguments += [_JAVASCRIPT.literal(options)] if options else []
    return f"const response = await fetch({', '.join(arguments)});\nconsole.log(await response.json());"
