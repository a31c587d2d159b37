"""Type definitions in several languages, generated from sample JSON."""

import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import Document, json_value

_MOST_DEPTH = 40
_MOST_CLASSES = 300
_SCALARS = {
    "pydantic": {"str": "str", "int": "int", "float": "float", "bool": "bool", "any": "Any", "null": "None"},
    "dataclass": {"str": "str", "int": "int", "float": "float", "bool": "bool", "any": "Any", "null": "None"},
    "typescript": {
        "str": "string",
        "int": "number",
        "float": "number",
        "bool": "boolean",
        "any": "unknown",
        "null": "null",
    },
    "go": {"str": "string", "int": "int64", "float": "float64", "bool": "bool", "any": "any", "null": "any"},
    "rust": {"str": "String", "int": "i64", "float": "f64", "bool": "bool", "any": "serde_json::Value", "null": "()"},
}
_RUST_WORDS = (
    "as break const continue crate else enum extern false fn for if impl in let loop match mod move mut pub ref return "
    "self Self static struct super trait true type unsafe use where while async await dyn"
)


@dataclass
class _Shape:
    """Kinds of values found at a place."""

    scalars: set[str] = field(default_factory=set)
    fields: dict[str, "_Shape"] | None = None
    seen: int = 0
    items: "_Shape | None" = None
    null: bool = False

    def add(self, value: Any, depth: int = 0) -> None:
        """Add another value."""
        if depth > _MOST_DEPTH:
            raise ToolError(f"The JSON is nested more than {_MOST_DEPTH} levels deep.")
        if value is None:
            self.null = True
        elif isinstance(value, dict):
            self.seen += 1
            self.fields = self.fields if self.fields is not None else {}
            for name, part in value.items():
                self.fields.setdefault(name, _Shape()).add_field(part, depth)
        elif isinstance(value, list):
            self.items = self.items or _Shape()
            for part in value:
                self.items.add(part, depth + 1)
        else:
            self.scalars.add(type(value).__name__)

    times: int = 0

    def add_field(self, value: Any, depth: int) -> None:
        """Add the value of a field, and record that the field is present."""
        self.times += 1
        self.add(value, depth + 1)


class TypeCode(TypedDict):
    """Type definitions."""

    code: Annotated[str, About("The source code")]
    types: Annotated[list[str], About("Names of the types, the root type last")]


