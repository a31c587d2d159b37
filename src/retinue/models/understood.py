"""What a request says of a tool's arguments, and how far that is to be believed."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import orjson

from retinue.core.wishes import without_wishes
from retinue.models.assigned import WISHED, assigned, likely_lists
from retinue.models.candidates import Candidate
from retinue.models.chosen import Vote, given, voted
from retinue.models.columns import bounded_to_parts, texts
from retinue.models.composed import is_prose, literal_sum, sum_pattern
from retinue.models.copied import copied
from retinue.models.grounded import named_choices
from retinue.models.interpreted import Arguments, Reading, read
from retinue.models.precedents import STUDIED, Lessons, followed, lessons, nearest
from retinue.models.reading.data import count_of, numbers_in
from retinue.models.reading.zones import is_zone, zones_in
from retinue.models.records import with_records
from retinue.models.worded import bounded_to_words, worded

_GIVEN = 0.4
"""The share of precedents that give an argument, from which on a request may give it as well."""


def read_with_care(question: str, tool: Candidate, mistaken: bool = False) -> Reading:
    """What a request says of the arguments, as far as the likest precedents let one believe it.

    Where they were `mistaken`, nothing is beyond doubt.
    """
    known, left = read(question, tool, mistaken)
    if not tool.precedents:
        return known, left
    taught = lessons(question, tool)
    known = _believed(question, tool, taught, known)
    votes: dict[str, Vote] = {}
    if not mistaken:
        known = _named(question, tool, taught) | _literal(question, tool) | known
        votes = {name: vote for name, vote in voted(question, tool).items() if name not in known}
        known |= {name: vote.values[0] for name, vote in votes.items() if vote.settled and vote.values}
        known = _with_numbers(question, tool, known)
        known = with_records(question, tool, known)
        known |= _texts(question, tool, known)
    asked = _asked(question, tool, known, votes)
    bounded = {name: schema for name, schema in left.items() if name in asked and name not in taught.unbounded}
    bounded |= {name: {**asked[name], "enum": vote.values} for name, vote in votes.items() if name in asked}
    bounded |= {} if mistaken else bounded_to_words(tool, asked, known.values())
    bounded |= _in_zones(question, tool, asked)
    bounded |= {} if mistaken else _likelier(question, tool, bounded) | bounded_to_parts(tool, known, asked)
    return known, asked | bounded | ({} if mistaken else _numbers(question, taught, asked | bounded))


def _with_numbers(question: str, tool: Candidate, known: Arguments) -> dict[str, Any]:
    """What is known, and the numbers that only can be other arguments, or more of a list that is known."""
    lists = {name for name, value in known.items() if isinstance(value, list)}
    found = assigned(question, tool, tool.input_schema["properties"].keys() - known.keys() | lists)
    more = {name for name in lists & found.keys() if Counter(found[name]) > Counter(known[name])}
    return found | {name: value for name, value in known.items() if name not in more}


def _texts(question: str, tool: Candidate, known: Arguments) -> dict[str, Any]:
    """The texts that only can be certain arguments, but for sums, and for what names no part of what is known."""
    properties = tool.input_schema["properties"]
    found = worded(tool, properties.keys() - sums(question, tool, properties).keys())
    parts = bounded_to_parts(tool, known, {name: properties[name] for name in found})
    allowed = {
        name: [*schema.get("enum", ()), *schema.get("items", {}).get("enum", ())] for name, schema in parts.items()
    }
    return {name: value for name, value in found.items() if name not in parts or {*texts(value)} <= {*allowed[name]}}


def _likelier(question: str, tool: Candidate, bounded: Mapping[str, Any]) -> dict[str, Any]:
    """Of arguments that are one of the lists of a request, the schemas of those of which it is likely which."""
    lists = likely_lists(question, tool, [name for name, schema in bounded.items() if "enum" in schema])
    return {name: {**bounded[name], "enum": [values]} for name, values in lists.items()}


def _in_zones(question: str, tool: Candidate, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The schemas of time zones, of which the request names enough."""
    zones, wanted = zones_in(question), {name: schema for name, schema in asked.items() if is_zone(schema)}
    return (
        {name: {**schema, "enum": list(zones)} for name, schema in wanted.items()} if len(zones) >= len(wanted) else {}
    )


