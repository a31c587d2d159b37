"""Splits the messages of a model request into the history, the question, and the tool calls since the question."""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from retinue.models.base import Message, ToolCall

_MARK = "part"
_SAVING = ("memory_store", "note_create")
_NOTE = re.compile(r"(?<=\})(?:\n\([^\n]{1,300}\)){1,9}\Z")
_UNREACHABLE = re.compile(
    r"\bcannot be reached\b|\bresponded with \d{3}\b|\bdid not respond\b|\bsent an invalid response\b|^The certificate"
)
"""Matches errors of hosts in the words of `retinue.tools.outbound`."""


@dataclass(frozen=True, slots=True)
class ToolAttempt:
    """A tool call made for one part of the message. `result` is the tool's JSON result."""

    tool: str
    arguments: str
    result: str

    @property
    def error(self) -> str | None:
        """The tool's error message, or None if the call succeeded."""
        found = read_result(self.result)
        return str(found["error"]) if found is not None and found.keys() == {"error"} else None

    @property
    def is_final(self) -> bool:
        """True if other arguments would not help: the host does not answer, or refuses."""
        return _UNREACHABLE.search(self.error or "") is not None


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """The user's last message, the messages before it, and the calls since (`attempts`, by part number)."""

    before: Sequence[Message]
    question: str
    attempts: Mapping[int, Sequence[ToolAttempt]] = field(default_factory=dict)
    is_rewritten: bool = False
    """True if `question` was completed from earlier messages, and probably needs the same tool."""

    @property
    def last_call(self) -> tuple[str, ToolAttempt] | None:
        """The previous user message with its call, if it needed exactly one call and that succeeded."""
        found = earlier_calls(self)[-1:]
        messages = [one.content for one in self.before if one.role == "user"][-1:]
        return found[0] if found and [found[0][0]] == messages and found[0][1].error is None else None

    @property
    def calls(self) -> int:
        """Number of calls made since the message."""
        return sum(map(len, self.attempts.values()))

    @property
    def saved_texts(self) -> tuple[str, ...]:
        """The texts of new facts and notes that calls since the message saved."""
        calls = (one for calls in self.attempts.values() for one in calls if one.tool in _SAVING)
        results = (read_result(one.result) or {} for one in calls)
        return tuple(str(one["text"]) for one in results if one.get("text") and not one.get("known"))

    def attempt_of(self, part: int) -> ToolAttempt | None:
        """Return the successful call of a part, or None."""
        return next((one for one in self.attempts.get(part, ()) if one.error is None), None)


def read_turn(messages: Sequence[Message]) -> ConversationTurn:
    """Parse the messages of a model request."""
    start = max((at for at, message in enumerate(messages) if message.role == "user"), default=0)
    since = messages[start + 1 :]
    results = {one.tool_call_id: one.content for one in since if one.role == "tool"}
    attempts: dict[int, list[ToolAttempt]] = {}
    for call in (call for message in since for call in message.tool_calls):
        attempts.setdefault(_part_of(call), []).append(ToolAttempt(call.name, call.arguments, results.get(call.id, "")))
    return ConversationTurn(messages[:start], messages[start].content if messages else "", attempts)


def new_call(part: int, tool: str, arguments: Mapping[str, Any]) -> ToolCall:
    """Create a call for a part. Its id contains the part number, so that a run can resume from its journal."""
    return ToolCall(f"{_MARK}{part}_{secrets.token_hex(8)}", tool, orjson.dumps(arguments).decode())


def earlier_calls(turn: ConversationTurn) -> list[tuple[str, ToolAttempt]]:
    """Return the earlier user messages that needed exactly one call, with that call; the newest last."""
    results = {one.tool_call_id: one.content for one in turn.before if one.role == "tool"}
    found: list[tuple[str, list[ToolCall]]] = []
    for message in turn.before:
        if message.role == "user":
            found.append((message.content, []))
        elif found:
            found[-1][1].extend(message.tool_calls)
    return [
        (text, ToolAttempt(calls[0].name, calls[0].arguments, results.get(calls[0].id, "")))
        for text, calls in found
        if len(calls) == 1
    ]


def read_result(result: str) -> dict[str, Any] | None:
    """Parse a tool's result; None if it is not a JSON object.

    A line in parentheses may follow it: the server adds one for a picture that the model cannot see.
    """
    try:
        found = orjson.loads(_NOTE.sub("", result))
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


def _part_of(call: ToolCall) -> int:
    number = call.id.partition("_")[0].removeprefix(_MARK)
    return int(number) if number.isdecimal() else 0
