"""Workspace overview and export."""

from collections.abc import AsyncIterator
from typing import Annotated

import orjson
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, tool
from retinue.sdk.workspace import ToolContext, count_kinds, export_pages, run_on_compute_thread
from retinue_tools.workspace._vocabulary import Path
from retinue_tools.workspace.files import StoredFile, describe


class KindInfo(TypedDict):
    """Number and size of records of a kind."""

    kind: Annotated[str, About("Kind of record")]
    records: Annotated[int, About("Number of records")]
    size_bytes: Annotated[int, About("Storage used, excluding the content of files")]


class Overview(TypedDict):
    """Overview of the workspace."""

    kinds: list[KindInfo]
    records: Annotated[int, About("Total number of records, of at most 100,000")]


class Exported(StoredFile):
    """An export."""

    records: Annotated[int, About("Number of exported records")]


@tool(
    tags="workspace overview summary content size count kinds kept storage",
    use_when=(
        "What is in my workspace?",
        "How many notes, tasks and files have I got?",
        "What takes the most room in the workspace?",
    ),
    examples=(
        Example(
            {"kind": "note"},
            {"kinds": [{"kind": "note"}]},
            source="by hand",
            before=(ExampleCall("note_create", {"title": "Overview proof"}),),
        ),
        Example({"kind": "unicorn"}, {"kinds": []}, source="there is no such kind"),
        Refusal({"kind": ""}, "kind must have at least 1 character"),
    ),
    reply={
        "kinds": "The workspace contains {records|record}: {kinds}",
        "": "There is nothing of that kind in the workspace.",
    },
)
async def workspace_show_overview(
    context: ToolContext,
    kind: Annotated[str, About("Only this kind", "note", min_length=1, max_length=16)] | None = None,
) -> Overview:
    """Show how many notes, tasks, files and other records the workspace contains and how much storage they use."""
    rows = await count_kinds(context.records)
    kinds: list[KindInfo] = [
        {"kind": row.kind, "records": row.records, "size_bytes": row.size} for row in rows if kind in (None, row.kind)
    ]
    return {"kinds": kinds, "records": sum(row.records for row in rows)}


@tool(
    tags="workspace export backup download everything json lines dump",
    use_when=(
        "Export my whole workspace",
        "Make a backup of all notes and tasks",
        "Give me everything that is stored here as one file",
    ),
    read_only=False,
    destructive=True,
    pace="long",
    credits=5,
    examples=(
        Example(
            {"path": "/export-proof/all.jsonl"},
            {"path": "/export-proof/all.jsonl"},
            source="by hand",
            before=(ExampleCall("note_create", {"title": "Exported quokka proof"}),),
            then=(
                ExampleCall(
                    "file_search",
                    {"query": '"name":"exported-quokka-proof"', "folder": "/export-proof"},
                    {"files_searched": 1, "matches": [{"path": "/export-proof/all.jsonl"}]},
                ),
            ),
        ),
        Refusal({"path": "/"}, "That is a folder"),
    ),
    reply="I exported {records|record} to {path}.",
)
async def workspace_export_all(context: ToolContext, path: Path) -> Exported:
    """Write every record of the workspace into one file of JSON lines at a path, for a backup or another system.

    Each line has the kind, name, times and fields of a record; files are listed by path and id, with which they can be
    downloaded. An existing file at the path is replaced. Returns the file and its number of records.
    """
    count = 0

    async def lines() -> AsyncIterator[bytes]:
        nonlocal count
        async for page in export_pages(context.records):
            count += len(page)
            yield await run_on_compute_thread(lambda records: b"".join(map(_line, records)), page)

    row = await context.tree.receive(path, lines())
    return {**describe(row), "records": count}


def _line(record: dict[str, object]) -> bytes:
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
