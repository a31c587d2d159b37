"""Arguments that can only be what the request says: their schemas name the values that stand in it, to choose from."""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from jsonschema_rs import is_valid

from retinue.core.stems import stems
from retinue.models.argument_schema import is_alternative
from retinue.models.reading.coordinates import stated_coordinates
from retinue.models.reading.data import FILE, RequestData, data_in
from retinue.models.reading.labelled import stated_texts
from retinue.models.reading.quantities import denied, stated_numbers
from retinue.models.reading.written import CRON, MOMENT

_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_FORMULA = frozenset("()+*=/^ ")
_MARKS = ("<", "{", "[")
"""With these HTML, XML and JSON begin."""

_CODE = re.compile(r"[A-Za-z]\w{0,60}\d")
_GIVEN = re.compile(r"\bgiven\b")
_ASKED = re.compile(
    r"\bwhat(?:['\u2019]s| is| are) (?:the |my )?([\w\s]{1,60}?)(?: (?:of|for|from|in|on|at|if)\b|[?,.]|$)",
    re.IGNORECASE,
)
"""What a question is for."""

_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""Where words of camelCase meet."""

_SHORTEST, _ALIKE = 5, 5
"""Characters of a code's example, and those in which codes with signs of formulas must be like theirs."""

_TEXTS = 2
"""Texts that a tool works on at most: of more, one cannot tell which is which."""

Schema = Mapping[str, Any]


def grounded(
    schema: Schema, request: str, known: Container[Any] = (), numbers: Mapping[str, Sequence[float]] | None = None
) -> dict[str, Any]:
    """A tool's schema in which an argument for which the request has data is one of these values, or of its choices one
    that the request speaks of. Texts that are `known` to be another argument's are left out.

    What is computed or put in other words stays free, and so are numbers that must be given. For one that need not be,
    there are the `numbers` that the request has left, or it is left out: else it would be made up.
    """
    data, properties, required = data_in(request), schema.get("properties", {}), schema.get("required", ())
    free = [name for name, value in properties.items() if _is_text(value) and name in required]
    lists = [name for name, value in properties.items() if _is_list_of(value, ("number", "integer"))]
    left = [text for text in data.texts if text not in known]
    texts = left if len(free) <= min(_TEXTS, len(left)) else ()
    left_numbers = numbers or {}
    said = stems(request)

    def values(name: str, value: Schema) -> Iterable[Any]:
        if "enum" in value:
            return _meant(name, value, request, said) if name in required else ()
        return left_numbers.get(name) or _fitting(value, data, texts if name in free else (), len(lists))

    kept = {name: value for name, value in properties.items() if left_numbers.get(name) != []}
    return {**schema, "properties": {name: _one_of(value, [*values(name, value)]) for name, value in kept.items()}}


def stated(schema: Schema, request: str) -> dict[str, Any]:
    """The arguments that the request names, or that it has in a unit of theirs; schedules and moments are no words."""
    data, properties = data_in(request), schema.get("properties", {})
    texts = {
        name: text
        for name, text in stated_texts(schema, request).items()
        if not _like_the_example(properties[name], data)
    }
    numbers = {**denied(schema, request), **stated_numbers(schema, request), **stated_coordinates(properties, request)}
    return {**numbers, **texts, **_codes_named(properties, request)}


def _codes_named(properties: Mapping[str, Schema], request: str) -> dict[str, str]:
    """Choices with a number in their name, such as sha1 and utf8, where the request names one alone."""
    return named_choices(properties, request, lambda one: isinstance(one, str) and bool(_CODE.search(one)))


def named_choices(
    properties: Mapping[str, Schema], request: str, among: Callable[[Any], bool] = lambda _: True
) -> dict[str, Any]:
    """Arguments of which a request names one choice alone, and that one whole; `among` tells which choices count.

    Where it names several in some form, that one counts which it has word for word: monthly, beside 5% a year.
    """
    said = stems(f"{request} {_HUMPS.sub(' ', request)}")
    named = {
        name: [one for one in value["enum"] if among(one) and (words := stems(str(one))) and words <= said]
        for name, value in properties.items()
        if "enum" in value
    }
    plain = {name: [one for one in found if _is_said(one, request)] for name, found in named.items()}
    surest = (found if len(found) == 1 else plain[name] for name, found in named.items())
    return {name: found[0] for name, found in zip(named, surest, strict=True) if len(found) == 1}


def _is_said(choice: Any, request: str) -> bool:
    words = re.escape(str(choice)).replace("_", "[ _-]")
    return re.search(rf"(?<![^\W_]){words}(?![^\W_])", request, re.IGNORECASE) is not None


