"""Reads requests of the Responses API, and writes runs as responses.

Protocol: https://platform.openai.com/docs/api-reference/responses
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from retinue.core.database.statements import Row
from retinue.core.errors import ValidationFailed
from retinue.interop.citations import Citation, file_citations
from retinue.interop.handed_back import calls_of, stored_calls
from retinue.interop.openai.content import EFFORTS, files_of, text_of
from retinue.interop.openai.errors import error_object
from retinue.interop.openai.schemas import Item, ResponseRequest
from retinue.interop.openai.tools import call_item, namespace_notes, read_call, read_tools
from retinue.interop.stateless_chats import (
    AGENT,
    Conversation,
    reasoning_before_reply,
    reply_of,
    stored_reasoning,
    waiting_fields,
)
from retinue.models.base import ToolCall, Usage
from retinue.runs.execution.broadcast import RunStream
from retinue.runs.model_answer import NOTHING, usage_of
from retinue.runs.run_options import ClientCall, ClientMessage, ClientTool, RunOptions

PREFIX = "resp_"
"""The prefix of a response's id, followed by the id of its run."""

_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}
_NOT_ASKED: Mapping[str, object] = {
    "background": False,
    "instructions": None,
    "max_output_tokens": None,
    "metadata": {},
    "previous_response_id": None,
    "reasoning": None,
    "temperature": None,
}
"""Fields of responses whose runs began in another way, or in an earlier version."""

_OPEN = {"running": "in_progress", "waiting": "in_progress"}


def read_request(request: ResponseRequest, earlier: Sequence[ClientMessage] = ()) -> Conversation:
    """Return the conversation of a request, which continues `earlier`. Raises `ValidationFailed`."""
    items = [Item(content=request.input)] if isinstance(request.input, str) else request.input
    roles = ("system", "developer")
    texts = [text_of(item.content) for item in items if item.type == "message" and item.role in roles]
    texts += namespace_notes(request.tools or ())
    tools, must_call = read_tools(request.tools or (), request.tool_choice)
    reasoning = request.reasoning.effort if request.reasoning else None
    return Conversation(
        request.model,
        "\n\n".join(text for text in [request.instructions or "", *texts] if text),
        read_messages(items, earlier),
        tools,
        earlier,
        {
            "shows_reasoning": bool(request.reasoning and request.reasoning.summary),
            "temperature": request.temperature,
            "user": request.safety_identifier or request.user,
            "max_output_tokens": request.max_output_tokens,
            "reasoning_effort": EFFORTS[reasoning] if reasoning else None,
            "output_schema": _output_schema(request),
            "single_call": request.parallel_tool_calls is False,
            "repeated_fields": _repeated_fields(request),
        },
        must_call=must_call,
    )


def _repeated_fields(request: ResponseRequest) -> dict[str, object]:
    """Return the fields of a request that its response has, however it is retrieved."""
    name = request.conversation_name
    return {
        "background": bool(request.background),
        "instructions": request.instructions,
        "max_output_tokens": request.max_output_tokens,
        "metadata": request.metadata or {},
        "previous_response_id": request.previous_response_id,
        "reasoning": request.reasoning.model_dump() if request.reasoning else None,
        "temperature": request.temperature,
        **({"conversation": {"id": name}} if name else {}),
    }


