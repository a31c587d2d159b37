"""Reads requests of the Messages API, and writes runs as messages.

Protocol: https://docs.anthropic.com/en/api/messages
"""

from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import orjson

from retinue.core.errors import ValidationFailed
from retinue.interop.anthropic.errors import NoThreads, error_body
from retinue.interop.anthropic.schemas import Block, CountRequest, MessagesRequest, Source, WireMessage
from retinue.interop.anthropic.tools import read_tools
from retinue.interop.attachments import data_url
from retinue.interop.citations import search_result_citations
from retinue.interop.handed_back import calls_of
from retinue.interop.lenient import unsupported_part
from retinue.interop.stateless_chats import (
    Conversation,
    group_chunks,
    reasoning_before_reply,
    reply_of,
    waiting_fields,
    waiting_notice,
)
from retinue.models.base import ReasoningEffort, estimate_tokens
from retinue.runs.execution.broadcast import RunStream
from retinue.runs.run_options import ClientCall, ClientMessage

_EFFORTS: dict[str, ReasoningEffort] = {"low": "low", "medium": "medium"}
"""All others mean `high`."""
_STOP_REASONS = {"length": "max_tokens", "refusal": "refusal", "content_filter": "refusal"}
_IGNORED = ("thinking", "redacted_thinking", "tool_addition", "tool_removal")
_TOKENS_PER_TOOL, _TOKENS_PER_FILE = 80, 1600


def read_request(request: MessagesRequest) -> Conversation:
    """Return the conversation of a request. Raises `ValidationFailed` for what cannot be answered."""
    if request.thread:
        raise NoThreads
    output = request.output_config
    tools, must_call = read_tools(request)
    return Conversation(
        request.model,
        _system(request),
        _read_messages(request.messages),
        tools,
        must_call=must_call,
        options={
            "shows_reasoning": bool(request.thinking and request.thinking.type != "disabled"),
            "temperature": request.temperature,
            "user": request.metadata.user_id if request.metadata else None,
            "max_output_tokens": request.max_tokens,
            "reasoning_effort": _effort(request),
            "output_schema": output.format.schema_ if output and output.format else None,
            "single_call": bool(request.tool_choice and request.tool_choice.disable_parallel_tool_use),
        },
        stop=request.stop_sequences or (),
    )


def count_tokens(request: CountRequest) -> int:
    """Estimate the tokens of a request: four characters each, and 1,600 an image or another file."""
    messages = _read_messages(request.messages)
    texts = [_system(request), *(one.content + "".join(call.arguments for call in one.calls) for one in messages)]
    tools, _ = read_tools(request)
    schemas = sum(estimate_tokens(orjson.dumps(tool.parameters).decode() + tool.description) for tool in tools)
    files = sum(len(one.attachments) for one in messages)
    return sum(map(estimate_tokens, texts)) + schemas + _TOKENS_PER_TOOL * len(tools) + _TOKENS_PER_FILE * files


def _system(request: CountRequest) -> str:
    system = request.system
    first = [system] if isinstance(system, str) else [block.text or "" for block in system or ()]
    later = [_joined_text(message.content) for message in request.messages if message.role == "system"]
    return "\n\n".join(text for text in [*first, *later] if text)


def _effort(request: MessagesRequest) -> ReasoningEffort | None:
    if request.thinking and request.thinking.type == "disabled":
        return "none"
    effort = request.output_config.effort if request.output_config else None
    if effort:
        return _EFFORTS.get(effort, "high")
    return "medium" if request.thinking else None


def _read_messages(messages: Sequence[WireMessage]) -> list[ClientMessage]:
    names: dict[str, str] = {}
    return [one for message in messages if message.role != "system" for one in _read_blocks(message, names)]


