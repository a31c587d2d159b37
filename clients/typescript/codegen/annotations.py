"""Converts JSON Schemas to TypeScript types, and descriptions to JSDoc."""

import json
import re
import textwrap
from typing import Any

from clients.python.codegen.document import Json, schema_name

_SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
_WIDTH = 118


def annotation(schema: Json) -> str:
    """Return the type of a value that matches the schema."""
    if name := schema_name(schema):
        return name
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return " | ".join(dict.fromkeys(annotation(choice) for choice in choices))
    kinds: Any = schema.get("type")
    if kinds is None:
        return "unknown"
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return " | ".join(_of_kind(kind, schema) for kind in kinds)


def _of_kind(kind: str, schema: Json) -> str:
    if kind == "array":
        return f"Array<{annotation(schema.get('items', {}))}>"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"{{ [name: string]: {annotation(values) if isinstance(values, dict) else 'unknown'} }}"
    return _SCALARS[kind]


def field(name: str, schema: Json, *, required: bool) -> list[str]:
    """Return the lines of a field of an interface."""
    key = name if re.fullmatch(r"[A-Za-z_]\w*", name) else json.dumps(name)
    return [*jsdoc(schema.get("description", ""), "  "), f"  {key}{'' if required else '?'}: {annotation(schema)};"]


def jsdoc(text: str, indent: str = "") -> list[str]:
    """Return the lines of a comment, wrapped."""
    if not text:
        return []
    safe = text.strip().replace("*/", "*\\/")
    if "\n" not in safe and len(safe) <= _WIDTH - len(indent) - 7:
        return [f"{indent}/** {safe} */"]
    lines: list[str] = []
    for paragraph in safe.split("\n\n"):
        lines += [*([""] if lines else []), *textwrap.wrap(paragraph, _WIDTH - len(indent) - 3)]
    return [f"{indent}/**", *(f"{indent} * {line}".rstrip() for line in lines), f"{indent} */"]
