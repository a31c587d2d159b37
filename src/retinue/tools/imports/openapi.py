"""Convert an OpenAPI document (3.0 or 3.1) to tools, one for each operation."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any
from urllib.parse import urljoin

from retinue.core.errors import ValidationFailed
from retinue.tools.imports.base import MOST_TOOLS, TIMEOUT_S, Argument, Call, Encoding, ImportedTool, Place
from retinue.tools.imports.naming import argument_name, still_there, tool_name
from retinue.tools.imports.references import References
from retinue.tools.imports.schema_trimming import Schema, Shaper, required_names, text

_MOST_ARGUMENTS = 100
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch")
_PLACES: tuple[Place, ...] = ("path", "query", "header")
_STYLES: dict[Place, str] = {"path": "simple", "query": "form", "header": "simple"}
_KNOWN_STYLES = {"simple", "form", "deepObject", "spaceDelimited", "pipeDelimited"}
_KEPT_HEADERS = {
    "accept", "authorization", "connection", "content-length", "content-type", "cookie", "expect", "host", "te",
    "trailer", "transfer-encoding", "upgrade",
}  # fmt: skip
"""Headers that only the platform sets; OpenAPI ignores the first ones as well."""

_ABOUT = 700
_LONGEST_ADDRESS = 2000


@dataclass(frozen=True)
class Source:
    """The common properties of the tools of one document. `secret` is the parameter that carries the credential;
    `names` are those of the tools in an earlier version, by their origin.
    """

    namespace: str
    category: str
    secret: tuple[str, str] = ("", "")
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Operation:
    """An operation of the document, including the parameters of its path."""

    method: str
    path: str
    fields: Schema
    parameters: Sequence[Schema]

    @property
    def origin(self) -> str:
        """As `Call.origin`."""
        return f"{self.method} {self.path}"


def tools_of(document: dict[str, Any], source: Source) -> Iterator[ImportedTool]:
    """Yield the tools of a document. Raises `ValidationFailed` if it has none or too many."""
    _check_version(document)
    references = References(document)
    operations = list(islice(_operations(document, references), MOST_TOOLS + 1))
    if len(operations) > MOST_TOOLS:
        raise ValidationFailed(f"The document has more than {MOST_TOOLS:,} operations. Import a part of it.")
    if not operations:
        raise ValidationFailed("The document describes no operations: its paths are empty.")
    return _make(operations, references, source)


def _make(operations: Sequence[_Operation], references: References, source: Source) -> Iterator[ImportedTool]:
    kept = still_there(source.names, (operation.origin for operation in operations))
    taken = set(kept.values())
    for operation in operations:
        identifier = text(operation.fields.get("operationId"), 200)
        name = kept.get(operation.origin) or tool_name(
            source.namespace, identifier, operation.method, operation.path[:500], taken
        )
        taken.add(name)
        yield _Maker(references, source, operation).tool(name)


def base_url(document: dict[str, Any], fetched_from: str | None) -> str | None:
    """The address of the document's first server, with the default values of its variables.

    None if the address is relative or too long.
    """
    servers = document.get("servers")
    server = servers[0] if isinstance(servers, list) and servers and isinstance(servers[0], dict) else {}
    address = str(server.get("url") or "/")
    variables = server.get("variables")
    for name, variable in (variables if isinstance(variables, dict) else {}).items():
        if isinstance(variable, dict):
            address = address.replace(f"{{{name}}}", str(variable.get("default", "")))
        if len(address) > _LONGEST_ADDRESS:  # variables may refer to each other and double the length each time
            return None
    return urljoin(fetched_from, address) if fetched_from else address if "://" in address else None


def _check_version(document: dict[str, Any]) -> None:
    version = document.get("openapi")
    if not isinstance(version, str) or not version.startswith(("3.0", "3.1")):
        found = text(document.get("swagger"), 20)
        hint = (
            f"This is Swagger {found}. Convert it to OpenAPI 3 first."
            if found
            else "It has no openapi field with one of these versions."
        )
        raise ValidationFailed(f"The document must be OpenAPI 3.0 or 3.1. {hint}")


def _operations(document: dict[str, Any], references: References) -> Iterator[_Operation]:
    """Every operation, except those with servers of their own: the credential is for the source's base address."""
    paths = document.get("paths")
    for path, item in (paths if isinstance(paths, dict) else {}).items():
        if not path.startswith("/"):
            continue
        shared = references.resolve(item)
        for method in _METHODS:
            fields = shared.get(method)
            if isinstance(fields, dict) and not (fields.get("servers") or shared.get("servers")):
                yield _Operation(method.upper(), path, fields, _parameters(references, shared, fields))


def _parameters(references: References, *owners: Schema) -> list[Schema]:
    """The parameters of a path and of its operation; the operation's replace the path's."""
    found: dict[tuple[str, str], Schema] = {}
    for owner in owners:
        listed = owner.get("parameters")
        for one in listed if isinstance(listed, list) else ():
            parameter = references.resolve(one)
            name, place = parameter.get("name"), parameter.get("in")
            if isinstance(name, str) and isinstance(place, str) and name.isprintable() and len(name) <= 200:
                found[place, name] = parameter
    return sorted(found.values(), key=lambda one: (one["in"] != "path", one.get("required") is not True))


