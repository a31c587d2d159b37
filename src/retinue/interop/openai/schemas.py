"""Requests of Chat Completions and of the Responses API. Fields that are not listed are ignored, as clients expect."""

from typing import Annotated, Literal

from pydantic import Field

from retinue.agents.definition import OutputSchema
from retinue.interop.lenient import Lenient, Name, UserName


class ImageUrl(Lenient):
    """The address of an image, which may be a `data:` URL."""

    url: str


class InputAudio(Lenient):
    """A recording in base64."""

    data: str
    format: Annotated[str, Field(max_length=20)] = "wav"


class FileSource(Lenient):
    """A file: uploaded, inline as a `data:` URL or base64, or behind an address."""

    file_id: Name | None = None
    file_data: str | None = None
    file_url: str | None = None
    filename: Annotated[str, Field(max_length=500)] | None = None


class Part(FileSource):
    """A part of a message. Chat Completions nests the source of a file in `file`, and Responses does not."""

    type: str = "text"
    text: str | None = None
    refusal: str | None = None
    image_url: str | ImageUrl | None = None
    input_audio: InputAudio | None = None
    file: FileSource | None = None


class FunctionCall(Lenient):
    """The function that a call names, with its arguments as JSON text."""

    name: Name
    arguments: str = "{}"


class CustomCall(Lenient):
    """The tool that a call names, with the text for it."""

    name: Name
    input: str = ""


class WireCall(Lenient):
    """A tool call of the assistant."""

    id: Name
    function: FunctionCall | None = None
    custom: CustomCall | None = None


class WireMessage(Lenient):
    """A message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[Part] | None = None
    tool_calls: list[WireCall] | None = None
    tool_call_id: Name | None = None


ToolName = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_.-]+$")]


class FunctionTool(Lenient):
    """A function that the client executes."""

    name: ToolName
    description: str | None = None
    parameters: dict[str, object] | None = None


class CustomTool(Lenient):
    """A tool that takes free text, which the client executes. `format` may have a grammar for the text."""

    name: ToolName
    description: str | None = None
    format: dict[str, object] | None = None


class WireTool(Lenient):
    """A tool that the client brings."""

    type: str = "function"
    function: FunctionTool | None = None
    custom: CustomTool | None = None


class ToolReference(Lenient):
    """The name of a tool. Chat Completions nests it, and Responses does not."""

    name: Name | None = None
    function: "ToolReference | None" = None
    custom: "ToolReference | None" = None

    @property
    def tool_name(self) -> str | None:
        """The name of the tool, which may be in a nested object."""
        nested = self.function or self.custom
        return nested.tool_name if nested else self.name


class AllowedTools(Lenient):
    """The choice of some tools."""

    mode: Literal["auto", "required"] = "auto"
    tools: list[ToolReference] = Field(default_factory=list)


class NamedTool(ToolReference, AllowedTools):
    """The choice of one tool, or of some (`allowed_tools`, which Chat Completions nests)."""

    type: str = "function"
    allowed_tools: AllowedTools | None = None

    def names(self) -> tuple[set[str | None], bool]:
        """Return the names of the tools, and whether one of them must be called."""
        if self.type == "allowed_tools":
            allowed = self.allowed_tools or self
            return {tool.tool_name for tool in allowed.tools}, allowed.mode == "required"
        return {self.tool_name}, True


ToolChoice = Literal["none", "auto", "required"] | NamedTool | None


class JsonSchema(Lenient):
    """A schema for the reply."""

    schema_: OutputSchema = Field(default_factory=dict, alias="schema")


class WireFormat(Lenient):
    """The form of the reply."""

    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchema | None = None


class StreamOptions(Lenient):
    """Options of a streamed completion."""

    include_usage: bool = False


_Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]


class CompletionRequest(Lenient):
    """Request body of a completion."""

    model: Name
    messages: Annotated[list[WireMessage], Field(min_length=1, max_length=4000)]
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    n: Annotated[int, Field(ge=1, le=1)] | None = None
    stop: str | Annotated[list[str], Field(max_length=16)] | None = None
    reasoning_effort: _Effort | None = None
    response_format: WireFormat | None = None
    tools: Annotated[list[WireTool], Field(max_length=128)] | None = None
    user: UserName = None
    safety_identifier: UserName = None
    tool_choice: ToolChoice = None
    parallel_tool_calls: bool | None = None
    functions: list[object] | None = None
    modalities: list[str] | None = None


_Text = Annotated[str, Field(max_length=512)]
Metadata = Annotated[dict[Annotated[str, Field(max_length=64)], _Text], Field(max_length=16)]


class Item(Lenient):
    """An item of the input: a message, a call of a tool, or its output. Others are ignored."""

    type: str = "message"
    role: Literal["system", "developer", "user", "assistant"] = "user"
    content: str | list[Part] | None = None
    call_id: Name | None = None
    name: Name | None = None
    namespace: Name | None = None
    arguments: str = "{}"
    input: str | None = None
    output: str | list[Part] | None = None


class ResponseTool(Lenient):
    """A tool of a response: a function, a tool that takes free text (`custom`), or a `namespace` of both."""

    type: str
    name: Name | None = None
    description: str | None = None
    parameters: dict[str, object] | None = None
    format: dict[str, object] | None = None
    tools: "Annotated[list[ResponseTool], Field(max_length=256)] | None" = None


class TextFormat(Lenient):
    """The form of the reply."""

    type: Literal["text", "json_object", "json_schema"] = "text"
    schema_: OutputSchema = Field(default_factory=dict, alias="schema")


class TextOptions(Lenient):
    """Options of the text."""

    format: TextFormat = TextFormat()


class ReasoningOptions(Lenient):
    """Options of the reasoning."""

    effort: _Effort | None = None
    summary: str | None = None


class ConversationParam(Lenient):
    """The conversation of a response."""

    id: Annotated[str, Field(max_length=100)]


class ResponseRequest(Lenient):
    """Request body of a response."""

    model: Name
    input: str | Annotated[list[Item], Field(max_length=4000)]
    instructions: str | None = None
    previous_response_id: Name | None = None
    conversation: Annotated[str, Field(max_length=100)] | ConversationParam | None = None
    stream: bool | None = False
    background: bool | None = False
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_output_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    reasoning: ReasoningOptions | None = None
    text: TextOptions | None = None
    tools: Annotated[list[ResponseTool], Field(max_length=256)] | None = None
    user: UserName = None
    safety_identifier: UserName = None
    tool_choice: ToolChoice = None
    parallel_tool_calls: bool | None = None
    metadata: Metadata | None = None

    @property
    def conversation_name(self) -> str | None:
        """The id of the conversation to continue."""
        conversation = self.conversation
        return conversation.id if isinstance(conversation, ConversationParam) else conversation
