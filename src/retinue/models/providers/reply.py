"""Reads one streamed reply: what the readers of all protocols share."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import orjson
import structlog

from retinue.models.base import (
    Delta,
    Finish,
    FinishReason,
    ModelRequest,
    ProviderItem,
    ReasoningDelta,
    ToolCall,
    Usage,
    estimate_tokens,
)
from retinue.models.providers.errors import ReportedError
from retinue.models.providers.reasoning_tags import ReasoningTags
from retinue.models.streams import MalformedStream, ServerSentEvent, join_surrogates, read_events_json

log = structlog.get_logger()

MAX_REPLY = 4 << 20
"""Most characters of one reply, including reasoning and arguments: far more than any model writes."""

_HIGH_SURROGATES = ("\ud800", "\udbff")


class Reply(ABC):
    """Reads the events of one reply. `ended` says that no more events follow, `finished` that the reply is whole."""

    finish_reasons: ClassVar[dict[str, FinishReason]]
    """The provider's finish reasons in lower case. Others mean `stop`."""
    failures: ClassVar[frozenset[str]] = frozenset()
    """Finish reasons with which a provider says that it failed."""

    def __init__(self, origin: str, request: ModelRequest, *, begins_in_reasoning: bool = False) -> None:
        self.ended = False
        self.finished = False
        self.origin = origin
        self.offered = frozenset(tool.name for tool in request.tools)
        self.reported_usage: Usage | None = None
        self._request = request
        self._reason: FinishReason | None = None
        self._tags = ReasoningTags(begins_in_reasoning)
        self._characters = 0
        self._mends = False
        self._halves: dict[str, str] = {}

    @abstractmethod
    def take(self, value: Any) -> Sequence[Delta]:
        """Add one event or the body of a whole reply, and return what it completes. Each protocol names its shape."""

    @abstractmethod
    def calls(self) -> Sequence[ToolCall]:
        """Return the calls of the finished reply."""

    def opaque(self) -> Sequence[ProviderItem]:
        """Return what the provider wants back with the finished reply."""
        return ()

    @property
    def text_characters(self) -> int:
        """The characters of text so far, without reasoning."""
        return self._tags.text_characters

    def read(self, event: ServerSentEvent) -> Sequence[Delta]:
        """Add one event and return what it completes. Raises `MalformedStream` or `ReportedError`."""
        if self.ended:
            return ()
        try:
            value = orjson.loads(event.data)
        except orjson.JSONDecodeError:
            return self._read_odd(event)
        try:
            return self.take(value) if event.name == b"message" else self._take_named(event, value)
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            raise MalformedStream(f"an event that is not part of a reply: {event.data[:80]!r}") from error

    def finish(self) -> list[Delta]:
        """Return what is known at the end: calls, what the provider wants back, the reason, and the usage."""
        reason = self._reason or "stop"
        rest = [*self._mend_halves(), *self._tags.end(cut=reason == "length")]
        usage = self.reported_usage
        if usage is None or not (usage.prompt_tokens or usage.completion_tokens):
            usage = self._estimate()
        return [*rest, *self.calls(), *self.opaque(), Finish(reason), usage]

    def add_text(self, text: str) -> Sequence[Delta]:
        """Return a fragment of the text as deltas: reasoning that the model marks with tags is kept apart."""
        if self._mends:
            text = self._join("text", text)
        self._characters += len(text)
        if self._characters > MAX_REPLY:
            raise MalformedStream("an endless reply")
        return self._tags.feed(text)

    def add_reasoning(self, text: str) -> Sequence[Delta]:
        """Return a fragment of reasoning as deltas."""
        if self._mends:
            text = self._join("reasoning", text)
        self.count(text)
        released = self._tags.expect_text()
        return (*released, ReasoningDelta(text)) if text else released

    def count(self, text: str) -> str:
        """Return `text`. Raises `MalformedStream` if the reply has become endless."""
        self._characters += len(text)
        if self._characters > MAX_REPLY:
            raise MalformedStream("an endless reply")
        return text

    def set_reason(self, reason: object) -> None:
        """Note why the reply ended. Raises `ReportedError` if the provider failed."""
        if not isinstance(reason, str):
            raise TypeError(f"{reason!r} is not a finish reason")
        known = self.finish_reasons.get(reason.lower())
        if reason.lower() in self.failures:
            raise ReportedError({"message": f"finish reason {reason}"})
        if known is None:
            log.warning("unknown finish reason", origin=self.origin, reason=reason[:40])
        self.finished = True
        if self._reason in (None, "stop"):
            self._reason = known or "stop"

    def add_usage(self, usage: Usage) -> None:
        """Note token counts. Providers send them once, or repeatedly with growing or partial counts."""
        before = self.reported_usage or Usage(0, 0)
        self.reported_usage = Usage(
            max(before.prompt_tokens, usage.prompt_tokens),
            max(before.completion_tokens, usage.completion_tokens),
            max(before.cached_tokens, usage.cached_tokens),
            max(before.reasoning_tokens, usage.reasoning_tokens),
        )

    def _take_named(self, event: ServerSentEvent, value: object) -> Sequence[Delta]:
        if event.name == b"error":
            raise ReportedError(value.get("error", value) if isinstance(value, dict) else value)
        if event.name == b"body" and isinstance(value, list):
            return [delta for one in value for delta in self.take(one)]
        return self.take(value)

    def _read_odd(self, event: ServerSentEvent) -> Sequence[Delta]:
        """Read what is not strictly JSON: the end of the stream, pings without data, or damaged JSON."""
        data = event.data.strip()
        if data == b"[DONE]":
            self.ended = self.finished = True
        if data in (b"", b"[DONE]") or event.name == b"ping":
            return ()
        self._mends = True
        try:
            return [delta for value in read_events_json(data) for delta in self._take_named(event, value)]
        except (TypeError, AttributeError, LookupError) as error:
            raise MalformedStream(f"an event that is not part of a reply: {data[:80]!r}") from error

    def _join(self, channel: str, text: str) -> str:
        """Join surrogate pairs whose halves arrive in two fragments."""
        text = self._halves.pop(channel, "") + text
        if text and _HIGH_SURROGATES[0] <= text[-1] <= _HIGH_SURROGATES[1]:
            self._halves[channel], text = text[-1], text[:-1]
        return join_surrogates(text)

    def _mend_halves(self) -> list[Delta]:
        if "text" not in self._halves:
            return []
        return list(self._tags.feed(join_surrogates(self._halves["text"])))

    def _estimate(self) -> Usage:
        prompt = sum(estimate_tokens(message.content) for message in self._request.messages)
        return Usage(prompt, self._characters // 4 + 1)


def as_text(value: object) -> str:
    """Return text that may be missing. Raises `TypeError` for other values."""
    if value is None or isinstance(value, str):
        return value or ""
    raise TypeError(f"{value!r} is not text")


def as_count(value: object) -> int:
    """Return a token count that may be missing; 0 for other values."""
    return int(value) if isinstance(value, int | float) and 0 < value < 1e12 else 0
