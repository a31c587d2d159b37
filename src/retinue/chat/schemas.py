"""What callers send and see of chat."""

from typing import Annotated, Any, Literal

from pydantic import Field

from retinue.core.envelope import Body, Timestamp, View


class ChatRequest(Body):
    """A message to a model."""

    message: Annotated[str, Field(min_length=1, max_length=10_000, description="What to say.")]
    conversation_id: Annotated[str, Field(max_length=100)] | None = Field(
        None, description="Continues that conversation; without it a new one begins."
    )
    model: Annotated[str, Field(min_length=1, max_length=100)] | None = Field(
        "alfred-default", description="One of GET /models."
    )
    temperature: Annotated[float, Field(ge=0.0, le=1.0)] | None = Field(0.7, description="0 is the most predictable.")
    tools: Annotated[list[Annotated[str, Field(min_length=1, max_length=64)]], Field(max_length=100)] | None = Field(
        None, description="Tools that may be used; an empty list means none, absence the catalogue's best matches."
    )
    stream: bool | None = Field(False, description="Answer with server-sent events.")


class ChatReply(View):
    """The answer of a chat."""

    reply: str
    conversation_id: str
    model: str
    tools_used: list[str]
    tokens_used: int
    execution_time_ms: int


class ConversationView(View):
    """An entry of the list of conversations."""

    conversation_id: str
    title: str
    model: str
    message_count: int
    last_message: str
    created_at: Timestamp
    updated_at: Timestamp


class MessageView(View):
    """One message of a conversation."""

    role: Literal["user", "assistant", "tool"]
    content: str
    tool_calls: list[dict[str, Any]] | None = Field(None, exclude_if=lambda value: value is None)
    tool_call_id: str | None = Field(None, exclude_if=lambda value: value is None)
    tool_name: str | None = Field(None, exclude_if=lambda value: value is None)
    created_at: Timestamp


class ConversationDeleted(View):
    """The id of what is gone."""

    conversation_id: str
    deleted: Literal[True]
