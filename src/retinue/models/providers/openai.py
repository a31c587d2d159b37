"""Chat Completions of OpenAI and of the many servers that speak it."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypedDict

import aiohttp

from retinue.models.base import (
    Delta,
    FinishReason,
    Media,
    Message,
    ModelRequest,
    ProviderItem,
    ToolCall,
    ToolOffer,
    Usage,
)
from retinue.models.providers.catalogue import ModelListing, read_listing
from retinue.models.providers.client import ProviderClient, fetch_list, read_at_most
from retinue.models.providers.draft import RequestDraft
from retinue.models.providers.endpoint import Endpoint
from retinue.models.providers.errors import ReportedError
from retinue.models.providers.layout import kept_for
from retinue.models.providers.media import audio_format, base64_of, data_url, describe, file_name, hide_unsupported
from retinue.models.providers.reply import Reply, as_count, as_text
from retinue.models.providers.schemas import is_strict
from retinue.models.providers.tool_calls import CallAssembler, arguments_text, valid_arguments
from retinue.models.streams import MAX_BODY, MalformedStream, read_json

PROTOCOL = "chat"

_MAX_ID = 40
_SHORT_ID = 9
"""Mistral takes no other ids than of nine letters and digits."""


class OpenAIModel(ProviderClient):
    """A model behind Chat Completions."""

    @property
    def path(self) -> str:
        """Where requests go, below `Endpoint.base_url`."""
        return "/chat/completions"

    @staticmethod
    def authorize(key: str) -> dict[str, str]:
        """Return the headers that carry `key`."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def draft(self, request: ModelRequest, refused: frozenset[str]) -> RequestDraft:
        """Build the body of a streamed request without the features that the provider refused."""
        draft = RequestDraft({"model": self.wire_name, "messages": [], "stream": True}, refused)
        body = draft.body
        draft.add("stream_options", body, {"stream_options": {"include_usage": True}})
        if request.temperature is not None:
            draft.add("temperature", body, {"temperature": request.temperature})
        if request.max_tokens is not None:
            limit = min(request.max_tokens, self.max_output_tokens or request.max_tokens)
            names = ("max_tokens", "max_completion_tokens")
            any(draft.add(name, body, {name: limit}) for name in names)
        if request.stop:
            draft.add("stop", body, {"stop": [*request.stop]})
        if effort := request.reasoning_effort:
            draft.add(f"reasoning_effort {effort}", body, {"reasoning_effort": effort})
        if request.output_schema is not None:
            draft.add("response_format", body, {"response_format": _response_format(request.output_schema)})
        if request.tools:
            body["tools"] = [_wire_tool(tool) for tool in request.tools]
        if request.must_call:
            draft.add("tool_choice", body, {"tool_choice": "required"})
        if request.single_call:
            draft.add("parallel_tool_calls", body, {"parallel_tool_calls": False})
        messages = hide_unsupported(request.messages, self.input)
        body["messages"] = list(_wire_messages(messages, self.origin, draft))
        return draft

    def start_reply(self, request: ModelRequest) -> "CompletionReply":
        """Return a reader for one reply."""
        return CompletionReply(self.origin, request, begins_in_reasoning=self.begins_in_reasoning)

    async def generate(
        self, messages: Sequence[Message], schema: Mapping[str, object], max_tokens: int
    ) -> tuple[dict[str, object], Usage]:
        """Ask the model for a JSON object that matches `schema`. Returns {} if the model stopped before its end."""

        def draft(refused: frozenset[str]) -> RequestDraft:
            body: dict[str, object] = {
                "model": self.wire_name,
                "messages": [_wire_message(message) for message in messages],
            }
            draft = RequestDraft(body, refused)
            draft.add("temperature", body, {"temperature": 0})
            any(draft.add(name, body, {name: max_tokens}) for name in ("max_tokens", "max_completion_tokens"))
            answer = {"type": "json_schema", "json_schema": {"name": "choice", "schema": schema}}
            draft.add("response_format", body, {"response_format": answer})
            return draft

        with self.translated_errors():
            response = await self.post(draft)
            try:
                return _read_choice(await read_at_most(response, MAX_BODY))
            finally:
                response.close()


async def list_models(endpoint: Endpoint, session: aiohttp.ClientSession) -> list[ModelListing]:
    """Ask the provider for its models."""
    authorization = OpenAIModel.authorize(endpoint.key)
    return await fetch_list(endpoint, session, "/models", authorization, read_listing)


