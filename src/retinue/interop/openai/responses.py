"""Reads requests of the Responses API, and writes runs as responses.

Protocol: https://platform.openai.com/docs/api-reference/responses
"""

from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from retinue.core.database.statements import Row
from retinue.core.errors import ValidationFailed
from retinue.core.runtime.clock import now
from retinue.interop.handed_back import calls_of, stored_calls
from retinue.interop.openai.content import EFFORTS, NO_PARAMETERS, files_of, text_of
from retinue.interop.openai.errors import error_object
from retinue.interop.openai.schemas import Item, ResponseRequest
from retinue.interop.stateless_chats import (
    AGENT,
    Conversation,
    group_chunks,
    reasoning_before_reply,
    reply_of,
    stored_reasoning,
)
from retinue.models.base import ToolCall, Usage
from retinue.runs.execution.broadcast import RunStream
from retinue.runs.model_answer import NOTHING, usage_of
from retinue.runs.run_options import ClientCall, ClientMessage, ClientTool

PREFIX = "resp_"
"""The prefix of a response's id, followed by the id of its run."""

_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}
_OPEN = {"running": "in_progress", "waiting": "in_progress"}


def read_request(request: ResponseRequest, earlier: Sequence[ClientMessage] = ()) -> Conversation:
    """Return the conversation of a request, which continues `earlier`. Raises `ValidationFailed`."""
    items = [Item(content=request.input)] if isinstance(request.input, str) else request.input
    roles = ("system", "developer")
    texts = [text_of(item.content) for item in items if item.type == "message" and item.role in roles]
    reasoning = request.reasoning.effort if request.reasoning else None
    return Conversation(
        request.model,
        "\n\n".join(text for text in [request.instructions or "", *texts] if text),
        _read_messages(items, earlier),
        _client_tools(request),
        earlier,
        {
            "shows_reasoning": bool(request.reasoning and request.reasoning.summary),
            "temperature": request.temperature,
            "user": request.safety_identifier or request.user,
            "max_output_tokens": request.max_output_tokens,
            "reasoning_effort": EFFORTS[reasoning] if reasoning else None,
            "output_schema": _output_schema(request),
        },
    )


def _read_messages(items: Sequence[Item], earlier: Sequence[ClientMessage]) -> list[ClientMessage]:
    names = {call.id: call.name for message in earlier for call in message.calls}
    given: list[ClientMessage] = []
    for item in items:
        if item.type == "function_call":
            call = ClientCall(id=item.call_id or "", name=item.name or "", arguments=item.arguments)
            names[call.id] = call.name
            if given and given[-1].role == "assistant":
                given[-1].calls.append(call)
            else:
                given.append(ClientMessage(role="assistant", calls=[call]))
        elif item.type == "function_call_output":
            if item.call_id not in names:
                raise ValidationFailed(f"input: call_id {item.call_id!r} answers no function_call before it.")
            result = {"content": text_of(item.output), "attachments": files_of(item.output)}
            about = {"role": "tool", "call_id": item.call_id, "name": names[item.call_id]}
            given.append(ClientMessage.model_validate({**about, **result}))
        elif item.type == "item_reference":
            raise ValidationFailed("input: send whole items instead of references, or use previous_response_id.")
        elif item.type == "message" and item.role in ("user", "assistant"):
            role = "user" if item.role == "user" else "assistant"
            said = {"content": text_of(item.content), "attachments": files_of(item.content)}
            given.append(ClientMessage.model_validate({"role": role, **said}))
    return given


def _client_tools(request: ResponseRequest) -> list[ClientTool]:
    choice = request.tool_choice
    wanted = choice.get("name") if isinstance(choice, dict) else None
    return [
        ClientTool(name=tool.name, description=tool.description or "", parameters=tool.parameters or NO_PARAMETERS)
        for tool in request.tools or ()
        if tool.type == "function" and tool.name and choice != "none" and wanted in (None, tool.name)
    ]


def _output_schema(request: ResponseRequest) -> dict[str, Any] | None:
    form = request.text.format if request.text else None
    if form is None or form.type == "text":
        return None
    return form.schema_ or {"type": "object"}


