"""Reads replies that must fit a JSON Schema."""

import re
from collections.abc import Mapping

import orjson
from jsonschema_rs import Draft202012Validator

from retinue.core.errors import ValidationFailed

_FENCED = re.compile(r"\A\s*```[a-zA-Z]*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
_MOST_ERRORS = 10
_ERROR_CHARACTERS = 300


def read_output(text: str, schema: Mapping[str, object]) -> tuple[str, object, list[str]]:
    """Return a reply's JSON text without a code fence, its value, and what does not fit the schema."""
    fenced = _FENCED.match(text)
    text = (fenced[1] if fenced else text).strip()
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return text, None, [f"it is not valid JSON ({error})"]
    return text, value, _errors(value, schema)


def _errors(value: object, schema: Mapping[str, object]) -> list[str]:
    try:
        validator = Draft202012Validator(dict(schema), offline=True)
    except ValueError as error:
        raise ValidationFailed(f"output_schema is not a valid JSON Schema: {error}") from error
    found = []
    for fault in validator.iter_errors(value):
        path = ".".join(map(str, fault.instance_path)) or "the reply"
        found.append(f"{path}: {fault.message}"[:_ERROR_CHARACTERS])
        if len(found) == _MOST_ERRORS:
            break
    return found
