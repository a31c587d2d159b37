"""Describes the chunks of a stream: the content after `data: ` in each server-sent event."""

from typing import Any, Literal, get_args

import orjson
from pydantic import ConfigDict
from pydantic.json_schema import models_json_schema

from retinue.core.http.envelope import Timestamp, View
from retinue.fleets.stream_events import DeploymentEnded, DeploymentStarted, PartEnded, PartStarted
from retinue.models.base import FinishReason
from retinue.openapi.examples import RECORDS
from retinue.openapi.schemas import Json
from retinue.usage.schemas import TokenUsage
from retinue.voice.calls import stream_events as call_events
from retinue.voice.rooms.stream_events import ROOM_EVENTS


class _Chunk(View):
    """A JSON chunk."""

    model_config = ConfigDict(extra="forbid")


class TextChunk(_Chunk):
    """A fragment of the reply."""

    type: Literal["text"]
    content: str


class ReasoningChunk(_Chunk):
    """A fragment of the model's reasoning, if the request asked for it."""

    type: Literal["reasoning"]
    content: str


class ToolStartChunk(_Chunk):
    """A tool started."""

    type: Literal["tool_start"]
    tool: str


class ToolEndChunk(_Chunk):
    """A tool ended. `status` is `failed` if its result is an error.

    `connect_url` is present if the call failed because a person must connect the tool's server: the page for it.
    `files` is present if the result names files, such as a chart that the tool drew: their ids.
    """

    type: Literal["tool_end"]
    tool: str
    status: Literal["done", "failed"]
    connect_url: str | None = None
    files: list[str] | None = None


class DoneChunk(_Chunk):
    """The run is complete."""

    type: Literal["done"]
    run_id: int
    tools_used: list[str]
    tokens_used: int
    usage: TokenUsage | None
    cost_usd: str | None
    finish_reason: FinishReason | None
    output: Any
    execution_time_ms: int


class ChatDoneChunk(DoneChunk):
    """The reply is complete."""

    conversation_id: str
    model: str


class ErrorChunk(_Chunk):
    """The run failed after its stream had started. The fields are those of an error."""

    type: Literal["error"]
    code: str
    message: str
    status: int


class RestartChunk(_Chunk):
    """Discard the text since the last tool call: it is generated again and may differ."""

    type: Literal["restart"]


class RetryChunk(_Chunk):
    """The model call failed, and the run repeats it at `next_attempt_at`."""

    type: Literal["retry"]
    message: str
    next_attempt_at: Timestamp


class WaitingChunk(_Chunk):
    """The run is waiting for a person to approve tool calls. `approval_ids` is absent in GET /api/v1/runs/{id}/events.

    The approvals are at GET /api/v1/approvals/{id}.
    """

    type: Literal["waiting"]
    run_id: int
    approval_ids: list[int] | None = None


class ChatWaitingChunk(WaitingChunk):
    """The run is waiting for a person to approve tool calls, and continues in the background."""

    conversation_id: str
    agent_id: int | None
    model: str


_REPLY_CHUNKS = (TextChunk, ToolStartChunk, ToolEndChunk)
_STREAMS: dict[str, tuple[type[View], ...]] = {
    "chat": (*_REPLY_CHUNKS, ReasoningChunk, ChatWaitingChunk, ChatDoneChunk, ErrorChunk),
    "execute_agent": (*_REPLY_CHUNKS, ReasoningChunk, WaitingChunk, DoneChunk, ErrorChunk),
    "stream_run": (*_REPLY_CHUNKS, RestartChunk, RetryChunk, WaitingChunk, DoneChunk, ErrorChunk),
    "stream_room": ROOM_EVENTS,
    "stream_call": call_events.CALL_EVENTS,
    "stream_deployment": (DeploymentStarted, PartStarted, PartEnded, DeploymentEnded),
}
_ABOUT = (
    "Server-sent events. Each event is a line `data: ` with one JSON chunk, followed by an empty "
    "line; the last is `data: [DONE]`. Lines that begin with a colon only keep the connection "
    "open."
)
_FIGURES = {
    "tools_used": ["network_calculate_subnet"],
    "tokens_used": 412,
    "usage": {"input_tokens": 371, "cached_input_tokens": 0, "output_tokens": 41, "reasoning_tokens": 0},
    "cost_usd": "0.00056",
    "finish_reason": "stop",
    "output": None,
    "execution_time_ms": 1830,
}
_SAMPLE: tuple[Json, ...] = (
    {"type": "tool_start", "tool": "network_calculate_subnet"},
    {"type": "tool_end", "tool": "network_calculate_subnet", "status": "done"},
    {"type": "text", "content": "172.16.8.0/21 has "},
    {"type": "text", "content": "2046 usable hosts."},
)
_ADA: Json = {"participant_id": 5, "name": "Ada"}
_ROOM: Json = {
    "1": {"type": "joined", "at": "2026-11-21T08:00:01.250000Z", **_ADA, "kind": "browser"},
    "2": {"type": "said", "at": "2026-11-21T08:00:04.120000Z", "speaker": "Ada", "text": "Good morning."},
    "3": {"type": "muted", "at": "2026-11-21T08:00:09.500000Z", **_ADA},
    "4": {"type": "left", "at": "2026-11-21T08:00:24.800000Z", **_ADA, "seconds": 24},
    "5": {"type": "closed", "at": "2026-11-21T08:00:31.000000Z"},
}
_CALL: Json = {
    "1": {"type": "answered", "at": "2026-11-21T08:00:01.250000Z"},
    "2": {
        "type": "said",
        "at": "2026-11-21T08:00:04.120000Z",
        "turn": 1,
        "speaker": "agent",
        "text": "Order desk, good morning.",
        "interrupted": False,
        "run_id": None,
    },
    "3": {"type": "tool_started", "at": "2026-11-21T08:00:09.500000Z", "tool": "transfer_call", "run_id": 12},
    "4": {"type": "transferred", "at": "2026-11-21T08:00:14.800000Z", "destination": "sales"},
    "5": {
        "type": "ended",
        "at": "2026-11-21T08:00:15.100000Z",
        "status": "completed",
        "duration_seconds": 14,
        "error": None,
    },
}
_RUN_IDS = ("2-2", "2-3", "3-18-e53d8196", "3-36-0aef845a", "end")


