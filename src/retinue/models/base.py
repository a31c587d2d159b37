"""Defines the protocol between the agent loop and a language model: messages and tools in, a stream of deltas out."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call that a model requests. `arguments` is the model's JSON text, unparsed: it may be malformed.

    `offered` is False if the request did not offer the tool.
    """

    id: str
    name: str
    arguments: str
    offered: bool = True


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. A `tool` message answers the call named by `tool_call_id`."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    tool_name: str | None = None


class NumberRole(NamedTuple):
    """An argument that a number may fill, and the probability."""

    argument: str
    likelihood: float


class SaidNumber(NamedTuple):
    """A number in a request and the arguments of one tool that it may fill."""

    value: float
    roles: Sequence[NumberRole]


class SaidText(NamedTuple):
    """A text span of a request that may fill `argument`: its probability, and the index of its first character."""

    argument: str
    likelihood: float
    text: str
    begin: int


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool offered to a model: `input_schema` is the JSON Schema of its arguments."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tool that a request may mean, for models that do not call tools by themselves.

    `lead` is the log-odds of this tool against no tool. `examples` are pairs of a request and its arguments as JSON.
    The caller must name a tool that is not `allowed` before it can run. `numbers` and `texts` are the numbers and
    text spans of the request that may fill arguments of the tool.
    """

    tool: ToolOffer
    lead: float = 0.0
    examples: Sequence[tuple[str, str]] = ()
    allowed: bool = True
    numbers: Sequence[SaidNumber] = ()
    texts: Sequence[SaidText] = ()


class Resources(Protocol):
    """The server functions that an assistant may use while it answers a message."""

    async def find_tools(self, request: str) -> Sequence[Candidate]:
        """Return the tools that a request may mean, most likely first."""
        ...

    async def saved_answer(self, request: str) -> str:
        """Return a reply that quotes the user's saved facts, if they answer a request; else an empty string."""
        ...

    async def recall(self, request: str) -> Sequence[str]:
        """Return the user's saved facts that are relevant to a request."""
        ...


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One model call. `max_tokens` limits the completion. Only some models use `resources` (`Model.uses_resources`).

    In a queue, requests with a waiting client (`waited_for`) go first, and accounts take turns.
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
    """Token counts of one model call; sent once, as the last delta."""

    prompt_tokens: int
    completion_tokens: int

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.prompt_tokens + other.prompt_tokens, self.completion_tokens + other.completion_tokens)


Delta = Text | ToolCall | Usage


class Model(Protocol):
    """A language model.

    `stream` yields `Text` fragments as they arrive, whole `ToolCall`s, and one `Usage` at the end. Closing the
    generator stops the generation at once. Raises `Unavailable` if the provider is down, times out or is over its
    limit; the message says when to try again. Raises `ValidationFailed` if the prompt exceeds the context window.
    """

    name: str
    context_tokens: int

    @property
    def uses_resources(self) -> bool:
        """True if the model finds tools through `ModelRequest.resources` and needs no shortlist."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Generate one reply."""
        ...


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text (4 UTF-8 bytes each) for trimming history. Never used for billing."""
    return len(text.encode("utf-8", "replace")) // 4 + 4
