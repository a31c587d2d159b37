"""Routes for deleting a user and exporting its data."""

from typing import Annotated

from fastapi import Depends, Path

from retinue.account_data.schemas import AccountDeleted, AccountDeletion, ExportView
from retinue.account_data.service import Deletions, Exports
from retinue.auth.account.router import OwnAccount
from retinue.auth.services import of_caller, shared_service
from retinue.auth.sign_in.router import Client
from retinue.core.http.envelope import Data, Envelope, PathId, one
from retinue.core.http.operations import Api, record_of, recover_record

_deletions = shared_service(Deletions)

_exports = of_caller(Exports)

ExportsOfCaller = Annotated[Exports, Depends(_exports)]
ExportId = Annotated[PathId, Path(description="ID of the export.")]

api = Api("account", record=record_of(_exports))
recover_export = recover_record(_exports, "export", Data[ExportView], 202)


@api.delete("/account", "*", response_model=Data[AccountDeleted], credentials=("session",))
async def delete_account(
    body: AccountDeletion, account: OwnAccount, deletions: Annotated[Deletions, Depends(_deletions)], client: Client
) -> Envelope:
    """Delete your user and all its data. This cannot be undone.

    All credentials stop working within a second, and the e-mail address becomes available again. Records and files are
    deleted in the background. Marketplace items that others have installed are kept, with the author "deleted user".
    """
    user_id = await deletions.of_caller(account, body.password, body.code, client)
    return one({"id": user_id, "deleted": True})


@api.post(
    "/account/export",
    "*",
    202,
    response_model=Data[ExportView],
    credentials=("key", "session"),
    recover=recover_export,
)
async def export_account(exports: ExportsOfCaller) -> Envelope:
    """Export all data of your account to a zip archive among your files, in the background.

    A test key exports the sandbox. If an export is already in progress, it is returned. Otherwise a new export replaces
    the last one, whose file is deleted. The archive counts towards your storage.
    """
    return one(await exports.request())


@api.get("/account/export/{id}", "*", response_model=Data[ExportView], credentials=("key", "session"))
async def get_account_export(id: ExportId, exports: ExportsOfCaller) -> Envelope:
    """Retrieve an export: its status and, once completed, the ID of its file."""
    return one(await exports.get(id))
