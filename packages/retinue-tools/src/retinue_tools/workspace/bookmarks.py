"""Bookmarks."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, tool
from retinue.sdk.workspace import RecordKind, ToolContext
from retinue_tools.workspace._vocabulary import Deleted, Id, Kept, Most, Query, Skipped, Tag, Tags, has_tag


class Bookmark(Kept):
    """A saved link."""

    title: Annotated[str, About("Title of the page")]
    url: Annotated[str, About("Web address")]
    notes: Annotated[str, About("Notes on the page")]
    tags: Annotated[list[str], About("Tags")]


class Bookmarks(TypedDict):
    """Some saved links."""

    bookmarks: list[Bookmark]
    total: Annotated[int, About("Total number of saved links")]


BOOKMARKS: RecordKind[Bookmark] = RecordKind("bookmark", "title", ("title", "url", "notes", "tags"))


@tool(
    tags="bookmark link url save favourite read later",
    use_when=(
        "Save this link for later",
        "Bookmark https://example.com/recipe with the tag cooking",
        "Keep the address of this article",
        "Remember this website",
    ),
    read_only=False,
    idempotent=False,
    examples=(
        Example(
            {"url": "https://example.com/recipe", "title": "Proof of soup", "tags": ["cooking"]},
            {"id": "proof-of-soup", "url": "https://example.com/recipe", "tags": ["cooking"]},
            source="by hand: the id is the title's words",
        ),
        Example(
            {"url": "https://example.org/untitled"},
            {"title": "https://example.org/untitled", "notes": ""},
            source="by hand: without a title the address serves",
        ),
        Refusal({"url": "javascript:alert(1)"}, "must match the pattern"),
    ),
    reply={
        "tags": "I saved the link \u201c{title}\u201d with the tags {tags}.",
        "": "I saved the link \u201c{title}\u201d.",
    },
)
async def bookmark_save(
    context: ToolContext,
    url: Annotated[
        str, About("Web address", "https://example.com/recipe", pattern=r"^https?://[^\s]+$", max_length=2000)
    ],
    title: Annotated[str, About("Title of the page", "Tomato soup", max_length=200)] = "",
    notes: Annotated[str, About("Notes on the page", "For Sunday", max_length=5000)] = "",
    tags: Tags | None = None,
) -> Bookmark:
    """Save a web address with a title, notes and tags.

    The page itself is not fetched or stored. Returns the bookmark with its id.
    """
    fields = {"title": title or url, "url": url, "notes": notes, "tags": tags or []}
    return await context.items(BOOKMARKS).add(fields)


@tool(
    tags="bookmark link url search find list favourite",
    use_when=(
        "Find the link to the soup recipe",
        "Which bookmarks have the tag cooking?",
        "Show my latest links",
        "Find the link that I saved",
    ),
    examples=(
        Example(
            {"query": "gazpacho"},
            {"bookmarks": [{"url": "https://example.com/cold-soup"}]},
            source="by hand: no other bookmark has the word",
            before=(
                ExampleCall(
                    "bookmark_save", {"url": "https://example.com/cold-soup", "title": "Gazpacho, a cold soup"}
                ),
            ),
        ),
        Example({"tag": "tag-of-none"}, {"bookmarks": []}, source="no bookmark has the tag"),
        Refusal({"query": ""}, "query must have at least 1 character"),
    ),
    reply={
        "bookmarks": "The saved links: {bookmarks}",
        "": "There is no such saved link.",
    },
)
async def bookmark_search(
    context: ToolContext, query: Query | None = None, tag: Tag | None = None, limit: Most = 20, skip: Skipped = 0
) -> Bookmarks:
    """Find saved links by words of their title, address, notes or tags, or list the newest; a tag narrows both."""
    items = context.items(BOOKMARKS)
    found = await items.find(query, limit, skip, lambda bookmark: has_tag(bookmark, tag))
    return {"bookmarks": found, "total": await items.count()}


@tool(
    tags="bookmark link url delete remove",
    use_when=("Delete the bookmark of the soup recipe", "Remove this link", "I no longer need that saved address"),
    read_only=False,
    destructive=True,
    examples=(
        Example(
            {"bookmark": "Dead link proof"},
            {"id": "dead-link-proof", "deleted": True},
            source="by hand",
            before=(ExampleCall("bookmark_save", {"url": "https://example.com/dead", "title": "Dead link proof"}),),
        ),
        Refusal({"bookmark": "dead-link-proof"}, "There is no bookmark"),
    ),
    reply="I deleted the bookmark \u201c{args.bookmark}\u201d.",
)
async def bookmark_delete(context: ToolContext, bookmark: Id) -> Deleted:
    """Permanently delete a saved link, by its id or its exact title. Returns the id of the deleted link."""
    return {"id": (await context.items(BOOKMARKS).remove(bookmark))["id"], "deleted": True}
