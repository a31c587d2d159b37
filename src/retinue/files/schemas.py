"""Request and response schemas of files."""

from typing import Annotated, Literal

from pydantic import Field

from retinue.core.http.envelope import Timestamp, View

FileId = Annotated[str, Field(min_length=1, max_length=64)]
Attached = Annotated[list[FileId], Field(max_length=10)]


class FileView(View):
    """An uploaded file."""

    id: str = Field(description="ID of the file.")
    name: str = Field(description="Name of the file, without folders.")
    media_type: str = Field(description="Media type, as declared by the client.")
    size: int = Field(description="In bytes.")
    sha256: str = Field(description="SHA-256 of the content, in hexadecimal.")
    created_at: Timestamp = Field(description="Time of the upload.")


class FileDeleted(View):
    """ID of the deleted object."""

    id: str
    deleted: Literal[True]
