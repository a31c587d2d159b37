"""Requests of the Messages API. Fields that are not listed, and betas, are ignored, as clients expect."""

from typing import Annotated, Literal

from pydantic import Field

from retinue.agents.definition import OutputSchema
from retinue.interop.lenient import Lenient, Name, UserName


class Source(Lenient):
    """The source of an image or a document: base64, text, blocks, an address or an uploaded file."""

    type: str
    media_type: Annotated[str, Field(max_length=255)] | None = None
    data: str | None = None
    url: str | None = None
    file_id: Name | None = None
    content: "str | list[Block] | None" = None


class Block(Lenient):
    """A block of content: text, an image, a document, a tool call or its result, or a change of the tools."""

    type: str
    text: str | None = None
    id: Name | None = None
    name: Name | None = None
    input: dict[str, object] | None = None
    tool_use_id: Name | None = None
    content: "str | list[Block] | None" = None
    is_error: bool | None = None
    source: Source | str | None = None
    """In a search result, its address."""
    tool_name: Name | None = None
    tool: "ToolChange | None" = None
    title: Annotated[str, Field(max_length=500)] | None = None


class WireMessage(Lenient):
    """A message of the conversation."""

    role: Literal["user", "assistant", "system"]
    content: str | list[Block] = ""


class WireTool(Lenient):
    """A tool. One that the client executes has a name and a schema; `type` names one that Anthropic defines."""

    type: Annotated[str, Field(max_length=128)] | None = None
    name: Annotated[str, Field(max_length=128)] | None = None
    defer_loading: bool | None = None
    description: str | None = None
    input_schema: dict[str, object] | None = None


class ToolChange(Lenient):
    """A tool that a conversation adds or removes, by its name or with its definition."""

    name: Name | None = None
    definition: WireTool | None = None


class ToolChoice(Lenient):
    """Which tools the model may call."""

    type: Literal["auto", "any", "tool", "none"]
    name: Name | None = None
    disable_parallel_tool_use: bool | None = None


class Thinking(Lenient):
    """Whether the model reasons."""

    type: str


class OutputFormat(Lenient):
    """The form of the reply."""

    type: Literal["json_schema"]
    schema_: OutputSchema = Field(alias="schema")


class OutputConfig(Lenient):
    """The effort of the reasoning, and the form of the reply."""

    effort: str | None = None
    format: OutputFormat | None = None


class CountRequest(Lenient):
    """Request body of a count of tokens."""

    model: Name
    messages: Annotated[list[WireMessage], Field(min_length=1, max_length=4000)]
    system: str | list[Block] | None = None
    tools: Annotated[list[WireTool], Field(max_length=256)] | None = None
    tool_choice: ToolChoice | None = None


class RequestMetadata(Lenient):
    """What the client says of a request."""

    user_id: UserName = None


class MessagesRequest(CountRequest):
    """Request body of a message."""

    max_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    stream: bool | None = False
    temperature: Annotated[float, Field(ge=0, le=1)] | None = None
    stop_sequences: Annotated[list[str], Field(max_length=64)] | None = None
    thinking: Thinking | None = None
    output_config: OutputConfig | None = None
    metadata: RequestMetadata | None = None
    thread: dict[str, object] | None = None
