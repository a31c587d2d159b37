"""Builds the messages for a model from journal rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from retinue.core.database.statements import Row
from retinue.models.base import Message, ToolCall, estimate_tokens

_TOOL_RESULT_CHARACTERS = 16_000
"""Maximum length of a tool result in a model's context; the journal holds the whole result."""

_UNFINISHED = ("started", "waiting")
"""States of tool calls that have no result."""


@dataclass(slots=True)
class Unfinished:
    """A tool call of the last model step that has no result yet.

    `seq` is its journal row if the call was started, or is `waiting` for approval.
    """

    call: ToolCall
    seq: int | None
    waiting: bool = False


@dataclass(slots=True)
class Thread:
    """A run's conversation: the earlier history, and the run's own messages, beginning with its request."""

    system: str
    history: list[Message]
    own: list[Message]
    unfinished: list[Unfinished] = field(default_factory=list)
    steps: int = 0

    def add_step(self, text: str, calls: Sequence[ToolCall]) -> None:
        """Add a model step: its `text` and its tool calls."""
        self.own.append(Message("assistant", text, tool_calls=tuple(calls)))
        self.unfinished = [Unfinished(call, None) for call in calls]
        self.steps += 1

    def add_result(self, call: ToolCall, content: str) -> None:
        """Add a tool result."""
        self.own.append(Message("tool", content, tool_call_id=call.id, tool_name=call.name))
        self.unfinished = [item for item in self.unfinished if item.call.id != call.id]

    def fit_into(self, tokens: int) -> list[Message]:
        """Return the system message, the newest history that fits into `tokens`, and the run's own messages.

        History is dropped oldest first, in whole exchanges, so that no tool result is left without its call.
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
    """Return the messages of earlier runs with attachment texts, without tool calls that have no result."""
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
    """Replay the run's journal rows into the thread."""
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
    """Append the texts of the attached files to the message."""
    if not attachments:
        return message
    return replace(message, content="\n\n".join([message.content, *(texts[file_id] for file_id in attachments)]))


def calls_of(row: Row) -> list[ToolCall]:
    """Return the tool calls in an assistant's row."""
    return [
        ToolCall(call["id"], call["name"], call["arguments"], call.get("offered", True))
        for call in row.tool_calls or ()
    ]


def _message(row: Row, calls: Sequence[ToolCall]) -> Message:
    return _shorten(Message(row.role, row.content, tuple(calls), row.tool_call_id, row.tool_name))


def _exchanges(messages: Sequence[Message]) -> list[list[Message]]:
    """Split at the user's messages: each part is one user message and everything up to the next."""
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
    """Parse a model's arguments as JSON. Invalid JSON is returned as text."""
    try:
        return orjson.loads(arguments) if arguments else None
    except orjson.JSONDecodeError:
        return arguments
