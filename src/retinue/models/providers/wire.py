"""The wire format of OpenAI-compatible chat completions: builds request bodies and parses server-sent events."""

from dataclasses import dataclass, field
from typing import Any

import orjson

from retinue.models.base import Message, ModelRequest, ToolCall, ToolOffer, Usage

MAX_REPLY = 1 << 20
"""Most characters of one reply, including tool-call arguments: far more than any `max_tokens` in use."""

MAX_LINE = 4 * 1024 * 1024
"""Most bytes of one event line. A provider that sends more without a line break does not speak this protocol."""


class Garbled(Exception):
    """The provider sent data that violates the protocol."""


class ReportedError(Exception):
    """An error that the provider reported in the middle of a stream."""


class EventLines:
    """Splits a byte stream, in chunks of any size, into the payloads of its `data:` lines (WHATWG HTML, 9.2)."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the payloads that `chunk` completes. Raises `Garbled` for a line over `MAX_LINE`."""
        lines = (self._rest + chunk).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > MAX_LINE:
            raise Garbled("an endless line")
        return [line[5:].strip() for line in lines if line.startswith(b"data:")]

    def end(self) -> list[bytes]:
        """Return the payload of an unterminated last line."""
        return self.feed(b"\n")


@dataclass(slots=True)
class _PartialCall:
    id: str
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    def has_complete_arguments(self) -> bool:
        """True if the arguments received so far are valid JSON."""
        try:
            orjson.loads("".join(self.arguments))
        except orjson.JSONDecodeError:
            return False
        return True


class ReplyAssembler:
    """Assembles the chunks of one streamed reply. It returns text at once, and collects tool calls and usage."""

    def __init__(self) -> None:
        self.complete = False
        self.usage: Usage | None = None
        self._calls: list[_PartialCall] = []
        self._characters = 0
        self._by_index: dict[int, _PartialCall] = {}

    def take(self, payload: bytes) -> str:
        """Add one chunk and return its text, often empty. Raises `Garbled` or `ReportedError`."""
        if payload == b"[DONE]":
            self.complete = True
            return ""
        try:
            return self._take(orjson.loads(payload))
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            raise Garbled(f"a chunk that is not a completion: {payload[:80]!r}") from error

    def tool_calls(self) -> list[ToolCall]:
        """Return the complete calls. Missing arguments become an empty object."""
        return [ToolCall(call.id, call.name, "".join(call.arguments) or "{}") for call in self._calls]

    def _take(self, chunk: dict[str, Any]) -> str:
        if error := chunk.get("error"):
            raise ReportedError(str(error.get("message") if isinstance(error, dict) else error))
        if usage := chunk.get("usage"):
            self.usage = read_usage(usage)
        choices = chunk.get("choices")
        if not choices:
            return ""
        if choices[0].get("finish_reason"):
            self.complete = True
        delta = choices[0].get("delta") or {}
        for part in delta.get("tool_calls") or ():
            self._add_call(part)
        return self._count_characters(_text(delta.get("content")))

    def _count_characters(self, text: str) -> str:
        self._characters += len(text)
        if self._characters > MAX_REPLY:
            raise Garbled("an endless reply")
        return text

    def _add_call(self, part: dict[str, Any]) -> None:
        """Add a fragment of a tool call. Some providers omit the index, or repeat one for several whole calls."""
        index, call_id = part.get("index") or 0, _text(part.get("id"))
        function = part.get("function") or {}
        name = _text(function.get("name"))
        call = self._by_index.get(index)
        # Some providers send no ids: there a name after complete arguments begins the next call.
        begins_next = call is not None and name and not call_id and call.has_complete_arguments()
        if call is None or begins_next or (call_id and call.id != call_id):
            call = self._by_index[index] = _PartialCall(call_id or f"call_{len(self._calls)}")
            self._calls.append(call)
        call.name += self._count_characters(name)
        call.arguments.append(self._count_characters(_text(function.get("arguments"))))


def _text(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    raise TypeError(f"{value!r} is not text")


def read_usage(usage: dict[str, Any]) -> Usage:
    """Read the token counts that the provider reports."""
    return Usage(int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0))


def request_body(request: ModelRequest, wire_name: str) -> dict[str, Any]:
    """Build the body of a streamed chat completion, with usage reporting enabled."""
    body: dict[str, Any] = {
        "model": wire_name,
        "messages": [wire_message(message) for message in request.messages],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.max_tokens is not None:
        body["max_tokens"] = request.max_tokens
    if request.tools:
        body["tools"] = [_wire_tool(tool) for tool in request.tools]
    return body


def wire_message(message: Message) -> dict[str, Any]:
    """Convert one message to the wire format."""
    if message.role == "tool":
        return {"role": "tool", "content": message.content, "tool_call_id": message.tool_call_id}
    if not message.tool_calls:
        return {"role": message.role, "content": message.content}
    return {
        "role": message.role,
        "content": message.content or None,
        "tool_calls": [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ],
    }


def _wire_tool(tool: ToolOffer) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
    return {"type": "function", "function": function}
