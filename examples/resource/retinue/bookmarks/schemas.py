"""Request and response schemas of bookmarks."""

from typing import Annotated, Literal

from pydantic import Field
from retinue.bookmarks.tables import TITLE_CHARACTERS, URL_CHARACTERS

from retinue.core.http.envelope import IGNORED, Body, Changes, Timestamp, View, absent

Title = Annotated[str, Field(min_length=1, max_length=TITLE_CHARACTERS, description="Title.")]
Url = Annotated[str, Field(max_length=URL_CHARACTERS, pattern=r"^https?://\S+$", description="Address.")]


class BookmarkCreate(Body):
    """Request body for adding a bookmark."""

    title: Title
    url: Url


class BookmarkUpdate(Changes):
    """Fields of a bookmark to change."""

    title: Title = Field(default_factory=absent)
    url: Url = Field(default_factory=absent)
    id: object = IGNORED
    created_at: object = IGNORED
    updated_at: object = IGNORED


class BookmarkView(View):
    """A bookmark."""

    id: int = Field(description="ID of the bookmark.")
    title: str = Field(description="Title.")
    url: str = Field(description="Address.")
    created_at: Timestamp = Field(description="Time at which the object was created.")
    updated_at: Timestamp = Field(description="Time at which the object was last updated.")


class BookmarkDeleted(View):
    """ID of the deleted object."""

    id: int
    deleted: Literal[True]