def read_messages(items: Sequence[Item], earlier: Sequence[ClientMessage]) -> list[ClientMessage]:
    """Return the messages of items, without those of the system. `earlier` are the messages before them."""
    names = {call.id: call.name for message in earlier for call in message.calls}
    messages: list[ClientMessage] = []
    for item in items:
        if item.type in ("function_call", "custom_tool_call"):
            name, arguments = read_call(item)
            call = ClientCall(id=item.call_id or "", name=name, arguments=arguments)
            names[call.id] = call.name
            if messages and messages[-1].role == "assistant":
                messages[-1].calls.append(call)
            else:
                messages.append(ClientMessage(role="assistant", calls=[call]))
        elif item.type in ("function_call_output", "custom_tool_call_output"):
            if item.call_id not in names:
                raise ValidationFailed(f"input: call_id {item.call_id!r} answers no call of a tool before it.")
            result = {"content": text_of(item.output), "attachments": files_of(item.output)}
            about = {"role": "tool", "call_id": item.call_id, "name": names[item.call_id]}
            messages.append(ClientMessage.model_validate({**about, **result}))
        elif item.type == "item_reference":
            raise ValidationFailed("input: send whole items instead of references, or use previous_response_id.")
        elif item.type == "message" and item.role in ("user", "assistant"):
            role = "user" if item.role == "user" else "assistant"
            content = {"content": text_of(item.content), "attachments": files_of(item.content)}
            messages.append(ClientMessage.model_validate({"role": role, **content}))
    return messages


def _output_schema(request: ResponseRequest) -> dict[str, object] | None:
    form = request.text.format if request.text else None
    if form is None or form.type == "text":
        return None
    return form.schema_ or {"type": "object"}


