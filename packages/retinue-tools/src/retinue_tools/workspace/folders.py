"""Workspace folders: listing and search."""

from collections import Counter
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, tool
from retinue.sdk.workspace import NotFound, Row, ToolContext, ValidationFailed, normal_path, run_on_compute_thread
from retinue_tools.workspace._vocabulary import Folder, Most, Query, Skipped

_SEARCHED_FILES = 200
_LINE_CHARACTERS = 300


class FolderEntry(TypedDict):
    """A file, or a folder with its content."""

    name: Annotated[str, About("Name within the folder; folder names end in /")]
    size_bytes: Annotated[int, About("Size in bytes")]
    files: Annotated[int, About("Number of files: 1 for a file")]


class Listing(TypedDict):
    """Content of a folder."""

    folder: Annotated[str, About("Path of the folder")]
    entries: list[FolderEntry]
    total: Annotated[int, About("Number of entries in the folder")]


class Branches(TypedDict):
    """A folder tree."""

    tree: Annotated[str, About("One line per file or folder, indented by two spaces per level")]
    files: Annotated[int, About("Number of files")]
    size_bytes: Annotated[int, About("Total size")]


class Match(TypedDict):
    """A match of the words."""

    path: Annotated[str, About("Path of the file")]
    line: Annotated[int, About("Line number; 0 for a match in the path")]
    text: Annotated[str, About("The line, truncated to 300 characters")]


class Matches(TypedDict):
    """Matches of the words."""

    matches: list[Match]
    files_searched: Annotated[int, About("Number of files searched")]
    complete: Annotated[bool, About("False if there are more files or matches than were searched")]


@tool(
    tags="file folder list directory ls content workspace",
    use_when=(
        "List my files",
        "What files are in my workspace?",
        "List the folder /reports",
        "Which folders have I got?",
        "Show my files",
        "List my files",
        "Which files do I have?",
    ),
    examples=(
        Example(
            {"folder": "/list-proof"},
            {
                "entries": [
                    {"name": "deep/", "size_bytes": 3, "files": 2},
                    {"name": "a.txt", "size_bytes": 1, "files": 1},
                ],
                "total": 2,
            },
            source="by hand",
            before=(
                ExampleCall("file_write", {"path": "/list-proof/a.txt", "text": "1"}),
                ExampleCall("file_write", {"path": "/list-proof/deep/b.txt", "text": "2"}),
                ExampleCall("file_write", {"path": "/list-proof/deep/er/c.txt", "text": "33"}),
            ),
        ),
        Example({"folder": "/list-proof-empty"}, {"entries": [], "total": 0}, source="nothing was written there"),
        Refusal({"folder": "/a\\b"}, "Separate the parts"),
    ),
    reply={
        "entries": "The folder has {total|entry|entries}: {entries}",
        "not total": "The folder is empty.",
        "": "There are no further entries in the folder.",
    },
)
async def file_list(context: ToolContext, folder: Folder = "/", limit: Most = 100, skip: Skipped = 0) -> Listing:
    """List the files and folders directly in a folder of the workspace, folders first.

    Use it to see what has been saved. Returns names with sizes, and the total number of files in each folder.
    """
    sizes: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    start = len(normal_path(folder)) + 1
    for row in await context.tree.within(folder):
        head, slash, _ = row.name[start:].partition("/")
        sizes[head + slash] += row.body["size"]
        counts[head + slash] += 1
    names = sorted(counts, key=lambda name: (not name.endswith("/"), name))
    entries: list[FolderEntry] = [
        {"name": name, "size_bytes": sizes[name], "files": counts[name]} for name in names[skip : skip + limit]
    ]
    return {"folder": normal_path(folder) or "/", "entries": entries, "total": len(names)}


@tool(
    tags="folder tree hierarchy structure overview files workspace",
    use_when=(
        "Show the folder tree of my workspace",
        "How are my files organised?",
        "Draw the structure of /project",
        "How big is a folder with everything in it?",
    ),
    examples=(
        Example(
            {"folder": "/tree-proof"},
            {"tree": "a.txt\nb/\n  c.txt", "files": 2, "size_bytes": 3},
            source="by hand",
            before=(
                ExampleCall("file_write", {"path": "/tree-proof/a.txt", "text": "1"}),
                ExampleCall("file_write", {"path": "/tree-proof/b/c.txt", "text": "22"}),
            ),
        ),
        Example({"folder": "/tree-proof-none"}, {"tree": "", "files": 0}, source="nothing was written there"),
        Refusal({"folder": "/x/./y"}, "no . or .."),
    ),
    reply={
        "tree": "{args.folder} contains {files|file}: {tree}",
        "tree, files, tree": "The workspace contains {files|file}: {tree}",
        "": "The folder is empty.",
    },
)
async def folder_show_tree(
    context: ToolContext,
    folder: Folder = "/",
    limit: Annotated[int, About("Maximum number of files", 200, minimum=1, maximum=2000)] = 500,
) -> Branches:
    """Draw everything in a folder of the workspace, with all folders below it, as an indented tree.

    Use it for an overview. Returns the tree, the number of files and their total size.
    """
    rows = await context.tree.within(folder)
    start = len(normal_path(folder)) + 1
    drawn = _draw([row.name[start:] for row in rows[:limit]])
    return {"tree": drawn, "files": len(rows), "size_bytes": sum(row.body["size"] for row in rows)}


