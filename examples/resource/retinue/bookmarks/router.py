"""Routes of bookmarks."""

from typing import Annotated

from fastapi import Depends, Path, Query
from retinue.bookmarks.schemas import BookmarkCreate, BookmarkDeleted, BookmarkUpdate, BookmarkView
from retinue.bookmarks.service import Bookmarks

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, listing, one
from retinue.core.http.operations import Api, record_of, recover_record

BookmarkId = Annotated[PathId, Path(description="ID of the bookmark.")]

_bookmarks = of_caller(Bookmarks)

BookmarksOfCaller = Annotated[Bookmarks, Depends(_bookmarks)]

api = Api("bookmarks", record=record_of(_bookmarks))
_recover = recover_record(_bookmarks, "bookmark", Data[BookmarkView], 201)


@api.get("/bookmarks", scope="tools:read", response_model=Listing[BookmarkView])
async def list_bookmarks(wanted: Annotated[Page, Query()], bookmarks: BookmarksOfCaller) -> ListEnvelope:
    """List your bookmarks, newest first."""
    return listing(await bookmarks.page(wanted), wanted)


@api.post("/bookmarks", scope="tools:execute", status=201, response_model=Data[BookmarkView], recover=_recover)
async def add_bookmark(body: BookmarkCreate, bookmarks: BookmarksOfCaller) -> Envelope:
    """Add a bookmark."""
    return one(await bookmarks.add(body))


@api.get("/bookmarks/{id}", scope="tools:read", response_model=Data[BookmarkView])
async def get_bookmark(id: BookmarkId, bookmarks: BookmarksOfCaller) -> Envelope:
    """Retrieve a bookmark."""
    return one(await bookmarks.get(id))


@api.put("/bookmarks/{id}", scope="tools:execute", response_model=Data[BookmarkView])
async def update_bookmark(id: BookmarkId, body: BookmarkUpdate, bookmarks: BookmarksOfCaller) -> Envelope:
    """Change a bookmark."""
    return one(await bookmarks.update(id, body))


@api.delete("/bookmarks/{id}", scope="tools:execute", response_model=Data[BookmarkDeleted])
async def delete_bookmark(id: BookmarkId, bookmarks: BookmarksOfCaller) -> Envelope:
    """Delete a bookmark."""
    await bookmarks.delete(id)
    return one({"id": id, "deleted": True})
