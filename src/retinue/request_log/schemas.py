"""What callers see of the request log."""

from typing import Literal

from pydantic import Field

from retinue.auth.audit.schemas import Moment
from retinue.core.envelope import MAX_ID, Counted, Page, Timestamp, View

Mode = Literal["live", "test"]


class RequestMode(View):
    """Whose requests."""

    mode: Mode | None = Field(
        None,
        description="`live` or `test`: requests by live credentials or by test keys. Your credential's own by default.",
    )


class RequestQuery(Page, RequestMode):
    """Which requests."""

    status: str | None = Field(
        None,
        pattern=r"^[1-5]([0-9]{2}|xx)$",
        description="Only this status, such as `404`, or this class of statuses, such as `4xx`.",
    )
    method: str | None = Field(None, pattern=r"^[A-Z]{1,16}$", description="Only this method, such as `POST`.")
    path: str | None = Field(
        None,
        max_length=500,
        description="Only this path, such as `/api/v1/agents/7`, or this template, such as `/api/v1/agents/{id}`.",
    )
    credential: str | None = Field(
        None, max_length=40, pattern=r"^[a-z]+:[0-9]{1,19}$", description="Only this credential, such as `key:17`."
    )
    request_id: str | None = Field(None, max_length=128, description="Only requests with this `X-Request-ID`.")
    since: Moment | None = Field(None, description="From this instant on, in ISO 8601; UTC without an offset.")
    until: Moment | None = Field(None, description="Before this instant, in ISO 8601; UTC without an offset.")
    before: Counted | None = Field(
        None,
        ge=1,
        le=MAX_ID,
        description="Only requests before the one with this `id`. To read on while requests arrive, "
        "send the `id` of the last one that you have.",
    )


class RequestView(View):
    """A request of your account, and what came of it. Bodies, headers and queries are not logged."""

    id: int = Field(description="The entry's id. Requests have ids in the order in which they end.")
    request_id: str = Field(description="The `X-Request-ID` of the answer.")
    method: str = Field(description="The HTTP method.")
    path: str = Field(description="The path, without the query.")
    route: str | None = Field(description="The path's template, such as `/api/v1/agents/{id}`; null if it has none.")
    status: int = Field(description="The HTTP status of the answer; 0 if the client went away before there was one.")
    duration_ms: float = Field(description="Milliseconds until the whole answer was sent, streams included.")
    credential: str = Field(
        description="The credential: `key:ID`, `session:ID`, or `oauth:ID` with the id of an OAuth grant."
    )
    address: str = Field(description="The client's address, an IPv6 address as its /64 network.")
    error_code: str | None = Field(description="The code of the error; null for a success or a repeated answer.")
    error_message: str | None = Field(description="The message of the error, its first 500 characters.")
    created_at: Timestamp = Field(description="When the request came.")
