"""JSON values as arguments and results of the tools of this category."""

import json
import re
from collections.abc import Mapping
from datetime import date, time
from typing import Annotated, Any, NoReturn

from typing_extensions import TypedDict

from retinue.sdk import About, OutputFile, ToolError

_MAX_TEXT = 900_000
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORD = 2**63

EXACT = 2**53
"""Doubles cannot represent every integer from here on."""

Document = Annotated[
    dict[str, Any] | list[Any] | str,
    About("JSON document: an object, a list, or JSON as text", {"name": "Tea", "price": 2.5}, max_length=_MAX_TEXT),
]
Source = Annotated[str, About("The JSON text", '{"name": "Tea", "price": 2.5}', min_length=1, max_length=_MAX_TEXT)]
Table = Annotated[
    list[dict[str, Any]],
    About(
        "Rows as JSON objects",
        [{"name": "Tea", "price": 2.5}, {"name": "Rice", "price": 4}],
        min_items=1,
        max_items=50_000,
    ),
]


class Value(TypedDict):
    """A JSON value."""

    value: Annotated[Any, About("The resulting JSON value")]


class Written(TypedDict):
    """A document as text."""

    text: Annotated[str, About("Resulting text")]


class Saved(TypedDict):
    """A document in a file."""

    file: OutputFile
    size_bytes: Annotated[int, About("Size of the file in bytes")]


def read(document: Any) -> Any:
    """Return a document that is given as a value or as JSON text. Raises `ToolError` if the text is not JSON."""
    return load(document) if isinstance(document, str) else document


def load(text: str) -> Any:
    """Parse a JSON text (RFC 8259). Raises `ToolError` with line and column."""
    try:
        return json.loads(text.removeprefix("\ufeff"), parse_constant=_refuse, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise ToolError(
            f"The text is not JSON: {error.msg} at line {error.lineno}, column {error.colno}. Correct it there."
        ) from error
    except ValueError as error:
        raise ToolError("The JSON text has an integer of more than 4,300 digits. Write it as a string.") from error


def dump(value: Any, indent: int | None = 2) -> str:
    """Format a value as JSON text."""
    return json.dumps(plain(value), ensure_ascii=False, indent=indent)


def plain(value: Any) -> Any:
    """Convert a value to JSON: types that JSON lacks become text, bytes become hexadecimal digits."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return float(value) if abs(value) < float("inf") else str(value)
    if isinstance(value, Mapping):
        return {_key(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in value]
    if isinstance(value, bytes | bytearray):
        return value.hex()
    return value.isoformat() if isinstance(value, date | time) else plain(str(value))


def kind_of(value: Any) -> str:
    """Return the JSON type of a value: object, array, string, boolean, integer, number or null."""
    kinds = {"dict": "object", "list": "array", "str": "string", "bool": "boolean", "int": "integer", "float": "number"}
    return kinds.get(type(value).__name__, "null")


def _key(key: Any) -> str:
    """Return the name of a member; a value that is not text becomes its JSON text."""
    part = plain(key)
    return part if isinstance(part, str) else json.dumps(part)


def _integer(value: int) -> int | str:
    """Convert integers beyond 64 bits to text, because few JSON readers preserve them."""
    if -_WORD <= value < _WORD:
        return int(value)
    return str(value) if value.bit_length() < 14_000 else hex(value)


def _refuse(constant: str) -> NoReturn:
    raise ToolError(f"The text is not JSON: {constant} is not a JSON number. Write null or a string instead.")


def _finite(digits: str) -> float:
    value = float(digits)
    if abs(value) == float("inf"):
        raise ToolError(f"The number {digits[:40]} is too large for a 64-bit float. Write it as a string.")
    return value
