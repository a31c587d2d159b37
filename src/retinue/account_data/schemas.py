"""What users send and see of the deletion and the export of their data."""

from typing import Literal

from pydantic import Field

from retinue.auth.account.schemas import Code, PasswordConfirmation
from retinue.core.envelope import Timestamp, View


class AccountDeletion(PasswordConfirmation):
    """Proof that it is the user who asks."""

    code: Code | None = Field(None, description="A code of the second factor, where there is one.")


class AccountDeleted(View):
    """The id of the user that is gone."""

    id: int
    deleted: Literal[True]


class ExportView(View):
    """An export of your account."""

    id: int = Field(description="The export's id.")
    status: Literal["queued", "running", "completed", "failed"] = Field(description="How far it is.")
    file_id: str | None = Field(
        description="The zip archive among your files once it is completed: GET /files/{file_id}/content."
    )
    error: str | None = Field(description="Why it failed.")
    created_at: Timestamp = Field(description="When it was asked for.")
    ended_at: Timestamp | None = Field(description="When it was completed, or failed.")