@tool(
    tags="json types generate pydantic dataclass typescript interface go struct rust serde code",
    use_when=(
        "Turn this JSON into a Pydantic model",
        "Generate Go structs for this API response",
        "Make Rust serde structs of this JSON",
        "Write a Python dataclass for this payload",
    ),
    examples=(
        Example(
            {"text": '{"id": 1, "tags": ["a"], "owner": {"name": "x"}}', "language": "pydantic", "name": "Repo"},
            {
                "types": ["Owner", "Repo"],
                "code": "from pydantic import BaseModel\n\n\nclass Owner(BaseModel):\n    name: str\n\n\n"
                "class Repo(BaseModel):\n    id: int\n    tags: list[str]\n    owner: Owner\n",
            },
            source="documentation of Pydantic",
        ),
        Example(
            {"text": '[{"userId": 1, "n": 1.5}, {"userId": 2, "n": null, "x-y": "z"}]', "language": "pydantic"},
            {
                "code": "from pydantic import BaseModel, Field\n\n\nclass Root(BaseModel):\n"
                '    user_id: int = Field(alias="userId")\n    n: float | None\n'
                '    x_y: str | None = Field(default=None, alias="x-y")\n'
            },
            source="documentation of Pydantic: a field that is not always there has a default",
        ),
        Example(
            {"text": '{"a": {"b": [1, 2.5]}, "c": null}', "language": "typescript"},
            {"code": "export interface A {\n  b: number[];\n}\n\nexport interface Root {\n  a: A;\n  c: unknown;\n}\n"},
            source="The TypeScript Handbook, object types",
        ),
        Example(
            {"text": '{"user_id": 1, "ok": true}', "language": "go"},
            {"code": 'package main\n\ntype Root struct {\n\tUserId int64 `json:"user_id"`\n\tOk bool `json:"ok"`\n}\n'},
            source="documentation of Go's encoding/json",
        ),
        Example(
            {"text": '{"type": "a", "maxSize": 3}', "language": "rust"},
            {
                "code": "use serde::{Deserialize, Serialize};\n\n#[derive(Debug, Clone, Serialize, Deserialize)]\n"
                'pub struct Root {\n    #[serde(rename = "type")]\n    pub type_: String,\n'
                '    #[serde(rename = "maxSize")]\n    pub max_size: i64,\n}\n'
            },
            source="documentation of Serde, field attributes",
        ),
        Refusal({"text": "[1, 2]", "language": "go"}, "no object"),
    ),
    reply="The types: {code}",
)
def json_generate_types(
    text: Document,
    language: Annotated[Literal["pydantic", "dataclass", "typescript", "go", "rust"], About("Target language")],
    name: Annotated[str, About("Name of the root type", pattern=r"^[A-Z][A-Za-z0-9]{0,60}$", max_length=61)] = "Root",
) -> TypeCode:
    """Generate type definitions from sample JSON: Pydantic, dataclasses, TypeScript, Go or Rust with serde.

    Use it to call an API from a typed language. A list of samples is merged: fields that are missing in some become
    optional, and differing kinds become unions or any. Returns the code.
    """
    shape = _Shape()
    shape.add(json_value(text))
    root = shape if shape.fields is not None else shape.items
    if root is None or root.fields is None:
        raise ToolError("The JSON contains no object to generate a type from. Send an object, or a list of objects.")
    writer = _Writer(language)
    writer.define(root, name)
    return {"code": writer.code(), "types": list(writer.types)}


@dataclass
class _Writer:
    """Collects the type definitions of one language."""

    language: str
    types: dict[str, list[str]] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)

    def define(self, shape: _Shape, preferred: str) -> str:
        """Define a type for an object, after the types of its parts. Returns its name."""
        name = self._free(preferred)
        if len(self.taken) > _MOST_CLASSES:
            raise ToolError(f"The JSON needs more than {_MOST_CLASSES} types. Send a part of it.")
        lines, used = [], set[str]()
        for key, part in (shape.fields or {}).items():
            optional = part.times < shape.seen
            kind = self._kind(part, key)
            identifier = _distinct(_identifier(key, self.language), used)
            used.add(identifier)
            lines.append((optional, self._field(key, identifier, kind, part.null, optional)))
        late = self.language == "dataclass"
        self.types[name] = [line for _, line in (sorted(lines, key=lambda one: one[0]) if late else lines)]
        return name

    def code(self) -> str:
        """Return the complete source."""
        return _WRITERS[self.language](self)

    def _free(self, preferred: str) -> str:
        name = _distinct(preferred, self.taken)
        self.taken.add(name)
        return name

    def _kind(self, shape: _Shape, key: str) -> str:
        kinds = [self._scalar(kind) for kind in _plain_kinds(shape.scalars)]
        if shape.items is not None:
            kinds.append(self._list(shape.items, key))
        if shape.fields is not None:
            kinds.append(self.define(shape, _pascal(key)))
        if len(kinds) > 1:
            return " | ".join(kinds) if self.language not in ("go", "rust") else self._scalar("any")
        return kinds[0] if kinds else self._scalar("any")

    def _list(self, items: _Shape, key: str) -> str:
        inner = self._kind(items, key)
        if items.null and inner != self._scalar("any"):
            inner = self._nullable(inner)
        forms = {"go": f"[]{inner}", "rust": f"Vec<{inner}>"}
        if self.language == "typescript":
            return f"({inner})[]" if " " in inner else f"{inner}[]"
        return forms.get(self.language, f"list[{inner}]")

    def _scalar(self, kind: str) -> str:
        self.words |= {"Any"} if kind == "any" else set()
        return _SCALARS[self.language][kind]

    def _nullable(self, kind: str) -> str:
        if kind in ("Any", "unknown", "any"):
            return kind
        forms = {"go": f"*{kind}", "rust": f"Option<{kind}>", "typescript": f"{kind} | null"}
        return forms.get(self.language, f"{kind} | None")

    def _field(self, key: str, identifier: str, kind: str, null: bool, optional: bool) -> str:
        if self.language == "typescript":
            plain = key if re.fullmatch(r"[A-Za-z_$][\w$]*", key, re.ASCII) else _quote(key)
            return f"  {plain}{'?' if optional else ''}: {self._nullable(kind) if null else kind};"
        missing = null or optional
        kind = self._nullable(kind) if missing else kind
        if self.language == "go":
            return f"\t{identifier} {kind} `json:{_quote(key + (',omitempty' if optional else ''))}`"
        if self.language == "rust":
            rename = "" if identifier == key else f"    #[serde(rename = {_quote(key)})]\n"
            return f"{rename}    pub {identifier}: {kind},"
        return f"    {identifier}: {kind}{self._default(key, identifier, optional)}"

    def _default(self, key: str, identifier: str, optional: bool) -> str:
        if self.language == "dataclass" or identifier == key:
            return " = None" if optional else ""
        self.words.add("Field")
        return f" = Field({'default=None, ' if optional else ''}alias={_quote(key)})"