def _draw(paths: list[str]) -> str:
    lines: dict[str, None] = {}
    for path in paths:
        above = path.split("/")[:-1]
        for level in range(len(above)):
            lines.setdefault("/".join(above[: level + 1]) + "/")
        lines.setdefault(path)
    return "\n".join("  " * line.rstrip("/").count("/") + _last(line) for line in lines)


def _last(line: str) -> str:
    return line.rstrip("/").rpartition("/")[2] + ("/" if line.endswith("/") else "")


@tool(
    tags="file search find grep text content name workspace",
    use_when=(
        "Which of my files mentions the budget?",
        "Find the file called invoice in my workspace",
        "Where did I write about Lisbon?",
        "Find a file",
        "Where did I save my letter?",
    ),
    pace="normal",
    examples=(
        Example(
            {"query": "LISBON", "folder": "/search-proof"},
            {
                "matches": [{"path": "/search-proof/a.md", "line": 2, "text": "Lisbon in May"}],
                "files_searched": 2,
                "complete": True,
            },
            source="by hand",
            before=(
                ExampleCall("file_write", {"path": "/search-proof/a.md", "text": "Trips\nLisbon in May\n"}),
                ExampleCall("file_write", {"path": "/search-proof/b.md", "text": "Nothing here\n"}),
            ),
        ),
        Example(
            {"query": "a.MD", "folder": "/search-proof", "where": "names"},
            {"matches": [{"path": "/search-proof/a.md", "line": 0, "text": "/search-proof/a.md"}]},
            source="by hand",
            before=(ExampleCall("file_write", {"path": "/search-proof/a.md", "text": "Trips\nLisbon in May\n"}),),
        ),
        Refusal({"query": "x", "folder": "/../x"}, "no . or .."),
    ),
    reply={
        "matches": "I found \u201c{args.query}\u201d here: {matches}",
        "": "None of your files contains \u201c{args.query}\u201d.",
    },
)
async def file_search(
    context: ToolContext,
    query: Query,
    folder: Folder = "/",
    where: Annotated[Literal["text", "names"], About("Search the text of files, or their paths")] = "text",
    limit: Most = 50,
) -> Matches:
    """Find the files of the workspace whose text or path contains some words exactly, ignoring letter case.

    Use it to find saved work. It searches the first 200 text files of the folder, of up to 1 MiB each. Returns each
    line with its file and number.
    """
    rows = await context.tree.within(folder)
    needle = query.casefold()
    if where == "names":
        found: list[Match] = [
            {"path": row.name, "line": 0, "text": row.name} for row in rows if needle in row.name.casefold()
        ]
        return {"matches": found[:limit], "files_searched": len(rows), "complete": len(found) <= limit}
    matches: list[Match] = []
    looked = 0
    for row in rows[:_SEARCHED_FILES]:
        if len(matches) > limit:
            break
        looked += 1
        matches += await _lines_with(context, row, needle, limit + 1 - len(matches))
    return {
        "matches": matches[:limit],
        "files_searched": looked,
        "complete": len(matches) <= limit and looked == len(rows),
    }


async def _lines_with(context: ToolContext, row: Row, needle: str, most: int) -> list[Match]:
    """Return the lines of a file that contain the words; none for a file that is not text."""
    try:
        _, text = await context.tree.text(row.name)
    except (ValidationFailed, NotFound):
        return []
    return await run_on_compute_thread(_matches, row.name, text, needle, most)


def _matches(path: str, text: str, needle: str, most: int) -> list[Match]:
    found: list[Match] = []
    for number, line in enumerate(text.splitlines(), 1):
        if needle in line.casefold():
            found.append({"path": path, "line": number, "text": line[:_LINE_CHARACTERS]})
        if len(found) == most:
            break
    return found
