"""What callers see of the audit log."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from retinue.auth.audit.entries import Action
from retinue.core.envelope import Page, Timestamp, View


def _as_utc(moment: datetime) -> datetime:
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("must lie in the years 1 to 9999") from error


Moment = Annotated[datetime, AfterValidator(_as_utc)]


class AuditQuery(Page):
    """Which entries."""

    action: Action | None = Field(None, description="Only this action.")
    credential: str | None = Field(
        None, max_length=40, pattern=r"^[a-z]+(:[0-9]{1,19})?$", description="Only this credential, such as `key:17`."
    )
    since: Moment | None = Field(None, description="From this instant on, in ISO 8601; UTC without an offset.")
    until: Moment | None = Field(None, description="Before this instant, in ISO 8601; UTC without an offset.")
    format: Literal["json", "csv"] | None = Field(
        None, description="`csv`, as the header `Accept: text/csv` says too, gives every entry in place of a page."
    )


class AuditEntryView(View):
    """A change of your account, or an attempt to sign in."""

    id: int = Field(description="The entry's id.")
    action: Action = Field(description="What was done.")
    target_id: int | None = Field(description="The id of the record that was changed, such as the key's.")
    detail: str | None = Field(description="What changed, where the action alone does not say it.")
    credential: str = Field(
        description="What acted: `key:ID`, `session:ID`, `password`, `link`, or `operator` for the command line."
    )
    sandbox: bool = Field(description="Whether a test key acted.")
    address: str | None = Field(
        description="The client's address, an IPv6 address as its /64 network; null for the operator."
    )
    request_id: str | None = Field(description="The `X-Request-ID` of the request; null for the operator.")
    created_at: Timestamp = Field(description="When it was done.")
