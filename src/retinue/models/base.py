"""What the agent loop needs of a language model: messages and tools in, a stream of deltas out."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

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


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool as a model sees it: `input_schema` is the JSON Schema of its arguments."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call of a model. `max_tokens` bounds what it may write.

    Where requests have to queue, those with a client who waits go first, and accounts take turns.
    """

    messages: Sequence[Message]
    tools: Sequence[ToolOffer] = ()
    temperature: float = 0.7
    max_tokens: int = 1024
    account: int = 0
    waited_for: bool = True


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
        """Whether it does not call tools by itself, and is given a `retinue.models.candidates.Candidate` for each."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Generate one reply."""
        ...


def estimate_tokens(text: str) -> int:
    """A rough count of tokens (4 UTF-8 bytes each) for trimming history; never used for billing."""
    return len(text.encode("utf-8", "replace")) // 4 + 4
