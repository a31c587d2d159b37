"""Request and response schemas of endpoints and deliveries."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from retinue.core.http.envelope import EMPTY_IF_NULL, IGNORED, Body, Changes, Timestamp, View, absent
from retinue.core.http.period import Period
from retinue.core.network.url_checks import web_address
from retinue.core.work.events import event_names

Status = Literal["pending", "delivered", "failed", "cancelled"]


def _url(text: str) -> str:
    return web_address(text, "check the signature instead")


def _check_events(names: list[str]) -> list[str]:
    unknown = sorted(set(names) - event_names())
    if unknown:
        raise ValueError(
            f"contains unknown events: {', '.join(unknown)}. Valid events: {', '.join(sorted(event_names()))}"
        )
    return sorted(set(names))


Address = Annotated[
    str,
    Field(min_length=1, max_length=2000, description="URL to which events are sent, http or https."),
    AfterValidator(_url),
]
Name = Annotated[str, Field(min_length=1, max_length=64)]
Names = Annotated[
    list[Name],
    Field(min_length=1, max_length=100, description="Names of the events to send; null means all."),
    AfterValidator(_check_events),
]
About = Annotated[str, Field(max_length=2000, description="Description of the endpoint.")]


class WebhookCreate(Body):
    """Request body for creating a webhook endpoint."""

    url: Address
    events: Names | None = None
    description: About | None = ""


class WebhookUpdate(Changes):
    """Fields to update. `null` for `events` subscribes to all events."""

    url: Address = Field(default_factory=absent)
    events: Names | None = Field(default_factory=absent)
    description: Annotated[About | None, EMPTY_IF_NULL] = Field(default_factory=absent)
    enabled: bool = Field(default_factory=absent, description="Whether events are sent to the endpoint.")
    id: object = IGNORED
    disabled_reason: object = IGNORED
    failing_since: object = IGNORED
    rotation_ends_at: object = IGNORED
    created_at: object = IGNORED
    updated_at: object = IGNORED


class WebhookView(View):
    """A webhook endpoint. Its secret is only shown when it is created."""

    id: int = Field(description="ID of the endpoint.")
    url: str = Field(description="URL to which events are sent.")
    events: list[str] | None = Field(description="Names of the events that are sent; null means all.")
    description: str = Field(description="Description of the endpoint.")
    enabled: bool = Field(description="Whether events are sent to the endpoint.")
    disabled_reason: str | None = Field(description="Reason why the platform disabled the endpoint.")
    failing_since: Timestamp | None = Field(description="Time since which every attempt has failed.")
    rotation_ends_at: Timestamp | None = Field(
        description="Time until which the old secret signs `X-Webhook-Signature`, during a rotation."
    )
    created_at: Timestamp = Field(description="Time at which the object was created.")
    updated_at: Timestamp = Field(description="Time at which the object was last updated.")


class WebhookSecretView(WebhookView):
    """A webhook endpoint with its new secret, which is shown only once."""

    secret: str = Field(description="Secret that signs deliveries. Store it safely: it cannot be shown again.")


class WebhookDeleted(View):
    """ID of the deleted object."""

    id: int = Field(description="ID of the endpoint.")
    deleted: Literal[True]


class DeliveryFilter(Period):
    """Which deliveries of an endpoint."""

    status: Status | None = Field(None, description="Only return deliveries with this status.")
    event: str | None = Field(
        None, max_length=64, description="Only return deliveries of events with this name, such as `agent.created`."
    )


class DeliveryView(View):
    """A delivery of one event to one endpoint."""

    id: str = Field(description="ID of the delivery, sent as `X-Webhook-Delivery` with all its attempts.")
    event_id: str = Field(description="ID of the event, which a replay keeps.")
    event: str = Field(description="Name of the event.")
    status: Status = Field(
        description="Status; `cancelled` if the endpoint was disabled before the delivery succeeded."
    )
    attempts: int = Field(description="Number of attempts that were started.")
    next_attempt_at: Timestamp | None = Field(description="Time of the next attempt, if one is scheduled.")
    created_at: Timestamp = Field(description="Time at which the delivery was created.")
    ended_at: Timestamp | None = Field(description="End time.")


class AttemptView(View):
    """An attempt to deliver an event."""

    number: int = Field(description="Number of the attempt, starting at 1.")
    started_at: Timestamp | None = Field(
        description="Start time; null if the process ended before the outcome was known."
    )
    status: int | None = Field(description="HTTP status of the response; null if there was none.")
    milliseconds: int | None = Field(description="Duration in milliseconds.")
    answer: str | None = Field(description="First KiB of the response body.")
    error: str | None = Field(description="Reason for the failure.")


class DeliveryDetails(DeliveryView):
    """A delivery with all its attempts."""

    log: list[AttemptView] = Field(description="Attempts with a known outcome, oldest first.")