def _read_blocks(message: WireMessage, names: dict[str, str]) -> Iterator[ClientMessage]:
    blocks = message.content if isinstance(message.content, list) else [Block(type="text", text=message.content)]
    for block in blocks:
        if block.type == "tool_result":
            if block.tool_use_id not in names:
                raise ValidationFailed(f"messages: tool_use_id {block.tool_use_id!r} answers no tool_use before it.")
            fields = {"content": _joined_text(block.content or ""), "attachments": list(_files(block.content or ""))}
            about = {"role": "tool", "call_id": block.tool_use_id, "name": names[block.tool_use_id]}
            yield ClientMessage.model_validate({**about, **fields})
    calls = [_call(block) for block in blocks if block.type == "tool_use"]
    names.update({call.id: call.name for call in calls})
    rest = [block for block in blocks if block.type not in ("tool_use", "tool_result")]
    text, files = _joined_text(rest), list(_files(rest))
    if message.role == "assistant":
        yield ClientMessage(role="assistant", content=text, calls=calls)
    elif text or files:
        yield ClientMessage(role="user", content=text, attachments=files)


def _call(block: Block) -> ClientCall:
    return ClientCall(id=block.id or "", name=block.name or "", arguments=orjson.dumps(block.input or {}).decode())


def _joined_text(content: str | Sequence[Block]) -> str:
    if isinstance(content, str):
        return content
    texts = []
    for block in content:
        text = _text_of(block)
        if text is None and block.type not in _IGNORED and _file_of(block) is None:
            raise unsupported_part(block.type)
        texts.append(text)
    return "\n".join(filter(None, texts))


def _text_of(block: Block) -> str | None:
    """Return the text of a block, or of a document whose source is text."""
    source = block.source
    if block.type == "tool_reference":
        return f"The tool {block.tool_name} can be called now."
    if block.type == "search_result":
        return "\n".join(filter(None, (block.title, str(source), _joined_text(block.content or ""))))
    if not isinstance(source, Source) or block.type != "document":
        return block.text
    if source.type == "text":
        return f"{block.title}\n{source.data}" if block.title else source.data
    return _joined_text(source.content) if source.type == "content" and source.content else None


def _files(content: str | Sequence[Block]) -> Iterator[str]:
    """Yield the files of a message, as `Attachments` takes them."""
    for block in () if isinstance(content, str) else content:
        source = block.source
        if block.type == "document" and isinstance(source, Source) and source.type == "content":
            yield from _files(source.content or "")
        elif file := _file_of(block):
            yield file


def _file_of(block: Block) -> str | None:
    """Return the URL or the id of the file of an image or a document; None for other blocks."""
    source = block.source
    if not isinstance(source, Source) or block.type not in ("image", "document"):
        return None
    if source.type == "base64" and source.data and source.media_type:
        return data_url(source.media_type, source.data, block.title)
    return source.url if source.type == "url" else source.file_id


