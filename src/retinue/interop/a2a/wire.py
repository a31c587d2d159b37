"""The objects of A2A 1.0 as its JSON bindings write them (specification, section 4, and `a2a.proto`).

Fields that are not listed are ignored: clients may be newer than this server.
"""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from retinue.core.network.url_checks import web_address

State = Literal[
    "TASK_STATE_UNSPECIFIED",
    "TASK_STATE_SUBMITTED",
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
    "TASK_STATE_FAILED",
    "TASK_STATE_CANCELED",
    "TASK_STATE_INPUT_REQUIRED",
    "TASK_STATE_REJECTED",
    "TASK_STATE_AUTH_REQUIRED",
]

_CONTENTS = ("text", "raw", "url", "data")
_MOST_LISTED = 100

ContextId = Annotated[str, Field(max_length=100)]
TaskId = Annotated[str, Field(min_length=1, max_length=100)]
HistoryLength = Annotated[int, Field(ge=0, le=2**31 - 1)]


def _address(text: str) -> str:
    return web_address(text, "send credentials in authentication instead")


class ProtocolObject(BaseModel):
    """An object of the protocol."""

    model_config = ConfigDict(extra="ignore", defer_build=True, alias_generator=to_camel, populate_by_name=True)

    def fields(self) -> dict[str, object]:
        """Return the object as JSON, without the fields that are not set."""
        return self.model_dump(by_alias=True, exclude_none=True)


class Part(ProtocolObject):
    """A part of a message or an artifact: a text, a file inline in base64 or at an address, or JSON data."""

    text: str | None = None
    raw: str | None = None
    url: str | None = None
    data: object = None
    filename: Annotated[str, Field(max_length=255)] | None = None
    media_type: Annotated[str, Field(max_length=255)] | None = None

    @model_validator(mode="after")
    def _has_content(self) -> Self:
        if not self.model_fields_set.intersection(_CONTENTS):
            raise ValueError(f"must have one of {', '.join(_CONTENTS)}")
        return self


class Message(ProtocolObject):
    """A message of the client or of the agent."""

    message_id: Annotated[str, Field(min_length=1, max_length=200)]
    context_id: ContextId | None = None
    task_id: Annotated[str, Field(max_length=100)] | None = None
    role: Literal["ROLE_USER", "ROLE_AGENT"]
    parts: Annotated[list[Part], Field(min_length=1, max_length=100)]


class Authentication(ProtocolObject):
    """How to authenticate at the address of notifications: a scheme of HTTP, such as Bearer, and its credentials."""

    scheme: Annotated[str, Field(max_length=50, pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]*$")] = ""
    credentials: Annotated[str, Field(max_length=4000, pattern=r"^[\x20-\x7e]*$")] | None = None


class PushConfig(ProtocolObject):
    """Where a client wants to be notified of a task (TaskPushNotificationConfig)."""

    id: Annotated[str, Field(max_length=100)] | None = None
    task_id: Annotated[str, Field(max_length=100)] | None = None
    url: Annotated[str, Field(min_length=1, max_length=2000), AfterValidator(_address)]
    token: Annotated[str, Field(max_length=1000, pattern=r"^[\x21-\x7e]*$")] | None = None
    authentication: Authentication | None = None


class PushQuery(ProtocolObject):
    """A request about the push notification configs of a task, or about one."""

    task_id: TaskId
    id: Annotated[str, Field(max_length=100)] = ""


class SendConfiguration(ProtocolObject):
    """How to answer a message."""

    history_length: HistoryLength | None = None
    return_immediately: bool = False
    task_push_notification_config: PushConfig | None = None


class SendRequest(ProtocolObject):
    """A request to send a message to an agent."""

    message: Message
    configuration: SendConfiguration = Field(default_factory=SendConfiguration)


class TaskQuery(ProtocolObject):
    """A request about one task."""

    id: TaskId
    history_length: HistoryLength | None = None


class ListQuery(ProtocolObject):
    """A request to list tasks."""

    context_id: ContextId | None = None
    status: State | None = None
    page_size: Annotated[int, Field(ge=1, le=_MOST_LISTED)] = 50
    page_token: Annotated[str, Field(max_length=200)] = ""
    history_length: HistoryLength | None = None
    status_timestamp_after: Annotated[str, Field(max_length=40)] | None = None
    include_artifacts: bool = False


class Status(ProtocolObject):
    """The state of a task, and a message about it."""

    state: State
    message: Message | None = None
    timestamp: str


class Artifact(ProtocolObject):
    """An output of a task."""

    artifact_id: str
    name: str | None = None
    parts: list[Part]
    metadata: dict[str, object] | None = None


class Task(ProtocolObject):
    """A task with its outputs so far."""

    id: str
    context_id: str
    status: Status
    artifacts: list[Artifact] | None = None
    history: list[Message] | None = None
    metadata: dict[str, object] | None = None


class StatusUpdate(ProtocolObject):
    """The event that the state of a task has changed, or that there is news about it."""

    task_id: str
    context_id: str
    status: Status


class ArtifactUpdate(ProtocolObject):
    """The event of a new artifact, or of a new fragment of one."""

    task_id: str
    context_id: str
    artifact: Artifact
    append: bool
    last_chunk: bool


Event = Task | StatusUpdate | ArtifactUpdate
"""What a stream of a task sends."""

_KINDS: Mapping[type[Event], str] = {Task: "task", StatusUpdate: "statusUpdate", ArtifactUpdate: "artifactUpdate"}


def event_fields(event: Event) -> dict[str, object]:
    """Return an event as JSON: an object whose only field names its kind."""
    return {_KINDS[type(event)]: event.fields()}
