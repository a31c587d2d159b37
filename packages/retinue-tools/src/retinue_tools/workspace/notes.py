"""Notes."""

from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, ToolError, tool
from retinue.sdk.workspace import RecordKind, ToolContext
from retinue_tools.workspace._vocabulary import (
    Deleted,
    Id,
    Kept,
    Most,
    Query,
    Skipped,
    Tag,
    Tags,
    Title,
    has_tag,
)


class Note(Kept):
    """A note."""

    title: Annotated[str, About("Title of the note")]
    text: Annotated[str, About("Text of the note")]
    tags: Annotated[list[str], About("Tags of the note")]


class Notes(TypedDict):
    """Some notes."""

    notes: list[Note]
    total: Annotated[int, About("Total number of notes")]


NOTES: RecordKind[Note] = RecordKind("note", "title", ("title", "text", "tags"))
_PREVIEW, _LONGEST = 500, 50_000
"""Limits in characters."""

NoteText = Annotated[str, About("Text of the note", "Window seat, vegetarian meal", max_length=50_000)]


def _preview(note: Note) -> Note:
    return {**note, "text": note["text"][:_PREVIEW]}


@tool(
    tags="note create write remember memo jot save",
    use_when=(
        "Make a note that the plumber comes on Friday",
        "Write down these ideas for the talk",
        "Save a note titled Packing list",
        "Save a note: parents' evening on 12 June at 6 pm",
        "Take a note",
        "Write down an idea before I forget it",
        "Jot this down",
        "Note: the wifi password is sunny-day-4",
        "Make a note that the boiler was serviced",
        "Write down that the meeting room code is 8841",
    ),
    read_only=False,
    idempotent=False,
    examples=(
        Example(
            {"title": "Proof of notes", "text": "Milk and eggs", "tags": ["shop"]},
            {"id": "proof-of-notes", "title": "Proof of notes", "text": "Milk and eggs", "tags": ["shop"]},
            source="by hand: the id is the title's words",
            then=(ExampleCall("note_read", {"note": "Proof of notes"}, {"text": "Milk and eggs"}),),
        ),
        Example({"title": "Only a title"}, {"text": "", "tags": []}, source="by hand"),
        Refusal({"title": ""}, "title must have at least 1 character"),
    ),
    reply={
        "tags": "I saved the note \u201c{title}\u201d with the tags {tags}.",
        "": "I saved the note \u201c{title}\u201d.",
    },
)
async def note_create(context: ToolContext, title: Title, text: NoteText = "", tags: Tags | None = None) -> Note:
    """Create a note with a title, a text and tags.

    Use it to keep information that can be found again by its words. Returns the note with its id.
    """
    return await context.items(NOTES).add({"title": title, "text": text, "tags": tags or []})


@tool(
    tags="note read open show full text memo",
    use_when=(
        "Read me the note Packing list",
        "What does my note on the talk say?",
        "Open the note renew-passport",
        "What is in my note Packing list?",
    ),
    examples=(
        Example(
            {"note": "Readable proof"},
            {"id": "readable-proof", "text": "Here it is."},
            source="by hand",
            before=(ExampleCall("note_create", {"title": "Readable proof", "text": "Here it is."}),),
        ),
        Refusal({"note": "no such note"}, "There is no note"),
    ),
    reply={
        "text": "{title}: {text}",
        "text, text": "The note: {text}",
        "": "The note \u201c{title}\u201d has no text.",
    },
)
async def note_read(context: ToolContext, note: Id) -> Note:
    """Read a complete (whole) note, by its id or its exact title.

    Use it after a search, which shortens long notes. Returns title, text, tags and times.
    """
    items = context.items(NOTES)
    return items.view_of(await items.get(note))


