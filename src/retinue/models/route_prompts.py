"""What a small model is asked when it routes a request: which tool, then its arguments, then the answer in words."""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, Final

import orjson

from retinue.core.stems import stems
from retinue.core.wishes import without_wishes
from retinue.models.argument_schema import argument_lines, constrained, is_alternative
from retinue.models.base import Message, Role, ToolOffer
from retinue.models.copied import copied
from retinue.models.grounded import grounded, has_data_for, settled, stated
from retinue.models.precedents import Arguments, Reading, lessons, named_choices, nearest, shown
from retinue.models.reading.quantities import numbers_left

REPLY = "reply"
"""What a model chooses where no tool fits."""

_ROUTER = 'You route requests to tools. Answer with one JSON object. If no tool fits, answer {"tool":"reply"}.'
_UNROUTED = ("Hello!", "Who painted the Mona Lisa?", "Write a poem about rain")
"""Requests that need no tool, to be shown between those that do."""

_PRECEDENTS = 2
"""How many are shown: more take a small model longer, and help no further."""
_ROLES: Final[tuple[Role, Role]] = ("user", "assistant")

_ROUNDING = frozenset({"decimals", "digits", "places", "precision"})

_FILLER = (
    "You fill in the arguments of a tool from a request. Copy every value exactly as the request has it, and leave out "
    "optional arguments that the request does not speak of. Answer with one JSON object."
)


def choice_prompt(question: str, tools: Sequence[ToolOffer]) -> list[Message]:
    """The tools on a line each, and for each a request that it answers, in turn with requests that need none."""
    lines = [f"- {tool.name}: {_first_sentence(tool.description)}" for tool in tools]
    asked = [(tool.questions[0], tool.name) for tool in tools if tool.questions]
    pairs = zip_longest(((plain, REPLY) for plain in _UNROUTED), asked)
    examples = [f'User: {said}\n{{"tool":"{name}"}}' for said, name in filter(None, chain(*pairs))]
    told = "\n".join([_ROUTER, "Tools:", *lines, "Examples:", *examples])
    return [Message("system", told), Message("user", question)]


def choice_schema(tools: Sequence[ToolOffer]) -> dict[str, Any]:
    """An object that names one of the tools, or none."""
    return _object({"tool": {"enum": [tool.name for tool in tools] + [REPLY]}})


def arguments_prompt(question: str, tool: ToolOffer, mistake: str = "") -> list[Message]:
    """The tool with its arguments, and how they were filled in before, or an example of them.

    `mistake` is what was wrong with the arguments before.
    """
    schema = spoken_of(_wanted(question, tool), tool.input_schema)
    if tool.precedents:
        _, left = read_with_care(question, tool, bool(mistake))
        schema = {**schema, "properties": {name: tool.input_schema["properties"][name] for name in left}}
    lines = [_FILLER, f"Tool {tool.name}: {tool.description}", "Arguments:", *argument_lines(schema)]
    turns: list[Message] = []
    if tool.precedents:
        near = nearest(question, tool.precedents, _PRECEDENTS)
        turns = [
            Message(role, said)
            for pair in shown(near, [*schema["properties"]])
            for role, said in zip(_ROLES, pair, strict=True)
        ]
    elif tool.example is not None:
        given = {name: value for name, value in tool.example.items() if name in schema["properties"]}
        lines += ["Example, with other values:", orjson.dumps(given).decode()]
    asked = f"{question}\n\n{mistake}" if mistake else question
    return [Message("system", "\n".join(lines)), *turns, Message("user", asked)]


def arguments_schema(question: str, tool: ToolOffer, mistaken: bool = False) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arguments that the request leaves no doubt about, and the shape of the others that it may tell.

    Where they were `mistaken`, nothing is beyond doubt.
    """
    known, left = read_with_care(question, tool, mistaken)
    required = [name for name in tool.input_schema.get("required", ()) if name in left]
    return dict(known), _object({}) | constrained({**tool.input_schema, "properties": left, "required": required})


def read_with_care(question: str, tool: ToolOffer, mistaken: bool = False) -> Reading:
    """What a request says of the arguments, as far as the tool's precedents let one believe it."""
    known, left = read(question, tool, mistaken)
    if not tool.precedents:
        return known, left
    taught, properties = lessons(tool, read), tool.input_schema["properties"]
    required = tool.input_schema.get("required", ())
    choices = {} if mistaken else named_choices(properties, question)
    believed = {name: choice for name, choice in choices.items() if name in taught.named}
    wanted = {*required, *taught.given}
    known = {name: value for name, value in known.items() if name in wanted and name not in taught.misread} | believed
    names = [
        name
        for name, schema in properties.items()
        if name not in known
        and (name in required or name in choices or (name in taught.most if "enum" in schema else name in left))
        and name in wanted | choices.keys()
    ]
    bounded = {name: left[name] for name in names if name in left and name not in taught.unbounded}
    return known, {name: bounded.get(name, properties[name]) for name in names}


def corrected(question: str, tool: ToolOffer, arguments: Arguments) -> dict[str, Any]:
    """Arguments as a model gave them, with texts that are always copied as they stand in the request."""
    texts = lessons(tool, read).copied if tool.precedents else frozenset()
    return {name: copied(value, question) if name in texts else value for name, value in arguments.items()}


def read(question: str, tool: ToolOffer, mistaken: bool = False) -> Reading:
    """What a request says of the arguments: those beyond doubt, and the schemas of the others that it may tell."""
    question = _wanted(question, tool)
    known = {} if mistaken else stated(tool.input_schema, question)
    schema = spoken_of(question, tool.input_schema, known)
    if not mistaken:
        schema = grounded(schema, question, known.values(), numbers_left(tool.input_schema, question))
    known |= settled(schema)
    return known, {name: value for name, value in schema["properties"].items() if name not in known}


def _wanted(question: str, tool: ToolOffer) -> str:
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


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _first_sentence(description: str) -> str:
    """Of a description, what it says first: a small model reads slowly, and chooses no better by the rest."""
    return description.partition(". ")[0].rstrip(".") + "."
