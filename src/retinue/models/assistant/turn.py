"""The messages of a request as the assistant reads them: what was said before, the question, and the calls so far."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from retinue.models.base import Message, ToolCall

_MARK = "part"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call that was made for a part of the message. `result` is JSON as the tool returned it."""

    tool: str
    arguments: str
    result: str

    @property
    def error(self) -> str | None:
        """What the tool refused, if it did."""
        found = read_result(self.result)
        return str(found["error"]) if found is not None and found.keys() == {"error"} else None


@dataclass(frozen=True, slots=True)
class Turn:
    """The user's last message with what came before it; `attempts` are the calls since, by the part they were for."""

    before: Sequence[Message]
    question: str
    attempts: Mapping[int, Sequence[Attempt]] = field(default_factory=dict)

    @property
    def history(self) -> list[Message]:
        """What user and assistant said before."""
        return [one for one in self.before if one.role in ("user", "assistant") and one.content]

    @property
    def last_call(self) -> tuple[str, Attempt] | None:
        """The message before this one with its call, if it took one that succeeded."""
        found = earlier_calls(self)[-1:]
        said = [one.content for one in self.before if one.role == "user"][-1:]
        return found[0] if found and [found[0][0]] == said and found[0][1].error is None else None

    @property
    def calls(self) -> int:
        """How many calls were made since the message."""
        return sum(map(len, self.attempts.values()))

    def attempt_of(self, part: int) -> Attempt | None:
        """The call that answered a part, if one did."""
        return next((one for one in self.attempts.get(part, ()) if one.error is None), None)


def read_turn(messages: Sequence[Message]) -> Turn:
    """Read the messages of a request."""
    start = max((at for at, message in enumerate(messages) if message.role == "user"), default=0)
    since = messages[start + 1 :]
    results = {one.tool_call_id: one.content for one in since if one.role == "tool"}
    attempts: dict[int, list[Attempt]] = {}
    for call in (call for message in since for call in message.tool_calls):
        attempts.setdefault(_part_of(call), []).append(Attempt(call.name, call.arguments, results.get(call.id, "")))
    return Turn(messages[:start], messages[start].content if messages else "", attempts)


def new_call(part: int, tool: str, arguments: Mapping[str, Any]) -> ToolCall:
    """A call for a part: its id says which one, so that a run can be taken up again from its journal."""
    return ToolCall(f"{_MARK}{part}_{secrets.token_hex(8)}", tool, orjson.dumps(arguments).decode())


def earlier_calls(turn: Turn) -> list[tuple[str, Attempt]]:
    """Earlier messages that took one call, with that call; the newest last."""
    results = {one.tool_call_id: one.content for one in turn.before if one.role == "tool"}
    found: list[tuple[str, list[ToolCall]]] = []
    for message in turn.before:
        if message.role == "user":
            found.append((message.content, []))
        elif found:
            found[-1][1].extend(message.tool_calls)
    return [
        (said, Attempt(calls[0].name, calls[0].arguments, results.get(calls[0].id, "")))
        for said, calls in found
        if len(calls) == 1
    ]


def read_result(result: str) -> dict[str, Any] | None:
    """A tool's result, if it is a JSON object."""
    try:
        found = orjson.loads(result)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


def _part_of(call: ToolCall) -> int:
    number = call.id.partition("_")[0].removeprefix(_MARK)
    return int(number) if number.isdecimal() else 0