class _Maker:
    """Builds the tool of one operation."""

    def __init__(self, references: References, source: Source, operation: _Operation) -> None:
        self._references = references
        self._source = source
        self._operation = operation
        self._shaper = Shaper(references)
        self._arguments: dict[str, Argument] = {}
        self._schemas: dict[str, Schema] = {}
        self._required: list[str] = []

    def tool(self, name: str) -> ImportedTool:
        operation = self._operation
        for parameter in operation.parameters:
            self._add_parameter(parameter)
        body = self._references.resolve(operation.fields.get("requestBody"))
        media_type, encoding = self._add_body(body) if body else ("", None)
        summary = text(operation.fields.get("summary"), 200)
        return ImportedTool(
            name=name,
            description=self._description(summary),
            category=self._source.category,
            tier="free",
            credits=1,
            input_schema={
                "type": "object",
                "properties": self._schemas,
                "required": self._required,
                "additionalProperties": False,
            },
            result_schema={"type": "object"},
            tags=self._tags(),
            use_when=[summary or name.replace("_", " ")],
            examples=[],
            module="",
            read_only=operation.method in {"GET", "HEAD"},
            destructive=operation.method == "DELETE",
            idempotent=operation.method in {"GET", "HEAD", "PUT", "DELETE"},
            open_world=True,
            timeout_s=TIMEOUT_S,
            memory_mb=0,
            call=Call(
                method=operation.method,
                path=operation.path,
                arguments=self._arguments,
                encoding=encoding,
                media_type=media_type,
                body_required=body.get("required") is True,
            ),
        )

    def _description(self, summary: str) -> str:
        """The document's description and the request: the latter distinguishes similar operations."""
        about = text(self._operation.fields.get("description"), _ABOUT)
        said = [part if part.endswith((".", "!", "?", "…")) else f"{part}." for part in (summary, about) if part]
        path = text(self._operation.path, 200)
        return " ".join([*said, f"Calls {self._operation.method} {path} of the imported API {self._source.namespace}."])

    def _tags(self) -> list[str]:
        listed = self._operation.fields.get("tags")
        found = [text(one, 40) for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
        return [self._source.namespace, *(tag.lower() for tag in found[:5] if tag)]

    def _add_parameter(self, parameter: Schema) -> None:
        place, name = parameter["in"], parameter["name"]
        if place not in _PLACES or (place == "header" and name.lower() in _KEPT_HEADERS):
            return
        if (place, name.lower()) == (self._source.secret[0], self._source.secret[1].lower()):
            return
        content = parameter.get("content")
        media = next(iter(content.values()), None) if isinstance(content, dict) else None
        schema = media.get("schema") if isinstance(media, dict) else parameter.get("schema")
        style = "json" if media else parameter.get("style", _STYLES[place])
        explode = parameter.get("explode", style == "form") is True
        known = style if style in {*_KNOWN_STYLES, "json"} else _STYLES[place]
        about = {"description": parameter["description"]} if isinstance(parameter.get("description"), str) else {}
        must = place == "path" or parameter.get("required") is True
        self._add(Argument(place, name, known, explode), {**self._shaper.merge(schema), **about}, must=must)

    def _add_body(self, body: Schema) -> tuple[str, Encoding | None]:
        """The arguments of the body: one for each property of an object, or a single one for any other type."""
        content = body.get("content")
        media_type, encoding = _best_media(list(content) if isinstance(content, dict) else [])
        if encoding is None or not isinstance(content, dict):
            return "", None
        media = self._references.resolve(content[media_type])
        schema = self._shaper.merge(media.get("schema"))
        properties, must = schema.get("properties"), body.get("required") is True
        if encoding == "text" or not isinstance(properties, dict) or not properties:
            whole = {"type": "string", "description": "The body."} if encoding == "text" else schema
            self._add(Argument("body", ""), {"description": "Request body.", **whole}, must=must)
            return media_type, encoding
        kept = self._shaper.properties(schema, properties, depth=1)
        needed = required_names(schema, kept) if must else []
        for name, shaped in kept.items():
            self._add(Argument("body", name), shaped, must=name in needed)
        return media_type, encoding

    def _add(self, argument: Argument, schema: Schema, *, must: bool) -> None:
        """Add an argument. Beyond the maximum, only required arguments are added."""
        if len(self._arguments) >= _MOST_ARGUMENTS and not must:
            return
        name = argument_name(argument.name or "body", argument.place, self._arguments)
        shaped = schema if argument.place == "body" and argument.name else self._shaper.shape(schema)
        about = f"The {argument.place} parameter {argument.name[:60]}." if argument.name else "Request body."
        self._arguments[name] = argument
        self._schemas[name] = {"description": about, **shaped}
        if must:
            self._required.append(name)


def _best_media(types: Sequence[str]) -> tuple[str, Encoding | None]:
    """The media type to send, chosen from the operation's media types, and its encoding."""
    kinds = {one: _encoding(one.partition(";")[0].strip().lower()) for one in types if one.isascii()}
    for wanted in ("json", "form", "multipart", "text"):
        for media_type, kind in kinds.items():
            if kind == wanted and media_type.isprintable() and len(media_type) <= 200:
                return media_type, kind
    return "", None


def _encoding(media_type: str) -> Encoding:
    if media_type in {"application/json", "*/*"} or media_type.endswith("+json"):
        return "json"
    if media_type == "application/x-www-form-urlencoded":
        return "form"
    return "multipart" if media_type == "multipart/form-data" else "text"
