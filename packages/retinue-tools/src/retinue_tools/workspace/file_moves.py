"""Workspace files: moving, copying, importing and deleting."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, Refusal, tool
from retinue.sdk.workspace import ToolContext
from retinue_tools.workspace._vocabulary import Path
from retinue_tools.workspace.files import StoredFile, describe


class Moved(TypedDict):
    """Result of moving files."""

    paths: Annotated[list[str], About("New paths")]


class Removed(TypedDict):
    """Deleted files."""

    paths: Annotated[list[str], About("Deleted paths")]


@tool(
    tags="file move rename folder workspace mv",
    use_when=(
        "Rename /notes/plan.md to /notes/plan-2026.md",
        "Move the folder /drafts into /archive",
        "Put this file under another name",
        "Rename files, or give them another extension",
        "Move a file into another folder",
        "Rename a file",
    ),
    read_only=False,
    idempotent=False,
    examples=(
        Example(
            {"path": "/move-proof/old", "target": "/move-proof/new"},
            {"paths": ["/move-proof/new/a.txt", "/move-proof/new/b.txt"]},
            source="by hand",
            before=(
                ExampleCall("file_write", {"path": "/move-proof/old/a.txt", "text": "1"}),
                ExampleCall("file_write", {"path": "/move-proof/old/b.txt", "text": "2"}),
            ),
            then=(ExampleCall("file_read", {"path": "/move-proof/new/b.txt"}, {"text": "2"}),),
        ),
        Refusal({"path": "/move-proof/none.txt", "target": "/move-proof/x.txt"}, "no file or folder"),
        Refusal({"path": "/move-proof/new", "target": "/move-proof/new/in"}, "into itself"),
    ),
    reply={
        "args.path, paths": "{args.path} is now {paths}.",
        "paths": "I moved {args.path} to {args.target}.",
        "": "There was nothing to move.",
    },
)
async def file_move(
    context: ToolContext,
    path: Path,
    target: Annotated[str, About("New path", "/notes/plan-2026.md", min_length=1, max_length=512)],
) -> Moved:
    """Move or rename a file, or a folder with up to 1,000 files, in the workspace.

    The target must not exist. Returns the new paths.
    """
    return {"paths": await context.tree.move(path, target)}


@tool(
    tags="file copy duplicate workspace cp",
    use_when=(
        "Make a copy of /notes/plan.md",
        "Copy the file /notes/plan.md to another path",
        "Copy the template to /letters/june.md",
    ),
    read_only=False,
    destructive=True,
    destroys_when={"overwrite": (True,)},
    idempotent=False,
    examples=(
        Example(
            {"path": "/copy-proof/a.txt", "target": "/copy-proof/b.txt"},
            {"path": "/copy-proof/b.txt", "size_bytes": 5},
            source="by hand",
            before=(ExampleCall("file_write", {"path": "/copy-proof/a.txt", "text": "equal"}),),
            then=(ExampleCall("file_read", {"path": "/copy-proof/b.txt"}, {"text": "equal"}),),
        ),
        Example(
            {"path": "/copy-proof/c.txt", "target": "/copy-proof/d.txt", "overwrite": True},
            {"size_bytes": 1},
            source="by hand",
            before=(
                ExampleCall("file_write", {"path": "/copy-proof/c.txt", "text": "c"}),
                ExampleCall("file_write", {"path": "/copy-proof/d.txt", "text": "longer"}),
            ),
        ),
        Refusal({"path": "/copy-proof/a.txt", "target": "/copy-proof/b.txt"}, "already a file"),
    ),
    reply="I copied {args.path} to {path}.",
)
async def file_copy(
    context: ToolContext,
    path: Path,
    target: Annotated[str, About("Path of the copy", "/notes/plan-copy.md", min_length=1, max_length=512)],
    overwrite: Annotated[bool, About("Whether to replace an existing file at the target", False)] = False,
) -> StoredFile:
    """Copy a file of the workspace to another path. The copy is independent of the original.

    Use it before risky changes, or to start from a template. Returns the copy with its file id.
    """
    source = await context.tree.get(path)
    return describe(await context.tree.copy(source.body["file"], target, overwrite=overwrite))


@tool(
    tags="file import upload attach save workspace path store",
    use_when=(
        "Save the uploaded file as /data/sales.csv",
        "Put the PDF that another tool made into my reports folder",
        "Keep this attachment in the workspace",
    ),
    read_only=False,
    destructive=True,
    destroys_when={"overwrite": (True,)},
    idempotent=False,
    examples=(
        Example(
            {"file": "file_01k9z4m2n8q6r5t3v7w1x0y2za", "path": "/import-proof/a.csv"},
            {"path": "/import-proof/a.csv", "size_bytes": 4},
            source="by hand: YSxiCg== is a,b and a line end",
            files={"file_01k9z4m2n8q6r5t3v7w1x0y2za": "YSxiCg=="},
            then=(ExampleCall("file_read", {"path": "/import-proof/a.csv"}, {"text": "a,b\n"}),),
        ),
        Example(
            {"file": "file_01k9z4m2n8q6r5t3v7w1x0y2za", "path": "/import-proof/b.csv", "overwrite": True},
            {"size_bytes": 4},
            source="by hand: YSxiCg== is a,b and a line end",
            files={"file_01k9z4m2n8q6r5t3v7w1x0y2za": "YSxiCg=="},
        ),
        Refusal({"file": "file_01k9z4m2n8q6r5t3v7w1x0y2zz", "path": "/import-proof/c.csv"}, "you have no file"),
    ),
    reply="I saved the file as {args.path}.",
)
async def file_import(
    context: ToolContext,
    file: File,
    path: Path,
    overwrite: Annotated[bool, About("Whether to replace an existing file at the path", False)] = False,
) -> StoredFile:
    """Copy an uploaded file, or one that a tool created, to a path of the workspace.

    Use it so that the file can be found by its name later. The uploaded file is not changed. Returns the new file.
    """
    return describe(await context.tree.copy(file, path, overwrite=overwrite))


@tool(
    tags="file delete remove erase folder workspace rm",
    use_when=(
        "Delete /notes/old.md",
        "Remove the folder /drafts with everything in it",
        "Erase that saved file",
        "Delete a file",
    ),
    read_only=False,
    destructive=True,
    examples=(
        Example(
            {"path": "/delete-proof/a.txt"},
            {"paths": ["/delete-proof/a.txt"]},
            source="by hand",
            before=(ExampleCall("file_write", {"path": "/delete-proof/a.txt", "text": "1"}),),
            then=(ExampleCall("file_list", {"folder": "/delete-proof"}, {"entries": []}),),
        ),
        Example(
            {"path": "/delete-proof/many", "folders": True},
            {"paths": ["/delete-proof/many/a.txt", "/delete-proof/many/b.txt"]},
            source="by hand",
            before=(
                ExampleCall("file_write", {"path": "/delete-proof/many/a.txt", "text": "1"}),
                ExampleCall("file_write", {"path": "/delete-proof/many/b.txt", "text": "2"}),
            ),
        ),
        Refusal(
            {"path": "/delete-proof/kept"},
            "is a folder",
            before=(ExampleCall("file_write", {"path": "/delete-proof/kept/a.txt", "text": "1"}),),
        ),
    ),
    reply={
        "paths": "I deleted {paths}.",
        "paths, paths": "I deleted these files: {paths}",
        "": "There was nothing to delete.",
    },
)
async def file_delete(
    context: ToolContext,
    path: Path,
    folders: Annotated[bool, About("Whether to delete a folder with all of its content", False)] = False,
) -> Removed:
    """Permanently delete a file of the workspace, or a folder with up to 1,000 files.

    This cannot be undone. Returns the deleted paths.
    """
    return {"paths": await context.tree.remove(path, folders=folders)}
