"""Google's Gemini API: generateContent, streamed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, TypedDict
from urllib.parse import quote

import aiohttp
import orjson

from retinue.models.base import (
    Delta,
    FinishReason,
    Media,
    Message,
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
from retinue.models.providers.layout import LayoutWriter, ReplyPart, kept_for, restore_parts
from retinue.models.providers.media import base64_of, describe, hide_unsupported
from retinue.models.providers.reply import Reply, as_count, as_text
from retinue.models.providers.tool_calls import CallAssembler, arguments_object, arguments_text

PROTOCOL = "gemini"

_BUDGETS: dict[ReasoningEffort, int] = {"none": 0, "low": 1024, "medium": 8192, "high": 24_576}
_LEVELS: dict[ReasoningEffort, str] = {"none": "minimal", "low": "low", "medium": "medium", "high": "high"}
_UNSIGNED = "skip_thought_signature_validator"
"""The documented signature of calls that another model made. Models from Gemini 3 on refuse calls without one."""

_NO_TEXT = "(no text)"


class GeminiModel(ProviderClient):
    """A model behind generateContent."""

    @property
    def path(self) -> str:
        """Where requests go, below `Endpoint.base_url`."""
        folder, _, name = self.wire_name.rpartition("/")
        return f"/{quote(folder or 'models', safe='')}/{quote(name, safe='')}:streamGenerateContent?alt=sse"

    @staticmethod
    def authorize(key: str) -> dict[str, str]:
        """Return the headers that carry `key`."""
        return {"x-goog-api-key": key} if key else {}

    def draft(self, request: ModelRequest, refused: frozenset[str]) -> RequestDraft:
        """Build the body of a streamed request without the features that the provider refused."""
        config: dict[str, object] = {}
        draft = RequestDraft({"contents": []}, refused)
        body = draft.body
        messages = hide_unsupported(request.messages, self.input)
        count = next((at for at, message in enumerate(messages) if message.role != "system"), len(messages))
        if system := "\n\n".join(message.content for message in messages[:count] if message.content):
            body["systemInstruction"] = {"parts": [{"text": system}]}
        body["contents"] = _wire_contents(messages[count:], self.origin, self._signs(), draft)
        if request.tools:
            body["tools"] = [{"functionDeclarations": [_wire_tool(tool) for tool in request.tools]}]
        if request.must_call:
            choice = {"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}}
            draft.add("tool_choice", body, choice, "toolConfig", "tool_config", "function calling config")
        if request.temperature is not None:
            draft.add("temperature", config, {"temperature": request.temperature})
        if request.max_tokens is not None:
            config["maxOutputTokens"] = min(request.max_tokens, self.max_output_tokens or request.max_tokens)
        if request.stop:
            draft.add("stop", config, {"stopSequences": [*request.stop]})
        if request.reasoning_effort:
            _add_thinking(draft, config, request.reasoning_effort)
        if request.output_schema is not None:
            # Older models take either tools or a schema, not both.
            feature = "schema beside tools" if request.tools else "schema"
            schema = {"responseMimeType": "application/json", "responseJsonSchema": request.output_schema}
            words = ("response mime type", "responseMimeType", "response_mime_type", "responseJsonSchema")
            draft.add(feature, config, schema, *words, "response_json_schema", "response schema")
        if config:
            body["generationConfig"] = config
        return draft

    def start_reply(self, request: ModelRequest) -> "GeminiReply":
        """Return a reader for one reply."""
        return GeminiReply(self.origin, request, begins_in_reasoning=self.begins_in_reasoning)

    def _signs(self) -> bool:
        """Return whether this model refuses calls without a signature."""
        version = re.search(r"gemini-(\d+)", self.wire_name)
        return version is not None and int(version[1]) >= 3


async def list_models(endpoint: Endpoint, session: aiohttp.ClientSession) -> list[ModelListing]:
    """Ask the provider for its models that generate content."""
    headers = GeminiModel.authorize(endpoint.key)
    return await fetch_list(endpoint, session, "/models?pageSize=1000", headers, _read_models)


class _WireContent(TypedDict):
    role: str
    parts: list[dict[str, object]]


class _FunctionCall(TypedDict, total=False):
    id: object
    name: object
    args: object


class _Part(TypedDict, total=False):
    text: object
    thought: bool
    thoughtSignature: object
    functionCall: _FunctionCall | None


class _Content(TypedDict, total=False):
    parts: list[_Part] | None


class _Candidate(TypedDict, total=False):
    index: int | None
    content: _Content | None
    finishReason: str | None


class _Feedback(TypedDict, total=False):
    blockReason: object


class _Usage(TypedDict, total=False):
    promptTokenCount: object
    toolUsePromptTokenCount: object
    candidatesTokenCount: object
    thoughtsTokenCount: object
    cachedContentTokenCount: object


class _Chunk(TypedDict, total=False):
    error: object
    candidates: list[_Candidate] | None
    promptFeedback: _Feedback | None
    usageMetadata: _Usage | None


class GeminiReply(Reply):
    """Reads the chunks of one reply."""

    finish_reasons: ClassVar[dict[str, FinishReason]] = {
        **dict.fromkeys(("stop", "finish_reason_unspecified", "continuation", "too_many_tool_calls"), "stop"),
        "max_tokens": "length",
        **dict.fromkeys(("safety", "recitation", "language", "blocklist", "prohibited_content"), "content_filter"),
        **dict.fromkeys(("spii", "model_armor", "image_safety", "image_prohibited_content"), "content_filter"),
        **dict.fromkeys(("image_recitation", "jailbreak", "escalation"), "content_filter"),
    }
    failures = frozenset(
        {
            "malformed_function_call",
            "unexpected_tool_call",
            "missing_thought_signature",
            "malformed_response",
            "other",
            "no_image",
            "image_other",
        }
    )

    def __init__(self, origin: str, request: ModelRequest, *, begins_in_reasoning: bool = False) -> None:
        super().__init__(origin, request, begins_in_reasoning=begins_in_reasoning)
        self._calls = CallAssembler()
        self._layout = LayoutWriter()

    def take(self, value: _Chunk) -> Sequence[Delta]:
        """Add one chunk."""
        if error := value.get("error"):
            raise ReportedError(error)
        if usage := value.get("usageMetadata"):
            self.add_usage(_read_usage(usage))
        candidates = value.get("candidates")
        if not candidates:
            if (value.get("promptFeedback") or {}).get("blockReason"):
                self.set_reason("safety")
            return ()
        candidate = next((one for one in candidates if not one.get("index")), None)
        if candidate is None:
            return ()
        parts = (candidate.get("content") or {}).get("parts") or []
        deltas = [delta for part in parts for delta in self._take_part(part)]
        if reason := candidate.get("finishReason"):
            self.set_reason(reason)
        return deltas

    def calls(self) -> Sequence[ToolCall]:
        """Return the calls of the finished reply."""
        return self._calls.calls(self.offered)

    def opaque(self) -> Sequence[ProviderItem]:
        """Return the signatures and the parts that carry them."""
        return self._layout.opaque(self.text_characters, self.origin, PROTOCOL)

    def _take_part(self, part: _Part) -> Sequence[Delta]:
        if len(part) == 1 and "text" in part:  # The common shape.
            return self.add_text(text) if (text := as_text(part["text"])) else ()
        signature = part.get("thoughtSignature")
        extra = {"signature": signature} if signature else {}
        if call := part.get("functionCall"):
            arguments = arguments_text(call.get("args"))
            place = len(self._calls.partial)  # Each part is a whole call.
            self._calls.add(place, as_text(call.get("id")), as_text(call.get("name")), self.count(arguments))
            self._layout.add_call(self.text_characters, {**extra, **({"id": call["id"]} if call.get("id") else {})})
            return ()
        text = as_text(part.get("text"))
        if part.get("thought"):
            if signature:
                self._layout.keep(self.text_characters, {"text": text, "thought": True, "thoughtSignature": signature})
            return self.add_reasoning(text)
        deltas = self.add_text(text) if text else ()
        if signature:
            self._layout.end_text(self.text_characters, extra)
        return deltas


def _read_usage(usage: _Usage) -> Usage:
    """Read token counts: Gemini counts thoughts beside the candidates, and tool results beside the prompt."""
    prompt = as_count(usage.get("promptTokenCount")) + as_count(usage.get("toolUsePromptTokenCount"))
    thoughts = as_count(usage.get("thoughtsTokenCount"))
    completion = as_count(usage.get("candidatesTokenCount")) + thoughts
    return Usage(prompt, completion, min(as_count(usage.get("cachedContentTokenCount")), prompt), thoughts)


def _add_thinking(draft: RequestDraft, config: dict[str, object], effort: ReasoningEffort) -> None:
    """Ask for thinking as this model takes it: by level since Gemini 3, before that by budget."""
    thoughts = {"includeThoughts": True} if effort != "none" else {}
    words = ("thinkingLevel", "thinking_level", "thinking level", "thinkingConfig", "thinking_config", "thinking")
    level = {"thinkingConfig": {"thinkingLevel": _LEVELS[effort], **thoughts}}
    budget = {"thinkingConfig": {"thinkingBudget": _BUDGETS[effort], **thoughts}}
    if not draft.add(f"thinking level {_LEVELS[effort]}", config, level, *words):
        draft.add(f"thinking budget {effort}", config, budget, "thinkingBudget", "thinking_budget", "budget", *words)


def _wire_contents(messages: Sequence[Message], origin: str, signs: bool, draft: RequestDraft) -> list[_WireContent]:
    """Convert a conversation: roles alternate, results of tools come from the user, and the user begins."""
    contents: list[_WireContent] = []
    ids: dict[str, str] = {}
    for message in messages:
        role = "model" if message.role == "assistant" else "user"
        if role == "model":
            parts = list(_model_parts(message, origin, signs, ids))
        else:
            parts = list(_user_parts(message, ids, draft))
        if parts and contents and contents[-1]["role"] == role:
            contents[-1]["parts"] += parts
        elif parts:
            contents.append({"role": role, "parts": parts})
    if not contents or contents[0]["role"] != "user":
        contents.insert(0, {"role": "user", "parts": [{"text": _NO_TEXT}]})
    return contents


def _model_parts(message: Message, origin: str, signs: bool, ids: dict[str, str]) -> Iterator[dict[str, object]]:
    stored_parts = kept_for(message, origin, PROTOCOL)
    needs_signature = signs and bool(message.tool_calls) and not any("signature" in part for part in stored_parts or ())
    for part in restore_parts(message, stored_parts):
        wire = _model_part(part, ids)
        if needs_signature and "functionCall" in wire:
            wire["thoughtSignature"], needs_signature = _UNSIGNED, False
        yield wire


def _model_part(part: ReplyPart, ids: dict[str, str]) -> dict[str, object]:
    if part.content is None:
        return dict(part.extra["kept"])
    signature = {"thoughtSignature": part.extra["signature"]} if "signature" in part.extra else {}
    if isinstance(part.content, str):
        return {"text": part.content, **signature}
    call = part.content
    wire: dict[str, object] = {"name": call.name or "unknown", "args": arguments_object(call.arguments)}
    if "id" in part.extra:
        wire["id"] = ids[call.id] = part.extra["id"]
    return {"functionCall": wire, **signature}


def _user_parts(message: Message, ids: Mapping[str, str], draft: RequestDraft) -> Iterator[dict[str, object]]:
    media = [_wire_media(one) for one in message.media]
    if message.role != "tool":
        if message.content or not media:
            yield {"text": message.content}
        yield from media
        return
    response: dict[str, object] = {"name": message.tool_name or "unknown", "response": _result(message.content)}
    if call_id := ids.get(message.tool_call_id or ""):
        response["id"] = call_id
    inside = bool(media) and draft.use("files in tool results", "functionResponse", "function_response", "parts")
    yield {"functionResponse": {**response, "parts": media} if inside else response}
    if media and not inside:
        yield {"text": describe(message.media)}
        yield from media


def _result(content: str) -> dict[str, object]:
    """Return a tool result as the object that the protocol asks for."""
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError:
        return {"result": content}
    return value if isinstance(value, dict) else {"result": value}


def _wire_media(media: Media) -> dict[str, object]:
    return {"inlineData": {"mimeType": media.media_type, "data": base64_of(media)}}


def _wire_tool(tool: ToolOffer) -> dict[str, object]:
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.input_schema}


def _read_models(answer: object) -> list[ModelListing]:
    return read_listing(answer, _read_model)


def _read_model(model: Mapping[str, object]) -> ModelListing:
    methods = model.get("supportedGenerationMethods") or ["generateContent"]
    generates = isinstance(methods, list) and "generateContent" in methods
    name = str(model.get("name") or "").removeprefix("models/") if generates else ""
    return ModelListing(name, limit(model, "inputTokenLimit"), limit(model, "outputTokenLimit"))
