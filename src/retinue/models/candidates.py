"""What a model that does not call tools by itself knows of a tool beside its offer."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from retinue.models.base import ToolOffer


class NumberRole(NamedTuple):
    """What a number of a request may be for a tool: an argument, how likely, and the value that it is given there."""

    argument: str
    likelihood: float
    value: float


class SaidNumber(NamedTuple):
    """A number of a request, and what it may be for a tool."""

    value: float
    roles: Sequence[NumberRole]


class SaidText(NamedTuple):
    """A text that stands in a request, how likely it is an argument of a tool, and the character where it begins."""

    argument: str
    likelihood: float
    text: str
    begin: int


@dataclass(frozen=True, slots=True)
class Candidate(ToolOffer):
    """A tool that a request may mean.

    `questions` are some that the tool answers; small models choose by them. `example` are arguments that it takes.
    `fit` is its score in the search for the message, None for a tool that the caller named; `lead` is by how much it is
    likelier to be meant than no tool. `precedents` are requests, each with the arguments that it means as JSON.
    `numbers` are those of the request, as far as is known what they may be, and `texts` those that may be arguments.
    """

    questions: Sequence[str] = ()
    example: Mapping[str, Any] | None = None
    fit: float | None = None
    lead: float = 0.0
    precedents: Sequence[tuple[str, str]] = ()
    numbers: Sequence[SaidNumber] = ()
    texts: Sequence[SaidText] = ()


def candidates(tools: Iterable[ToolOffer]) -> list[Candidate]:
    """Tools as candidates: a mere offer is of a tool that the caller named."""
    return [
        tool if isinstance(tool, Candidate) else Candidate(tool.name, tool.description, tool.input_schema)
        for tool in tools
    ]
