"""One call of the assistant: the message, the requests that it holds, and what was spent on it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from retinue.models.assistant import rewriting
from retinue.models.assistant.results import headline_of
from retinue.models.assistant.turn import Turn
from retinue.models.base import Candidate, Message, Model, ModelRequest, Usage

MOST_CALLS = 8
"""Calls of tools for one message."""


class ChoosingModel(Model, Protocol):
    """A model that can also be held to a JSON Schema."""

    async def choose(
        self, messages: Sequence[Message], schema: dict[str, Any], max_tokens: int
    ) -> tuple[dict[str, Any], Usage]:
        """Have the model fill in a JSON object that obeys `schema`; {} where it broke off before the end of it."""
        ...


@dataclass
class Work:
    """What is read of a model request. `parts` are the requests of the message, in their order."""

    request: ModelRequest
    turn: Turn
    parts: Sequence[str] = ()
    unresolved: bool = False
    """Whether the first part leans on the conversation in a way that only a reply in words can follow."""
    forbidden: dict[int, Candidate] = field(default_factory=dict)
    """The tools that parts need and the caller did not name."""
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def spend(self, usage: Usage) -> None:
        """Count the tokens of a call of the model."""
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens

    @property
    def spent(self) -> Usage:
        """The tokens of all calls."""
        return Usage(self.prompt_tokens, self.completion_tokens)

    def part(self, number: int) -> str:
        """A request with the results of earlier ones that it works on."""
        return rewriting.fill_places(self.parts[number], [*map(self._result, range(number))])

    def wants_call(self, number: int) -> bool:
        """Whether a call may be made for a request: it has no result yet, and all that it works on has."""
        if self.turn.attempt_of(number) or (number == 0 and self.unresolved):
            return False
        return all(self.turn.attempt_of(place) for place in rewriting.places_in(self.parts[number]) if place < number)

    def _result(self, number: int) -> str:
        done = self.turn.attempt_of(number)
        return headline_of(done, self.parts[number]) if done else rewriting.UNKNOWN
