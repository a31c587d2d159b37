"""Anthropic's Messages API."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, TypedDict

import aiohttp

from retinue.models.base import (
    Delta,
    FinishReason,
    Media,
    Message,
    Modality,
    ModelRequest,
    ProviderItem,
    ReasoningEffort,
    ToolCall,
    ToolOffer,
    Usage,
)
from retinue.models.providers.catalogue import ModelListing, limit, read_listing
from retinue.models.providers.client import ProviderClient, fetch_list
from retinue.models.providers.draft import RequestDraft
from retinue.models.providers.endpoint import Endpoint
from retinue.models.providers.errors import ReportedError
from retinue.models.providers.layout import LayoutWriter, kept_for, restore_parts
from retinue.models.providers.media import base64_of, hide_unsupported
from retinue.models.providers.reply import Reply, as_count, as_text
from retinue.models.providers.schemas import close_objects
from retinue.models.providers.tool_calls import CallAssembler, arguments_object, arguments_text

PROTOCOL = "anthropic"

_VERSION = "2023-06-01"
_MAX_TOKENS = 8192
"""Most tokens of a reply if the model's own maximum is unknown: the protocol requires a number."""

_BUDGETS: dict[ReasoningEffort, int] = {"low": 2048, "medium": 8192, "high": 24_576}
_LEAST_BUDGET = 1024
_ACCEPTED: frozenset[Modality] = frozenset({"text", "image", "pdf"})
_CACHED = {"cache_control": {"type": "ephemeral"}}
_NO_TEXT = "(no text)"


class AnthropicModel(ProviderClient):
    """A model behind the Messages API."""

    @property
    def path(self) -> str:
        """Where requests go, below `Endpoint.base_url`."""
        return "/messages"

    @staticmethod
    def authorize(key: str) -> dict[str, str]:
        """Return the headers that carry `key`."""
        return {"anthropic-version": _VERSION} | ({"x-api-key": key} if key else {})

    def draft(self, request: ModelRequest, refused: frozenset[str]) -> RequestDraft:
        """Build the body of a streamed request without the features that the provider refused."""
        limit_tokens = self._max_tokens(request)
        draft = RequestDraft({"model": self.wire_name, "max_tokens": limit_tokens, "stream": True}, refused)
        body = draft.body
        messages = hide_unsupported(request.messages, self.input & _ACCEPTED)
        system, rest = _split_system(messages)
        is_cached = draft.use("cache_control", "cache_control")
        if system:
            body["system"] = _mark([{"type": "text", "text": system}], is_cached)
        if request.tools:
            body["tools"] = _mark([_wire_tool(tool) for tool in request.tools], is_cached)
        body["messages"] = wire = _wire_messages(rest, self.origin, draft)
        # The message before the newest ends the prefix that the last request shares, and the newest that of the next.
        for message in wire[-2:] if is_cached else ():
            _mark(message["content"], True)
        thinks = _add_thinking(draft, request.reasoning_effort, limit_tokens, rest, self.origin)
        if choice := _tool_choice(request, thinks=thinks):
            draft.add("tool_choice", body, {"tool_choice": choice}, "tool_choice", "disable_parallel_tool_use")
        if request.temperature is not None and not thinks:
            draft.add("temperature", body, {"temperature": min(request.temperature, 1.0)})
        if request.stop:
            draft.add("stop", body, {"stop_sequences": [*request.stop]})
        if request.output_schema is not None:
            output = {"type": "json_schema", "schema": close_objects(request.output_schema)}
            config = body.get("output_config")
            effort = config if isinstance(config, dict) else {}
            words = ("output_config", "format", "schema", "structured outputs")
            draft.add("output format", body, {"output_config": {**effort, "format": output}}, *words)
        return draft

    def start_reply(self, request: ModelRequest) -> "AnthropicReply":
        """Return a reader for one reply."""
        return AnthropicReply(self.origin, request, begins_in_reasoning=self.begins_in_reasoning)

    def _max_tokens(self, request: ModelRequest) -> int:
        own = self.max_output_tokens
        return min(request.max_tokens or own or _MAX_TOKENS, own or request.max_tokens or _MAX_TOKENS)


