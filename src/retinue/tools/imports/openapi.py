"""Convert an OpenAPI document (3.0, 3.1 or 3.2) to tools, one for each operation."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import urljoin

from retinue.core.errors import ValidationFailed
from retinue.tools.catalogue.imported_tool import ArgumentLocation, Encoding, HttpCall, ImportedTool, Place
from retinue.tools.imports.alternatives import FlattenedSchema
from retinue.tools.imports.document_checks import explain_no_operations
from retinue.tools.imports.naming import argument_name, still_there, tool_name
from retinue.tools.imports.references import References
from retinue.tools.imports.schema_trimming import Schema, SchemaTrimmer, as_object, required_names, text
from retinue.tools.imports.source_limits import MOST_TOOLS, TIMEOUT_S

_MOST_ARGUMENTS = 100
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "query")
_READING = frozenset({"GET", "HEAD", "QUERY"})
_METHOD = re.compile("[A-Z][A-Z-]{0,19}")
_REFUSED_METHODS = frozenset({"CONNECT", "TRACE", *(method.upper() for method in _METHODS)})
"""Methods that additionalOperations must not have."""

_PLACES: tuple[Place, ...] = ("path", "query", "header")
_STYLES: dict[Place, str] = {"path": "simple", "query": "form", "header": "simple"}
_KNOWN_STYLES = ("simple", "form", "deepObject", "spaceDelimited", "tabDelimited", "pipeDelimited")
_FORM = "application/x-www-form-urlencoded"
_KEPT_HEADERS = {
    "accept", "authorization", "connection", "content-length", "content-type", "cookie", "expect", "host", "te",
    "trailer", "transfer-encoding", "upgrade",
}  # fmt: skip
"""Headers that only the platform sets; OpenAPI ignores the first ones as well."""

_ABOUT = 700
_LONGEST_ADDRESS = 2000


@dataclass(frozen=True)
class DocumentSource:
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
        """As `HttpCall.origin`."""
        return f"{self.method} {self.path}"


def tools_of(document: Mapping[str, object], source: DocumentSource) -> Iterator[ImportedTool]:
    """Yield the tools of a document. Raises `ValidationFailed` if it has none or too many."""
    references = References(document)
    operations = list(islice(_operations(document, references), MOST_TOOLS + 1))
    if len(operations) > MOST_TOOLS:
        raise ValidationFailed(f"The document has more than {MOST_TOOLS:,} operations. Import a part of it.")
    if not operations:
        raise ValidationFailed(f"The document describes no operations: {explain_no_operations(document)}.")
    return _make(operations, references, source)


def _make(operations: Sequence[_Operation], references: References, source: DocumentSource) -> Iterator[ImportedTool]:
    earlier_names = still_there(source.names, (operation.origin for operation in operations))
    taken = set(earlier_names.values())
    for operation in operations:
        identifier = text(operation.fields.get("operationId"), 200)
        name = earlier_names.get(operation.origin) or tool_name(
            source.namespace, identifier, operation.method, operation.path[:500], taken
        )
        taken.add(name)
        yield _Maker(references, source, operation).tool(name)


def base_url(document: Mapping[str, object], fetched_from: str | None) -> str | None:
    """Return the address of the document's first server, with the default values of its variables.

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
    if not fetched_from and address.startswith("//"):
        return f"https:{address}"
    return urljoin(fetched_from, address) if fetched_from else address if "://" in address else None


def _operations(document: Mapping[str, object], references: References) -> Iterator[_Operation]:
    """Yield every operation, except those with servers of their own: the credential is for the source's base
    address.
    """
    paths = document.get("paths")
    for path, item in (paths if isinstance(paths, dict) else {}).items():
        if not path.startswith("/"):
            continue
        shared = references.resolve(item)
        for method, fields in _by_method(shared):
            if isinstance(fields, dict) and not (fields.get("servers") or shared.get("servers")):
                yield _Operation(method, path, fields, _parameters(references, shared, fields))


def _by_method(item: Schema) -> Iterator[tuple[str, object]]:
    """Yield the operations of a path, including those with other methods (OpenAPI 3.2)."""
    yield from ((method.upper(), item[method]) for method in _METHODS if method in item)
    for method, fields in as_object(item.get("additionalOperations")).items():
        if _METHOD.fullmatch(method) and method not in _REFUSED_METHODS:
            yield method, fields


