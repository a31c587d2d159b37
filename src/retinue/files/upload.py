"""Read an upload from a request: a form with one file, or the bare content."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import ClientDisconnect, Request

from retinue.core.errors import RetinueError, ValidationFailed
from retinue.core.http.request_body import announced_length, discard_body, media_type, stream_body
from retinue.files.file_metadata import UNTYPED, FileMetadata, clean_media_type, clean_name, disposition_filename
from retinue.files.forms import read_form
from retinue.files.media_types import with_media_type
from retinue.files.store import Upload

_FORM_BYTES = 8192
"""Maximum overhead of a form in bytes: its boundaries and headers are shorter."""

_PAST_S = 5.0
"""How long to keep reading a refused upload."""

_UPLOAD_S = 1800.0
"""Maximum duration of an upload: half the age at which the sweep treats it as a leftover."""

_CURL = "application/x-www-form-urlencoded"
"""What curl calls each body that it sends with `--data-binary`, whatever it contains."""

_STALL_S = 60.0
"""Maximum pause within an upload."""


def announced_size(request: Request) -> int:
    """Return the minimum size of the file in bytes according to the client; 0 if unknown."""
    return max((announced_length(request) or 0) - (_FORM_BYTES if _is_form(request) else 0), 0)


def _is_form(request: Request) -> bool:
    return media_type(request) == "multipart/form-data"


async def read_upload(
    request: Request, name: str | None, upload: Upload, fields: dict[str, str] | None = None
) -> FileMetadata:
    """Write the content of a request to `upload`, to its end. Raises `ValidationFailed` if it is not an upload.

    `name` is that of a bare body; without it, the name comes from the `Content-Disposition`. `fields` receives the
    other parts of a form; without it, there may be none.
    """
    kind = request.headers.get("content-type", "")
    body = stream_body(request, _STALL_S, _UPLOAD_S)
    try:
        if _is_form(request):
            label = await read_form(body, kind, upload, fields)
        else:
            label = await _read_bare(request, body, name, upload)
    except TimeoutError as error:
        raise ValidationFailed(
            f"The upload stalled for {_STALL_S:g} s, or took longer than {_UPLOAD_S / 60:g} minutes. Try "
            "again, or upload a smaller file."
        ) from error
    except ClientDisconnect as error:
        raise ValidationFailed("The body is shorter than its declared length.") from error
    await upload.finish()
    return with_media_type(label, upload.head)


@asynccontextmanager
async def read_past(request: Request) -> AsyncIterator[None]:
    """If an upload is refused, keep reading for a few seconds: a client that is still sending would otherwise lose
    the response with the connection (RFC 9112, section 9.6).
    """
    try:
        yield
    except RetinueError:
        if "expect" in request.headers:  # such a client waits for permission to send (RFC 9110, section 10.1.1)
            raise
        await discard_body(request, _PAST_S)
        raise


async def _read_bare(request: Request, body: AsyncIterator[bytes], name: str | None, upload: Upload) -> FileMetadata:
    disposition = request.headers.get("content-disposition", "").encode("latin-1").decode(errors="replace")
    async for chunk in body:
        await upload.write(chunk)
    file_name = clean_name(name or disposition_filename(disposition))
    kind = clean_media_type(request.headers.get("content-type"))
    return FileMetadata(file_name, UNTYPED if kind == _CURL else kind)
