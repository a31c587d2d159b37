"""Conversations as the playground shows them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple


class Call(NamedTuple):
    """A tool call that has ended or still runs."""

    tool: str
    failed: bool


@dataclass(frozen=True)
class Turn:
    """A message of one side, with the tool calls made for it."""

    id: int
    by_user: bool
    text: str
    at: datetime
    files: Sequence[str] = ()
    calls: list[Call] = field(default_factory=list)


def turns_of(messages: Iterable[Any]) -> list[Turn]:
    """Group messages into turns. Tool calls belong to the answer that follows them."""
    turns: list[Turn] = []
    calls: list[Call] = []
    for message in messages:
        if message.replaced:
            continue
        if message.role == "tool":
            calls.append(Call(message.tool_name, message.state == "failed"))
        elif message.role == "user":
            turns.append(Turn(message.id, True, message.content, message.created_at, message.attachments or ()))
            calls = []
        elif message.content or not message.tool_calls:
            turns.append(Turn(message.id, False, message.content, message.created_at, calls=calls))
            calls = []
    return turns