def _parameters(references: References, *owners: Schema) -> list[Schema]:
    """Return the parameters of a path and of its operation; the operation's replace the path's."""
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

    def __init__(self, references: References, source: DocumentSource, operation: _Operation) -> None:
        self._references = references
        self._source = source
        self._operation = operation
        self._shaper = SchemaTrimmer(references)
        self._arguments: dict[str, ArgumentLocation] = {}
        self._schemas: dict[str, Schema] = {}
        self._required: list[str] = []
        self._alternatives: list[Schema] = []
        self._sentence = ""

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
            read_only=operation.method in _READING,
            destructive=operation.method not in {*_READING, "OPTIONS", "PATCH", "POST", "PUT"},
            idempotent=operation.method in {*_READING, "PUT", "DELETE"},
            open_world=True,
            timeout_s=TIMEOUT_S,
            memory_mb=0,
            call=HttpCall(
                method=operation.method,
                path=operation.path,
                arguments=self._arguments,
                encoding=encoding,
                media_type=media_type,
                body_required=body.get("required") is True,
            ),
            alternatives=self._alternatives,
        )

    def _description(self, summary: str) -> str:
        """Return the document's description and the request: the latter distinguishes similar operations."""
        about = text(self._operation.fields.get("description"), _ABOUT)
        sentences = [part if part.endswith((".", "!", "?", "…")) else f"{part}." for part in (summary, about) if part]
        sentences += [self._sentence] if self._sentence else []
        path = text(self._operation.path, 200)
        return " ".join(
            [*sentences, f"Calls {self._operation.method} {path} of the imported API {self._source.namespace}."]
        )

    def _tags(self) -> list[str]:
        listed = self._operation.fields.get("tags")
        found = [text(one, 40) for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
        return [self._source.namespace, *(tag.lower() for tag in found[:5] if tag)]

    def _add_parameter(self, parameter: Schema) -> None:
        place, name = str(parameter["in"]), str(parameter["name"])
        if place == "querystring":
            self._add_query_string(parameter)
        if place not in _PLACES or (place == "header" and name.lower() in _KEPT_HEADERS):
            return
        if (place, name.lower()) == (self._source.secret[0], self._source.secret[1].lower()):
            return
        content = parameter.get("content")
        media = next(iter(content.values()), None) if isinstance(content, dict) else None
        schema = media.get("schema") if isinstance(media, dict) else parameter.get("schema")
        style = "json" if media else parameter.get("style", _STYLES[place])
        explode = parameter.get("explode", style == "form") is True
        known = style if style in (*_KNOWN_STYLES, "json") else _STYLES[place]
        about = {"description": parameter["description"]} if isinstance(parameter.get("description"), str) else {}
        must = place == "path" or parameter.get("required") is True
        self._add(ArgumentLocation(place, name, known, explode), {**self._shaper.merge(schema), **about}, must=must)

    def _add_query_string(self, parameter: Schema) -> None:
        """An object whose properties are the whole query (OpenAPI 3.2)."""
        if media := self._references.resolve(as_object(parameter.get("content")).get(_FORM)):
            argument = ArgumentLocation("query", str(parameter["name"]), "form", explode=True)
            self._add(argument, self._shaper.merge(media.get("schema")), must=parameter.get("required") is True)

    def _add_body(self, body: Schema) -> tuple[str, Encoding | None]:
        """Return the arguments of the body: one for each property of an object, or a single one for any other type."""
        content = body.get("content")
        media_type, encoding = _best_media(list(content) if isinstance(content, dict) else [])
        if encoding is None or not isinstance(content, dict):
            return "", None
        media = self._references.resolve(content[media_type])
        flattened, must = FlattenedSchema(self._shaper, media.get("schema")), body.get("required") is True
        if encoding == "text" or not as_object(flattened.declared.get("properties")):
            body_schema = {"type": "string", "description": "The body."} if encoding == "text" else flattened.declared
            self._add(ArgumentLocation("body", ""), {"description": "Request body.", **body_schema}, must=must)
            return media_type, encoding
        properties = self._shaper.properties(flattened.schema, as_object(flattened.schema.get("properties")), depth=1)
        needed = required_names(flattened.schema, properties) if must else []
        encodings = as_object(media.get("encoding")) if encoding == "form" else {}
        for name, shaped in properties.items():
            self._add(_field(name, as_object(encodings.get(name))), shaped, must=name in needed)
        rules = flattened.rules({one.name: name for name, one in self._arguments.items() if one.place == "body"})
        self._sentence = flattened.sentence(rules)
        self._alternatives = rules if must else []
        return media_type, encoding

    def _add(self, argument: ArgumentLocation, schema: Schema, *, must: bool) -> None:
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


def _field(name: str, encoding: Schema) -> ArgumentLocation:
    """Return a field of the body, serialized as its encoding in a form says."""
    if str(encoding.get("contentType")).partition(";")[0].strip() == "application/json":
        return ArgumentLocation("body", name, "json")
    if encoding.keys().isdisjoint({"style", "explode"}):
        return ArgumentLocation("body", name)
    style = encoding.get("style", "form")
    return ArgumentLocation(
        "body", name, style if style in _KNOWN_STYLES else "form", encoding.get("explode", style == "form") is True
    )


def _best_media(types: Sequence[str]) -> tuple[str, Encoding | None]:
    """Return the media type to send, chosen from the operation's media types, and its encoding."""
    kinds = {one: _encoding_of(one.partition(";")[0].strip().lower()) for one in types if one.isascii()}
    for encoding in ("json", "form", "multipart", "text"):
        for media_type, kind in kinds.items():
            if kind == encoding and media_type.isprintable() and len(media_type) <= 200:
                return media_type, kind
    return "", None


def _encoding_of(media_type: str) -> Encoding:
    if media_type in {"application/json", "*/*"} or media_type.endswith("+json"):
        return "json"
    if media_type == "application/x-www-form-urlencoded":
        return "form"
    return "multipart" if media_type == "multipart/form-data" else "text"
