"""Request and response schemas for deleting a user and exporting its data."""

from typing import Literal

from pydantic import Field

from retinue.auth.account.schemas import Code, PasswordConfirmation
from retinue.core.http.envelope import Timestamp, View


class AccountDeletion(PasswordConfirmation):
    """Confirmation of the caller's identity."""

    code: Code | None = Field(None, description="Code from the authenticator app, if the user has a second factor.")


class AccountDeleted(View):
    """ID of the deleted user."""

    id: int
    deleted: Literal[True]


class ExportView(View):
    """An export of your account."""

    id: int = Field(description="ID of the export.")
    status: Literal["queued", "running", "completed", "failed"] = Field(description="Status of the export.")
    file_id: str | None = Field(
        description="ID of the zip archive once the export is completed. Download it with GET /files/{file_id}/content."
    )
    error: str | None = Field(description="Reason for the failure.")
    created_at: Timestamp = Field(description="Time of the request.")
    ended_at: Timestamp | None = Field(description="Time at which the export was completed or failed.")
