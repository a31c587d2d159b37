"""What the heads found in a request for the arguments of one tool: numbers and text spans with probabilities."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from retinue.models.base import Candidate


class SlotScore(NamedTuple):
    """An argument that a number may fill, and the probability."""

    argument: str
    likelihood: float


class NumberSpan(NamedTuple):
    """A number in a request and the arguments of one tool that it may fill."""

    value: float
    roles: Sequence[SlotScore]


class TextSpan(NamedTuple):
    """A text span of a request that may fill `argument`: its probability, and the index of its first character."""

    argument: str
    likelihood: float
    text: str
    begin: int


class ArgumentHints(NamedTuple):
    """The numbers and text spans of a request that may fill arguments of a tool."""

    numbers: Sequence[NumberSpan] = ()
    texts: Sequence[TextSpan] = ()

    def rename(self, renames: Mapping[str, str]) -> "ArgumentHints":
        """Return the hints with other names of arguments."""
        return ArgumentHints(
            [
                number._replace(
                    roles=[role._replace(argument=renames.get(role.argument, role.argument)) for role in number.roles]
                )
                for number in self.numbers
            ],
            [text._replace(argument=renames.get(text.argument, text.argument)) for text in self.texts],
        )


def hints_of(candidate: Candidate) -> ArgumentHints:
    """Return the hints for a candidate; empty ones if the heads did not run."""
    return candidate.hints if isinstance(candidate.hints, ArgumentHints) else ArgumentHints()