async def list_models(endpoint: Endpoint, session: aiohttp.ClientSession) -> list[ModelListing]:
    """Ask the provider for its models."""
    headers = AnthropicModel.authorize(endpoint.key)
    return await fetch_list(endpoint, session, "/models?limit=1000", headers, _read_models)


class _WireMessage(TypedDict):
    role: str
    content: list[dict[str, object]]


class _ThinkingDetails(TypedDict, total=False):
    thinking_tokens: object


class _Usage(TypedDict, total=False):
    input_tokens: object
    output_tokens: object
    cache_read_input_tokens: object
    cache_creation_input_tokens: object
    output_tokens_details: _ThinkingDetails | None


class _Block(TypedDict, total=False):
    """A block of content: text, thinking, or a call."""

    type: str
    text: object
    thinking: object
    signature: object
    data: object
    id: object
    name: object
    input: object


class _Delta(TypedDict, total=False):
    type: str
    text: object
    thinking: object
    signature: object
    partial_json: object
    stop_reason: str | None


class _Message(TypedDict, total=False):
    content: list[_Block]
    stop_reason: str | None
    usage: _Usage | None


class _Event(_Message, total=False):
    """An event of the stream, or a whole message."""

    type: str
    index: int | None
    delta: _Delta
    content_block: _Block
    message: _Message
    error: object


