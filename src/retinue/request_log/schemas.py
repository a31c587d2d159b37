"""Request and response schemas of the request log."""

from typing import Literal

from pydantic import Field

from retinue.core.http.envelope import Counted, Timestamp, View
from retinue.core.http.period import Period
from retinue.core.runtime.whole_numbers import MAX_ID

Mode = Literal["live", "test"]


class RequestMode(View):
    """Whose requests."""

    mode: Mode | None = Field(
        None,
        description="`live` for requests by live credentials, `test` for those by test keys. Defaults to the "
        "mode of your credential.",
    )


class RequestQuery(Period, RequestMode):
    """Which requests."""

    status: str | None = Field(
        None,
        pattern=r"^[1-5]([0-9]{2}|xx)$",
        description="Only return requests with this status, such as `404`, or this class of statuses, such as `4xx`.",
    )
    method: str | None = Field(
        None, pattern=r"^[A-Z]{1,16}$", description="Only return requests with this method, such as `POST`."
    )
    path: str | None = Field(
        None,
        max_length=500,
        description="Only return requests to this path, such as `/api/v1/agents/7`, or this template, such as "
        "`/api/v1/agents/{id}`.",
    )
    credential: str | None = Field(
        None,
        max_length=40,
        pattern=r"^[a-z]+:[0-9]{1,19}$",
        description="Only return entries of this credential, such as `key:17`.",
    )
    request_id: str | None = Field(None, max_length=128, description="Only return requests with this `X-Request-ID`.")
    before: Counted | None = Field(
        None,
        ge=1,
        le=MAX_ID,
        description="Only return requests before the one with this `id`. To continue a list while new requests "
        "arrive, send the `id` of the last entry.",
    )


class RequestView(View):
    """An API request of your account and its outcome. Bodies, headers and queries are not logged."""

    id: int = Field(description="ID of the entry. IDs follow the order in which requests ended.")
    request_id: str = Field(description="`X-Request-ID` of the response.")
    method: str = Field(description="HTTP method.")
    path: str = Field(description="Path without the query.")
    route: str | None = Field(description="Template of the path, such as `/api/v1/agents/{id}`; null if it has none.")
    status: int = Field(description="HTTP status of the response; 0 if the client disconnected before there was one.")
    duration_ms: float = Field(description="Milliseconds until the response was sent completely, including streams.")
    credential: str = Field(
        description="Credential: `key:ID`, `session:ID`, or `oauth:ID` with the ID of an OAuth grant."
    )
    address: str = Field(description="IP address of the client, IPv6 addresses as their /64 network.")
    error_code: str | None = Field(description="Error code; null for a success or a replayed response.")
    error_message: str | None = Field(description="Error message, its first 500 characters.")
    created_at: Timestamp = Field(description="Time at which the request arrived.")