@tool(
    tags="note update change edit append add memo",
    use_when=(
        "Add butter to my shopping note",
        "Change the title of the note to Ideas",
        "Replace the text of my note on the trip",
    ),
    read_only=False,
    destructive=True,
    destroys_when={"title": (), "text": (), "tags": ()},
    idempotent=False,
    examples=(
        Example(
            {"note": "Growing proof", "append": "eggs"},
            {"text": "milk\neggs"},
            source="by hand",
            before=(ExampleCall("note_create", {"title": "Growing proof", "text": "milk"}),),
        ),
        Example(
            {"note": "Changing proof", "text": "new", "tags": ["x"]},
            {"text": "new", "tags": ["x"], "title": "Changing proof"},
            source="by hand",
            before=(ExampleCall("note_create", {"title": "Changing proof", "text": "old"}),),
        ),
        Refusal({"note": "growing-proof"}, "Nothing to change"),
    ),
    reply="I changed the note \u201c{title}\u201d.",
)
async def note_update(
    context: ToolContext,
    note: Id,
    title: Title | None = None,
    text: NoteText | None = None,
    append: Annotated[str, About("Text to append as further lines", "eggs", max_length=10_000)] | None = None,
    tags: Tags | None = None,
) -> Note:
    """Change a note: its title, its whole text, or its tags, or add lines at its end.

    Lines that others add at the same time are preserved. Returns the changed note.
    """

    changes = {"title": title, "text": text, "tags": tags}
    fields = {name: value for name, value in changes.items() if value is not None}
    if append is None:
        return await context.items(NOTES).change(note, fields)

    def append_text(body: dict[str, Any]) -> dict[str, Any]:
        changed = {**body, **fields}
        longer = "\n".join(filter(None, (changed["text"], append)))
        if len(longer) > _LONGEST:
            raise ToolError(f"The note would have more than {_LONGEST:,} characters. Create another one.")
        return {**changed, "text": longer}

    return await context.items(NOTES).revise(note, append_text)


@tool(
    tags="note search find list look memo recent",
    use_when=(
        "Find my note about the plumber",
        "Which notes have the tag travel?",
        "Show my latest notes",
        "Find my notes about the garden",
        "Show my notes",
    ),
    examples=(
        Example(
            {"query": "zeppelins hangar"},
            {"notes": [{"title": "Airship proof"}]},
            source="by hand: no other note holds these words",
            before=(ExampleCall("note_create", {"title": "Airship proof", "text": "A zeppelin in its hangar"}),),
        ),
        Example(
            {"tag": "Proof-Tag"},
            {"notes": [{"title": "Tagged proof"}]},
            source="by hand: no other note has the tag",
            before=(ExampleCall("note_create", {"title": "Tagged proof", "tags": ["proof-tag"]}),),
        ),
        Refusal({"query": "x", "limit": 0}, "limit must be at least 1"),
    ),
    reply={
        "notes.1": "I found these notes: {notes}",
        "notes.0.text": "The note \u201c{notes.0.title}\u201d: {notes.0.text}",
        "notes": "I found the note \u201c{notes.0.title}\u201d.",
        "": "There is no such note.",
    },
)
async def note_search(
    context: ToolContext, query: Query | None = None, tag: Tag | None = None, limit: Most = 20, skip: Skipped = 0
) -> Notes:
    """Find notes by their words, best first, or list the newest; a tag narrows both.

    Long texts are truncated to 500 characters: note_read returns them completely. Returns the notes, and their total
    number.
    """
    items = context.items(NOTES)
    found = await items.find(query, limit, skip, lambda note: has_tag(note, tag))
    return {"notes": [_preview(note) for note in found], "total": await items.count()}


@tool(
    tags="note delete remove erase memo",
    use_when=(
        "Delete my note about the party",
        "Delete the note Packing list",
        "Remove my old note about the talk",
        "Erase the note renew-passport",
        "Throw away a note",
        "Delete my note about parking",
    ),
    read_only=False,
    destructive=True,
    examples=(
        Example(
            {"note": "Doomed proof"},
            {"id": "doomed-proof", "deleted": True},
            source="by hand",
            before=(ExampleCall("note_create", {"title": "Doomed proof"}),),
        ),
        Refusal({"note": "doomed-proof"}, "There is no note"),
    ),
    reply="I deleted the note \u201c{args.note}\u201d.",
)
async def note_delete(context: ToolContext, note: Id) -> Deleted:
    """Permanently delete a note, by its id or its exact title. Returns the id of the deleted note; this cannot be
    undone.
    """
    return {"id": (await context.items(NOTES).remove(note))["id"], "deleted": True}
