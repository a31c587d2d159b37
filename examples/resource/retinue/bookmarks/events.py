"""The event of bookmarks."""

from retinue.core.work.events import Event


class BookmarkAdded(Event):
    """A bookmark was added."""

    event_name = "bookmark.added"
    bookmark_id: int
    title: str
    url: str