@dataclass(frozen=True, slots=True)
class AnthropicMessage:
    """A run as a message. `model` is the requested name."""

    live: RunStream
    model: str

    async def result(self) -> dict[str, object]:
        """Wait for the end of the run, and return the message. Raises the run's error."""
        await self.live.wait_until_ended()
        if self.live.error:
            raise self.live.error
        thought, text = reasoning_before_reply(self.live), reply_of(self.live)
        content: list[Mapping[str, object]] = [_thinking_block(thought)] if thought else []
        content += [_text_block(text, self._citations())] if text else []
        message = self._message([*content, *self._calls()], self._stop_reason(), self._usage())
        return {**message, **waiting_fields(self.live)}

    async def frames(self) -> AsyncGenerator[bytes]:
        """Yield the message as server-sent events."""
        blocks = _Blocks()
        yield _event("message_start", message=self._message([], None, {"input_tokens": 0, "output_tokens": 0}))
        async for chunks in self.live.follow():
            for kind, text in group_chunks(chunks):
                for event in blocks.add(kind, text):
                    yield event
        if self.live.error:
            yield _event("error", **error_body(self.live.error))
            return
        if notice := waiting_notice(self.live):
            for event in blocks.add("text", notice):
                yield event
        for event in (*blocks.cite(self._citations()), *blocks.end(self._calls())):
            yield event
        ending = {"stop_reason": self._stop_reason(), "stop_sequence": None}
        yield _event("message_delta", delta=ending, usage=self._usage(), **waiting_fields(self.live))
        yield _event("message_stop")

    def _message(
        self, content: Sequence[Mapping[str, object]], stop_reason: str | None, usage: dict[str, int]
    ) -> dict[str, object]:
        return {
            "id": f"msg_{self.live.run.id}",
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": list(content),
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": usage,
        }

    def _citations(self) -> list[dict[str, object]]:
        return search_result_citations(self.live.journal.citations or ())

    def _calls(self) -> Iterator[dict[str, object]]:
        for call in calls_of(self.live):
            yield {"type": "tool_use", "id": call.id, "name": call.name, "input": _arguments(call.arguments)}

    def _stop_reason(self) -> str:
        journal = self.live.journal
        return "tool_use" if journal.handed_back else _STOP_REASONS.get(journal.finish_reason or "stop", "end_turn")

    def _usage(self) -> dict[str, int]:
        usage = self.live.journal.spending.usage
        return {
            "input_tokens": usage.prompt_tokens - usage.cached_tokens,
            "cache_read_input_tokens": usage.cached_tokens,
            "cache_creation_input_tokens": 0,
            "output_tokens": usage.completion_tokens,
        }


def _arguments(text: str) -> dict[str, object]:
    """Parse arguments. The protocol sends an object, so a call whose arguments were cut off has none."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _thinking_block(text: str) -> dict[str, str]:
    return {"type": "thinking", "thinking": text, "signature": ""}


def _text_block(text: str, citations: Sequence[Mapping[str, object]]) -> dict[str, object]:
    return {"type": "text", "text": text, **({"citations": citations} if citations else {})}


class _Blocks:
    """The blocks of a streamed message: a thinking block first, if the model reasons before its text."""

    def __init__(self) -> None:
        self._kind, self._index = "", -1

    def add(self, kind: str, text: str) -> Iterator[bytes]:
        """Yield the events of a fragment of text or reasoning. Reasoning after the first text is left out."""
        if kind == "reasoning" and self._kind == "text":
            return
        if kind != self._kind:
            yield from self._stop()
            block = {"type": "text", "text": ""} if kind == "text" else _thinking_block("")
            yield self._start(kind, block)
        delta = {"type": "text_delta", "text": text} if kind == "text" else {"type": "thinking_delta", "thinking": text}
        yield self._delta(delta)

    def cite(self, citations: Iterable[Mapping[str, object]]) -> Iterator[bytes]:
        """Yield the citations of the text so far."""
        for citation in citations:
            yield self._delta({"type": "citations_delta", "citation": citation})

    def end(self, calls: Iterable[dict[str, object]]) -> Iterator[bytes]:
        """Yield the end of the last block, and the blocks of the calls."""
        for call in calls:
            yield from self._stop()
            yield self._start("tool_use", {**call, "input": {}})
            yield self._delta({"type": "input_json_delta", "partial_json": orjson.dumps(call["input"]).decode()})
        yield from self._stop()

    def _start(self, kind: str, block: Mapping[str, object]) -> bytes:
        self._kind = kind
        self._index += 1
        return _event("content_block_start", index=self._index, content_block=block)

    def _delta(self, delta: Mapping[str, object]) -> bytes:
        return _event("content_block_delta", index=self._index, delta=delta)

    def _stop(self) -> Iterator[bytes]:
        if self._kind:
            yield _event("content_block_stop", index=self._index)


def _event(kind: str, **data: object) -> bytes:
    return b"event: " + kind.encode() + b"\ndata: " + orjson.dumps({**data, "type": kind}) + b"\n\n"
