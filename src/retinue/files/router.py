"""Routes of files."""

import hashlib
from collections.abc import Mapping
from functools import partial
from typing import Annotated

from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, json_response, listing, one
from retinue.core.http.operations import Api
from retinue.core.idempotency.call import carried_out_once
from retinue.files.contents import content_of
from retinue.files.file_metadata import FileMetadata
from retinue.files.schemas import FileDeleted, FileView
from retinue.files.service import Files
from retinue.files.store import Upload
from retinue.files.upload import announced_size, read_past, read_upload

FileName = Annotated[str | None, Query(description="Name of the file, if the body is the content itself.")]
FileIdPath = Annotated[str, Path(description="ID of the file.")]
PageQuery = Annotated[Page, Query()]

_BYTES = {"type": "string", "format": "binary"}
_FILE = {**_BYTES, "description": "The content, with the file's name and type in the headers."}
_FORM = {"type": "object", "properties": {"file": _FILE}, "required": ["file"], "additionalProperties": False}
_UPLOAD = {
    "requestBody": {
        "required": False,
        "content": {"multipart/form-data": {"schema": _FORM}, "*/*": {"schema": _BYTES}},
    }
}
_CONTENT: dict[int | str, dict[str, object]] = {
    200: {"content": {"*/*": {"schema": _BYTES}}},
    206: {"description": "The requested range", "content": {"*/*": {"schema": _BYTES}}},
    304: {"description": "Not modified: the ETag matches yours"},
}


_files = of_caller(Files)


async def _record(request: Request) -> object:
    return await (await _files(request)).get(request.path_params["id"])


FilesOfCaller = Annotated[Files, Depends(_files)]

api = Api("files", record=_record)


async def _recover_create(request: Request, effect: Mapping[str, str]) -> Response:
    return json_response(Data[FileView], await (await _files(request)).get(effect["file"]), 201)


async def _store(request: Request, upload: Upload, label: FileMetadata) -> Response:
    return json_response(Data[FileView], await (await _files(request)).add(upload, label), 201)


@api.post(
    "/files",
    scope="tools:execute",
    status=201,
    response_model=Data[FileView],
    raw_body=True,
    openapi_extra=_UPLOAD,
)
async def upload_file(request: Request, files: FilesOfCaller, name: FileName = None) -> Response:
    """Upload a file, either as the part `file` of a form or as the body itself with the name in the query.

    An `Idempotency-Key` covers the content, its name and its type.
    """
    async with read_past(request), files.receiving(announced_size(request)) as upload:
        label = await read_upload(request, name, upload)
        fingerprint = hashlib.sha256(f"{upload.sha256} {label.media_type} {label.name}".encode()).hexdigest()
        key = request.headers.get("idempotency-key")
        return await carried_out_once(
            request, key, fingerprint, partial(_store, request, upload, label), _recover_create
        )


@api.get("/files", scope="tools:read", response_model=Listing[FileView])
async def list_files(page: PageQuery, files: FilesOfCaller) -> ListEnvelope:
    """List your files, newest first."""
    return listing(await files.page(page), page)


@api.get("/files/{id}", scope="tools:read", response_model=Data[FileView])
async def get_file(id: FileIdPath, files: FilesOfCaller) -> Envelope:
    """Retrieve the record of a file."""
    return one(await files.get(id))


@api.get("/files/{id}/content", scope="tools:read", response_class=Response, responses=_CONTENT)
async def get_file_content(id: FileIdPath, request: Request, files: FilesOfCaller) -> Response:
    """Download the content of a file, in full or a single range of bytes."""
    return await content_of(await files.get(id), request.headers, partial(files.open, id))


@api.delete("/files/{id}", scope="tools:execute", response_model=Data[FileDeleted])
async def delete_file(id: FileIdPath, files: FilesOfCaller) -> Envelope:
    """Delete a file."""
    await files.delete(id)
    return one({"id": id, "deleted": True})
