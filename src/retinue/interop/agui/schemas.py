"""Requests of AG-UI. Fields that are not listed are ignored: consumers may be newer than this server."""

from collections.abc import Mapping
from typing import Annotated, Literal

import orjson
from pydantic import Field

from retinue.agents.schemas import CONTEXT_BYTES
from retinue.core.errors import ValidationFailed
from retinue.interop.attachments import data_url
from retinue.interop.lenient import Lenient, Name, unsupported_part

ThreadId = Annotated[str, Field(min_length=1, max_length=100)]

_FILES = ("image", "audio", "video", "document")


class Source(Lenient):
    """Where the content of a part is: inline in base64, at an address, or in an uploaded file."""

    type: Literal["data", "url", "file"]
    value: str
    mimeType: Annotated[str, Field(max_length=255)] | None = None


class Part(Lenient):
    """A part of a message."""

    type: str
    text: str = ""
    source: Source | None = None
    metadata: object = None

    def file(self) -> str:
        """Return the file as `Attachments` takes it. Raises `ValidationFailed` for an unknown kind of part."""
        if self.type not in _FILES or self.source is None:
            raise unsupported_part(self.type)
        if self.source.type != "data":
            return self.source.value
        name = self.metadata.get("name") if isinstance(self.metadata, dict) else None
        return data_url(
            self.source.mimeType or "application/octet-stream", self.source.value, str(name)[:200] if name else None
        )


class WireMessage(Lenient):
    """A message of the conversation, as far as AG-UI reads it."""

    role: str
    content: str | list[Part] | None = None
    toolCallId: Name | None = None
    error: str | None = None
    """Why a tool of the front end failed."""

    def text(self) -> str:
        """Return the text of all parts."""
        if isinstance(self.content, list):
            return "\n\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""

    def files(self) -> list[str]:
        """Return the files of all parts."""
        parts = self.content if isinstance(self.content, list) else []
        return [part.file() for part in parts if part.type != "text"]


class FrontEndTool(Lenient):
    """A tool that the front end executes."""

    name: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_.-]+$")]
    description: Annotated[str, Field(max_length=20_000)] = ""
    parameters: dict[str, object] | None = None


class ContextEntry(Lenient):
    """A fact about the surroundings of the user."""

    description: Annotated[str, Field(max_length=2000)] = ""
    value: Annotated[str, Field(max_length=64 << 10)] = ""


class ResumeEntry(Lenient):
    """An answer to an interrupt."""

    interruptId: Annotated[str, Field(max_length=40)]
    status: Literal["resolved", "cancelled"]
    payload: object = None


class RunInput(Lenient):
    """A request to run an agent (RunAgentInput)."""

    threadId: ThreadId
    runId: Annotated[str, Field(min_length=1, max_length=200)]
    messages: Annotated[list[WireMessage], Field(max_length=10_000)]
    tools: Annotated[list[FrontEndTool], Field(max_length=128)] | None = None
    state: object = None
    context: Annotated[list[ContextEntry], Field(max_length=100)] | None = None
    forwardedProps: object = None
    resume: Annotated[list[ResumeEntry], Field(max_length=100)] | None = None

    @property
    def keeps_running(self) -> bool:
        """Whether the run goes on when the client disconnects: its page may only be reloaded."""
        return isinstance(self.forwardedProps, dict) and self.forwardedProps.get("keepRunning") is True

    @property
    def results(self) -> Mapping[str, WireMessage]:
        """The results of tool calls among the messages, by the ids of the calls."""
        return {one.toolCallId: one for one in self.messages if one.role == "tool" and one.toolCallId}

    def last_message(self, most: int) -> WireMessage:
        """Return the user's message, of at most `most` characters. Raises `ValidationFailed`."""
        last = self.messages[-1] if self.messages else None
        if last is None or last.role != "user" or not (last.text().strip() or last.files()):
            raise ValidationFailed("messages: the last message must be one of the user, with some text or a file.")
        if len(last.text()) > most:
            raise ValidationFailed(f"messages: a message can have at most {most:,} characters.")
        return last

    def context_of_run(self) -> dict[str, object] | None:
        """Return the state and the context, for the agent. Raises `ValidationFailed` if they are too long."""
        facts = [one.model_dump() for one in self.context or ()]
        context = {name: value for name, value in {"state": self.state, "context": facts}.items() if value}
        if len(orjson.dumps(context)) > CONTEXT_BYTES:
            raise ValidationFailed("state and context: together they can have at most 64 KiB of JSON.")
        return context or None