class _PromptDetails(TypedDict, total=False):
    cached_tokens: object


class _CompletionDetails(TypedDict, total=False):
    reasoning_tokens: object


class WireUsage(TypedDict, total=False):
    """The token counts of an answer. Counts that a provider sends as null or as text count as 0."""

    prompt_tokens: object
    completion_tokens: object
    total_tokens: object
    prompt_cache_hit_tokens: object
    prompt_tokens_details: _PromptDetails | None
    completion_tokens_details: _CompletionDetails | None


class _Function(TypedDict, total=False):
    name: object
    arguments: object


class _Call(_Function, total=False):
    id: object
    index: object
    function: _Function | None
    extra_content: object


class _Part(TypedDict, total=False):
    """A part of content that is no plain text."""

    type: str
    text: object
    thinking: object
    reasoning: object
    refusal: object


class _Delta(TypedDict, total=False):
    """A fragment of a message, or a whole message. Content is text from most providers."""

    content: str | _Part | list[_Part | str] | None
    refusal: object
    reasoning_content: object
    reasoning: object
    reasoning_details: list[dict[str, object]] | None
    extra_content: object
    function_call: _Function | None
    tool_calls: list[_Call] | None


class _Choice(TypedDict, total=False):
    index: int | None
    delta: _Delta | None
    message: _Delta | None
    text: str | None
    finish_reason: str | None
    usage: WireUsage | None


class _Groq(TypedDict, total=False):
    usage: WireUsage | None


class _Chunk(TypedDict, total=False):
    """A chunk of a completion, or a whole completion."""

    error: object
    choices: list[_Choice] | None
    usage: WireUsage | None
    x_groq: _Groq | None
    object: str


