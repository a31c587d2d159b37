"""Splits the messages of a model request into the history, the question, and the tool calls since the question."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from retinue.models.assistant.followups import complete
from retinue.models.base import Message, ToolCall

_MARK = "part"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A tool call made for one part of the message. `result` is the tool's JSON result."""

    tool: str
    arguments: str
    result: str

    @property
    def error(self) -> str | None:
        """The tool's error message, or None if the call succeeded."""
        found = read_result(self.result)
        return str(found["error"]) if found is not None and found.keys() == {"error"} else None


@dataclass(frozen=True, slots=True)
class Turn:
    """The user's last message, completed from earlier ones (`followups`), the messages before it, and the calls since
    (`attempts`, by part number).
    """

    before: Sequence[Message]
    question: str
    attempts: Mapping[int, Sequence[Attempt]] = field(default_factory=dict)
    is_completed: bool = False
    """True if `question` is an earlier message with new values, or a statement with the message as its question."""

    @property
    def history(self) -> list[Message]:
        """The earlier messages of user and assistant that have text."""
        return [one for one in self.before if one.role in ("user", "assistant") and one.content]

    @property
    def last_call(self) -> tuple[str, Attempt] | None:
        """The previous user message with its call, if it needed exactly one call and that succeeded."""
        start = _last_user_message(self.before)
        made = _attempts(self.before[start:])
        return (self.before[start].content, made[0][1]) if len(made) == 1 and made[0][1].error is None else None

    @property
    def calls(self) -> int:
        """Number of calls made since the message."""
        return sum(map(len, self.attempts.values()))

    def attempt_of(self, part: int) -> Attempt | None:
        """Return the successful call of a part, or None."""
        return next((one for one in self.attempts.get(part, ()) if one.error is None), None)


def read_turn(messages: Sequence[Message]) -> Turn:
    """Parse the messages of a model request."""
    start = _last_user_message(messages)
    attempts: dict[int, list[Attempt]] = {}
    for part, attempt in _attempts(messages[start + 1 :]):
        attempts.setdefault(part, []).append(attempt)
    said = [one.content for one in messages[: start + 1] if one.role == "user"]
    question = complete(said)
    return Turn(messages[:start], question, attempts, is_completed=[question] != said[-1:])


def _last_user_message(messages: Sequence[Message]) -> int:
    return max((at for at, message in enumerate(messages) if message.role == "user"), default=0)


def _attempts(messages: Sequence[Message]) -> list[tuple[int, Attempt]]:
    """Return the calls in messages with their results, each with its part number."""
    results = {one.tool_call_id: one.content for one in messages if one.role == "tool"}
    calls = (call for message in messages for call in message.tool_calls)
    return [(_part_of(call), Attempt(call.name, call.arguments, results.get(call.id, ""))) for call in calls]


def new_call(part: int, tool: str, arguments: Mapping[str, Any]) -> ToolCall:
    """Create a call for a part. Its id contains the part number, so that a run can resume from its journal."""
    return ToolCall(f"{_MARK}{part}_{secrets.token_hex(8)}", tool, orjson.dumps(arguments).decode())


def read_result(result: str) -> dict[str, Any] | None:
    """Parse a tool's result; None if it is not a JSON object."""
    try:
        found = orjson.loads(result)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


def _part_of(call: ToolCall) -> int:
    number = call.id.partition("_")[0].removeprefix(_MARK)
    return int(number) if number.isdecimal() else 0
