"""Request and response schemas of sources."""

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from retinue.core.http.envelope import IGNORED, Body, Changes, Timestamp, View, absent
from retinue.core.network.url_checks import web_address
from retinue.language.timezone_aliases import canonical_zone
from retinue.workspace.paths import MOST_CHARACTERS

USUAL_PAGES, USUAL_DEPTH = 200, 3

Kind = Literal["website", "folder", "repository", "bucket"]
Status = Literal["queued", "syncing", "ready", "failed"]


_BUCKET = re.compile(r"s3://[a-z0-9][a-z0-9._-]{1,62}(/[^\x00-\x1f\x7f]*)?")


def _check_address(text: str) -> str:
    if text.startswith("s3://"):
        if not _BUCKET.fullmatch(text):
            raise ValueError("must be the address of a bucket, such as s3://handbook/texts/")
        return text
    return web_address(text, "only public pages can be read")


def _check_zone(name: str) -> str:
    if (zone := canonical_zone(name)) is None:
        raise ValueError("must be the name of an IANA time zone, such as Europe/Berlin or UTC")
    return zone


class SyncSchedule(Body):
    """When a source is synchronized: at an interval in hours, or by a cron expression."""

    every_hours: Annotated[int, Field(ge=0, le=720)] | None = Field(
        None, description="Hours between the end of a synchronization and the next one; 0 for only on request."
    )
    cron: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        None, description="Cron expression with five fields, such as `0 6 * * 1-5`, instead."
    )
    timezone: Annotated[str, Field(max_length=64), AfterValidator(_check_zone)] | None = Field(
        "UTC", description="IANA time zone of the cron expression."
    )

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        if (self.every_hours is None) == (self.cron is None):
            raise ValueError("send either every_hours or cron")
        return self


Address = Annotated[
    str,
    Field(
        min_length=1,
        max_length=2000,
        description="Address of a website's first page or site map, of a Git repository or its archive, or of a "
        "bucket with a prefix: `s3://handbook/texts/`.",
    ),
    AfterValidator(_check_address),
]
FolderPath = Annotated[
    str, Field(max_length=MOST_CHARACTERS, description="Folder of the workspace, such as `/handbook`; `/` for all.")
]
ConnectionName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=64,
        description="Name of the connection with the credential: of the kind `s3` for a bucket, and of the kind `http` "
        "for a private repository.",
    ),
]
_Pattern = Annotated[str, Field(min_length=1, max_length=300)]
Include = Annotated[
    list[_Pattern],
    Field(
        max_length=50,
        description="Patterns of the paths to read, such as `/docs/*` or `*.pdf`; `*` stands for any characters. Empty "
        "for all.",
    ),
]
Exclude = Annotated[list[_Pattern], Field(max_length=50, description="Patterns of the paths to leave out.")]
MaxPages = Annotated[int, Field(ge=1, le=5000, description="Maximum number of pages or files.")]
MaxDepth = Annotated[
    int, Field(ge=0, le=10, description="Maximum number of links from the first page; 0 reads only that page.")
]
Schedule = Annotated[SyncSchedule, Field(description="When to synchronize. By default, every 24 hours.")]


class CollectionSourceCreate(Body):
    """Request body for adding a source.

    A folder of the workspace has a `path`, the other kinds have a `url`. A bucket needs a `connection`, and so does a
    private repository.
    """

    kind: Kind = Field(description="Kind of the source.")
    url: Address | None = None
    path: FolderPath | None = None
    connection: ConnectionName | None = None
    include: Include | None = Field(default=[])
    exclude: Exclude | None = Field(default=[])
    max_pages: MaxPages | None = USUAL_PAGES
    max_depth: MaxDepth | None = USUAL_DEPTH
    schedule: SyncSchedule | None = Field(
        default=SyncSchedule(every_hours=24), description="When to synchronize. By default, every 24 hours."
    )

    @model_validator(mode="after")
    def _check_place(self) -> Self:
        needed, other = ("path", "url") if self.kind == "folder" else ("url", "path")
        if getattr(self, needed) is None or getattr(self, other) is not None:
            raise ValueError(f"a {self.kind} needs {needed}, and no {other}")
        return self


class CollectionSourceUpdate(Changes):
    """Fields of a source to change. The source is then synchronized."""

    url: Address | None = Field(default_factory=absent)
    path: FolderPath | None = Field(default_factory=absent)
    connection: ConnectionName | None = Field(default_factory=absent)
    include: Include = Field(default_factory=absent)
    exclude: Exclude = Field(default_factory=absent)
    max_pages: MaxPages = Field(default_factory=absent)
    max_depth: MaxDepth = Field(default_factory=absent)
    schedule: Schedule = Field(default_factory=absent)
    id: object = IGNORED
    collection_id: object = IGNORED
    kind: object = IGNORED
    status: object = IGNORED
    error: object = IGNORED
    documents: object = IGNORED
    pending: object = IGNORED
    failed: object = IGNORED
    last_synced_at: object = IGNORED
    next_sync_at: object = IGNORED
    created_at: object = IGNORED
    updated_at: object = IGNORED


class SyncTimesView(View):
    """When a source is synchronized."""

    every_hours: int | None = Field(description="Hours between two synchronizations; 0 for only on request.")
    cron: str | None = Field(description="Cron expression.")
    timezone: str = Field(description="IANA time zone of the cron expression.")


class CollectionSourceView(View):
    """A website, a folder, a Git repository or a bucket with which a collection is synchronized."""

    id: int = Field(description="ID of the source.")
    collection_id: int = Field(description="ID of the collection.")
    kind: Kind = Field(description="Kind of the source.")
    url: str | None = Field(description="Address; null for a folder.")
    path: str | None = Field(description="Folder of the workspace; null for the other kinds.")
    connection: str | None = Field(description="Name of the connection with the credential; null without one.")
    include: Include
    exclude: Exclude
    max_pages: MaxPages
    max_depth: MaxDepth
    schedule: SyncTimesView = Field(description="When it is synchronized.")
    status: Status = Field(description="State of the last synchronization.")
    error: str | None = Field(description="Why the source could not be read, or which limit was reached.")
    documents: int = Field(description="Number of its documents.")
    pending: int = Field(description="Number of documents that are still to be read or indexed.")
    failed: int = Field(description="Number of documents that could not be read; each has its own error.")
    last_synced_at: Timestamp | None = Field(description="Time at which the last complete synchronization ended.")
    next_sync_at: Timestamp | None = Field(description="Time of the next one; null if there is no schedule.")
    created_at: Timestamp = Field(description="Time at which the object was created.")
    updated_at: Timestamp = Field(description="Time at which the object was last updated.")


class CollectionSourceDeleted(View):
    """ID of the deleted object."""

    id: int
    deleted: Literal[True]
