"""Reads requests of Chat Completions, and writes runs as completions.

Protocol: https://platform.openai.com/docs/api-reference/chat
"""

from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, field

from retinue.core.errors import ValidationFailed
from retinue.core.http.sse import DONE
from retinue.core.runtime.clock import now
from retinue.interop.handed_back import calls_of
from retinue.interop.openai.content import EFFORTS, files_of, text_of
from retinue.interop.openai.errors import error_body
from retinue.interop.openai.schemas import CompletionRequest, WireCall, WireFormat, WireMessage
from retinue.interop.openai.tools import read_wire_tools, wire_call, with_text
from retinue.interop.stateless_chats import (
    Conversation,
    group_chunks,
    reasoning_of,
    reply_of,
    waiting_fields,
    waiting_notice,
)
from retinue.runs.execution.broadcast import RunStream
from retinue.runs.run_options import ClientCall, ClientMessage
from retinue.runs.watching.sse_responses import frame

_FINISH = {"length": "length", "content_filter": "content_filter"}


def read_request(request: CompletionRequest) -> Conversation:
    """Return the conversation of a request. Raises `ValidationFailed` for what cannot be answered."""
    system = "\n\n".join(text_of(one.content) for one in request.messages if one.role in ("system", "developer"))
    effort = request.reasoning_effort
    if request.functions:
        raise ValidationFailed("functions: this field was replaced by tools. Send each function as a tool.")
    if "audio" in (request.modalities or ()):
        raise ValidationFailed("modalities: answers are text. POST /v1/audio/speech speaks a text.")
    tools, must_call = read_wire_tools(request.tools or (), request.tool_choice)
    return Conversation(
        request.model,
        system,
        _read_messages(request.messages),
        tools,
        must_call=must_call,
        options={
            "shows_reasoning": True,
            "temperature": request.temperature,
            "user": request.safety_identifier or request.user,
            "max_output_tokens": request.max_completion_tokens or request.max_tokens,
            "reasoning_effort": EFFORTS[effort] if effort else None,
            "output_schema": _output_schema(request.response_format),
            "single_call": request.parallel_tool_calls is False,
        },
        stop=[request.stop] if isinstance(request.stop, str) else request.stop or (),
    )


def _read_messages(messages: Sequence[WireMessage]) -> list[ClientMessage]:
    names: dict[str, str] = {}
    result = []
    for message in messages:
        if message.role in ("system", "developer"):
            continue
        calls = [_read_call(call) for call in message.tool_calls or ()]
        names |= {call.id: call.name for call in calls}
        if message.role == "tool" and message.tool_call_id not in names:
            raise ValidationFailed(
                f"messages: tool_call_id {message.tool_call_id!r} answers no call of an assistant message before it."
            )
        result.append(
            ClientMessage.model_validate(
                {
                    "role": message.role,
                    "content": text_of(message.content),
                    "calls": calls,
                    "call_id": message.tool_call_id,
                    "name": names.get(message.tool_call_id or ""),
                    "attachments": files_of(message.content),
                }
            )
        )
    return result


def _read_call(call: WireCall) -> ClientCall:
    if custom := call.custom:
        return ClientCall(id=call.id, name=custom.name, arguments=with_text(custom.input))
    if function := call.function:
        return ClientCall(id=call.id, name=function.name, arguments=function.arguments)
    raise ValidationFailed(f"messages: the tool call {call.id!r} has neither a function nor a custom tool.")


def _output_schema(form: WireFormat | None) -> dict[str, object] | None:
    if form is None or form.type == "text":
        return None
    return (form.json_schema.schema_ if form.json_schema else {}) or {"type": "object"}


@dataclass(frozen=True, slots=True)
class Completion:
    """A run as a completion. `model` is the requested name. `shows_usage` adds the usage to the end of a stream."""

    live: RunStream
    model: str
    shows_usage: bool = False
    created: int = field(default_factory=lambda: int(now().timestamp()))

    async def result(self) -> dict[str, object]:
        """Wait for the end of the run, and return the completion. Raises the run's error."""
        await self.live.wait_until_ended()
        if self.live.error:
            raise self.live.error
        journal = self.live.journal
        message: dict[str, object] = {"role": "assistant", "content": reply_of(self.live) or None, "refusal": None}
        if reasoning := reasoning_of(self.live.chunks):
            message["reasoning_content"] = reasoning
        if journal.handed_back:
            message["tool_calls"] = list(self._calls())
        message |= self._citations()
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self._finish_reason()}
        waiting = waiting_fields(self.live)
        return {**self._head("chat.completion"), "choices": [choice], "usage": self._usage(), **waiting}

    async def frames(self) -> AsyncGenerator[bytes]:
        """Yield the chunks as server-sent events."""
        yield self._chunk({"role": "assistant", "content": ""})
        async for chunks in self.live.follow():
            for kind, text in group_chunks(chunks):
                yield self._chunk({"content" if kind == "text" else "reasoning_content": text})
        if self.live.error:
            yield frame(error_body(self.live.error))
            return
        if notice := waiting_notice(self.live):
            yield self._chunk({"content": notice})
        if self.live.journal.handed_back:
            yield self._chunk({"tool_calls": [{"index": at, **call} for at, call in enumerate(self._calls())]})
        yield self._chunk(self._citations(), self._finish_reason(), **waiting_fields(self.live))
        if self.shows_usage:
            yield frame({**self._head("chat.completion.chunk"), "choices": [], "usage": self._usage()})
        yield DONE

    def _chunk(self, delta: dict[str, object], finish_reason: str | None = None, **extensions: object) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return frame({**self._head("chat.completion.chunk"), "choices": [choice], **extensions})

    def _head(self, kind: str) -> dict[str, object]:
        return {"id": f"chatcmpl-{self.live.run.id}", "object": kind, "created": self.created, "model": self.model}

    def _calls(self) -> Iterator[dict[str, object]]:
        for call in calls_of(self.live):
            yield wire_call(call, self.live.run.options.client_tools)

    def _citations(self) -> dict[str, object]:
        """Return the citations of an agent with knowledge, as everywhere in the API. The protocol only cites URLs."""
        citations = self.live.journal.citations
        return {} if citations is None else {"citations": citations}

    def _finish_reason(self) -> str:
        journal = self.live.journal
        return "tool_calls" if journal.handed_back else _FINISH.get(journal.finish_reason or "stop", "stop")

    def _usage(self) -> dict[str, object]:
        usage = self.live.journal.spending.usage
        return {
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "total_tokens": usage.prompt_tokens + usage.completion_tokens,
            "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
            "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        }
