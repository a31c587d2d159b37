"""What a request says of a tool's arguments, read in the same way for all tools."""

from collections.abc import Collection, Mapping
from typing import Any

from retinue.core.stems import stems
from retinue.core.wishes import without_wishes
from retinue.models.argument_schema import is_alternative
from retinue.models.candidates import Candidate
from retinue.models.grounded import grounded, has_data_for, settled, stated
from retinue.models.reading.quantities import numbers_left

_ROUNDING = frozenset({"decimals", "digits", "places", "precision"})

Arguments = Mapping[str, Any]
Reading = tuple[Arguments, Arguments]
"""The arguments that are beyond doubt, and the schemas of those that a request may tell."""


def read(question: str, tool: Candidate, mistaken: bool = False) -> Reading:
    """What a request says of the arguments: those beyond doubt, and the schemas of the others that it may tell."""
    question = question_itself(question, tool)
    known = {} if mistaken else stated(tool.input_schema, question)
    schema = spoken_of(question, tool.input_schema, known)
    if not mistaken:
        schema = grounded(schema, question, known.values(), numbers_left(tool.input_schema, question))
    known |= settled(schema)
    return known, {name: value for name, value in schema["properties"].items() if name not in known}


def question_itself(question: str, tool: Candidate) -> str:
    """The question without how its answer shall be written, unless that is what the tool does."""
    does = not _ROUNDING.isdisjoint(tool.input_schema.get("properties", {}))
    return question if does else without_wishes(question)


def spoken_of(question: str, schema: Mapping[str, Any], known: Collection[str] = ()) -> dict[str, Any]:
    """A schema without the optional arguments that a request says nothing of: small models make up values for them.

    One is spoken of where its name or one of its choices is, or where there is data that it could take. Where nothing
    would be left, all are kept. What is `known` is left out.
    """
    required, properties = schema.get("required", ()), schema.get("properties", {})
    said = stems(question)
    taken = [str(value.get("type")) for name, value in properties.items() if name in required or name in known]
    optional = {name: value for name, value in properties.items() if name not in required and name not in known}
    given = {name for name, value in optional.items() if has_data_for(value, question, taken)}
    said_of = {name for name, value in optional.items() if _is_said(name, value, said)}
    given = _described(given, optional, said) or given or _texts(required, optional, properties)
    if given:
        said_of = {name for name in said_of if "enum" in optional[name] or not is_alternative(optional[name])}
    wanted = {*required, *given, *said_of}
    kept = {name: value for name, value in properties.items() if name in wanted and name not in known}
    return {**schema, "properties": kept if kept or known else properties}


def _texts(required: Collection[str], optional: Mapping[str, Any], properties: Mapping[str, Any]) -> set[str]:
    """The texts that may be given, where nothing must be: a word that is not set off can be one."""
    if any("enum" not in properties.get(name, {}) for name in required):
        return set()
    return {
        name
        for name, value in optional.items()
        if is_alternative(value) and value.get("type") == "string" and not {"enum", "format", "pattern"} & value.keys()
    }


def _described(names: set[str], optional: Mapping[str, Any], said: set[str]) -> set[str]:
    """Of arguments for which there is data, those whose descriptions begin with words of the request."""
    told = {name: str(optional[name].get("description") or "").partition(" in ")[0] for name in names}
    return {name for name, words in told.items() if not said.isdisjoint(stems(words) - stems(name))}


def _is_said(name: str, schema: Mapping[str, Any], said: set[str]) -> bool:
    choices = " ".join(map(str, schema.get("enum", ())))
    return not said.isdisjoint(stems(f"{name} {choices}"))
