"""Request and response schemas of bookmarks."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field
from retinue.bookmarks.tables import TITLE_CHARACTERS, URL_CHARACTERS

from retinue.core.http.envelope import Body, Changes, Timestamp, View, absent

Title = Annotated[str, Field(min_length=1, max_length=TITLE_CHARACTERS, description="Title.")]
Url = Annotated[str, Field(max_length=URL_CHARACTERS, pattern=r"^https?://\S+$", description="Address.")]


class BookmarkCreate(Body):
    """Request body for adding a bookmark."""

    title: Title
    url: Url


class BookmarkUpdate(Changes):
    """Fields of a bookmark to change."""

    read_only: ClassVar[frozenset[str]] = frozenset({"id", "created_at", "updated_at"})

    title: Title = Field(default_factory=absent)
    url: Url = Field(default_factory=absent)
    id: Any = Field(default_factory=absent, description="Ignored.")
    created_at: Any = Field(default_factory=absent, description="Ignored.")
    updated_at: Any = Field(default_factory=absent, description="Ignored.")


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
