"""Convert a tool's arguments to form fields, and a form back to arguments."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import orjson

from retinue.core.errors import ValidationFailed
from retinue.core.http.json_body import find_problem
from retinue.files.file_access import FORMAT as FILE
from retinue.language.translation import gettext as _
from retinue.portal.forms import Form
from retinue.tools.authoring.tool import Tool

Json = Mapping[str, Any]
Kind = Literal["text", "number", "choice", "flag", "lines", "file", "json"]
ANSWER, CHANGE = "answer.", "change."
"""What stands before the names of the fields that answer a question, or that change the values of a call."""

_NEEDS_MORE = ("files", "site", "servers", "connections", "before")
_SCALARS = {"string": "lines", "number": "lines", "integer": "lines"}
_LONG = 60
_BITS = 64
"""Bits of a whole number in JSON as the server reads it, with its sign."""


@dataclass(frozen=True)
class ArgumentField:
    """An argument as a form field.

    `value` is the initial value. `item` is the type of a list's items, or `any` if text that is not JSON is used as
    is.
    """

    name: str
    kind: Kind
    required: bool
    about: str
    choices: tuple[str, ...]
    value: str
    item: str = "string"

    @property
    def rows(self) -> int:
        """Number of lines of the input; 1 for a single-line input."""
        lines = self.value.count("\n") + 1
        if self.kind in ("json", "lines"):
            return min(max(3, lines), 14)
        return 1 if len(self.value) <= _LONG and lines == 1 else min(max(4, lines), 14)


def fields_of(tool: Tool) -> list[ArgumentField]:
    """Return the fields of a tool, filled in with its first example so that it can be tried at once."""
    required, examples = tool.input_schema.get("required", ()), {}
    for name, each in tool.input_schema["properties"].items():
        if name in required and each.get("examples") and _kind(each)[0] != "file":
            examples[name] = each["examples"][0]
    return fields_of_schema(tool.input_schema, {**examples, **_example(tool)})


def fields_of_schema(schema: Json, filled_in: Json) -> list[ArgumentField]:
    """Return a field for each property of a schema, with the value that is filled in."""
    required = schema.get("required", ())
    return [_field(name, each, name in required, filled_in.get(name)) for name, each in schema["properties"].items()]


def fields_of_question(schema: Json, answer: Json | None = None) -> list[ArgumentField]:
    """Return the fields that answer a question, with an answer or else the defaults filled in."""
    defaults = {name: each["default"] for name, each in schema["properties"].items() if "default" in each}
    return fields_of_schema(schema, defaults if answer is None else answer)


def fields_of_call(tool: Tool, arguments: Json) -> list[ArgumentField]:
    """Return a form field for each argument of a call, including arguments that are not in the schema."""
    properties = {**{name: {} for name in arguments}, **tool.input_schema["properties"]}
    return fields_of_schema({**tool.input_schema, "properties": properties}, arguments)


def refill(fields: Sequence[ArgumentField], form: Form, prefix: str) -> list[ArgumentField]:
    """Return the fields with what the user typed, as far as the form has them."""
    return [
        replace(field, value=form.raw(prefix + field.name)) if prefix + field.name in form else field
        for field in fields
    ]


def changes_of(fields: Sequence[ArgumentField], form: Form, arguments: Json) -> dict[str, object] | None:
    """Parse the fields of a call. Returns its new arguments; None if the user changed none.

    Values whose field is unchanged stay exactly as they are, and an emptied field leaves its argument out. Raises
    `ValidationFailed` for invalid JSON.
    """
    typed = refill(fields, form, CHANGE)
    changed = [new for old, new in zip(fields, typed, strict=True) if _lf(new.value) != _lf(old.value)]
    if not changed:
        return None
    names = {field.name for field in changed}
    kept = {name: value for name, value in arguments.items() if name not in names}
    return {**kept, **values_of(changed, form, CHANGE)}


def arguments_of(tool: Tool, form: Form) -> dict[str, object]:
    """Parse a form into arguments, without empty fields. Raises `ValidationFailed` for invalid JSON."""
    return values_of(fields_of(tool), form)


def values_of(fields: Iterable[ArgumentField], form: Form, prefix: str = "") -> dict[str, object]:
    """Parse the fields of a form, without empty ones. `prefix` stands before their names in the form."""
    values = {}
    for field in fields:
        text = _lf(form.raw(prefix + field.name))
        if text.strip() or (field.required and field.kind == "text"):
            values[field.name] = _value(field, text)
    return values


def _example(tool: Tool) -> Json:
    """Return the arguments of the first example that needs no other setup."""
    alone = (one for one in tool.examples if "result" in one and not any(one.get(name) for name in _NEEDS_MORE))
    found: Json = next(alone, {"args": {}})["args"]
    return found


def _field(name: str, schema: Json, required: bool, example: object) -> ArgumentField:
    kind, item = _kind(schema)
    choices = tuple(_view(choice) for choice in schema.get("enum", ()))
    value = "" if example is None else _lines(example) if kind == "lines" else _view(example)
    return ArgumentField(name, kind, required, schema.get("description", ""), choices, value, item)


def _kind(schema: Json) -> tuple[Kind, str]:
    if "enum" in schema:
        return "choice", str(schema.get("type", "string"))
    match schema.get("type"):
        case "boolean":
            return "flag", "boolean"
        case "integer" | "number":
            return "number", "number"
        case "string":
            return ("file" if schema.get("format") == FILE else "text"), "string"
        case "array" if (item := schema.get("items", {}).get("type")) in _SCALARS:
            return "lines", item
    return "json", "any" if "type" not in schema else "string"


def _value(field: ArgumentField, text: str) -> object:
    match field.kind:
        case "number":
            return _number(text)
        case "choice":
            return _number(text) if field.item in ("integer", "number") else text
        case "flag":
            return text == "true"
        case "file":
            return text.strip()
        case "lines":
            lines = [line for line in text.split("\n") if line.strip()]
            return lines if field.item == "string" else [_number(line) for line in lines]
        case "json":
            return _json(field, text)
    return text


def _number(text: str) -> int | float | str:
    """Parse a number as JSON would: a whole one beyond 64 bits is a float.

    Other text is returned unchanged, so that the schema refuses it with the argument's name.
    """
    for read in (int, float):
        try:
            number = read(text.strip())
        except ValueError:
            continue
        if isinstance(number, int) and number.bit_length() < _BITS:
            return number
        if isinstance(number, float) and math.isfinite(number):
            return number
    return text


def _json(field: ArgumentField, text: str) -> object:
    try:
        value: object = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if field.item == "any":
            return text
        raise ValidationFailed(_("{name} is not JSON: {error}.").format(name=field.name, error=error)) from error
    if problem := find_problem(value, text.encode()):
        raise ValidationFailed(f"{field.name}: {problem}")
    return value


def _lf(text: str) -> str:
    """Return a text with the line ends of a form's normalized value."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _lines(value: object) -> str:
    return "\n".join(_view(each) for each in value) if isinstance(value, list) else _view(value)


def _view(value: object) -> str:
    if isinstance(value, str):
        return value
    options = orjson.OPT_INDENT_2 if isinstance(value, list | dict) else 0
    return orjson.dumps(value, option=options).decode()