class CompletionReply(Reply):
    """Reads the chunks of one completion."""

    finish_reasons: ClassVar[dict[str, FinishReason]] = {
        **dict.fromkeys(("stop", "tool_calls", "function_call", "eos", "eos_token", "end_turn"), "stop"),
        **dict.fromkeys(("tool_use", "tool_call", "stop_sequence", "complete", "completed", "finished"), "stop"),
        **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "model_length", "max_length"), "length"),
        **dict.fromkeys(("content_filter", "content_filtered", "safety", "recitation", "sensitive"), "content_filter"),
        **dict.fromkeys(("blocklist", "prohibited_content", "spii", "guardrail_intervened"), "content_filter"),
        "refusal": "refusal",
    }
    failures = frozenset(
        {
            "error",
            "network_error",
            "insufficient_system_resource",
            "abort",
            "cancelled",
            "timeout",
            "malformed_function_call",
            "function_call_filter: malformed_function_call",
        }
    )

    def __init__(self, origin: str, request: ModelRequest, *, begins_in_reasoning: bool = False) -> None:
        super().__init__(origin, request, begins_in_reasoning=begins_in_reasoning)
        self._calls = CallAssembler()
        self._provider_data: dict[str, Any] = {}
        self._has_content = False

    def take(self, value: _Chunk) -> Sequence[Delta]:
        """Add one chunk, or a whole completion."""
        if text := _plain_text(value):
            self._has_content = True
            return self.add_text(text)
        return self._take_chunk(value)

    def _take_chunk(self, value: _Chunk) -> Sequence[Delta]:
        if error := value.get("error"):
            raise ReportedError(error)
        choices = value.get("choices")
        if usage := value.get("usage"):
            self.add_usage(read_usage(usage))
        if not choices:
            return self._check(value)
        choice = next((one for one in choices if not one.get("index")), None)
        if choice is None:
            return ()
        if usage := choice.get("usage"):
            self.add_usage(read_usage(usage))
        delta = choice.get("delta")
        if delta is None:
            delta = self._whole(choice)
        deltas = self._take_delta(delta) if delta else ()
        if reason := choice.get("finish_reason"):
            self.set_reason(reason)
        return deltas

    def calls(self) -> Sequence[ToolCall]:
        """Return the calls of the finished reply."""
        return self._calls.calls(self.offered)

    def opaque(self) -> Sequence[ProviderItem]:
        """Return the reasoning and the signatures of the calls, as fields of the message to send back."""
        extras = [call.extra for call in self._calls.partial]
        if "reasoning_details" in self._provider_data:
            self._provider_data.pop("reasoning", None)  # The same in other words.
        if not self._provider_data and not any(extras):
            return ()
        return (ProviderItem(self.origin, {PROTOCOL: {"message": self._provider_data, "calls": extras}}),)

    def _check(self, value: _Chunk) -> Sequence[Delta]:
        """Accept a chunk without choices only if it is one: usage, a ping, or the settings of a filter."""
        usage = (value.get("x_groq") or {}).get("usage")
        if usage:
            self.add_usage(read_usage(usage))
        if "choices" not in value and value.get("object") in ("error",):
            raise ReportedError(value)
        return ()

    def _whole(self, choice: _Choice) -> _Delta:
        """Return the message of a completion that was not streamed; {} if it repeats what was."""
        message = choice.get("message") or ({"content": choice["text"]} if choice.get("text") else {})
        return {} if self._has_content else message

    def _take_delta(self, delta: _Delta) -> Sequence[Delta]:
        content = delta.get("content")
        deltas = [*self._take_reasoning(delta)]
        if content:
            self._has_content = True
            deltas += self.add_text(content) if isinstance(content, str) else self._take_parts(content)
        if refusal := delta.get("refusal"):
            deltas += self.add_text(as_text(refusal))
            self.set_reason("refusal")
            self.finished = False
        if legacy := delta.get("function_call"):
            self._take_call({"index": 0, "function": legacy})
        for part in delta.get("tool_calls") or ():
            self._take_call(part)
        return deltas

    def _take_reasoning(self, delta: _Delta) -> Iterator[Delta]:
        reasoning = ""
        for name in ("reasoning_content", "reasoning"):
            text = delta.get(name)
            if isinstance(text, dict):
                text = text.get("content") or text.get("text")
            if text:
                self._provider_data[name] = self._provider_data.get(name, "") + as_text(text)
                reasoning = reasoning or as_text(text)
        for detail in delta.get("reasoning_details") or ():
            reasoning = reasoning or as_text(detail.get("text") or detail.get("summary"))
            _merge_detail(self._provider_data.setdefault("reasoning_details", []), detail)
        if signature := delta.get("extra_content"):
            self._provider_data["extra_content"] = signature
        if reasoning:
            yield from self.add_reasoning(reasoning)

    def _take_parts(self, parts: _Part | list[_Part | str]) -> Iterator[Delta]:
        """Read content that is a part or a list of parts, such as Mistral's thinking."""
        for part in [parts] if isinstance(parts, dict) else parts:
            if isinstance(part, str):
                yield from self.add_text(part)
            elif part.get("type") in ("thinking", "reasoning"):
                thought = _join_text(part.get("thinking") or part.get("text") or part.get("reasoning"))
                self._provider_data["thinking"] = self._provider_data.get("thinking", "") + thought
                yield from self.add_reasoning(thought)
            elif "text" in part or "refusal" in part:
                yield from self.add_text(as_text(part.get("text") or part.get("refusal")))

    def _take_call(self, part: _Call) -> None:
        function = part.get("function") or part
        index = part.get("index")
        call = self._calls.add(
            index if isinstance(index, int) else None,
            self.count(as_text(part.get("id"))),
            self.count(as_text(function.get("name"))),
            self.count(arguments_text(function.get("arguments"))),
        )
        self._has_content = True
        if extra := part.get("extra_content"):
            call.extra["extra_content"] = extra


def _plain_text(value: _Chunk) -> str | None:
    """Return the text of a chunk in the common shape: one fragment of text and nothing else."""
    choices = value.get("choices")
    if not choices or len(choices) != 1 or value.get("usage") or value.get("error"):
        return None
    choice = choices[0]
    delta = choice.get("delta")
    if not delta or len(delta) != 1 or choice.get("finish_reason") or choice.get("index"):
        return None
    text = delta.get("content")
    return text if type(text) is str else None


def _join_text(value: object) -> str:
    if isinstance(value, list):
        return "".join(as_text(part if isinstance(part, str) else part.get("text")) for part in value)
    return as_text(value)


def _merge_detail(details: list[dict[str, object]], detail: Mapping[str, object]) -> None:
    """Add a fragment of `reasoning_details` to the detail that it continues."""
    last = details[-1] if details else {}
    if last.get("type") != detail["type"] or last.get("index") != detail.get("index") or last.get("signature"):
        details.append(dict(detail))
        return
    for name, value in detail.items():
        before = last.get(name)
        if name in ("text", "summary", "data") and isinstance(before, str) and isinstance(value, str):
            last[name] = before + value
        elif value is not None:
            last[name] = value


