"""Defines the protocol between the agent loop and a language model: messages and tools in, a stream of deltas out."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal, Protocol

from retinue.core.errors import NO_RETRY, Unavailable, ValidationFailed
from retinue.language.reply_templates import ReplyTemplates

Role = Literal["system", "user", "assistant", "tool"]
Modality = Literal["text", "image", "pdf", "audio"]
ReasoningEffort = Literal["none", "low", "medium", "high"]
FinishReason = Literal["stop", "length", "content_filter", "refusal"]
"""Why a reply ended: complete or with tool calls, at the limit of its tokens, by a filter, or declined by the model."""


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
class Media:
    """An image, a PDF or a recording. `media_type` is its MIME type."""

    kind: Literal["image", "pdf", "audio"]
    media_type: str
    data: bytes
    name: str = ""


@dataclass(frozen=True, slots=True)
class ProviderItem:
    """What a provider wants back unchanged: reasoning, signatures, encrypted items.

    `value` is JSON that only the protocol module reads that wrote it. `origin` is the provider that sent it
    (`Provider.origin`); no other provider receives it.
    """

    origin: str
    value: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. A `tool` message answers the call named by `tool_call_id`.

    `media` follows the text of a `user` or `tool` message. `opaque` belongs to an `assistant` message.
    """

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    tool_name: str | None = None
    media: tuple[Media, ...] = ()
    opaque: tuple[ProviderItem, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool offered to a model: `input_schema` is the JSON Schema of its arguments."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tool that a request may mean, for models that do not call tools by themselves.

    `lead` is the log-odds of this tool against no tool. `examples` are pairs of a request and its arguments as JSON,
    `questions` are requests without arguments. The caller must name a tool that is not `allowed` before it can run.
    `hints` is what the assistant's own heads read in the request (`assistant.RequestHints`).
    """

    tool: ToolOffer
    lead: float = 0.0
    examples: Sequence[tuple[str, str]] = ()
    allowed: bool = True
    hints: object = None
    questions: Sequence[str] = ()


class AssistantResources(Protocol):
    """The server functions that an assistant may use while it answers a message."""

    async def find_tools(self, request: str) -> Sequence[Candidate]:
        """Return the tools that a request may mean, most likely first."""
        ...

    @property
    def today(self) -> date:
        """The day on which the run began, in UTC."""
        ...

    @property
    def moment(self) -> datetime:
        """The time of the message, in UTC."""
        ...

    @property
    def first_message(self) -> str:
        """The message that began the run."""
        ...

    @property
    def remembered_facts(self) -> Sequence[str]:
        """What the agent remembers of earlier conversations, as sentences."""
        ...

    async def reply_templates(self, tool: str, language: str) -> ReplyTemplates:
        """Return the sentences that word the result of a tool, in a language if they are translated into it."""
        ...

    async def saved_answer(self, request: str) -> str:
        """Return a reply that quotes the user's saved facts, if they answer a request; else an empty string."""
        ...

    async def recall(self, request: str) -> Sequence[str]:
        """Return the user's saved facts that are relevant to a request."""
        ...

    async def similarities(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return how similar each text is to a question in meaning, in any language: cosines from -1 to 1.

        Returns nothing if the server has no embedding model of its own.
        """
        ...


@dataclass(frozen=True, slots=True)
class Persona:
    """The agent that replies: its name, its task, and its instructions as the owner wrote them.

    `in_fleet` says that other agents read the reply, not a person who could ask again.
    """

    name: str = ""
    task: str = ""
    instructions: str = ""
    in_fleet: bool = False


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A passage of a document that may answer the message, with the number to cite it by."""

    number: int
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One model call. Only some models use `resources` (`Model.uses_resources`).

    `max_tokens` limits the completion, including reasoning; None means the model's own maximum. `temperature` and
    `reasoning_effort` are None for the provider's defaults. `output_schema` is the JSON Schema that the text of the
    reply must fit. `persona` is the agent that replies, if there is one; models that need no help to answer by its
    instructions ignore it, and likewise the `excerpts`, which stand in the prompt of other models. Providers that can
    do so end the reply before a text in `stop`, call one of the tools if the request `must_call`, and make at most one
    call if it is `single_call`. In a queue, requests with a waiting client (`waited_for`) go first, and accounts take
    turns.
    """

    messages: Sequence[Message]
    tools: Sequence[ToolOffer] = ()
    temperature: float | None = 0.7
    max_tokens: int | None = None
    account: int = 0
    waited_for: bool = True
    resources: AssistantResources | None = None
    reasoning_effort: ReasoningEffort | None = None
    output_schema: Mapping[str, object] | None = None
    persona: Persona | None = None
    excerpts: Sequence[Excerpt] | None = None
    stop: Sequence[str] = ()
    must_call: bool = False
    single_call: bool = False


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A fragment of the reply."""

    content: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A fragment of the model's reasoning, which is not part of the reply."""

    content: str


@dataclass(frozen=True, slots=True)
class Finish:
    """Why the reply ended; sent once, before `Usage`."""

    reason: FinishReason


@dataclass(frozen=True, slots=True)
class Price:
    """Prices in USD per million tokens, as decimal strings. `cached_input` is None if there is no such discount."""

    input: str
    output: str
    cached_input: str | None = None


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """A failed attempt to call a model: its name and the reason, without secrets. Sent as soon as it has failed."""

    model: str
    reason: str


@dataclass(frozen=True, slots=True)
class AnsweringModel:
    """The model that answers, sent by a model that can choose among several once it has one.

    `price` is None if it is unknown.
    """

    model: str
    price: Price | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of one model call; sent once, as the last delta.

    `prompt_tokens` includes `cached_tokens`, and `completion_tokens` includes `reasoning_tokens`.
    """

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0
    reasoning_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
        )


Delta = FailedAttempt | AnsweringModel | TextDelta | ReasoningDelta | ToolCall | ProviderItem | Finish | Usage


class ProviderFailed(Unavailable):
    """A provider could not serve a request. `may_retry` says that the same request may succeed soon.

    If it is False, the header `x-should-retry: false` tells the official clients of OpenAI and Anthropic so.

    `retry_after` is in seconds, or None if the provider did not say. `http_status` is that of its
    response, or 0.
    """

    def __init__(self, message: str, *, may_retry: bool, retry_after: int | None = None, http_status: int = 0) -> None:
        super().__init__(message, None if may_retry else dict(NO_RETRY))
        self.may_retry = may_retry
        self.retry_after = retry_after
        self.http_status = http_status


class KeyRefused(ProviderFailed):
    """A provider did not accept the key."""

    def __init__(self, message: str) -> None:
        super().__init__(message, may_retry=False)


class ContextExceeded(ValidationFailed):
    """The prompt is longer than the model's context window."""


class Model(Protocol):
    """A language model.

    `stream` yields fragments of `TextDelta` and `ReasoningDelta` as they arrive, whole `ToolCall`s, `ProviderItem`
    parts to send back
    with the reply, one `Finish`, and one `Usage` at the end. Closing the generator stops the generation at once.
    Raises `Unavailable` if the provider is down, times out or is over its limit; the message says when to try again.
    Raises `ContextExceeded` if the prompt exceeds the context window.
    """

    name: str
    input: frozenset[Modality]

    @property
    def context_tokens(self) -> int:
        """The context window in tokens."""
        ...

    @property
    def max_output_tokens(self) -> int | None:
        """The model's own maximum for one reply; None if it is unknown."""
        ...

    @property
    def uses_resources(self) -> bool:
        """True if the model finds tools through `ModelRequest.resources` and needs no shortlist."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Generate one reply."""
        ...


TEXT_ONLY: frozenset[Modality] = frozenset({"text"})


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text (4 UTF-8 bytes each) for trimming history. Never used for billing."""
    return len(text.encode("utf-8", "replace")) // 4 + 4
