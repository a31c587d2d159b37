"""HTTP of the deletion and the export of a user's data."""

from typing import Annotated, Any

from fastapi import Depends, Path, Request
from starlette.responses import Response

from retinue.account_data.schemas import AccountDeleted, AccountDeletion, ExportView
from retinue.account_data.service import Deletions, Exports
from retinue.auth.account.router import OwnAccount
from retinue.auth.services import of_caller, shared_service
from retinue.auth.sign_in.router import Client
from retinue.core.envelope import Data, PathId, json_response, one
from retinue.core.operations import Api, path_id

_deletions = shared_service(Deletions)


_exports = of_caller(Exports)


async def _record(request: Request) -> object:
    return await (await _exports(request)).get(path_id(request))


ExportsOfCaller = Annotated[Exports, Depends(_exports)]
ExportId = Annotated[PathId, Path(description="The export's id.")]

api = Api("account", record=_record)


async def recover_export(request: Request, effect: dict[str, Any]) -> Response:
    return json_response(Data[ExportView], await (await _exports(request)).get(effect["export"]), 202)


@api.delete("/account", "*", response_model=Data[AccountDeleted], credentials=("session",))
async def delete_account(
    body: AccountDeletion, account: OwnAccount, deletions: Annotated[Deletions, Depends(_deletions)], client: Client
) -> Any:
    """Delete your user with everything that belongs to it. It cannot be undone.

    Every credential stops within a second, and the e-mail address is free. The records and files are deleted in the
    background. Marketplace items that others have installed stay, by "deleted user".
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
async def export_account(exports: ExportsOfCaller) -> Any:
    """Export everything of your account to a zip archive among your files, in the background.

    A test key exports the sandbox. While an export is under way you get that one; otherwise a new one takes the place
    of the last, whose file is deleted. The archive counts as storage.
    """
    return one(await exports.request())


@api.get("/account/export/{id}", "*", response_model=Data[ExportView], credentials=("key", "session"))
async def get_account_export(id: ExportId, exports: ExportsOfCaller) -> Any:
    """Get an export: how far it is, and the id of its file."""
    return one(await exports.get(id))
