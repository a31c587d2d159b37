"""Arguments that can only be what the request says: their schemas name the values that stand in it, to choose from."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jsonschema_rs import is_valid

from retinue.models.request_data import FILE, RequestData, data_in

_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_FORMULA = frozenset("()+*=/^ ")
_TEXTS = 2
"""Texts that a tool works on at most: of more, one cannot tell which is which."""

Schema = Mapping[str, Any]


def grounded(schema: Schema, request: str) -> dict[str, Any]:
    """A tool's schema in which an argument for which the request has data is one of these values.

    What is computed or put in other words stays free, and so are numbers: years may have to become months.
    """
    data, properties = data_in(request), schema.get("properties", {})
    free = [name for name, value in properties.items() if _is_text(value) and name in schema.get("required", ())]
    lists = [name for name, value in properties.items() if _is_list_of(value, ("number", "integer"))]
    texts = data.texts if len(free) <= min(_TEXTS, len(data.texts)) else ()
    return {
        **schema,
        "properties": {
            name: _one_of(value, [*_fitting(value, data, texts if name in free else (), len(lists))])
            for name, value in properties.items()
        },
    }


def settled(schema: Schema) -> dict[str, Any]:
    """The arguments of a grounded schema for which there is one value alone: the required ones, or where there are none
    the one alternative of those that has a value.
    """
    required, properties = schema.get("required", ()), schema["properties"]
    wanted = required or [name for name, value in properties.items() if is_alternative(value)]
    named = ((name, properties.get(name, {}).get("enum", ())) for name in wanted)
    known = {name: values[0] for name, values in named if len(values) == 1}
    return known if required or len(known) == 1 else {}


def is_alternative(argument: Schema) -> bool:
    """Whether an optional argument is one of several ways to tell what is needed, and no setting with a default."""
    return argument.get("default") in (None, "", [])


def has_data_for(argument: Schema, request: str, numbers: int) -> bool:
    """Whether a request has data of an optional argument's kind, and the argument is no mere setting with a default.

    `numbers` tells how many numbers other arguments take already.
    """
    if not is_alternative(argument) or "enum" in argument:
        return False
    if argument.get("format") == "file-id":
        return FILE in request
    data, kind = data_in(request), argument.get("type")
    if kind in ("number", "integer"):
        return data.numbers > numbers
    if argument.get("pattern") == _DATE:
        return bool(data.dates)
    if kind == "string":
        return bool(data.texts or data.codes)
    return bool(data.lists or data.literals) if kind == "array" else False


def _fitting(schema: Schema, data: RequestData, texts: Sequence[str], lists: int) -> Iterator[Any]:
    """The values of a request that fit an argument. `lists` tells how many arguments take lists of numbers."""
    if "enum" in schema:
        return
    if schema.get("pattern") == _DATE:
        yield from data.dates
    elif schema.get("type") == "string":
        yield from texts or _codes(schema, data)
    elif _is_list_of(schema, ("number", "integer")):
        yield from map(list, data.lists if len(data.lists) >= lists else ())
    elif schema.get("type") == "array" and schema.get("items", {}).get("type") in ("array", "object"):
        wanted = list if schema["items"]["type"] == "array" else dict
        yield from (
            found
            for found in data.literals
            if isinstance(found, list) and all(isinstance(one, wanted) for one in found)
        )


def _codes(schema: Schema, data: RequestData) -> Iterator[str]:
    """The codes that look like the argument's example: one word with digits, and no formula."""
    example = str((schema.get("examples") or [""])[0])
    if len(example) >= 5 and any(map(str.isdigit, example)) and _FORMULA.isdisjoint(example):
        yield from (code for code in data.codes if is_valid(dict(schema), code))


def _one_of(schema: Schema, values: list[Any]) -> Schema:
    return {**schema, "enum": values} if values else schema


def _is_text(schema: Schema) -> bool:
    return schema.get("type") == "string" and "enum" not in schema and "pattern" not in schema


def _is_list_of(schema: Schema, kinds: Sequence[str]) -> bool:
    return schema.get("type") == "array" and schema.get("items", {}).get("type") in kinds
