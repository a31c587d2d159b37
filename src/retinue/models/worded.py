"""Texts of a request that are given to arguments as the model's first blocks understand them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any

import orjson
from jsonschema_rs import is_valid

from retinue.models.candidates import Candidate, SaidText
from retinue.models.reading.listed import listed

_SURE = 0.85
"""How likely a text must be an argument to be given as it."""
_AMONG = 0.8
"""How likely one of several texts must be an argument to have the model choose among them."""

_LINE = "\\n"
"""How requests of one line write that another begins."""

Schemas = Mapping[str, Any]


def is_text(schema: Schemas) -> bool:
    """Whether an argument is any text."""
    kinds = {schema.get("type"), *(one.get("type") for one in schema.get("anyOf", ()))}
    return "string" in kinds and "enum" not in schema and schema.get("format") != "file-id"


def are_texts(schema: Schemas) -> bool:
    """Whether an argument is a list of any texts."""
    return schema.get("type") == "array" and is_text(schema.get("items", {}))


@lru_cache(1024)
def have_blanks(name: str, precedents: tuple[tuple[str, str], ...]) -> bool:
    """Whether items of a list have blanks in them, as precedents show."""
    values = (orjson.loads(arguments).get(name) for _, arguments in precedents)
    items = chain.from_iterable(value for value in values if isinstance(value, list))
    return any(isinstance(item, str) and " " in item for item in items)


def worded(tool: Candidate, names: Collection[str]) -> dict[str, Any]:
    """For those arguments of `names` that are a text, or a list of some, the words of the request that they are, where
    that is sure: the likeliest first, and no word twice.
    """
    likeliest = (found[0] for found in _fitting(tool, names).values())
    taken: list[SaidText] = []
    for one in sorted(likeliest, key=lambda one: -one.likelihood):
        if one.likelihood >= _SURE and not any(_overlap(one, other) for other in taken):
            taken.append(one)
    return {one.argument: _meant(one, tool) for one in taken}


def bounded_to_words(tool: Candidate, asked: Schemas, known: Iterable[Any]) -> dict[str, Any]:
    """The schemas of those texts that are one of a few in the request and not `known` to be something else."""
    taken = [value for value in known if isinstance(value, str | list)]
    fitting = _fitting(tool, [name for name, schema in asked.items() if "enum" not in schema])
    left = {name: [one for one in found if _meant(one, tool) not in taken] for name, found in fitting.items()}
    return {
        name: {**asked[name], "enum": [_meant(one, tool) for one in found]}
        for name, found in left.items()
        if sum(one.likelihood for one in found) >= _AMONG
    }


def _fitting(tool: Candidate, names: Collection[str]) -> dict[str, list[SaidText]]:
    """What may be each of these arguments, the likeliest first, as far as its schema takes it."""
    properties, found = tool.input_schema.get("properties", {}), defaultdict(list)
    for one in tool.texts:
        schema = {**properties.get(one.argument, {}), "$defs": tool.input_schema.get("$defs", {})}
        if one.argument in names and one.argument in properties and is_valid(schema, _meant(one, tool)):
            found[one.argument].append(one)
    return found


def _meant(said: SaidText, tool: Candidate) -> Any:
    """The value that a text of the request is as the argument."""
    if are_texts(tool.input_schema["properties"][said.argument]):
        return listed(said.text, not have_blanks(said.argument, tuple(tool.precedents)))
    return said.text.replace(_LINE, "\n")


def _overlap(one: SaidText, other: SaidText) -> bool:
    return one.begin < other.begin + len(other.text) and other.begin < one.begin + len(one.text)
