"""Request and response schemas of chat."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from retinue.agents.definition import MaxOutputTokens, ModelName, OutputSchema, UserName
from retinue.core.http.envelope import IGNORED, Body, Changes, Id, Message, Page, PathId, Timestamp, View, absent
from retinue.files.schemas import Attached
from retinue.runs.schemas import Totals, UserFilter


class ResponseFormat(Body):
    """The form of a reply: JSON that fits a schema."""

    model_config = ConfigDict(extra="forbid", strict=True, serialize_by_alias=True)

    type: Literal["json_schema"] = Field(description="`json_schema`.")
    schema_: OutputSchema = Field(alias="schema")


class ChatRequest(Body):
    """Request body for sending a chat message."""

    message: Message = Field(description="The message.")
    conversation_id: Annotated[str, Field(max_length=100)] | None = Field(
        None, description="ID of the conversation to continue. By default, a new one is created."
    )
    replace_from: Id | None = Field(
        None,
        description="ID of your message in the conversation whose place this one takes. It and all later messages stay "
        "readable, but the model no longer sees them. Send the same text again to regenerate an answer.",
    )
    agent_id: Id | None = Field(
        None,
        description="ID of the agent that answers, with its instructions, tools and settings. A conversation keeps its "
        "agent, so later messages can leave it out.",
    )
    model: ModelName | None = Field(
        None, description="Name of a model from GET /models. By default, the agent's, or else `alfred-default`."
    )
    temperature: Annotated[float, Field(ge=0.0, le=1.0)] | None = Field(
        None, description="Sampling temperature. 0 is the most deterministic. By default, the agent's, or else 0.7."
    )
    max_output_tokens: MaxOutputTokens | None = None
    response_format: ResponseFormat | None = Field(None, description="Form of the reply. By default, text.")
    include: Annotated[list[Literal["reasoning"]], Field(max_length=1)] | None = Field(
        None, description="`reasoning`: stream the model's reasoning as events of type `reasoning`."
    )
    tools: Annotated[list[Annotated[str, Field(min_length=1, max_length=64)]], Field(max_length=100)] | None = Field(
        None,
        description="Names of the tools that the model may use. An empty list allows none. By default, the agent's "
        "skills, or else the best matches of the catalogue.",
    )
    attachments: Attached | None = Field(None, description="IDs of your files to attach to the message.")
    user: UserName | None = Field(
        None,
        description="User of your app who talks with the agent, as your app names the user. An agent with the memory "
        "`user` remembers facts about each of them. A conversation keeps its user. By default, you.",
    )
    stream: bool | None = Field(False, description="Whether to stream the reply as server-sent events.")


class ChatReply(Totals):
    """The reply to a chat message."""

    status: Literal["completed", "waiting"] = Field(
        description="`waiting` if the run waits for approvals or answers. It then continues in the background, and the "
        "rest of its reply is in `GET /runs/{id}`."
    )
    approval_ids: list[int] = Field(
        description="IDs of the approvals for which the run waits. Decide with `POST /approvals/{id}`."
    )
    reply: str = Field(description="Reply of the model; while the run waits, the reply so far, which may be empty.")
    conversation_id: str = Field(description="ID of the conversation. Send it with the next message to continue.")
    agent_id: int | None = Field(description="ID of the agent that answered; null if there is none.")
    model: str = Field(description="Name of the requested model.")
    run_id: int = Field(description="ID of the run, to retrieve its steps.")
    tools_used: list[str] = Field(description="Names of the tools that were executed.")
    tokens_used: int = Field(description="Total number of tokens of all model calls.")
    execution_time_ms: int = Field(description="Duration in milliseconds.")


class ConversationFilter(Page):
    """Which conversations of an account."""

    user: UserFilter | None = Field(None, description="Only return conversations with this user of your app.")
    agent_id: PathId | None = Field(None, description="Only return conversations with this agent.")


class ConversationView(View):
    """A conversation in a list."""

    conversation_id: str = Field(description="ID of the conversation.")
    agent_id: int | None = Field(description="ID of the agent with which the conversation is; null if there is none.")
    user: str | None = Field(description="User of your app with whom it is, as the first request named the user.")
    title: str = Field(description="Title. By default, the beginning of the first message.")
    pinned: bool = Field(description="Whether the portal lists the conversation first.")
    publishable_key_id: int | None = Field(
        description="ID of the publishable key with which an anonymous visitor opened the conversation; null for yours."
    )
    model: str = Field(description="Model that was last used in the conversation.")
    message_count: int = Field(description="Number of messages, including tool messages.")
    last_message: str = Field(description="First 200 characters of the last message.")
    created_at: Timestamp = Field(description="Start time.")
    updated_at: Timestamp = Field(description="Time of the last message.")


class ConversationUpdate(Changes):
    """Fields to update."""

    title: Annotated[str, Field(min_length=1, max_length=100, pattern=r"\S", description="Title.")] = Field(
        default_factory=absent
    )
    pinned: Annotated[bool, Field(description="Whether the portal lists the conversation first.")] = Field(
        default_factory=absent
    )
    conversation_id: object = IGNORED
    agent_id: object = IGNORED
    user: object = IGNORED
    publishable_key_id: object = IGNORED
    model: object = IGNORED
    message_count: object = IGNORED
    last_message: object = IGNORED
    created_at: object = IGNORED
    updated_at: object = IGNORED


class MessageView(View):
    """A message of a conversation."""

    id: int = Field(description="ID of the message.")
    role: Literal["user", "assistant", "tool"] = Field(description="Who speaks.")
    content: str = Field(description="Content of the message. For tool messages, the result as JSON.")
    attachments: list[str] | None = Field(
        None, exclude_if=lambda value: value is None, description="IDs of the attached files."
    )
    tool_calls: list[dict[str, object]] | None = Field(
        None, exclude_if=lambda value: value is None, description="Tool calls that the assistant requested."
    )
    tool_call_id: str | None = Field(
        None, exclude_if=lambda value: value is None, description="ID of the tool call to which this message responds."
    )
    tool_name: str | None = Field(
        None, exclude_if=lambda value: value is None, description="Name of the tool that responded."
    )
    replaced: bool = Field(description="Whether a later message took its place, so that the model no longer sees it.")
    created_at: Timestamp = Field(description="Time of the message.")


class ConversationDeleted(View):
    """ID of the deleted object."""

    conversation_id: str
    deleted: Literal[True]
