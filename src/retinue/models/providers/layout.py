"""Keeps the order of a reply's parts, so that they go back to the provider as it sent them.

A layout is a list of JSON objects: `{"text": characters}` for a part of the text, `{"call": position}` for a tool call
and `{"kept": …}` for what only the provider can read. Each can have further keys, such as a signature.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from retinue.models.base import Message, ProviderItem, ToolCall


class ReplyPart(NamedTuple):
    """A part of an assistant message: a `ToolCall`, text, or None for what only the provider can read."""

    content: ToolCall | str | None
    extra: Mapping[str, Any]


class LayoutWriter:
    """Records the layout of a reply while it arrives. Its caller passes the characters of text so far."""

    def __init__(self) -> None:
        self.parts: list[dict[str, object]] = []
        self._calls = 0
        self._characters = 0

    def end_text(self, characters: int, extra: Mapping[str, object] | None = None) -> None:
        """End a part of the text, with further keys."""
        if characters > self._characters or extra:
            self.parts.append({"text": characters - self._characters, **(extra or {})})
        self._characters = characters

    def add_call(self, characters: int, extra: Mapping[str, object] | None = None) -> None:
        """Add the next tool call, with further keys."""
        self.end_text(characters)
        self.parts.append({"call": self._calls, **(extra or {})})
        self._calls += 1

    def keep(self, characters: int, value: object) -> None:
        """Add what only the provider can read."""
        self.end_text(characters)
        self.parts.append({"kept": value})

    def opaque(self, characters: int, origin: str, protocol: str) -> list[ProviderItem]:
        """Return the layout to keep with the reply; [] if it says no more than the reply itself."""
        self.end_text(characters)
        if all(len(part) == 1 and "kept" not in part for part in self.parts):
            return []
        return [ProviderItem(origin, {protocol: self.parts})]


def kept_for(message: Message, origin: str, protocol: str) -> Any:
    """Return what this provider sent with an assistant message to get back; None if there is nothing."""
    return next((o.value[protocol] for o in message.opaque if o.origin == origin and protocol in o.value), None)


def restore_parts(message: Message, layout: Sequence[Mapping[str, Any]] | None) -> Iterator[ReplyPart]:
    """Return the parts of an assistant message in the order of `layout`, and then what the layout does not mention."""
    text, calls = message.content, dict(enumerate(message.tool_calls))
    for part in layout or ():
        if "kept" in part:
            yield ReplyPart(None, part)
        elif "call" in part:
            if call := calls.pop(part["call"], None):
                yield ReplyPart(call, part)
        else:
            piece, text = text[: part["text"]], text[part["text"] :]
            if piece or len(part) > 1:
                yield ReplyPart(piece, part)
    if text:
        yield ReplyPart(text, {})
    for call in calls.values():
        yield ReplyPart(call, {})
