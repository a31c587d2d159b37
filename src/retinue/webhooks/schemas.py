"""What callers send and see of endpoints and deliveries."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from retinue.core.envelope import Body, Changes, Timestamp, View, absent
from retinue.core.events import event_names
from retinue.core.url_checks import web_address

Status = Literal["pending", "delivered", "failed", "cancelled"]


def _url(text: str) -> str:
    return web_address(text, "check the signature instead")


def _check_events(names: list[str]) -> list[str]:
    unknown = sorted(set(names) - event_names())
    if unknown:
        raise ValueError(f"has no events {', '.join(unknown)}; there are {', '.join(sorted(event_names()))}")
    return sorted(set(names))


Address = Annotated[
    str, Field(min_length=1, max_length=2000, description="Where events are sent: http or https."), AfterValidator(_url)
]
Name = Annotated[str, Field(min_length=1, max_length=64)]
Names = Annotated[
    list[Name],
    Field(min_length=1, max_length=100, description="Names of the events to send; null means all."),
    AfterValidator(_check_events),
]
About = Annotated[str, Field(max_length=2000, description="What the endpoint is for.")]


class WebhookCreate(Body):
    """A new endpoint."""

    url: Address
    events: Names | None = None
    description: About | None = ""


_READ_ONLY = ("id", "disabled_reason", "failing_since", "rotation_ends_at", "created_at", "updated_at")


class WebhookUpdate(Changes):
    """The fields to change; `null` for `events` means all of them."""

    read_only: ClassVar[frozenset[str]] = frozenset(_READ_ONLY)

    url: Address = Field(default_factory=absent)
    events: Names | None = Field(default_factory=absent)
    description: About | None = Field(default_factory=absent)
    enabled: bool = Field(default_factory=absent, description="Whether events are sent to it.")
    id: Any = Field(default_factory=absent, description="Ignored.")
    disabled_reason: Any = Field(default_factory=absent, description="Ignored.")
    failing_since: Any = Field(default_factory=absent, description="Ignored.")
    rotation_ends_at: Any = Field(default_factory=absent, description="Ignored.")
    created_at: Any = Field(default_factory=absent, description="Ignored.")
    updated_at: Any = Field(default_factory=absent, description="Ignored.")


class WebhookView(View):
    """An endpoint. Its secret is shown when it is made, and never again."""

    id: int = Field(description="The endpoint's id.")
    url: str = Field(description="Where events are sent.")
    events: list[str] | None = Field(description="Names of the events that are sent; null means all.")
    description: str = Field(description="What the endpoint is for.")
    enabled: bool = Field(description="Whether events are sent to it.")
    disabled_reason: str | None = Field(description="Why the platform has disabled it.")
    failing_since: Timestamp | None = Field(description="Since when every attempt has failed.")
    rotation_ends_at: Timestamp | None = Field(
        description="Until when the old secret signs `X-Webhook-Signature`, while a rotation is under way."
    )
    created_at: Timestamp = Field(description="When it was made.")
    updated_at: Timestamp = Field(description="When it was last changed.")


class WebhookSecretView(WebhookView):
    """An endpoint with its new secret, which is shown this once."""

    secret: str = Field(description="What deliveries are signed with. Keep it: it is never shown again.")


class WebhookDeleted(View):
    """The id of what is gone."""

    id: int = Field(description="The endpoint's id.")
    deleted: Literal[True]


class DeliveryView(View):
    """The delivery of one event to one endpoint."""

    id: str = Field(description="The delivery's id: `X-Webhook-Delivery` of all its attempts.")
    event_id: str = Field(description="The event's id, the same in a replay.")
    event: str = Field(description="The event's name.")
    status: Status = Field(description="`cancelled` where the endpoint was disabled before it was delivered.")
    attempts: int = Field(description="Attempts that were begun.")
    next_attempt_at: Timestamp | None = Field(description="When it is tried again, while it waits for that.")
    created_at: Timestamp = Field(description="When the delivery was made.")
    ended_at: Timestamp | None = Field(description="When it was over.")


class AttemptView(View):
    """One attempt to deliver."""

    number: int = Field(description="Which attempt, from 1.")
    started_at: Timestamp | None = Field(description="When it began; null where its process ended before its outcome.")
    status: int | None = Field(description="The HTTP status of the answer; null where none came.")
    milliseconds: int | None = Field(description="How long it took.")
    answer: str | None = Field(description="The first KiB of the answer's body.")
    error: str | None = Field(description="Why it failed.")


class DeliveryDetails(DeliveryView):
    """A delivery with every attempt."""

    log: list[AttemptView] = Field(description="Every attempt whose outcome is known, the first one first.")
