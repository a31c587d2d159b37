"""Protocol Buffers schemas (language guide of proto2 and proto3)."""

import re
from collections.abc import Iterator
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import Document

_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[\w.]+|[{}=;<>,()\[\]:-]', re.DOTALL)
_BLOCKS = ("message", "enum", "service", "oneof", "extend")
_RESERVED = range(19000, 20000)


class Field(TypedDict):
    """A field of a message, or a value of an enumeration."""

    name: Annotated[str, About("Name of the field or value")]
    type: Annotated[str, About("Type; empty for a value of an enumeration")]
    number: Annotated[int, About("Number of the field or value")]


class Definition(TypedDict):
    """A message or an enumeration."""

    name: Annotated[str, About("Name, qualified by the enclosing messages")]
    kind: Annotated[str, About("message or enum")]
    fields: Annotated[list[Field], About("Fields or values")]


class Method(TypedDict):
    """A method of a service."""

    service: Annotated[str, About("Name of the service")]
    name: Annotated[str, About("Name of the method")]
    request: Annotated[str, About("Request type, preceded by stream if it is one")]
    response: Annotated[str, About("Response type, preceded by stream if it is one")]


class ProtoSchema(TypedDict):
    """A parsed schema."""

    syntax: Annotated[str, About("proto2, proto3 or an edition")]
    package: Annotated[str, About("Package; empty for none")]
    imports: Annotated[list[str], About("Imported files")]
    definitions: Annotated[list[Definition], About("Messages and enumerations")]
    methods: Annotated[list[Method], About("Methods of services")]
    problems: Annotated[list[str], About("Numbers used twice or not allowed")]


@tool(
    tags="protobuf proto grpc schema messages services enum fields parse",
    use_when=(
        "List the messages and services in this .proto file",
        "Which field numbers does this protobuf message use?",
        "What gRPC methods does this service have?",
    ),
    examples=(
        Example(
            {
                "text": 'syntax = "proto3";\npackage shop.v1;\nimport "a.proto";\nmessage Cart { // c\n'
                "  repeated Item items = 1 [deprecated = true];\n  map<string, int32> n = 2;\n  "
                "message Item { string id = 1; }\n"
                "  oneof x { bool y = 3; }\n  reserved 4, 5;\n  option (o) = { a: 1 };\n}\nenum E { "
                "option allow_alias = true; A = 0; B = -1; }\n"
                'service S { rpc Get (Req) returns (stream Cart) { option (http) = { get: "/c" }; '
                "} rpc P(R) returns (R); }\n"
            },
            {
                "syntax": "proto3",
                "package": "shop.v1",
                "imports": ["a.proto"],
                "problems": [],
                "definitions": [
                    {
                        "name": "Cart",
                        "kind": "message",
                        "fields": [
                            {"name": "items", "type": "repeated Item", "number": 1},
                            {"name": "n", "type": "map<string, int32>", "number": 2},
                            {"name": "y", "type": "bool", "number": 3},
                        ],
                    },
                    {"name": "Cart.Item", "kind": "message", "fields": [{"name": "id", "type": "string", "number": 1}]},
                    {"name": "E", "kind": "enum", "fields": [{"name": "A", "number": 0}, {"name": "B", "number": -1}]},
                ],
                "methods": [
                    {"service": "S", "name": "Get", "request": "Req", "response": "stream Cart"},
                    {"service": "S", "name": "P", "request": "R", "response": "R"},
                ],
            },
            source="Protocol Buffers language guide (proto 3)",
        ),
        Refusal({"text": "hello"}, "no message"),
        Refusal({"text": "message A {"}, "not closed"),
    ),
    reply={
        "problems": "The schema has problems ({problems}): {definitions}",
        "definitions": "The messages and enumerations: {definitions}",
        "methods": "The methods: {methods}",
        "": "The file defines nothing.",
    },
)
def protobuf_parse_schema(text: Document) -> ProtoSchema:
    """Parse a .proto file to messages, enumerations and gRPC methods.

    Use it to read a schema or check field numbers. Nested messages have full names, and the fields of a oneof belong to
    the message. Returns all parts, and numbers that are used twice or reserved.
    """
    bare = re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda found: found[1] or " ", text, flags=re.DOTALL)
    reader = _Reader(_TOKEN.findall(bare))
    reader.read("", "", 0)
    if not reader.definitions and not reader.methods:
        raise ToolError("The text has no message, enum or service, so it is not a .proto file.")
    syntax = re.search(r"""\b(?:syntax|edition)\s*=\s*["'](\w+)""", bare)
    package = re.search(r"\bpackage\s+([\w.]+)\s*;", bare)
    return {
        "syntax": syntax[1] if syntax else "proto2",
        "package": package[1] if package else "",
        "imports": re.findall(r"""\bimport\s+(?:public\s+|weak\s+)?["']([^"']+)["']""", bare),
        "definitions": reader.definitions,
        "methods": reader.methods,
        "problems": [problem for one in reader.definitions for problem in _problems(one)],
    }


