"""The event of bookmarks."""

from pydantic import Field

from retinue.core.work.events import Event


class BookmarkAdded(Event):
    """A bookmark was added."""

    event_name = "bookmark.added"
    bookmark_id: int = Field(description="ID of the bookmark.", examples=[1])
    title: str = Field(description="Title of the page.", examples=["Retinue"])
    url: str = Field(description="Address of the page.", examples=["https://example.com/"])