@dataclass(frozen=True, slots=True)
class ResponseState:
    """The state of a run. `status` is one of the run's, `created` in seconds since 1970."""

    run_id: int
    model: str
    created: int
    status: str = "running"
    reasoning: str = ""
    text: str = ""
    calls: Sequence[ToolCall] = ()
    finish_reason: str | None = None
    usage: Usage = NOTHING
    error: Mapping[str, Any] | None = None

    @classmethod
    def of_row(cls, row: Row, journal: Sequence[Row]) -> "ResponseState":
        """Read a stored run."""
        return cls(
            row.id,
            f"{AGENT}{row.agent_id}" if row.agent_id else row.model,
            int(row.created_at.timestamp()),
            row.status,
            stored_reasoning(row, journal),
            row.reply or "",
            stored_calls(row, journal),
            row.finish_reason,
            usage_of(row.usage or {}),
            {"code": "server_error", "message": row.error} if row.status == "failed" else None,
        )

    @classmethod
    def of_live(cls, live: RunStream, begun: "ResponseState") -> "ResponseState":
        """Read a run that has ended here."""
        journal = live.journal
        return cls(
            begun.run_id,
            begun.model,
            begun.created,
            "failed" if live.error else "completed",
            reasoning_before_reply(live),
            reply_of(live),
            calls_of(live),
            journal.finish_reason,
            journal.spending.usage,
            {"code": "server_error", "message": error_object(live.error)["message"]} if live.error else None,
        )

    def fields(self, request: ResponseRequest | None = None) -> dict[str, Any]:
        """Return the response. `request` adds what it asked for, which is not stored."""
        reason = _INCOMPLETE.get(self.finish_reason or "") if self.status == "completed" else None
        return {
            "id": f"{PREFIX}{self.run_id}",
            "object": "response",
            "created_at": self.created,
            "status": "incomplete" if reason else _OPEN.get(self.status, self.status),
            "model": self.model,
            "output": list(self.output()),
            "error": self.error,
            "incomplete_details": {"reason": reason} if reason else None,
            "instructions": request.instructions if request else None,
            "metadata": {},
            "parallel_tool_calls": True,
            "previous_response_id": request.previous_response_id if request else None,
            "temperature": request.temperature if request else None,
            "max_output_tokens": request.max_output_tokens if request else None,
            "text": {"format": {"type": "text"}},
            "tool_choice": "auto",
            "tools": [],
            "top_p": None,
            "truncation": "auto",
            "background": bool(request and request.background),
            "usage": self._usage() if self.status not in ("queued", "running", "waiting") else None,
        }

    def output(self) -> Iterator[dict[str, Any]]:
        """Yield the items of the output."""
        if self.reasoning:
            yield self.reasoning_item(self.reasoning, "completed")
        if self.text:
            yield self.message(self.text, "completed")
        for index, call in enumerate(self.calls):
            yield {
                "type": "function_call",
                "id": f"fc_{self.run_id}_{index}",
                "call_id": call.id,
                "name": call.name,
                "arguments": call.arguments,
                "status": "completed",
            }

    def reasoning_item(self, text: str | None, status: str) -> dict[str, Any]:
        """Return the item of the reasoning. Without `text`, it has no summary yet."""
        summary = [] if text is None else [summary_part(text)]
        return {"type": "reasoning", "id": f"rs_{self.run_id}", "status": status, "summary": summary}

    def message(self, text: str | None, status: str) -> dict[str, Any]:
        """Return the item of the message. Without `text`, it has no content yet."""
        content = [] if text is None else [part(text)]
        return {
            "type": "message",
            "id": f"msg_{self.run_id}",
            "role": "assistant",
            "status": status,
            "content": content,
        }

    def _usage(self) -> dict[str, Any]:
        usage = self.usage
        return {
            "input_tokens": usage.prompt_tokens,
            "input_tokens_details": {"cached_tokens": usage.cached_tokens, "cache_write_tokens": 0},
            "output_tokens": usage.completion_tokens,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
            "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        }


def input_items(run_id: int, messages: Sequence[ClientMessage]) -> Iterator[dict[str, Any]]:
    """Yield the messages that a run answered as items of its input."""
    for at, message in enumerate(messages):
        item_id = f"{run_id}_{at}"
        if message.role == "tool":
            result = {"call_id": message.call_id, "output": message.content, "status": "completed"}
            yield {"type": "function_call_output", "id": f"fco_{item_id}", **result}
        elif message.content or message.attachments:
            kind = "output_text" if message.role == "assistant" else "input_text"
            texts = [{"type": kind, "text": message.content, **({"annotations": []} if kind == "output_text" else {})}]
            files = [{"type": "input_file", "file_id": file_id} for file_id in message.attachments]
            content = [*(texts if message.content else []), *files]
            about = {"id": f"msg_{item_id}", "role": message.role, "status": "completed"}
            yield {"type": "message", **about, "content": content}
        for index, call in enumerate(message.calls):
            asked = {"call_id": call.id, "name": call.name, "arguments": call.arguments, "status": "completed"}
            yield {"type": "function_call", "id": f"fc_{item_id}_{index}", **asked}


def summary_part(text: str) -> dict[str, Any]:
    """Return a part of a summary of reasoning."""
    return {"type": "summary_text", "text": text}


def part(text: str) -> dict[str, Any]:
    """Return a part of a message."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


class ResponseStream:
    """Writes a run as the events of a response."""

    def __init__(self, live: RunStream, request: ResponseRequest) -> None:
        self._live, self._request = live, request
        self._begun = ResponseState(live.run.id, request.model, int(now().timestamp()))
        self._number = -1
        self._thought = self._said = ""

    async def wait(self) -> dict[str, Any]:
        """Wait for the end of the run, and return the response. Raises the run's error."""
        await self._live.wait_until_ended()
        if self._live.error:
            raise self._live.error
        return ResponseState.of_live(self._live, self._begun).fields(self._request)

    async def frames(self) -> AsyncGenerator[bytes]:
        """Yield the events. Clients need the events that begin an item and a part before the first fragment."""
        begun = self._begun.fields(self._request)
        yield self._event("response.created", response=begun)
        yield self._event("response.in_progress", response=begun)
        async for chunks in self._live.follow():
            for kind, text in group_chunks(chunks):
                for event in self._say(text) if kind == "text" else self._think(text):
                    yield event
        if self._live.error:
            failed = ResponseState.of_live(self._live, self._begun).fields(self._request)
            yield self._event("response.failed", response=failed)
            return
        for event in self._end():
            yield event

    def _think(self, text: str) -> Iterator[bytes]:
        """Add to the summary of the reasoning, which comes before the message. Reasoning of later steps is left out."""
        if self._said:
            return
        if not self._thought:
            item = self._begun.reasoning_item(None, "in_progress")
            yield self._event("response.output_item.added", output_index=0, item=item)
            yield self._summary("response.reasoning_summary_part.added", part=summary_part(""))
        self._thought += text
        yield self._summary("response.reasoning_summary_text.delta", delta=text)

    def _end_thought(self) -> Iterator[bytes]:
        if self._thought:
            yield self._summary("response.reasoning_summary_text.done", text=self._thought)
            yield self._summary("response.reasoning_summary_part.done", part=summary_part(self._thought))
            item = self._begun.reasoning_item(self._thought, "completed")
            yield self._event("response.output_item.done", output_index=0, item=item)

    def _say(self, text: str) -> Iterator[bytes]:
        if not self._said:
            yield from self._end_thought()
            item = self._begun.message(None, "in_progress")
            yield self._event("response.output_item.added", output_index=self._place, item=item)
            yield self._text("response.content_part.added", part=part(""))
        self._said += text
        yield self._text("response.output_text.delta", delta=text, logprobs=[])

    def _end(self) -> Iterator[bytes]:
        result = ResponseState.of_live(self._live, self._begun)
        if not self._said and result.text:
            yield from self._say(result.text)
        if text := self._said:
            yield self._text("response.output_text.done", text=text, logprobs=[])
            yield self._text("response.content_part.done", part=part(text))
            item = result.message(text, "completed")
            yield self._event("response.output_item.done", output_index=self._place, item=item)
        else:
            yield from self._end_thought()
        calls = (item for item in result.output() if item["type"] == "function_call")
        for index, item in enumerate(calls, start=self._place + bool(text)):
            yield from self._call(index, item)
        body = result.fields(self._request)
        yield self._event(f"response.{body['status']}", response=body)

    def _call(self, index: int, item: dict[str, Any]) -> Iterator[bytes]:
        begun = {**item, "arguments": "", "status": "in_progress"}
        place = {"output_index": index, "item_id": item["id"]}
        yield self._event("response.output_item.added", output_index=index, item=begun)
        yield self._event("response.function_call_arguments.delta", **place, delta=item["arguments"])
        yield self._event(
            "response.function_call_arguments.done", **place, name=item["name"], arguments=item["arguments"]
        )
        yield self._event("response.output_item.done", output_index=index, item=item)

    @property
    def _place(self) -> int:
        """The index of the message in the output."""
        return 1 if self._thought else 0

    def _summary(self, kind: str, **data: Any) -> bytes:
        return self._event(kind, item_id=f"rs_{self._live.run.id}", output_index=0, summary_index=0, **data)

    def _text(self, kind: str, **data: Any) -> bytes:
        place = {"item_id": f"msg_{self._live.run.id}", "output_index": self._place, "content_index": 0}
        return self._event(kind, **place, **data)

    def _event(self, kind: str, **data: Any) -> bytes:
        self._number += 1
        body = orjson.dumps({"type": kind, "sequence_number": self._number, **data})
        return b"event: " + kind.encode() + b"\ndata: " + body + b"\n\n"
