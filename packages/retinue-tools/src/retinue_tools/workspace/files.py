"""Reading and writing of workspace files by path."""

from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, ToolError, tool
from retinue.sdk.workspace import MOST_TEXT_BYTES, Row, ToolContext, format_datetime
from retinue_tools.workspace._vocabulary import Path

_READ_CHARACTERS = 200_000

Content = Annotated[str, About("Text of the file", "# Plan\n\n1. Draft\n2. Review\n", max_length=500_000)]


class StoredFile(TypedDict):
    """A file of the workspace."""

    path: Annotated[str, About("Path of the file")]
    file: Annotated[str, About("ID of the file, for tools with a file argument and for downloads", format="file-id")]
    size_bytes: Annotated[int, About("Size in bytes")]
    media_type: Annotated[str, About("Media type, from the extension")]
    sha256: Annotated[str, About("SHA-256 of the content, in hexadecimal")]
    updated_at: Annotated[str, About("Time of the last write, in UTC")]


class FileText(TypedDict):
    """Lines of a file."""

    path: Annotated[str, About("Path of the file")]
    text: Annotated[str, About("Requested lines")]
    first_line: Annotated[int, About("Number of the first line returned, from 1")]
    lines: Annotated[int, About("Number of lines returned")]
    total_lines: Annotated[int, About("Total number of lines")]


class EditedFile(TypedDict):
    """Result of an edit."""

    path: Annotated[str, About("Path of the file")]
    replacements: Annotated[int, About("Number of replacements")]
    size_bytes: Annotated[int, About("New size of the file")]


def describe(row: Row) -> StoredFile:
    """Convert a file to a result."""
    return {
        "path": row.name,
        "file": row.body["file"],
        "size_bytes": row.body["size"],
        "media_type": row.body["media_type"],
        "sha256": row.body["sha256"],
        "updated_at": format_datetime(row.updated_at),
    }