class AnthropicReply(Reply):
    """Reads the events of one message."""

    finish_reasons: ClassVar[dict[str, FinishReason]] = {
        **dict.fromkeys(("end_turn", "tool_use", "stop_sequence", "pause_turn"), "stop"),
        **dict.fromkeys(("max_tokens", "model_context_window_exceeded"), "length"),
        "content_filter": "content_filter",
        "refusal": "refusal",
    }

    def __init__(self, origin: str, request: ModelRequest, *, begins_in_reasoning: bool = False) -> None:
        super().__init__(origin, request, begins_in_reasoning=begins_in_reasoning)
        self._calls = CallAssembler()
        self._layout = LayoutWriter()
        self._blocks: dict[int, dict[str, str]] = {}

    def take(self, value: _Event) -> Sequence[Delta]:
        """Add one event, or a whole message."""
        match value.get("type"):
            case "content_block_delta":
                return self._take_delta(value.get("index") or 0, value["delta"])
            case "content_block_start":
                return self._start_block(value.get("index") or 0, value["content_block"])
            case "message_start":
                message = value["message"]
                self._take_usage(message)
                return self._take_content(message.get("content") or ())
            case "message_delta":
                self._take_usage(value)
                if reason := value["delta"].get("stop_reason"):
                    self.set_reason(reason)
            case "message_stop":
                self.finished = self.ended = True
            case "error":
                raise ReportedError(value.get("error") or value)
            case "message":
                return self._take_message(value)
            case None if error := value.get("error"):
                raise ReportedError(error)
        return ()

    def calls(self) -> Sequence[ToolCall]:
        """Return the calls of the finished reply."""
        return self._calls.calls(self.offered)

    def opaque(self) -> Sequence[ProviderItem]:
        """Return the blocks of thinking and their places."""
        return self._layout.opaque(self.text_characters, self.origin, PROTOCOL)

    def _take_message(self, message: _Message) -> Sequence[Delta]:
        deltas = self._take_content(message["content"])
        self._take_usage(message)
        self.set_reason(message.get("stop_reason") or "end_turn")
        return deltas

    def _take_content(self, blocks: Sequence[_Block]) -> Sequence[Delta]:
        return [delta for at, block in enumerate(blocks) for delta in self._start_block(at, block)]

    def _start_block(self, index: int, block: _Block) -> Sequence[Delta]:
        kind = block.get("type")
        if kind == "text":
            return self.add_text(as_text(block.get("text")))
        if kind == "thinking":
            self._keep(index, {"type": kind, "thinking": "", "signature": as_text(block.get("signature"))})
            return self._think(index, as_text(block.get("thinking")))
        if kind == "redacted_thinking":
            self._keep(index, {"type": kind, "data": as_text(block.get("data"))})
        elif kind == "tool_use":
            block_input = block.get("input")
            arguments = arguments_text(block_input) if block_input else ""
            self._calls.add(index, as_text(block.get("id")), as_text(block.get("name")), self.count(arguments))
            self._layout.add_call(self.text_characters)
        return ()

    def _take_delta(self, index: int, delta: _Delta) -> Sequence[Delta]:
        match delta.get("type"):
            case "text_delta":
                return self.add_text(as_text(delta["text"]))
            case "thinking_delta":
                return self._think(index, as_text(delta["thinking"]))
            case "signature_delta":
                self._thought(index)["signature"] += as_text(delta["signature"])
            case "input_json_delta":
                self._calls.add(index, "", "", self.count(arguments_text(delta.get("partial_json"))))
        return ()

    def _think(self, index: int, text: str) -> Sequence[Delta]:
        self._thought(index)["thinking"] += text
        return self.add_reasoning(text)

    def _thought(self, index: int) -> dict[str, str]:
        if index not in self._blocks:
            self._keep(index, {"type": "thinking", "thinking": "", "signature": ""})
        return self._blocks[index]

    def _keep(self, index: int, block: dict[str, str]) -> None:
        self._blocks[index] = block
        self._layout.keep(self.text_characters, block)

    def _take_usage(self, value: _Message) -> None:
        usage = value.get("usage") or {}
        cached = as_count(usage.get("cache_read_input_tokens"))
        cache_writes = as_count(usage.get("cache_creation_input_tokens"))
        thought = as_count((usage.get("output_tokens_details") or {}).get("thinking_tokens"))
        prompt, completion = as_count(usage.get("input_tokens")), as_count(usage.get("output_tokens"))
        if usage:
            self.add_usage(Usage(prompt + cached + cache_writes, completion, cached, min(thought, completion)))


def _tool_choice(request: ModelRequest, *, thinks: bool) -> dict[str, object]:
    """Return the choice of tools; {} for the default. A model that thinks cannot be made to call a tool."""
    choice: dict[str, object] = {"type": "any"} if request.must_call and not thinks else {}
    return {"type": "auto", **choice, "disable_parallel_tool_use": True} if request.single_call else choice


