"""The state of one assistant call: the message, its parts, and the tokens used."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from retinue.models.base import ModelRequest, Usage
from retinue_assistant import references
from retinue_assistant.conversation_turn import ConversationTurn
from retinue_assistant.results import headline_of

MOST_CALLS = 8
"""Most tool calls for one message."""


@dataclass
class AssistantRequest:
    """A parsed model request. `parts` are the requests in the message, in order."""

    request: ModelRequest
    turn: ConversationTurn
    parts: Sequence[str] = ()
    unresolved: bool = False
    """True if the first part refers to the conversation in a way that only the model's own reply can resolve."""
    replies: dict[int, str] = field(default_factory=dict)
    """The replies to parts that need no call, or a tool that the caller did not allow, by part number."""
    spent: Usage = field(default_factory=lambda: Usage(0, 0))
    """The tokens of all model calls."""

    @property
    def instructions(self) -> str:
        """The instructions of the agent that replies; empty without one."""
        return self.request.persona.instructions if self.request.persona else ""

    @property
    def today(self) -> date:
        """The day of the run, in UTC."""
        return self.request.resources.today if self.request.resources else datetime.now(UTC).date()

    @property
    def moment(self) -> datetime:
        """The time of the message, in UTC."""
        return self.request.resources.moment if self.request.resources else datetime.now(UTC)

    def part(self, number: int) -> str:
        """Return a part with the results of earlier parts filled in."""
        return references.fill_results(self.parts[number], [*map(self._result, range(number))])

    def wants_call(self, number: int) -> bool:
        """Return whether a part can be called now: it has no result yet, and every part it depends on has one."""
        if self.turn.attempt_of(number) or (number == 0 and self.unresolved):
            return False
        return all(self.turn.attempt_of(one) for one in references.dependencies(self.parts[number]) if one < number)

    def _result(self, number: int) -> str:
        attempt = self.turn.attempt_of(number)
        return headline_of(attempt, self.parts[number]) if attempt else references.UNKNOWN
