"""What callers send and see of chat."""

from typing import Annotated, Any, Literal

from pydantic import Field

from retinue.core.envelope import Body, Timestamp, View
from retinue.files.schemas import Attached


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
    attachments: Attached | None = Field(None, description="Ids of your files that go with the message.")
    stream: bool | None = Field(False, description="Answer with server-sent events.")


class ChatReply(View):
    """The answer of a chat."""

    reply: str = Field(description="What the model answered.")
    conversation_id: str = Field(description="Send it again to go on with the conversation.")
    model: str = Field(description="The name that was asked for.")
    tools_used: list[str] = Field(description="Names of the tools that were run.")
    tokens_used: int = Field(description="Tokens of all model calls together.")
    execution_time_ms: int = Field(description="How long it took.")


class ConversationView(View):
    """An entry of the list of conversations."""

    conversation_id: str = Field(description="The conversation's id.")
    title: str = Field(description="The beginning of its first message.")
    model: str = Field(description="The model that was last used in it.")
    message_count: int = Field(description="Messages in it, those of tools included.")
    last_message: str = Field(description="The first 200 characters of what was last said.")
    created_at: Timestamp = Field(description="When it began.")
    updated_at: Timestamp = Field(description="When something was last said.")


class MessageView(View):
    """One message of a conversation."""

    role: Literal["user", "assistant", "tool"] = Field(description="Who speaks.")
    content: str = Field(description="What is said; of a tool, its result as JSON.")
    attachments: list[str] | None = Field(
        None, exclude_if=lambda value: value is None, description="Ids of the files that went with it."
    )
    tool_calls: list[dict[str, Any]] | None = Field(
        None, exclude_if=lambda value: value is None, description="The tools that the assistant asked for."
    )
    tool_call_id: str | None = Field(
        None, exclude_if=lambda value: value is None, description="Which of these calls the tool answers."
    )
    tool_name: str | None = Field(None, exclude_if=lambda value: value is None, description="The tool that answers.")
    created_at: Timestamp = Field(description="When it was said.")


class ConversationDeleted(View):
    """The id of what is gone."""

    conversation_id: str
    deleted: Literal[True]