def settled(schema: Schema) -> dict[str, Any]:
    """The arguments of a grounded schema for which there is one value alone: the required ones, or where there are none
    the one alternative of those that has a value.
    """
    required, properties = schema.get("required", ()), schema["properties"]
    wanted = required or [name for name, value in properties.items() if is_alternative(value)]
    named = ((name, properties.get(name, {}).get("enum", ())) for name in wanted)
    known = {name: values[0] for name, values in named if len(values) == 1}
    return known if required or len(known) == 1 else {}


def has_data_for(argument: Schema, request: str, taken: Sequence[str]) -> bool:
    """Whether a request has data of an optional argument's kind, and the argument is no mere setting with a default.

    `taken` are the types of the arguments that take data already.
    """
    if not is_alternative(argument) or "enum" in argument:
        return False
    if argument.get("format") == "file-id":
        return FILE in request
    data, kind = data_in(request), argument.get("type")
    if kind in ("number", "integer"):
        numbers = data.loose if "array" in taken else data.numbers
        return numbers > taken.count("number") + taken.count("integer")
    if argument.get("pattern") == _DATE:
        return bool(data.dates)
    if kind == "string":
        return data.pieces > taken.count("string") or any(True for _ in _codes(argument, data))
    return bool(data.lists or data.literals) if kind == "array" else False


def _fitting(schema: Schema, data: RequestData, texts: Sequence[str], lists: int) -> Iterator[Any]:
    """The values of a request that fit an argument. `lists` tells how many arguments take lists of numbers."""
    if schema.get("pattern") == _DATE:
        yield from data.dates
    elif schema.get("type") == "string":
        yield from _like_the_example(schema, data) or texts or _codes(schema, data)
    elif _is_list_of(schema, ("number", "integer")):
        yield from map(list, data.lists if len(data.lists) >= lists else ())
    elif _is_list_of(schema, ("string",)) and "enum" not in schema["items"]:
        yield from map(list, data.words or (map(_written, numbers) for numbers in data.lists))
    elif schema.get("type") == "array" and schema.get("items", {}).get("type") in ("array", "object"):
        wanted = list if schema["items"]["type"] == "array" else dict
        yield from (
            _as_texts(found) if schema["items"].get("items", {}).get("type") == "string" else found
            for found in data.literals
            if isinstance(found, list)
            and all(isinstance(one, wanted) and _has_the_fields(schema, one) for one in found)
        )


def _as_texts(value: Any) -> Any:
    """Numbers of nested lists as texts, for arguments that are exact."""
    return [_as_texts(one) for one in value] if isinstance(value, list) else _written(value)


def _written(value: Any) -> str:
    return value if isinstance(value, str) else f"{value}"


def _like_the_example(schema: Schema, data: RequestData) -> Sequence[str]:
    """Documents, schedules or moments, where the argument is one."""
    example = _example(schema)
    if example[:1] in _MARKS:
        return [text for text in data.documents if text[0] == example[0]]
    return data.crons if CRON.match(example) else data.moments if MOMENT.match(example) else ()


def _example(schema: Schema) -> str:
    return str((schema.get("examples") or [""])[0])


def _has_the_fields(schema: Schema, record: Any) -> bool:
    """Whether a record has what those of the argument must have."""
    return not isinstance(record, dict) or record.keys() >= set(schema["items"].get("required", ()))


def _meant(name: str, schema: Schema, request: str, said: set[str]) -> Sequence[Any]:
    """The choices that a request speaks of. What it asks for is none of what is given, and else may leave one."""
    if not (name.endswith("_is") or _GIVEN.search(str(schema.get("description")))):
        return [one for one in schema["enum"] if stems(str(one)) & said]
    asked = stems(" ".join(_ASKED.findall(request)))
    left = [one for one in schema["enum"] if not stems(str(one)) & asked]
    return [one for one in left if stems(str(one)) & said] or (left if len(left) == 1 else [])


def _codes(schema: Schema, data: RequestData) -> Iterator[str]:
    """The codes that look like the argument's example: one word with digits or of capitals, and no other formula."""
    example = _example(schema)
    is_code = any(map(str.isdigit, example)) or (example.isalpha() and example.isupper())
    is_formula = not _FORMULA.isdisjoint(example)
    for code in data.codes if len(example) >= _SHORTEST and is_code else ():
        if is_valid(dict(schema), code) and not (is_formula and code[:_ALIKE] != example[:_ALIKE]):
            yield code


def _one_of(schema: Schema, values: list[Any]) -> Schema:
    return {**schema, "enum": values} if values else schema


def _is_text(schema: Schema) -> bool:
    return schema.get("type") == "string" and "enum" not in schema and "pattern" not in schema


def _is_list_of(schema: Schema, kinds: Sequence[str]) -> bool:
    return schema.get("type") == "array" and schema.get("items", {}).get("type") in kinds
