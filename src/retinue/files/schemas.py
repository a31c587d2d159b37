"""What callers send and see of files."""

from typing import Annotated, Literal

from pydantic import Field

from retinue.core.envelope import Timestamp, View

FileId = Annotated[str, Field(min_length=1, max_length=64)]
Attached = Annotated[list[FileId], Field(max_length=10)]


class FileView(View):
    """An uploaded file."""

    id: str = Field(description="The file's id.")
    name: str = Field(description="What it was called, without folders.")
    media_type: str = Field(description="Its type, as the client told it.")
    size: int = Field(description="In bytes.")
    sha256: str = Field(description="Of the content, in hexadecimal.")
    created_at: Timestamp = Field(description="When it was uploaded.")


class FileDeleted(View):
    """The id of what is gone."""

    id: str
    deleted: Literal[True]
