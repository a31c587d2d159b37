"""Argument and result types shared by the workspace tools."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About

Path = Annotated[str, About("Path in the workspace, from its root", "/notes/plan.md", min_length=1, max_length=512)]
Folder = Annotated[
    str, About("Folder in the workspace; / is the whole workspace", "/notes", min_length=1, max_length=512)
]
Title = Annotated[str, About("Short title", "Renew passport", min_length=1, max_length=200)]
Id = Annotated[str, About("ID as shown in lists, or the exact title", "renew-passport", min_length=1, max_length=200)]
Query = Annotated[str, About("Words to search for", "passport photo", min_length=1, max_length=500)]
Most = Annotated[int, About("Maximum number of results", 20, minimum=1, maximum=200)]
Skipped = Annotated[int, About("Number of results to skip, for the next page", 0, minimum=0, maximum=100_000)]
Tag = Annotated[str, About("A tag", "travel", min_length=1, max_length=50)]
Tags = Annotated[list[Tag], About("Tags for finding it", ["travel", "home"], max_items=20)]
When = Annotated[
    str, About("Date or time in ISO 8601, in UTC unless it has an offset", "2026-12-01T09:30+01:00", max_length=40)
]
ZoneName = Annotated[str, About("IANA time zone", "Europe/Berlin", min_length=1, max_length=64)]


class Kept(TypedDict):
    """Common fields of stored records."""

    id: Annotated[str, About("ID for other calls")]
    created_at: Annotated[str, About("Creation time, in UTC")]
    updated_at: Annotated[str, About("Time of the last change, in UTC")]


class Deleted(TypedDict):
    """A deleted record."""

    id: Annotated[str, About("ID of the deleted record")]
    deleted: Annotated[bool, About("Always true")]


def has_tag(thing: object, tag: str | None) -> bool:
    """Check whether a record has a tag, ignoring case; every record matches None."""
    tags = thing.get("tags", ()) if isinstance(thing, dict) else ()
    return tag is None or tag.casefold() in (one.casefold() for one in tags)
