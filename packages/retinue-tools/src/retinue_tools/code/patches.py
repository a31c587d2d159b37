"""Create and apply patches of whole projects, as unified diffs."""

from collections.abc import Sequence
from difflib import unified_diff
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import Files, SourceFile, lines_of
from retinue_tools.code._unified_diffs import Change, Diff, read_changes, shown_path

_FUZZ_LINES = 200


class Patched(TypedDict):
    """Result of applying a patch."""

    files: Annotated[list[SourceFile], About("Changed files with their new text")]
    deleted: Annotated[list[str], About("Deleted files")]
    moved_hunks: Annotated[int, About("Number of hunks that were applied at another line than stated")]


class MadeDiff(TypedDict):
    """A diff."""

    diff: Annotated[str, About("Unified diff; empty if nothing differs")]
    changed: Annotated[list[str], About("Paths of the files that differ")]


@tool(
    tags="diff patch apply files project git hunks reverse undo",
    use_when=(
        "Apply this git diff to these files",
        "Undo this patch on my file",
        "Give me the files after this pull request",
    ),
    examples=(
        Example(
            {
                "files": [{"path": "x.txt", "text": "zero\none\ntwo\nthree\n"}],
                "diff": "--- a/x.txt\n+++ b/x.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
            },
            {"files": [{"path": "x.txt", "text": "zero\none\n2\nthree\n"}], "deleted": [], "moved_hunks": 1},
            source="documentation of GNU patch: a hunk may lie some lines off",
        ),
        Example(
            {
                "files": [{"path": "x.txt", "text": "2\n"}],
                "diff": "--- a/x.txt\n+++ b/x.txt\n@@ -1 +1 @@\n-1\n+2\n",
                "reverse": True,
            },
            {"files": [{"path": "x.txt", "text": "1\n"}]},
            source="documentation of GNU patch, option -R",
        ),
        Example(
            {
                "files": [{"path": "y", "text": "a"}],
                "diff": "--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n",
            },
            {"files": [], "deleted": ["y"]},
            source="format of git diff",
        ),
        Refusal(
            {"files": [{"path": "x", "text": "q\n"}], "diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}, "does not fit"
        ),
        Refusal(
            {"files": [{"path": "x", "text": ""}], "diff": "--- a/z\n+++ b/z\n@@ -1 +1 @@\n-a\n+b\n"}, "is missing"
        ),
    ),
    reply={
        "files.1": "The changed files: {files}",
        "files": "The changed text of {files.0.path}: {files.0.text}",
        "deleted": "The patch deletes {deleted}.",
        "": "The patch changes nothing.",
    },
)
def diff_apply_files(
    files: Files, diff: Diff, reverse: Annotated[bool, About("Whether to undo the patch")] = False
) -> Patched:
    """Apply a unified diff to one or many files, or undo it.

    Use it to make a change that is given as a patch, including new, deleted and renamed files. A hunk may be up to 200
    lines away from its stated place. If any hunk does not fit, the patch is refused and nothing is changed. Returns the
    changed files.
    """
    texts = {file["path"]: file["text"] for file in files}
    changed_files, deleted, moved = {}, [], 0
    for change in read_changes(_reverse(diff) if reverse else diff):
        if change.status == "binary":
            raise ToolError(f"{shown_path(change)} is binary: a text patch cannot change it.")
        if change.status != "added" and change.old_path not in texts:
            raise ToolError(f"{change.old_path} is missing among the files. Add it.")
        old = "" if change.status == "added" else texts[change.old_path]
        new, off = _apply(old, change)
        moved += off
        if change.status in ("deleted", "renamed"):
            deleted.append(change.old_path)
        if change.status != "deleted":
            changed_files[change.path] = new
    return {
        "files": [{"path": path, "text": text} for path, text in changed_files.items()],
        "deleted": deleted,
        "moved_hunks": moved,
    }


@tool(
    tags="diff create unified patch files git compare before after generate",
    use_when=(
        "Make a git patch from these old and new files",
        "Create one unified diff for several changed files",
        "What differs between these two versions of a project, as a patch?",
    ),
    examples=(
        Example(
            {"old": [{"path": "x.txt", "text": "a\nb\n"}], "new": [{"path": "x.txt", "text": "a\nc\n"}]},
            {"diff": "--- a/x.txt\n+++ b/x.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "changed": ["x.txt"]},
            source="GNU diff's unified format",
        ),
        Example(
            {"old": [{"path": "a", "text": "1"}], "new": [{"path": "b", "text": "2\n"}], "context_lines": 0},
            {
                "diff": "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n\\ No newline at end of file\n"
                "--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+2\n",
                "changed": ["a", "b"],
            },
            source="format of git diff",
        ),
        Refusal({"old": [{"path": "x", "text": ""}, {"path": "x", "text": ""}], "new": []}, "twice"),
    ),
    reply={
        "diff": "The patch for {changed}: {diff}",
        "diff, diff": "The patch: {diff}",
        "": "The files do not differ, so there is no patch.",
    },
)
def diff_create_patch(
    old: Annotated[list[SourceFile], About("Old files", [{"path": "x.py", "text": "a = 1\n"}], max_items=300)],
    new: Annotated[list[SourceFile], About("New files", [{"path": "x.py", "text": "a = 2\n"}], max_items=300)],
    context_lines: Annotated[int, About("Unchanged lines around each change", minimum=0, maximum=50)] = 3,
) -> MadeDiff:
    """Create one unified diff of two versions of a set of files.

    Use it to hand over a change as a patch. Files that exist on one side only become new or deleted. Returns a diff for
    git apply and patch -p1.
    """
    before, after = _by_path(old), _by_path(new)
    changed = sorted(path for path in {**before, **after} if before.get(path) != after.get(path))
    parts: list[str] = []
    for path in changed:
        first, second = before.get(path), after.get(path)
        names = (f"a/{path}" if first is not None else "/dev/null", f"b/{path}" if second is not None else "/dev/null")
        old_lines, new_lines = (lines_of(text or "") for text in (first, second))
        parts += unified_diff(old_lines, new_lines, *names, n=context_lines)
    marked = [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in parts]
    return {"diff": "".join(marked), "changed": changed}


def _reverse(diff: str) -> str:
    parts = []
    for change in read_changes(diff):
        parts += [f"--- {_prefix(change.path)}", f"+++ {_prefix(change.old_path)}"]
        for head, lines in change.hunks:
            parts.append(f"@@ -{head[3]},{head[4] or 1} +{head[1]},{head[2] or 1} @@")
            parts += [line.translate({ord("+"): "-", ord("-"): "+"})[:1] + line[1:] for line in lines]
    return "\n".join(parts) + "\n"


def _prefix(path: str) -> str:
    return path if path == "/dev/null" else f"a/{path}"


def _apply(text: str, change: Change) -> tuple[str, int]:
    """Return the text after applying the hunks of a file, and how many were applied at another line than stated."""
    lines = lines_of(text)
    shift = moved = 0
    for head, body in change.hunks:
        old, new = _sides(body)
        stated = max(0, int(head[1]) - (int(head[2] or 1) > 0)) + shift
        place = _fitting(lines, old, stated)
        if place is None:
            raise ToolError(
                f"The hunk at line {head[1]} of {change.old_path} does not fit the file. Check the version of the file."
            )
        lines[place : place + len(old)] = new
        shift += place - stated + len(new) - len(old)
        moved += place != stated
    return "".join(lines), moved


def _sides(body: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the lines of a hunk before and after, with their line ends."""
    old: list[str] = []
    new: list[str] = []
    for index, line in enumerate(body):
        if line.startswith("\\"):
            continue
        bare = index + 1 < len(body) and body[index + 1].startswith("\\")
        whole = line[1:] + ("" if bare else "\n")
        if not line.startswith("+"):
            old.append(whole)
        if not line.startswith("-"):
            new.append(whole)
    return old, new


def _fitting(lines: list[str], old: list[str], stated: int) -> int | None:
    """Find the place of the old lines that is nearest to the stated one."""
    for distance in range(_FUZZ_LINES + 1):
        for place in {stated + distance, stated - distance}:
            if 0 <= place <= len(lines) and lines[place : place + len(old)] == old:
                return place
    return None


def _by_path(files: list[SourceFile]) -> dict[str, str]:
    texts = {file["path"]: file["text"] for file in files}
    if len(texts) < len(files):
        raise ToolError("A path occurs twice. Give every file once on each side.")
    return texts
