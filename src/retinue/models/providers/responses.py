"""OpenAI's Responses API, stateless: the server stores nothing, and reasoning goes back encrypted."""

import hashlib
from collections.abc import Iterator, Sequence
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
    ToolCall,
    ToolOffer,
    Usage,
)
from retinue.models.providers.catalogue import ModelListing, read_listing
from retinue.models.providers.client import ProviderClient, fetch_list
from retinue.models.providers.draft import RequestDraft
from retinue.models.providers.endpoint import Endpoint
from retinue.models.providers.errors import ReportedError
from retinue.models.providers.layout import LayoutWriter, ReplyPart, kept_for, restore_parts
from retinue.models.providers.media import data_url, file_name, hide_unsupported
from retinue.models.providers.reply import Reply, as_count, as_text
from retinue.models.providers.schemas import is_strict
from retinue.models.providers.tool_calls import CallAssembler, arguments_text, valid_arguments

PROTOCOL = "responses"

_ACCEPTED: frozenset[Modality] = frozenset({"text", "image", "pdf"})
_MAX_ID = 64
_KEPT_FIELDS = ("type", "id", "summary", "content", "encrypted_content")
_REASONING_DELTAS = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")


class ResponsesModel(ProviderClient):
    """A model behind the Responses API."""

    @property
    def path(self) -> str:
        """Where requests go, below `Endpoint.base_url`."""
        return "/responses"

    @staticmethod
    def authorize(key: str) -> dict[str, str]:
        """Return the headers that carry `key`."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def draft(self, request: ModelRequest, refused: frozenset[str]) -> RequestDraft:
        """Build the body of a streamed request without the features that the provider refused."""
        draft = RequestDraft({"model": self.wire_name, "input": [], "stream": True, "store": False}, refused)
        body = draft.body
        include = {"include": ["reasoning.encrypted_content"]}
        draft.add("include", body, include, "include", "encrypted_content", "encrypted content")
        if request.temperature is not None:
            draft.add("temperature", body, {"temperature": request.temperature})
        if request.max_tokens is not None:
            limit = min(request.max_tokens, self.max_output_tokens or request.max_tokens)
            draft.add("max_output_tokens", body, {"max_output_tokens": limit})
        if effort := request.reasoning_effort:
            reasoning: dict[str, object] = {}
            words = ("reasoning.effort", "reasoning", "effort")
            if draft.add(f"reasoning {effort}", reasoning, {"effort": effort}, *words):
                body["reasoning"] = reasoning
                summary = {} if effort == "none" else {"summary": "auto"}
                draft.add("reasoning summary", reasoning, summary, "reasoning.summary", "summary", "summaries")
        if (schema := request.output_schema) is not None:
            form = {"type": "json_schema", "name": "output", "schema": schema, "strict": is_strict(schema)}
            draft.add("text.format", body, {"text": {"format": form}}, "text.format", "json_schema", "text")
        if request.tools:
            body["tools"] = [_wire_tool(tool) for tool in request.tools]
        if request.must_call:
            draft.add("tool_choice", body, {"tool_choice": "required"})
        if request.single_call:
            draft.add("parallel_tool_calls", body, {"parallel_tool_calls": False})
        messages = hide_unsupported(request.messages, self.input & _ACCEPTED)
        body["input"] = [item for message in messages for item in _wire_items(message, self.origin, draft)]
        return draft

    def start_reply(self, request: ModelRequest) -> "ResponsesReply":
        """Return a reader for one reply."""
        return ResponsesReply(self.origin, request, begins_in_reasoning=self.begins_in_reasoning)


async def list_models(endpoint: Endpoint, session: aiohttp.ClientSession) -> list[ModelListing]:
    """Ask the provider for its models."""
    return await fetch_list(endpoint, session, "/models", ResponsesModel.authorize(endpoint.key), read_listing)


class _Part(TypedDict, total=False):
    type: str
    text: object
    refusal: object


class _Item(TypedDict, total=False):
    """An item of the output: a message, a call, or reasoning."""

    type: str
    id: object
    call_id: object
    name: object
    arguments: object
    phase: object
    summary: list[_Part] | None
    content: list[_Part] | None
    encrypted_content: object


class _InputDetails(TypedDict, total=False):
    cached_tokens: object


class _OutputDetails(TypedDict, total=False):
    reasoning_tokens: object


class _Usage(TypedDict, total=False):
    input_tokens: object
    output_tokens: object
    input_tokens_details: _InputDetails | None
    output_tokens_details: _OutputDetails | None


class _IncompleteDetails(TypedDict, total=False):
    reason: str | None


class _Response(TypedDict, total=False):
    status: str | None
    error: object
    output: list[_Item] | None
    usage: _Usage | None
    incomplete_details: _IncompleteDetails | None
    object: str


class _Event(_Response, total=False):
    """An event of the stream, or a whole response."""

    type: str | None
    delta: object
    item: _Item
    output_index: int | None
    response: _Response


class ResponsesReply(Reply):
    """Reads the events of one response."""

    finish_reasons: ClassVar[dict[str, FinishReason]] = {
        "completed": "stop",
        "max_output_tokens": "length",
        "max_tokens": "length",
        "content_filter": "content_filter",
        "refusal": "refusal",
    }
    failures = frozenset({"failed", "cancelled"})

    def __init__(self, origin: str, request: ModelRequest, *, begins_in_reasoning: bool = False) -> None:
        super().__init__(origin, request, begins_in_reasoning=begins_in_reasoning)
        self._calls = CallAssembler()
        self._layout = LayoutWriter()
        self._streamed: set[tuple[str, int | None]] = set()
        self._completed: set[int | None] = set()
        self._refused = False

    def take(self, value: _Event) -> Sequence[Delta]:
        """Add one event, or a whole response."""
        kind = value.get("type") or ""
        if kind == "response.output_text.delta":
            self._streamed.add(("text", value.get("output_index")))
            return self.add_text(as_text(value["delta"]))
        if kind in _REASONING_DELTAS:
            self._streamed.add(("reasoning", value.get("output_index")))
            return self.add_reasoning(as_text(value["delta"]))
        if kind == "response.refusal.delta":
            self._refused = True
            self._streamed.add(("text", value.get("output_index")))
            return self.add_text(as_text(value["delta"]))
        if kind == "response.output_item.added" and value["item"].get("type") == "function_call":
            self._take_call(value.get("output_index"), value["item"])
        elif kind == "response.function_call_arguments.delta":
            self._calls.add(value.get("output_index"), "", "", self.count(arguments_text(value["delta"])))
        elif kind == "response.output_item.done":
            return self._take_item(value.get("output_index"), value["item"])
        else:
            return self._take_state(kind, value)
        return ()

    def _take_state(self, kind: str, value: _Event) -> Sequence[Delta]:
        if kind == "error":
            raise ReportedError(value.get("error") or value)
        if kind in ("response.completed", "response.incomplete", "response.failed"):
            return self._take_response(value["response"])
        if value.get("object") == "response":
            return self._take_response(value)
        if not kind and (error := value.get("error")):
            raise ReportedError(error)
        return ()

    def calls(self) -> Sequence[ToolCall]:
        """Return the calls of the finished reply."""
        return self._calls.calls(self.offered)

    def opaque(self) -> Sequence[ProviderItem]:
        """Return the items of reasoning and their places."""
        return self._layout.opaque(self.text_characters, self.origin, PROTOCOL)

    def _take_call(self, index: int | None, item: _Item) -> None:
        arguments = arguments_text(item.get("arguments"))
        call_id = as_text(item.get("call_id") or item.get("id"))
        call = self._calls.add(index, call_id, as_text(item.get("name")), "")
        if arguments:  # The item of the end has all of them, whatever was streamed.
            call.arguments[:] = [self.count(arguments)]

    def _take_item(self, index: int | None, item: _Item) -> Sequence[Delta]:
        """Add a whole item. Its text has been streamed already, except by servers that send no fragments."""
        self._completed.add(index)
        kind = item.get("type")
        if kind == "function_call":
            self._take_call(index, item)
            self._layout.add_call(self.text_characters)
        elif kind == "reasoning":
            fields: dict[str, object] = {**item}
            self._layout.keep(self.text_characters, {name: fields[name] for name in _KEPT_FIELDS if name in fields})
            if ("reasoning", index) not in self._streamed:
                parts = [*(item.get("summary") or ()), *(item.get("content") or ())]
                return [delta for part in parts for delta in self.add_reasoning(as_text(part.get("text")))]
        elif kind == "message":
            return self._take_item_text(index, item)
        return ()

    def _take_item_text(self, index: int | None, item: _Item) -> Sequence[Delta]:
        deltas: list[Delta] = []
        for part in item.get("content") or ():
            self._refused = self._refused or part.get("type") == "refusal"
            if ("text", index) not in self._streamed:
                deltas += self.add_text(as_text(part.get("text") or part.get("refusal")))
        if phase := item.get("phase"):
            self._layout.end_text(self.text_characters, {"phase": phase})
        return deltas

    def _take_response(self, response: _Response) -> Sequence[Delta]:
        """Add the final state of the response, and items of it that had no events of their own."""
        if (error := response.get("error")) and response.get("status") not in ("completed", "incomplete"):
            raise ReportedError(error)
        items = enumerate(response.get("output") or ())
        deltas = [delta for at, item in items if at not in self._completed for delta in self._take_item(at, item)]
        if usage := response.get("usage"):
            self.add_usage(_read_usage(usage))
        status = response.get("status") or "completed"
        if status == "incomplete":
            status = (response.get("incomplete_details") or {}).get("reason") or "max_output_tokens"
        self.set_reason("refusal" if self._refused and status == "completed" else status)
        self.ended = True
        return deltas


def _read_usage(usage: _Usage) -> Usage:
    prompt, completion = as_count(usage.get("input_tokens")), as_count(usage.get("output_tokens"))
    cached = as_count((usage.get("input_tokens_details") or {}).get("cached_tokens"))
    reasoning = as_count((usage.get("output_tokens_details") or {}).get("reasoning_tokens"))
    return Usage(prompt, completion, min(cached, prompt), min(reasoning, completion))


def _wire_items(message: Message, origin: str, draft: RequestDraft) -> Iterator[dict[str, object]]:
    if message.role == "assistant":
        stored_parts = kept_for(message, origin, PROTOCOL)
        keeps = stored_parts and draft.use("kept reasoning", "encrypted_content", "encrypted content", "reasoning")
        for part in restore_parts(message, stored_parts if keeps else None):
            yield from _wire_part(part)
    elif message.role == "tool":
        output = _content(message) if message.media else message.content
        yield {"type": "function_call_output", "call_id": _wire_id(message.tool_call_id or ""), "output": output}
    else:
        yield {"role": message.role, "content": _content(message) if message.media else message.content}


def _wire_part(part: ReplyPart) -> Iterator[dict[str, object]]:
    if part.content is None:
        yield dict(part.extra["kept"])
    elif isinstance(part.content, ToolCall):
        call = part.content
        name, arguments = call.name or "unknown", valid_arguments(call.arguments)
        yield {"type": "function_call", "call_id": _wire_id(call.id), "name": name, "arguments": arguments}
    elif part.content:
        phase = {"phase": part.extra["phase"]} if "phase" in part.extra else {}
        yield {"role": "assistant", "content": part.content, **phase}


def _content(message: Message) -> list[dict[str, object]]:
    text: list[dict[str, object]] = [{"type": "input_text", "text": message.content}] if message.content else []
    return [*text, *map(_wire_media, message.media)]


def _wire_media(media: Media) -> dict[str, object]:
    if media.kind == "image":
        return {"type": "input_image", "image_url": data_url(media), "detail": "auto"}
    return {"type": "input_file", "filename": file_name(media), "file_data": data_url(media)}


def _wire_id(call_id: str) -> str:
    return call_id if len(call_id) <= _MAX_ID else hashlib.sha256(call_id.encode("utf-8", "replace")).hexdigest()


def _wire_tool(tool: ToolOffer) -> dict[str, object]:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.input_schema,
        "strict": False,
    }
