"""From journal rows to the messages that a model reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from retinue.core.statements import Row
from retinue.models.base import Message, ToolCall, estimate_tokens

_TOOL_RESULT_CHARACTERS = 16_000
"""How much of a tool's result a model reads; the journal holds all of it."""

_UNFINISHED = ("started", "waiting")
"""States of tool calls that have no result."""


@dataclass(slots=True)
class Unfinished:
    """A tool call of the last model step without a result.

    `seq` is its row where it had been started, or where it is `waiting` for a person.
    """

    call: ToolCall
    seq: int | None
    waiting: bool = False


@dataclass(slots=True)
class Thread:
    """A run's conversation: what came before it, and its own messages, the first of which asked for it."""

    system: str
    history: list[Message]
    own: list[Message]
    unfinished: list[Unfinished] = field(default_factory=list)
    steps: int = 0

    def add_step(self, text: str, calls: Sequence[ToolCall]) -> None:
        """The model said `text` and asked for `calls`."""
        self.own.append(Message("assistant", text, tool_calls=tuple(calls)))
        self.unfinished = [Unfinished(call, None) for call in calls]
        self.steps += 1

    def add_result(self, call: ToolCall, content: str) -> None:
        """A tool answered."""
        self.own.append(Message("tool", content, tool_call_id=call.id, tool_name=call.name))
        self.unfinished = [item for item in self.unfinished if item.call.id != call.id]

    def fit_into(self, tokens: int) -> list[Message]:
        """System, as much of the newest history as `tokens` allow, and the run's own messages.

        History is dropped oldest first and by whole exchanges, so no tool result stands without its call.
        """
        left = tokens - estimate_tokens(self.system) - sum(map(_size, self.own))
        kept: list[list[Message]] = []
        for exchange in reversed(_exchanges(self.history)):
            left -= sum(map(_size, exchange))
            if left < 0:
                break
            kept.append(exchange)
        recalled = [message for exchange in reversed(kept) for message in exchange]
        return [Message("system", self.system), *recalled, *map(_shorten, self.own)]


def read_history(rows: Sequence[Row], texts: Mapping[str, str]) -> list[Message]:
    """The messages of earlier runs, without tool calls that were never answered, with the texts of attachments."""
    answered = {(row.run_id, row.tool_call_id) for row in rows if row.role == "tool" and row.state not in _UNFINISHED}
    kept: list[Message] = []
    asked: set[tuple[int, str]] = set()
    for row in rows:
        calls = [call for call in calls_of(row) if (row.run_id, call.id) in answered]
        if row.role == "tool":
            if (row.run_id, row.tool_call_id) in asked and row.state not in _UNFINISHED:
                kept.append(_message(row, ()))
        elif row.content or calls:
            asked |= {(row.run_id, call.id) for call in calls}
            kept.append(with_attachments(_message(row, calls), row.attachments or (), texts))
    return kept


def resume(thread: Thread, rows: Sequence[Row]) -> None:
    """Bring a thread to where the run's journal ends."""
    for row in rows:
        if row.role == "assistant":
            thread.add_step(row.content, calls_of(row))
        elif row.role == "tool" and row.state in _UNFINISHED:
            for item in thread.unfinished:
                if item.call.id == row.tool_call_id:
                    item.seq, item.waiting = row.seq, row.state == "waiting"
                    item.call = replace(item.call, arguments=row.tool_arguments)
        elif row.role == "tool":
            thread.add_result(ToolCall(row.tool_call_id, row.tool_name, "{}"), row.content)


def with_attachments(message: Message, attachments: Sequence[str], texts: Mapping[str, str]) -> Message:
    """The message as a model reads it, followed by the files that were sent with it."""
    if not attachments:
        return message
    return replace(message, content="\n\n".join([message.content, *(texts[file_id] for file_id in attachments)]))


def calls_of(row: Row) -> list[ToolCall]:
    """The tool calls that an assistant's row asked for."""
    return [ToolCall(call["id"], call["name"], call["arguments"]) for call in row.tool_calls or ()]


def _message(row: Row, calls: Sequence[ToolCall]) -> Message:
    return _shorten(Message(row.role, row.content, tuple(calls), row.tool_call_id, row.tool_name))


def _exchanges(messages: Sequence[Message]) -> list[list[Message]]:
    """Split at the user's messages: each part begins with one and holds everything that it led to."""
    parts: list[list[Message]] = []
    for message in messages:
        if message.role == "user" or not parts:
            parts.append([])
        parts[-1].append(message)
    if parts and parts[0][0].role != "user":
        del parts[0]
    return parts


def _size(message: Message) -> int:
    calls = sum(estimate_tokens(call.arguments) + 8 for call in message.tool_calls)
    return estimate_tokens(_shorten(message).content) + calls


def _shorten(message: Message) -> Message:
    if message.role != "tool" or len(message.content) <= _TOOL_RESULT_CHARACTERS:
        return message
    content = message.content[:_TOOL_RESULT_CHARACTERS] + " … (shortened)"
    return Message("tool", content, (), message.tool_call_id, message.tool_name)


def parsed_arguments(arguments: str | None) -> Any:
    """Arguments as the model wrote them: JSON as a value, anything else as text."""
    try:
        return orjson.loads(arguments) if arguments else None
    except orjson.JSONDecodeError:
        return arguments
