"""What the agent loop needs of a language model: messages and tools in, a stream of deltas out."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to run a tool. `arguments` is JSON text as the model wrote it: it may be malformed."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. A `tool` message answers the call named by `tool_call_id`."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    tool_name: str | None = None


class NumberRole(NamedTuple):
    """What a number of a request may be for a tool: an argument, how likely, and the value that it is given there."""

    argument: str
    likelihood: float
    value: float


class SaidNumber(NamedTuple):
    """A number of a request, and what it may be for a tool."""

    value: float
    roles: Sequence[NumberRole]


class SaidText(NamedTuple):
    """A text that stands in a request, how likely it is an argument of a tool, and the character where it begins."""

    argument: str
    likelihood: float
    text: str
    begin: int


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool as a model sees it: `input_schema` is the JSON Schema of its arguments."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tool that a request may mean, for models that do not call tools by themselves.

    `lead` is how much likelier the request means this tool than none, as a logarithm. `examples` are requests with the
    arguments that they mean, as JSON. A tool that is not `allowed` exists, but the caller has to name it first.
    `numbers` are those of the request and what each may be for the tool; `texts` are passages that may be arguments.
    """

    tool: ToolOffer
    lead: float = 0.0
    examples: Sequence[tuple[str, str]] = ()
    allowed: bool = True
    numbers: Sequence[SaidNumber] = ()
    texts: Sequence[SaidText] = ()


class Resources(Protocol):
    """What an assistant may ask of the server while it answers a message."""

    async def find_tools(self, request: str) -> Sequence[Candidate]:
        """The tools that a request may mean, the likeliest first."""
        ...

    async def recall(self, request: str) -> Sequence[str]:
        """Facts that the user asked to be remembered and that bear on a request."""
        ...


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call of a model. `max_tokens` bounds what it may write. `resources` are for models that use them.

    Where requests have to queue, those with a client who waits go first, and accounts take turns.
    """

    messages: Sequence[Message]
    tools: Sequence[ToolOffer] = ()
    temperature: float = 0.7
    max_tokens: int = 1024
    account: int = 0
    waited_for: bool = True
    resources: Resources | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A fragment of the reply."""

    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call; sent once, last."""

    prompt_tokens: int
    completion_tokens: int


Delta = Text | ToolCall | Usage


class Model(Protocol):
    """A language model.

    `stream` yields `Text` as it comes, whole `ToolCall`s, and one `Usage` at the end. Closing the generator stops the
    generation at once. A provider that is down, slow past its time-out or over its limit raises `Unavailable` whose
    message says when to try again; a prompt that cannot fit raises `ValidationFailed`.
    """

    name: str
    context_tokens: int

    @property
    def uses_resources(self) -> bool:
        """Whether it finds tools by itself, with `ModelRequest.resources`, and needs no shortlist."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Generate one reply."""
        ...


def estimate_tokens(text: str) -> int:
    """A rough count of tokens (4 UTF-8 bytes each) for trimming history; never used for billing."""
    return len(text.encode("utf-8", "replace")) // 4 + 4