def _believed(question: str, tool: Candidate, taught: Lessons, known: Arguments) -> dict[str, Any]:
    """Of what was read, that which the likest precedents do not contradict."""
    expected = taught.given.union(tool.input_schema.get("required", ())) - taught.misread
    prose = {name for name, value in known.items() if isinstance(value, str) and is_prose(value)}
    wrong = sums(question, tool, prose).keys()
    return {name: value for name, value in known.items() if name in expected - wrong}


def _named(question: str, tool: Candidate, taught: Lessons) -> dict[str, Any]:
    """The choices that a request names, where precedents do not mean others."""
    choices = named_choices(tool.input_schema["properties"], question)
    return {name: choice for name, choice in choices.items() if name not in taught.misnamed}


def _literal(question: str, tool: Candidate) -> dict[str, str]:
    """The sum that a request has in signs, for the argument that is a sum."""
    if (literal := literal_sum(question)) is None:
        return {}
    return dict.fromkeys(sums(question, tool, tool.input_schema.get("required", ())), literal)


def _asked(question: str, tool: Candidate, known: Arguments, votes: Mapping[str, Vote]) -> dict[str, Any]:
    """The schemas of what is left to be told: what must be given, and what the precedents to follow give, unless others
    that are like them mostly leave it out.
    """
    shares = given(question, tool)
    followed_ones = chain.from_iterable(orjson.loads(arguments) for _, arguments in followed(question, tool, known))
    usual = (name for name in followed_ones if shares.get(name, 0.0) >= _GIVEN)
    settled = {name for name, vote in votes.items() if vote.settled}
    asked = {*tool.input_schema.get("required", ()), *usual, *votes} - known.keys() - settled
    return {name: schema for name, schema in tool.input_schema["properties"].items() if name in asked}


def _numbers(question: str, taught: Lessons, schemas: Mapping[str, Any]) -> dict[str, Any]:
    """The schemas of numbers that always stand in the request: one of those that do. How many decimals the answer is to
    have is none, but for an argument that tells it.
    """
    numbers, others = numbers_in(question), numbers_in(without_wishes(question))
    free = {
        name: schema
        for name, schema in schemas.items()
        if name in taught.copied and "enum" not in schema and schema.get("type") in ("number", "integer")
    }
    found = {name: numbers if WISHED.issuperset(name.split("_")) else others for name in free}
    return {name: {**schema, "enum": found[name]} for name, schema in free.items() if found[name]}


def sums(question: str, tool: Candidate, names: Iterable[str]) -> dict[str, str]:
    """The patterns of those arguments that are sums in the likest precedents."""
    near = nearest(question, tool.precedents, STUDIED)
    found = ((name, sum_pattern(question, near, name)) for name in names)
    return {name: pattern for name, pattern in found if pattern}


def corrected(question: str, tool: Candidate, arguments: Arguments) -> dict[str, Any]:
    """Arguments, the surest first, with texts that are always copied as the request has them, and none of it twice."""
    if not tool.precedents:
        return dict(arguments)
    parts = bounded_to_parts(tool, arguments, tool.input_schema.get("properties", {}))
    texts = lessons(question, tool).copied - parts.keys()
    right = {name: copied(value, question) if name in texts else value for name, value in arguments.items()}
    return {name: value for name, value in right.items() if not _is_taken(name, right, tool, question)}


def _is_taken(name: str, arguments: Arguments, tool: Candidate, question: str) -> bool:
    """Whether an optional number is one that the request has once, and another argument has already; or an optional
    text a part of another one that the request has once.
    """
    value, required = arguments[name], tool.input_schema.get("required", ())
    if name in required:
        return False
    if isinstance(value, str) and "enum" not in tool.input_schema["properties"][name]:
        others = (other for key, other in arguments.items() if key != name)
        return question.count(value) == 1 and any(isinstance(other, str) and value in other for other in others)
    if type(value) not in (int, float):
        return False
    holders = (other for other in (*required, *arguments) if arguments.get(other) == value)
    return next(holders) != name and count_of(value, question) == 1
