"""Requests of Chat Completions. Fields that are not listed are ignored, as clients expect."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

_Name = Annotated[str, Field(max_length=200)]


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")


class Part(_Lenient):
    """A part of a message. Only text is read."""

    type: str = "text"
    text: str | None = None
    refusal: str | None = None


class FunctionCall(_Lenient):
    """The function that a call names, with its arguments as JSON text."""

    name: _Name
    arguments: str = "{}"


class WireCall(_Lenient):
    """A tool call of the assistant."""

    id: _Name
    function: FunctionCall


class WireMessage(_Lenient):
    """A message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[Part] | None = None
    tool_calls: list[WireCall] | None = None
    tool_call_id: _Name | None = None


class FunctionTool(_Lenient):
    """A function that the client executes."""

    name: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_.-]+$")]
    description: str | None = None
    parameters: dict[str, Any] | None = None


class WireTool(_Lenient):
    """A tool that the client brings."""

    type: Literal["function"]
    function: FunctionTool


class NamedFunction(_Lenient):
    """The name of a function."""

    name: _Name


class NamedTool(_Lenient):
    """The choice of one tool."""

    function: NamedFunction


class JsonSchema(_Lenient):
    """A schema for the reply."""

    schema_: dict[str, Any] = Field(default_factory=dict, alias="schema")


class WireFormat(_Lenient):
    """The form of the reply."""

    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchema | None = None


class StreamOptions(_Lenient):
    """Options of a streamed completion."""

    include_usage: bool = False


class CompletionRequest(_Lenient):
    """Request body of a completion."""

    model: _Name
    messages: Annotated[list[WireMessage], Field(min_length=1, max_length=4000)]
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    n: Annotated[int, Field(ge=1, le=1)] | None = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    response_format: WireFormat | None = None
    tools: Annotated[list[WireTool], Field(max_length=128)] | None = None
    tool_choice: Literal["none", "auto", "required"] | NamedTool | None = None
