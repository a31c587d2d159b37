"""Routes of OpenAI's Files API, on the files of the account.

Protocol: https://platform.openai.com/docs/api-reference/files
"""

from functools import partial
from typing import Annotated, Literal

from fastapi import Depends, Path, Query, Request
from pydantic import Field
from starlette.responses import JSONResponse, Response

from retinue.auth.services import of_caller
from retinue.core.database.statements import Row
from retinue.core.http.operations import Api
from retinue.files.contents import content_of
from retinue.files.service import Files
from retinue.files.upload import announced_size, read_past, read_upload
from retinue.interop.lenient import Lenient, Name
from retinue.interop.openai.base import BASE, list_ends

_MOST = 1000
"""Files in one page."""

FileId = Annotated[str, Path(max_length=64)]
FilesOfCaller = Annotated[Files, Depends(of_caller(Files))]

api = Api("openai", base=BASE)


class FileQuery(Lenient):
    """Query parameters of a list of files."""

    after: Name | None = None
    limit: Annotated[int, Field(ge=1, le=10_000)] = _MOST
    order: Literal["asc", "desc"] = "desc"


@api.post("/files", scope="tools:execute", raw_body=True, include_in_schema=False)
async def create_openai_file(request: Request, files: FilesOfCaller) -> Response:
    """Upload a file with a form. Its other fields, such as `purpose`, are ignored."""
    async with read_past(request), files.receiving(announced_size(request)) as upload:
        label = await read_upload(request, None, upload, {})
        return JSONResponse(_view(await files.add(upload, label)))


@api.get("/files", scope="tools:read", include_in_schema=False)
async def list_openai_files(query: Annotated[FileQuery, Query()], files: FilesOfCaller) -> Response:
    """List the files of the account, by default the newest first."""
    most = min(query.limit, _MOST)
    rows = await files.beyond(query.after, most + 1, newest_first=query.order == "desc")
    data = [_view(row) for row in rows[:most]]
    return JSONResponse({"object": "list", "data": data, **list_ends(data), "has_more": len(rows) > most})


@api.get("/files/{file_id}", scope="tools:read", include_in_schema=False)
async def get_openai_file(file_id: FileId, files: FilesOfCaller) -> Response:
    """Return the record of a file."""
    return JSONResponse(_view(await files.get(file_id)))


@api.get("/files/{file_id}/content", scope="tools:read", include_in_schema=False)
async def get_openai_file_content(file_id: FileId, request: Request, files: FilesOfCaller) -> Response:
    """Return the content of a file."""
    return await content_of(await files.get(file_id), request.headers, partial(files.open, file_id))


@api.delete("/files/{file_id}", scope="tools:execute", include_in_schema=False)
async def delete_openai_file(file_id: FileId, files: FilesOfCaller) -> Response:
    """Delete a file."""
    await files.delete(file_id)
    return JSONResponse({"id": file_id, "object": "file", "deleted": True})


def _view(row: Row) -> dict[str, object]:
    return {
        "id": row.id,
        "object": "file",
        "bytes": row.size,
        "created_at": int(row.created_at.timestamp()),
        "filename": row.name,
        "purpose": "user_data",
        "status": "processed",
    }