def read_usage(usage: WireUsage) -> Usage:
    """Read the token counts that the provider reports."""
    prompt, completion = as_count(usage.get("prompt_tokens")), as_count(usage.get("completion_tokens"))
    reasoning = as_count((usage.get("completion_tokens_details") or {}).get("reasoning_tokens"))
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or usage.get("prompt_cache_hit_tokens")
    # Some providers leave reasoning out of the completion, which only the total shows.
    if reasoning and as_count(usage.get("total_tokens")) == prompt + completion + reasoning:
        completion += reasoning
    return Usage(prompt, completion, min(as_count(cached), prompt), min(reasoning, completion))


def _wire_messages(messages: Sequence[Message], origin: str, draft: RequestDraft) -> Iterator[dict[str, object]]:
    """Convert a conversation. Files that tools return follow their results, which are text only."""
    returned: list[Media] = []
    has_long_ids = any(message.tool_calls for message in messages) and draft.use("tool call ids", "tool call id")
    for message in messages:
        if message.role != "tool" and returned:
            yield _message_of_files(returned)
            returned = []
        if message.role == "tool":
            returned += message.media
        yield _wire_message(message, origin, draft, _MAX_ID if has_long_ids else _SHORT_ID)
    if returned:
        yield _message_of_files(returned)


def _message_of_files(media: list[Media]) -> dict[str, object]:
    return {"role": "user", "content": [{"type": "text", "text": describe(media)}, *map(_wire_media, media)]}


def _wire_message(
    message: Message, origin: str = "", draft: RequestDraft | None = None, longest_id: int = _MAX_ID
) -> dict[str, object]:
    """Convert one message."""
    if message.role == "tool":
        call_id = _wire_id(message.tool_call_id or "", longest_id)
        return {"role": "tool", "content": message.content, "tool_call_id": call_id}
    if message.media:
        parts = [{"type": "text", "text": message.content}] if message.content else []
        return {"role": message.role, "content": [*parts, *map(_wire_media, message.media)]}
    wire: dict[str, object] = {"role": message.role, "content": message.content}
    stored = kept_for(message, origin, PROTOCOL) if draft else None
    if message.tool_calls:
        extras = stored["calls"] if stored else []
        wire["content"] = message.content or None
        wire["tool_calls"] = [
            {
                "id": _wire_id(call.id, longest_id),
                "type": "function",
                "function": {"name": call.name or "unknown", "arguments": valid_arguments(call.arguments)},
                **(extras[at] if at < len(extras) else {}),
            }
            for at, call in enumerate(message.tool_calls)
        ]
    if stored and draft:
        _restore(wire, stored["message"], draft)
    return wire


def _restore(wire: dict[str, object], stored: Mapping[str, object], draft: RequestDraft) -> None:
    """Put back the reasoning that the provider sent with this message."""
    for name, value in stored.items():
        if name != "thinking":
            draft.add(f"kept {name}", wire, {name: value})
        elif draft.use("kept thinking", "thinking"):
            text = [{"type": "text", "text": wire["content"]}] if wire["content"] else []
            wire["content"] = [{"type": "thinking", "thinking": [{"type": "text", "text": value}]}, *text]


def _wire_id(call_id: str, longest: int) -> str:
    if len(call_id) <= longest and (longest > _SHORT_ID or (len(call_id) == longest and call_id.isalnum())):
        return call_id
    return hashlib.sha256(call_id.encode("utf-8", "replace")).hexdigest()[:longest]


def _wire_media(media: Media) -> dict[str, object]:
    match media.kind:
        case "image":
            return {"type": "image_url", "image_url": {"url": data_url(media)}}
        case "audio":
            return {"type": "input_audio", "input_audio": {"data": base64_of(media), "format": audio_format(media)}}
        case _:
            return {"type": "file", "file": {"filename": file_name(media), "file_data": data_url(media)}}


def _response_format(schema: Mapping[str, object]) -> dict[str, object]:
    return {"type": "json_schema", "json_schema": {"name": "output", "schema": schema, "strict": is_strict(schema)}}


def _wire_tool(tool: ToolOffer) -> dict[str, object]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
    return {"type": "function", "function": function}


def _read_choice(body: bytes) -> tuple[dict[str, object], Usage]:
    try:
        answer = read_json(body)
        content = answer["choices"][0]["message"]["content"] or ""
        usage = read_usage(answer.get("usage") or WireUsage())
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        raise MalformedStream(f"an answer that is not a completion: {body[:80]!r}") from error
    try:
        choice = read_json(content.encode("utf-8", "replace"))
    except MalformedStream:
        return {}, usage
    return (choice if isinstance(choice, dict) else {}), usage
