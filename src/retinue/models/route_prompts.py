"""What a small model is asked when it routes a request: which tool, then its arguments, then the answer in words."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, Final

import orjson

from retinue.models.argument_schema import argument_lines, constrained
from retinue.models.base import Message, Role
from retinue.models.candidates import Candidate
from retinue.models.columns import columns_of
from retinue.models.interpreted import question_itself, spoken_of
from retinue.models.precedents import followed, shown
from retinue.models.records import as_read
from retinue.models.understood import read_with_care, sums

REPLY = "reply"
"""What a model chooses where no tool fits."""

_ROUTER = 'You route requests to tools. Answer with one JSON object. If no tool fits, answer {"tool":"reply"}.'
_UNROUTED = ("Hello!", "Who painted the Mona Lisa?", "Write a poem about rain")
"""Requests that need no tool, to be shown between those that do."""

_ROLES: Final[tuple[Role, Role]] = ("user", "assistant")

_FILLER = (
    "You fill in the arguments of a tool from a request. Copy every value exactly as the request has it, and leave out "
    "optional arguments that the request does not speak of. Answer with one JSON object."
)


def choice_prompt(question: str, tools: Sequence[Candidate]) -> list[Message]:
    """The tools on a line each, and for each a request that it answers, in turn with requests that need none."""
    lines = [f"- {tool.name}: {_first_sentence(tool.description)}" for tool in tools]
    asked = [(tool.questions[0], tool.name) for tool in tools if tool.questions]
    pairs = zip_longest(((plain, REPLY) for plain in _UNROUTED), asked)
    examples = [f'User: {said}\n{{"tool":"{name}"}}' for said, name in filter(None, chain(*pairs))]
    told = "\n".join([_ROUTER, "Tools:", *lines, "Examples:", *examples])
    return [Message("system", told), Message("user", question)]


def choice_schema(tools: Sequence[Candidate]) -> dict[str, Any]:
    """An object that names one of the tools, or none."""
    return _object({"tool": {"enum": [tool.name for tool in tools] + [REPLY]}})


def arguments_prompt(question: str, tool: Candidate, mistake: str = "") -> list[Message]:
    """The tool with its arguments, and how they were filled in before, or an example of them.

    `mistake` is what was wrong with the arguments before.
    """
    known: Mapping[str, Any] = {}
    if tool.precedents:
        known, left = read_with_care(question, tool, bool(mistake))
        schema = {**tool.input_schema, "properties": {name: tool.input_schema["properties"][name] for name in left}}
    else:
        schema = spoken_of(question_itself(question, tool), tool.input_schema)
    lines = [_FILLER, f"Tool {tool.name}: {tool.description}", "Arguments:", *argument_lines(schema)]
    if tool.example is not None and not tool.precedents:
        given = {name: value for name, value in tool.example.items() if name in schema["properties"]}
        lines += ["Example, with other values:", orjson.dumps(given).decode()]
    lines += [f"{name} has the columns {', '.join(columns)}." for name, columns in columns_of(known).items()]
    near = followed(question, tool, known)
    shown_ones = [as_read(one) for one in near] if columns_of(known) else near
    asked = f"{question}\n\n{mistake}" if mistake else question
    return [
        Message("system", "\n".join(lines)),
        *_turns(shown_ones, [*schema["properties"]]),
        Message("user", asked),
    ]


def _turns(precedents: Iterable[tuple[str, str]], names: Sequence[str]) -> list[Message]:
    """Precedents, each as a request and the arguments of these names that it means."""
    return [Message(role, said) for pair in shown(precedents, names) for role, said in zip(_ROLES, pair, strict=True)]


def arguments_schema(
    question: str, tool: Candidate, mistaken: bool = False, kept: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arguments that the request leaves no doubt about, and the shape of the others that it may tell.

    Where they were `mistaken`, nothing is beyond doubt but what is `kept`, if that leaves something to be told.
    """
    known, left = read_with_care(question, tool, mistaken)
    if kept and (others := {name: schema for name, schema in left.items() if name not in kept}):
        known, left = {**known, **kept}, others
    required = [name for name in tool.input_schema.get("required", ()) if name in left]
    rest = _object({}) | constrained({**tool.input_schema, "properties": left, "required": required})
    for name, pattern in sums(question, tool, left).items():
        rest["properties"][name]["pattern"] = pattern
    return dict(known), rest


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
