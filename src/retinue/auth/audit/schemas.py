"""Request and response schemas of the audit log."""

from typing import Literal

from pydantic import Field

from retinue.auth.audit.entries import Action
from retinue.core.http.envelope import Timestamp, View
from retinue.core.http.period import Period


class AuditQuery(Period):
    """Which entries."""

    action: Action | None = Field(None, description="Only return entries with this action.")
    credential: str | None = Field(
        None,
        max_length=40,
        pattern=r"^[a-z]+(:[0-9]{1,19})?$",
        description="Only return entries of this credential, such as `key:17`.",
    )
    format: Literal["json", "csv"] | None = Field(
        None, description="`csv` returns all entries without pagination, like the header `Accept: text/csv`."
    )


class AuditEntryView(View):
    """A change to your account or a sign-in attempt."""

    id: int = Field(description="ID of the entry.")
    action: Action = Field(description="The action.")
    target_id: int | None = Field(description="ID of the changed record, such as that of a key.")
    detail: str | None = Field(description="Details of the change, if the action alone does not describe it.")
    credential: str = Field(
        description="Who acted: `key:ID`, `session:ID`, `password`, `link`, or `operator` for the command line."
    )
    sandbox: bool = Field(description="Whether the action was performed with a test key.")
    address: str | None = Field(
        description="IP address of the client, IPv6 addresses as their /64 network; null for the operator."
    )
    request_id: str | None = Field(description="`X-Request-ID` of the request; null for the operator.")
    created_at: Timestamp = Field(description="Time of the action.")