@dataclass(frozen=True, slots=True)
class ResponseState:
    """The state of a run. `created` and `ended` are in seconds since 1970, and `asked` are its `repeated_fields`.

    `status` is one of the run's, or `incomplete` for a run that has paused while the client waited for it. A stored
    run that waits is in progress, because it goes on in the background.
    """

    run_id: int
    model: str
    created: int
    status: str = "running"
    reasoning: str = ""
    text: str = ""
    calls: Sequence[ToolCall] = ()
    tools: Sequence[ClientTool] = ()
    finish_reason: str | None = None
    usage: Usage = NOTHING
    error: Mapping[str, object] | None = None
    single_call: bool = False
    """Whether the client takes only one call of its tools at a time."""
    waiting: Mapping[str, object] = field(default_factory=dict)
    """The `waiting_fields` of the run."""
    citations: Sequence[Citation] = ()
    ended: int | None = None
    asked: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def of_row(cls, row: Row, journal: Sequence[Row]) -> "ResponseState":
        """Read a stored run."""
        options = RunOptions.model_validate(row.options)
        return cls(
            row.id,
            f"{AGENT}{row.agent_id}" if row.agent_id else row.model,
            int(row.created_at.timestamp()),
            row.status,
            stored_reasoning(row, journal),
            row.reply or "",
            stored_calls(row, journal),
            options.client_tools,
            row.finish_reason,
            usage_of(row.usage),
            {"code": "server_error", "message": row.error} if row.status == "failed" else None,
            options.single_call,
            citations=row.citations or (),
            ended=int(row.ended_at.timestamp()) if row.ended_at else None,
            asked=options.repeated_fields,
        )

    @classmethod
    def of_begun(cls, live: RunStream, model: str) -> "ResponseState":
        """Read a run that begins here. `model` is the requested name."""
        options, created = live.run.options, int(live.run.created_at.timestamp())
        return cls(
            live.run.id,
            model,
            created,
            tools=options.client_tools,
            single_call=options.single_call,
            asked=options.repeated_fields,
        )

    @classmethod
    def of_live(cls, live: RunStream, begun: "ResponseState") -> "ResponseState":
        """Read a run that has ended or paused here."""
        journal = live.journal
        states = {"waiting": "incomplete", "cancelled": "cancelled"}
        outcome = states.get(live.outcome or "", "failed" if live.error else "completed")
        failure = live.error if outcome == "failed" else None
        return replace(
            begun,
            status=outcome,
            reasoning=reasoning_before_reply(live),
            text=reply_of(live),
            calls=calls_of(live),
            finish_reason=journal.finish_reason,
            usage=journal.spending.usage,
            error={"code": "server_error", "message": error_object(failure)["message"]} if failure else None,
            waiting=waiting_fields(live),
            citations=journal.citations or (),
            ended=int(journal.ended_at.timestamp()) if journal.ended_at else None,
        )

    def fields(self) -> dict[str, object]:
        """Return the response."""
        reason = _INCOMPLETE.get(self.finish_reason or "") if self.status == "completed" else None
        status = "incomplete" if reason else _OPEN.get(self.status, self.status)
        return {
            "id": f"{PREFIX}{self.run_id}",
            "object": "response",
            "created_at": self.created,
            "completed_at": self.ended if status == "completed" else None,
            "status": status,
            "model": self.model,
            "output": list(self.output()),
            "error": self.error,
            "incomplete_details": {"reason": reason, **self.waiting} if reason or self.waiting else None,
            **_NOT_ASKED,
            **self.asked,
            "parallel_tool_calls": not self.single_call,
            "text": {"format": {"type": "text"}},
            "tool_choice": "auto",
            "tools": [],
            "top_p": None,
            "truncation": "auto",
            "usage": self._usage() if self.status not in ("queued", "running", "waiting") else None,
            **self.waiting,
        }

    def output(self) -> Iterator[Mapping[str, object]]:
        """Yield the items of the output."""
        if self.reasoning:
            yield self.reasoning_item(self.reasoning, "completed")
        if self.text:
            yield self.message(self.text, "completed")
        yield from self.call_items()

    def call_items(self) -> Iterator[Mapping[str, str]]:
        """Yield the items of the calls of the client's tools."""
        for index, call in enumerate(self.calls):
            yield call_item(f"{self.run_id}_{index}", call, self.tools)

    def reasoning_item(self, text: str | None, status: str) -> dict[str, object]:
        """Return the item of the reasoning. Without `text`, it has no summary yet."""
        summary = [] if text is None else [summary_part(text)]
        return {"type": "reasoning", "id": f"rs_{self.run_id}", "status": status, "summary": summary}

    def message(self, text: str | None, status: str) -> dict[str, object]:
        """Return the item of the message. Without `text`, it has no content yet."""
        content = [] if text is None else [self.part(text)]
        return {
            "type": "message",
            "id": f"msg_{self.run_id}",
            "role": "assistant",
            "status": status,
            "content": content,
        }

    def part(self, text: str) -> dict[str, object]:
        """Return the part of the message, with the citations that its text refers to."""
        return {
            "type": "output_text",
            "text": text,
            "annotations": file_citations(text, self.citations),
            "logprobs": [],
        }

    def _usage(self) -> dict[str, object]:
        usage = self.usage
        return {
            "input_tokens": usage.prompt_tokens,
            "input_tokens_details": {"cached_tokens": usage.cached_tokens, "cache_write_tokens": 0},
            "output_tokens": usage.completion_tokens,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
            "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        }


def input_items(
    run_id: int, messages: Sequence[ClientMessage], tools: Sequence[ClientTool]
) -> Iterator[Mapping[str, object]]:
    """Yield the messages that a run answered as items of its input. `tools` are those of the client."""
    for at, message in enumerate(messages):
        item_id = f"{run_id}_{at}"
        if message.role == "tool":
            result = {"call_id": message.call_id, "output": message.content, "status": "completed"}
            takes_text = any(tool.free_text for tool in tools if tool.name == message.name)
            kind = "custom_tool_call_output" if takes_text else "function_call_output"
            yield {"type": kind, "id": f"fco_{item_id}", **result}
        elif message.content or message.attachments:
            kind = "output_text" if message.role == "assistant" else "input_text"
            texts = [{"type": kind, "text": message.content, **({"annotations": []} if kind == "output_text" else {})}]
            files = [{"type": "input_file", "file_id": file_id} for file_id in message.attachments]
            content = [*(texts if message.content else []), *files]
            about = {"id": f"msg_{item_id}", "role": message.role, "status": "completed"}
            yield {"type": "message", **about, "content": content}
        for index, call in enumerate(message.calls):
            yield call_item(f"{item_id}_{index}", ToolCall(call.id, call.name, call.arguments), tools)


def summary_part(text: str) -> dict[str, object]:
    """Return a part of a summary of reasoning."""
    return {"type": "summary_text", "text": text}
