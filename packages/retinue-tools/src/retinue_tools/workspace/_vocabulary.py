"""Types of arguments and results that the tools of the workspace share."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About

Path = Annotated[str, About("Path in the workspace, from its root", "/notes/plan.md", min_length=1, max_length=512)]
Folder = Annotated[str, About("Folder in the workspace; / is all of it", "/notes", min_length=1, max_length=512)]
Title = Annotated[str, About("Short title", "Renew passport", min_length=1, max_length=200)]
Id = Annotated[str, About("Id as lists show it, or the exact title", "renew-passport", min_length=1, max_length=200)]
Query = Annotated[str, About("Words to look for", "passport photo", min_length=1, max_length=500)]
Most = Annotated[int, About("How many to return at most", 20, minimum=1, maximum=200)]
Skipped = Annotated[int, About("How many to leave out first, for the next page", 0, minimum=0, maximum=100_000)]
Tag = Annotated[str, About("One tag", "travel", min_length=1, max_length=50)]
Tags = Annotated[list[Tag], About("Tags to find it by", ["travel", "home"], max_items=20)]
When = Annotated[
    str, About("Date or time in ISO 8601, in UTC unless it tells its offset", "2026-12-01T09:30+01:00", max_length=40)
]
ZoneName = Annotated[str, About("IANA time zone", "Europe/Berlin", min_length=1, max_length=64)]


class Kept(TypedDict):
    """What every kept thing has."""

    id: Annotated[str, About("Names it in other calls")]
    created_at: Annotated[str, About("When it was made, in UTC")]
    updated_at: Annotated[str, About("When it was last changed, in UTC")]


class Deleted(TypedDict):
    """What is gone."""

    id: Annotated[str, About("Its id")]
    deleted: Annotated[bool, About("Always true")]


def has_tag(thing: object, tag: str | None) -> bool:
    """Whether a kept thing has a tag, whatever its letter case; every thing has None."""
    tags = thing.get("tags", ()) if isinstance(thing, dict) else ()
    return tag is None or tag.casefold() in (one.casefold() for one in tags)