def _add_thinking(
    draft: RequestDraft, effort: ReasoningEffort | None, max_tokens: int, messages: Sequence[Message], origin: str
) -> bool:
    """Ask for thinking as this model takes it: adaptive, or with a budget of tokens. True if it will think."""
    body = draft.body
    if effort is None:
        return False
    if effort == "none":
        draft.add("thinking disabled", body, {"thinking": {"type": "disabled"}})
        return False
    adaptive = {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": effort}}
    if draft.add("adaptive thinking", body, adaptive, "adaptive", "thinking", "effort", "output_config", "display"):
        return True
    budget = min(_BUDGETS[effort], max_tokens - 1)
    if budget < _LEAST_BUDGET or _lacks_thinking(messages, origin):
        return False
    thinking = {"thinking": {"type": "enabled", "budget_tokens": budget}}
    return draft.add("thinking budget", body, thinking, "thinking", "budget_tokens")


def _lacks_thinking(messages: Sequence[Message], origin: str) -> bool:
    """Return whether the step in progress began without thinking, which a budget of thinking forbids."""
    for message in reversed(messages):
        if message.role == "user":
            return False
        if message.tool_calls:
            stored_parts = kept_for(message, origin, PROTOCOL) or ()
            return not any("kept" in part for part in stored_parts)
    return False


def _split_system(messages: Sequence[Message]) -> tuple[str, list[Message]]:
    """Return the leading system messages as one text, and the others."""
    count = next((at for at, message in enumerate(messages) if message.role != "system"), len(messages))
    return "\n\n".join(message.content for message in messages[:count] if message.content), list(messages[count:])


def _wire_messages(messages: Sequence[Message], origin: str, draft: RequestDraft) -> list[_WireMessage]:
    """Convert a conversation: roles alternate, results of tools come from the user, and the user begins."""
    keeps = any(kept_for(message, origin, PROTOCOL) for message in messages)
    keeps = keeps and draft.use("kept thinking", "signature", "redacted_thinking")
    wire: list[_WireMessage] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = list(_assistant_blocks(message, origin if keeps else "") if role == "assistant" else _blocks(message))
        if blocks and wire and wire[-1]["role"] == role:
            wire[-1]["content"] += blocks
        elif blocks:
            wire.append({"role": role, "content": blocks})
    if not wire or wire[0]["role"] != "user":
        wire.insert(0, {"role": "user", "content": [{"type": "text", "text": _NO_TEXT}]})
    return wire


def _assistant_blocks(message: Message, origin: str) -> Iterator[dict[str, object]]:
    for part in restore_parts(message, kept_for(message, origin, PROTOCOL)):
        if part.content is None:
            if part.extra["kept"].get("type") != "thinking" or part.extra["kept"].get("signature"):
                yield dict(part.extra["kept"])
        elif isinstance(part.content, str):
            if part.content.strip():
                yield {"type": "text", "text": part.content}
        else:
            call = part.content
            arguments = arguments_object(call.arguments)
            yield {"type": "tool_use", "id": _wire_id(call.id), "name": call.name or "unknown", "input": arguments}


def _blocks(message: Message) -> Iterator[dict[str, object]]:
    text: list[dict[str, object]] = [{"type": "text", "text": message.content}] if message.content.strip() else []
    content = [*text, *map(_wire_media, message.media)]
    if message.role == "tool":
        yield {"type": "tool_result", "tool_use_id": _wire_id(message.tool_call_id or ""), "content": content}
    else:
        yield from content or [{"type": "text", "text": _NO_TEXT}]


def _wire_id(call_id: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", call_id) or "call"


def _wire_media(media: Media) -> dict[str, object]:
    source = {"type": "base64", "media_type": media.media_type, "data": base64_of(media)}
    if media.kind == "image":
        return {"type": "image", "source": source}
    title = {"title": media.name} if media.name else {}
    return {"type": "document", "source": {**source, "media_type": "application/pdf"}, **title}


def _wire_tool(tool: ToolOffer) -> dict[str, object]:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}


def _mark(blocks: list[dict[str, object]], is_cached: bool) -> list[dict[str, object]]:
    """Mark the end of a prefix that the provider may cache. Thinking cannot carry the mark."""
    if is_cached and blocks[-1].get("type") not in ("thinking", "redacted_thinking"):
        blocks[-1] = {**blocks[-1], **_CACHED}
    return blocks


def _read_models(answer: object) -> list[ModelListing]:
    return read_listing(answer, _read_model)


def _read_model(model: Mapping[str, object]) -> ModelListing:
    found = model.get("capabilities")
    capabilities = found if isinstance(found, dict) else {}
    kinds: list[Modality] = ["text"]
    kinds += ["image"] if (capabilities.get("image_input") or {}).get("supported") else []
    kinds += ["pdf"] if (capabilities.get("pdf_input") or {}).get("supported") else []
    accepted = frozenset(kinds) if capabilities else None
    return ModelListing(
        str(model.get("id") or ""), limit(model, "max_input_tokens"), limit(model, "max_tokens"), accepted
    )