@tool(
    tags="file write save create append text document store workspace",
    use_when=(
        "Save this summary as /reports/june.md",
        "Append a line to my log file",
        "Create a text file with these meeting minutes in my workspace",
        "Save this text as a Markdown file in a folder",
        "Store the notes of a meeting in a file",
        "Save this as a file",
    ),
    read_only=False,
    destructive=True,
    destroys_when={"mode": ("overwrite",)},
    examples=(
        Example(
            {"path": "/proof/written.md", "text": "abc"},
            {
                "path": "/proof/written.md",
                "size_bytes": 3,
                "media_type": "text/markdown",
                "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            },
            source="FIPS 180-4: the SHA-256 of abc; the size by hand",
            then=(ExampleCall("file_read", {"path": "proof/written.md"}, {"text": "abc", "total_lines": 1}),),
        ),
        Example(
            {"path": "/proof/log.txt", "text": "two\n", "mode": "append"},
            {"size_bytes": 8},
            source="by hand: one, two and their line ends",
            before=(ExampleCall("file_write", {"path": "/proof/log.txt", "text": "one\n"}),),
            then=(ExampleCall("file_read", {"path": "/proof/log.txt"}, {"text": "one\ntwo\n"}),),
        ),
        Refusal({"path": "/notes/../secret.md", "text": "x"}, "no . or .."),
    ),
    reply={
        "args.mode": "I wrote to {args.path}.",
        "": "I saved {args.path}.",
    },
)
async def file_write(
    context: ToolContext,
    path: Path,
    text: Content,
    mode: Annotated[
        Literal["overwrite", "create", "append"],
        About("overwrite replaces an existing file, create rejects it, append adds to its end"),
    ] = "overwrite",
) -> StoredFile:
    """Write a text file at a path of the workspace, where later runs and other agents can find it.

    Use it to keep results, drafts and logs. Folders are created automatically. Returns the file's path, id and size.
    """
    if mode == "append":
        return describe(await context.tree.append(path, text))
    return describe(await context.tree.write(path, text.encode(), overwrite=mode != "create"))


@tool(
    tags="file read open show content text lines workspace cat",
    use_when=(
        "Read the file plan.md of the workspace",
        "Show me the first 50 lines of my log file",
        "Read the draft that I saved in the workspace",
    ),
    examples=(
        Example(
            {"path": "/proof/lines.txt", "first_line": 2, "lines": 2},
            {"text": "b\nc\n", "first_line": 2, "lines": 2, "total_lines": 4},
            source="by hand",
            before=(ExampleCall("file_write", {"path": "/proof/lines.txt", "text": "a\nb\nc\nd\n"}),),
        ),
        Example(
            {"path": "/proof/whole.txt"},
            {"text": "Grüße", "total_lines": 1},
            source="by hand",
            before=(ExampleCall("file_write", {"path": "/proof/whole.txt", "text": "Grüße"}),),
        ),
        Refusal({"path": "/proof/nowhere.txt"}, "There is no file"),
    ),
    reply={
        "text": "The text of {args.path}: {text}",
        "": "{args.path} has no text there.",
    },
)
async def file_read(
    context: ToolContext,
    path: Path,
    first_line: Annotated[int, About("Number of the first line, from 1", 1, minimum=1, maximum=1_000_000)] = 1,
    lines: Annotated[int, About("Maximum number of lines", 500, minimum=1, maximum=10_000)] = 2000,
) -> FileText:
    """Read lines of a text file of the workspace.

    Use it before editing a file, or to continue with saved work. Returns the text with the numbers of its lines. For
    files other than UTF-8 text, use other tools with their file id.
    """
    row, text = await context.tree.text(path)
    all_lines = text.splitlines(keepends=True)
    selected = all_lines[first_line - 1 : first_line - 1 + lines]
    if sum(map(len, selected)) > _READ_CHARACTERS:
        raise ToolError(f"These lines have more than {_READ_CHARACTERS:,} characters. Read fewer at a time.")
    return {
        "path": row.name,
        "text": "".join(selected),
        "first_line": first_line,
        "lines": len(selected),
        "total_lines": len(all_lines),
    }


@tool(
    pace="normal",  # With many concurrent edits, the last one waits for all others.
    tags="file edit replace change text patch update workspace",
    use_when=(
        "Change the deadline in /notes/plan.md from Monday to Friday",
        "Replace every 'colour' by 'color' in my draft",
        "Fix a typo in a saved file without rewriting it",
    ),
    read_only=False,
    destructive=True,
    idempotent=False,
    examples=(
        Example(
            {"path": "/proof/edit.md", "old": "Monday", "new": "Friday"},
            {"replacements": 1, "size_bytes": 10},
            source="by hand",
            before=(ExampleCall("file_write", {"path": "/proof/edit.md", "text": "On Monday."}),),
            then=(ExampleCall("file_read", {"path": "/proof/edit.md"}, {"text": "On Friday."}),),
        ),
        Example(
            {"path": "/proof/edit-all.md", "old": "a", "new": "oo", "every": True},
            {"replacements": 3, "size_bytes": 9},
            source="by hand: banana becomes boonoonoo",
            before=(ExampleCall("file_write", {"path": "/proof/edit-all.md", "text": "banana"}),),
            then=(ExampleCall("file_read", {"path": "/proof/edit-all.md"}, {"text": "boonoonoo"}),),
        ),
        Refusal(
            {"path": "/proof/edit-two.md", "old": "a", "new": "b"},
            "The old text occurs 3 times",
            before=(ExampleCall("file_write", {"path": "/proof/edit-two.md", "text": "banana"}),),
        ),
    ),
    reply="I changed {replacements|place} in {args.path}.",
)
async def file_edit(
    context: ToolContext,
    path: Path,
    old: Annotated[str, About("Text to replace, exactly as in the file", "Monday", min_length=1, max_length=50_000)],
    new: Annotated[str, About("Replacement text; empty deletes", "Friday", max_length=50_000)],
    every: Annotated[
        bool, About("Whether to replace every occurrence; otherwise there must be exactly one", False)
    ] = False,
) -> EditedFile:
    """Replace an exact piece of text in a file of the workspace.

    Use it to change a file without rewriting it. It fails if the text does not occur, or occurs several times unless
    every is true. Concurrent edits are all preserved. Returns the number of replacements.
    """
    counts = [0]

    def edit(text: str) -> str:
        counts[0] = text.count(old)
        if not counts[0]:
            raise ToolError("The old text does not occur in the file. Read the file, and copy it exactly.")
        if counts[0] > 1 and not every:
            raise ToolError(f"The old text occurs {counts[0]} times. Add surrounding text, or set every to true.")
        if len(text) + counts[0] * (len(new) - len(old)) > MOST_TEXT_BYTES:
            raise ToolError("The file would become too long. Replace less.")
        return text.replace(old, new)

    row = await context.tree.rewrite(path, edit)
    return {"path": row.name, "replacements": counts[0], "size_bytes": row.body["size"]}


@tool(
    tags="file info size type checksum sha256 date metadata workspace id",
    use_when=(
        "How large is /reports/june.md?",
        "When was my plan last changed?",
        "What is the file id of /data/sales.csv so that another tool can read it?",
    ),
    examples=(
        Example(
            {"path": "/proof/info.csv"},
            {"file": "info.csv", "size_bytes": 4, "media_type": "text/csv"},
            source="by hand; RFC 7111 registers text/csv",
            before=(ExampleCall("file_write", {"path": "/proof/info.csv", "text": "a,b\n"}),),
        ),
        Refusal({"path": "/"}, "That is a folder"),
    ),
    reply=("{path} has {size_bytes|byte}, is of the type {media_type} and was last changed on {updated_at}."),
)
async def file_info(context: ToolContext, path: Path) -> StoredFile:
    """Show the size, media type, checksum, time of change and file id of a file in the workspace.

    Use the file id with tools that take a file, or to download the content.
    """
    return describe(await context.tree.get(path))
