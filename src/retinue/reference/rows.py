"""Flatten JSON Schemas into table rows."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from retinue.files.file_access import FORMAT as FILE

Json = Mapping[str, Any]
"""An object of the OpenAPI document, or a JSON Schema."""

_DEEPEST = 2
_LENGTHS = {"maxLength": "at most {:,} characters", "maxItems": "at most {:,} items"}
_LARGE = 2**31


@dataclass(frozen=True, slots=True)
class Row:
    """A field or parameter. `choices` are its allowed values; `depth` is its nesting level."""

    name: str
    type: str
    required: bool
    about: str
    choices: tuple[str, ...]
    limits: str
    default: str
    depth: int = 0
    example: str = ""


class Schemas:
    """Resolves references between the document's schemas."""

    def __init__(self, schemas: Json) -> None:
        self._schemas = schemas

    def resolve(self, schema: Json) -> Json:
        """Return the schema that a reference points to, or the schema itself."""
        return self._schemas[name_of(schema)] if "$ref" in schema else schema

    def rows(self, schema: Json, depth: int = 0) -> Iterator[Row]:
        """Yield the fields of an object, each followed by its nested fields."""
        found = self.resolve(schema)
        required = found.get("required", ())
        for name, part in found.get("properties", {}).items():
            yield self.row(name, part, name in required, depth)
            inner = self._inner(part)
            if inner and depth < _DEEPEST:
                yield from self.rows(inner, depth + 1)

    def row(self, name: str, schema: Json, required: bool, depth: int = 0) -> Row:
        """Build the row of one field."""
        target = self.resolve(schema)
        choices = [value for value in target.get("enum", ()) if value is not None]
        if "const" in target:
            choices.append(target["const"])
        default = target.get("default")
        return Row(
            name=name,
            type=self._type(schema),
            required=required,
            about=schema.get("description") or target.get("description", ""),
            choices=tuple(map(_literal, choices)),
            limits=", ".join(_limits(target)),
            default="" if default is None else _literal(default),
            depth=depth,
            example=_literal(schema["examples"][0]) if schema.get("examples") else "",
        )

    def _inner(self, schema: Json) -> Json | None:
        """Return the object schema inside a field or list, if any."""
        target = self.resolve(schema)
        if "items" in target:
            target = self.resolve(target["items"])
        return target if "properties" in target else None

    def _type(self, schema: Json) -> str:
        target = self.resolve(schema)
        if "anyOf" in target:
            return " or ".join(dict.fromkeys(self._type(choice) for choice in target["anyOf"]))
        kinds = target.get("type", "any value" if "const" not in target else "string")
        kinds = list(kinds) if isinstance(kinds, list) else [kinds]
        if kinds[0] == "array":
            kinds[0] = f"list of {_plural(self._type(target.get('items', {})))}"
        if target.get("format") == FILE:
            kinds[0] = "file id"
        if target.get("format") == "date-time":
            kinds[0] = "timestamp"
        return " or ".join(kinds)


def _plural(kind: str) -> str:
    first, space, rest = kind.partition(" of ")
    return " or ".join(f"{part}s" for part in first.split(" or ")) + space + rest


def name_of(reference: Json) -> str:
    """Return the name of the referenced schema."""
    return str(reference["$ref"]).rpartition("/")[2]


def _limits(schema: Json) -> Iterator[str]:
    least, most = schema.get("minimum"), schema.get("maximum", _LARGE)
    if least is not None and most < _LARGE:
        yield f"{least:,} to {most:,}"
    for bound, words in _LENGTHS.items():
        if bound in schema:
            yield words.format(schema[bound])
    if schema.get("minLength"):
        yield "not empty"


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)