class _Reader:
    """Parses the tokens of a schema."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.place = 0
        self.definitions: list[Definition] = []
        self.methods: list[Method] = []

    def read(self, owner: str, kind: str, depth: int, into: list[Field] | None = None) -> None:
        """Parse statements up to the end of a block."""
        if depth > 50:
            raise ToolError("The messages are nested too deeply.")
        while self.place < len(self.tokens):
            statement, end = self._statement()
            if end == "}" and not statement:
                return
            if end == "{" and statement and statement[0] in _BLOCKS and len(statement) > 1:
                self._block(statement, owner, depth, into)
            elif kind == "service" and statement[:1] == ["rpc"]:
                self._method(statement, owner)
            elif into is not None and statement and statement[0] not in ("option", "reserved", "extensions"):
                into += _field(statement, kind)
            if end == "{" and (not statement or statement[0] not in _BLOCKS):
                self._skip()
        if depth:
            raise ToolError(f"The block of {owner} is not closed: a brace is missing.")

    def _statement(self) -> tuple[list[str], str]:
        """Return the tokens up to ; or a brace, and which of them it was. Braces inside values are skipped."""
        statement: list[str] = []
        while self.place < len(self.tokens):
            part = self.tokens[self.place]
            self.place += 1
            if part == "{" and "=" in statement:
                self._skip()
            elif part in ("{", "}", ";"):
                return statement, part
            else:
                statement.append(part)
        return statement, ""

    def _block(self, statement: list[str], owner: str, depth: int, into: list[Field] | None) -> None:
        word, name = statement[0], statement[1]
        full = f"{owner}.{name}" if owner and word != "oneof" else name
        if word in ("message", "enum"):
            fields: list[Field] = []
            self.definitions.append({"name": full, "kind": word, "fields": fields})
            self.read(full, word, depth + 1, fields)
        elif word == "oneof":
            self.read(owner, "message", depth + 1, into)
        else:
            self.read(full, word, depth + 1)

    def _method(self, statement: list[str], service: str) -> None:
        found = re.fullmatch(r"rpc (\S+) \( (.+?) \) returns \( (.+?) \)", " ".join(statement))
        if found:
            self.methods.append({"service": service, "name": found[1], "request": found[2], "response": found[3]})

    def _skip(self) -> None:
        """Skip a block whose opening brace has been read."""
        depth = 1
        while depth and self.place < len(self.tokens):
            depth += {"{": 1, "}": -1}.get(self.tokens[self.place], 0)
            self.place += 1


def _field(statement: list[str], kind: str) -> Iterator[Field]:
    """Return the field that a statement declares, if any."""
    if "=" not in statement:
        return
    place = statement.index("=")
    number = "".join(statement[place + 1 : place + 3]) if statement[place + 1 : place + 2] == ["-"] else ""
    number = number or (statement[place + 1] if len(statement) > place + 1 else "")
    if place and re.fullmatch(r"-?[0-9]{1,10}", number):
        words = " ".join(statement[: place - 1])
        field_type = re.sub(r" ?([<>]) ?", r"\1", words).replace(" ,", ",") if kind != "enum" else ""
        yield {"name": statement[place - 1], "type": field_type, "number": int(number)}


def _problems(definition: Definition) -> Iterator[str]:
    numbers = [field["number"] for field in definition["fields"]]
    if definition["kind"] == "enum":
        return
    for number in sorted(set(numbers)):
        if numbers.count(number) > 1:
            yield f"{definition['name']}: the number {number} is used twice"
        if not 1 <= number < 2**29 or number in _RESERVED:
            yield f"{definition['name']}: the number {number} is not allowed"