def _python_code(writer: _Writer) -> str:
    pydantic = writer.language == "pydantic"
    imports = ["from typing import Any"] if "Any" in writer.words else []
    field_import = ", Field" if "Field" in writer.words else ""
    own = f"from pydantic import BaseModel{field_import}" if pydantic else "from dataclasses import dataclass"
    imports = [*imports, "", own] if pydantic and imports else sorted([*imports, own])
    head = "class {}(BaseModel):" if pydantic else "@dataclass\nclass {}:"
    blocks = ["\n".join([head.format(name), *(lines or ["    pass"])]) for name, lines in writer.types.items()]
    return "\n\n\n".join(["\n".join(imports), *blocks]) + "\n"


def _typescript_code(writer: _Writer) -> str:
    blocks = ["\n".join([f"export interface {name} {{", *lines, "}"]) for name, lines in writer.types.items()]
    return "\n\n".join(blocks) + "\n"


def _go_code(writer: _Writer) -> str:
    blocks = ["\n".join([f"type {name} struct {{", *lines, "}"]) for name, lines in writer.types.items()]
    return "\n\n".join(["package main", *blocks]) + "\n"


def _rust_code(writer: _Writer) -> str:
    head = "#[derive(Debug, Clone, Serialize, Deserialize)]\npub struct {} {{"
    blocks = ["\n".join([head.format(name), *lines, "}"]) for name, lines in writer.types.items()]
    return "\n\n".join(["use serde::{Deserialize, Serialize};", *blocks]) + "\n"


_WRITERS = {
    "pydantic": _python_code,
    "dataclass": _python_code,
    "typescript": _typescript_code,
    "go": _go_code,
    "rust": _rust_code,
}


def _plain_kinds(kinds: set[str]) -> Iterator[str]:
    """Return the kinds in a fixed order; whole numbers mixed with floats count as floats."""
    found = kinds - {"int"} if "float" in kinds else kinds
    return (kind for kind in ("str", "int", "float", "bool") if kind in found)


def _words(key: str) -> list[str]:
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", key)


def _pascal(key: str) -> str:
    name = "".join(word.capitalize() for word in _words(key))
    return name if name[:1].isalpha() else f"Type{name}"


def _identifier(key: str, language: str) -> str:
    if language == "go":
        return _pascal(key)
    name = "_".join(word.lower() for word in _words(key)) or "field"
    name = f"field_{name}" if name[0].isdigit() else name
    reserved = name in _RUST_WORDS.split() if language == "rust" else keyword.iskeyword(name)
    return f"{name}_" if reserved else name


def _distinct(name: str, taken: set[str]) -> str:
    numbered = (f"{name}{number}" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(one for one in numbered if one not in taken)


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("`", "'")
    return f'"{escaped}"'