def _example_event(kind: type[View], record: str) -> Json:
    """Build an example event of a deployment from the example of a record."""
    return {"type": _kind(kind), **{name: RECORDS[record][name] for name in kind.model_fields if name != "type"}}


def chunk_schemas() -> Json:
    """Return the schemas of all chunks, and for each stream a schema that lists its possible chunks."""
    models = sorted({chunk for chunks in _STREAMS.values() for chunk in chunks}, key=lambda chunk: chunk.__name__)
    _, document = models_json_schema(
        [(model, "serialization") for model in models], ref_template="#/components/schemas/{model}"
    )
    schemas: Json = document["$defs"]
    return schemas | {_choice_name(name): _choice(chunks) for name, chunks in _STREAMS.items()}


def stream_of(operation: str) -> Json:
    """Return the media type object of a stream. `x-chunk` is the schema of each event's data."""
    return {
        "schema": {"type": "string", "description": _ABOUT},
        "x-chunk": {"$ref": f"#/components/schemas/{_choice_name(operation)}"},
        "example": _sample(operation),
    }


def _choice_name(operation: str) -> str:
    return "".join(word.capitalize() for word in operation.split("_")) + "Chunk"


def _choice(chunks: tuple[type[View], ...]) -> Json:
    references = {_kind(chunk): f"#/components/schemas/{chunk.__name__}" for chunk in chunks}
    return {
        "description": "A chunk of the stream.",
        "oneOf": [{"$ref": reference} for reference in references.values()],
        "discriminator": {"propertyName": "type", "mapping": references},
    }


def _kind(chunk: type[View]) -> str:
    """Return the value of the chunk's `type` field."""
    (kind,) = get_args(chunk.model_fields["type"].annotation)
    return str(kind)


def _deployment() -> Json:
    return {
        "1795248000000000": _example_event(DeploymentStarted, "Deployment"),
        "1795248000000001": _example_event(PartStarted, "Part"),
        "1795248001830000": _example_event(PartEnded, "Part"),
        "1795248001830001": _example_event(DeploymentEnded, "Deployment"),
    }


def _sample(operation: str) -> str:
    if operation == "stream_room":
        return _with_ids(_ROOM)
    if operation == "stream_call":
        return _with_ids(_CALL)
    if operation == "stream_deployment":
        return _with_ids(_deployment())
    done: Json = {"type": "done", "run_id": 12, **_FIGURES}
    if operation == "chat":
        done |= {"conversation_id": "conv_01k9z4m2n8q6r5t3v7w1x0y2za", "model": "alfred-default"}
    if operation == "stream_run":
        return _with_ids(dict(zip(_RUN_IDS, (*_SAMPLE, done), strict=True)))
    return "".join(f"data: {event}\n\n" for event in (*_serialize(*_SAMPLE, done), "[DONE]"))


def _with_ids(events: Json) -> str:
    pairs = zip(events, _serialize(*events.values()), strict=True)
    return "".join(f"id: {event_id}\ndata: {event}\n\n" for event_id, event in pairs) + "data: [DONE]\n\n"


def _serialize(*chunks: Json) -> list[str]:
    return [orjson.dumps(chunk).decode() for chunk in chunks]
