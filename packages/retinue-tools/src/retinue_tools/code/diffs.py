"""Unified diffs of whole projects."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import PurePosixPath
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import Files, SourceFile, lines_of

_HUNK = re.compile(r"^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)$")


_MOST_FILES = 1000


_FUZZ_LINES = 200


Diff = Annotated[
    str,
    About(
        "Unified diff, as of git diff",
        "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n",
        min_length=1,
        max_length=1_000_000,
    ),
]


class Hunk(TypedDict):
    """A changed place."""

    old_start: Annotated[int, About("First line in the old file")]
    new_start: Annotated[int, About("First line in the new file")]
    section: Annotated[str, About("Function or heading above, if the diff names it")]
    added: Annotated[list[str], About("Lines that were added")]
    removed: Annotated[list[str], About("Lines that were removed")]


class FileChange(TypedDict):
    """What a diff does to a file."""

    path: Annotated[str, About("Path after the change")]
    old_path: Annotated[str, About("Path before the change")]
    status: Annotated[str, About("added, deleted, renamed, modified or binary")]
    additions: Annotated[int, About("Lines added")]
    deletions: Annotated[int, About("Lines removed")]
    hunks: Annotated[list[Hunk], About("Changed places")]


class ParsedDiff(TypedDict):
    """A diff in its parts."""

    files: Annotated[list[FileChange], About("Files in the order of the diff")]
    additions: Annotated[int, About("All lines added")]
    deletions: Annotated[int, About("All lines removed")]


class Share(TypedDict):
    """Changes by kind of file."""

    extension: Annotated[str, About("Extension of the files, or their name")]
    files: Annotated[int, About("How many files")]
    additions: Annotated[int, About("Lines added")]
    deletions: Annotated[int, About("Lines removed")]


class DiffStat(TypedDict):
    """How large a change is."""

    stat: Annotated[str, About("Table as git diff --stat prints it")]
    files: Annotated[int, About("Files changed")]
    additions: Annotated[int, About("Lines added")]
    deletions: Annotated[int, About("Lines removed")]
    by_extension: Annotated[list[Share], About("The most changed first")]
    tests_touched: Annotated[bool, About("Whether a test is among the files")]
    size: Annotated[str, About("XS (under 10 lines), S (under 50), M (under 250), L (under 1,000) or XL")]


class Patched(TypedDict):
    """Files after a patch."""

    files: Annotated[list[SourceFile], About("The changed files with their new text")]
    deleted: Annotated[list[str], About("Files that the patch deletes")]
    moved_hunks: Annotated[int, About("Hunks that fitted at another line than stated")]


class MadeDiff(TypedDict):
    """A diff."""

    diff: Annotated[str, About("Unified diff; empty when nothing differs")]
    changed: Annotated[list[str], About("Paths of the files that differ")]


@dataclass
class _Change:
    """A file of a diff with its raw hunks."""

    old_path: str
    path: str
    hunks: list[tuple[re.Match[str], list[str]]] = field(default_factory=list)
    binary: bool = False

    @property
    def status(self) -> str:
        """What the diff does to the file."""
        if self.binary:
            return "binary"
        if self.old_path == "/dev/null":
            return "added"
        if self.path == "/dev/null":
            return "deleted"
        return "modified" if self.old_path == self.path else "renamed"

    def count(self, mark: str) -> int:
        """How many lines have this mark."""
        return sum(line.startswith(mark) for _, lines in self.hunks for line in lines)


@tool(
    tags="diff patch parse hunks unified git changes files added removed review",
    use_when=(
        "Which files and lines does this diff change?",
        "Parse this git diff into hunks",
        "List the lines that this patch adds",
    ),
    examples=(
        Example(
            {
                "diff": "diff --git a/x.py b/y.py\nsimilarity index 90%\nrename from x.py\nrename to y.py\n"
                "--- a/x.py\n+++ b/y.py\n@@ -1,2 +1,3 @@ def f():\n a\n-b\n+c\n+d\n"
            },
            {
                "additions": 2,
                "deletions": 1,
                "files": [
                    {
                        "path": "y.py",
                        "old_path": "x.py",
                        "status": "renamed",
                        "hunks": [{"old_start": 1, "section": "def f():", "added": ["c", "d"], "removed": ["b"]}],
                    }
                ],
            },
            source="documentation of git diff, and of GNU diff's unified format",
        ),
        Refusal({"diff": "hello"}, "not a unified diff"),
    ),
)
def diff_parse_hunks(diff: Diff) -> ParsedDiff:
    """Parse a unified diff to files and hunks.

    Use it in a code review or to see what a patch touches. Returns for each file its path before and after, what
    happens to it, and the added and removed lines of every hunk.
    """
    changes = _changes(diff)
    files: list[FileChange] = [
        {
            "path": change.path,
            "old_path": change.old_path,
            "status": change.status,
            "additions": change.count("+"),
            "deletions": change.count("-"),
            "hunks": [_hunk(head, lines) for head, lines in change.hunks],
        }
        for change in changes
    ]
    return {
        "files": files,
        "additions": sum(file["additions"] for file in files),
        "deletions": sum(file["deletions"] for file in files),
    }


@tool(
    tags="diff stat summary size pull request review lines changed statistics",
    use_when=(
        "How big is this diff?",
        "Show the diffstat of this patch",
        "Does this pull request change tests, and which kinds of files?",
    ),
    examples=(
        Example(
            {
                "diff": "--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n-a\n+b\n+c\n--- /dev/null\n+++ "
                "b/tests/test_x.py\n@@ -0,0 +1 @@\n+t\n"
            },
            {
                "files": 2,
                "additions": 3,
                "deletions": 1,
                "tests_touched": True,
                "size": "XS",
                "by_extension": [{"extension": ".py", "files": 2, "additions": 3, "deletions": 1}],
                "stat": " x.py            | 3 ++-\n tests/test_x.py | 1 +\n 2 files changed, 3 "
                "insertions(+), 1 deletion(-)\n",
            },
            source="format of git diff --stat",
        ),
        Refusal({"diff": "--- a\n"}, "not a unified diff"),
    ),
)
def diff_summarize_changes(diff: Diff) -> DiffStat:
    """Sum up the size of a diff by file and kind of file.

    Use it to judge a pull request. Returns a table as of git diff --stat, totals, the share of each file type, whether
    tests are touched, and a size class.
    """
    changes = _changes(diff)
    counts = [(change, change.count("+"), change.count("-")) for change in changes]
    added, removed = sum(count for _, count, _ in counts), sum(count for _, _, count in counts)
    shares: dict[str, Share] = {}
    for change, plus, minus in counts:
        path = PurePosixPath(_show(change))
        share = shares.setdefault(
            path.suffix or path.name,
            {"extension": path.suffix or path.name, "files": 0, "additions": 0, "deletions": 0},
        )
        share["files"] += 1
        share["additions"] += plus
        share["deletions"] += minus
    limits = (("XS", 10), ("S", 50), ("M", 250), ("L", 1000))
    return {
        "stat": _stat(counts),
        "files": len(changes),
        "additions": added,
        "deletions": removed,
        "by_extension": sorted(shares.values(), key=lambda one: -(one["additions"] + one["deletions"])),
        "tests_touched": any(re.search(r"(^|/)tests?(/|_)|[._]test\.|[._]spec\.", _show(change)) for change in changes),
        "size": next((name for name, limit in limits if added + removed < limit), "XL"),
    }


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
)
def diff_apply_files(
    files: Files, diff: Diff, reverse: Annotated[bool, About("Whether the patch is undone")] = False
) -> Patched:
    """Apply a unified diff to one or many files, or undo it.

    Use it to carry out a change that is given as a patch, new, deleted and renamed files included. A hunk may lie up to
    200 lines off its stated place; what does not fit is refused, and nothing is half done. Returns the changed files.
    """
    texts = {file["path"]: file["text"] for file in files}
    made, deleted, moved = {}, [], 0
    for change in _changes(_reverse(diff) if reverse else diff):
        if change.status == "binary":
            raise ToolError(f"{_show(change)} is binary: a text patch cannot change it.")
        if change.status != "added" and change.old_path not in texts:
            raise ToolError(f"{change.old_path} is missing among the files. Add it.")
        old = "" if change.status == "added" else texts[change.old_path]
        new, off = _apply(old, change)
        moved += off
        if change.status in ("deleted", "renamed"):
            deleted.append(change.old_path)
        if change.status != "deleted":
            made[change.path] = new
    return {
        "files": [{"path": path, "text": text} for path, text in made.items()],
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
)
def diff_create_patch(
    old: Annotated[list[SourceFile], About("Files before", [{"path": "x.py", "text": "a = 1\n"}], max_items=300)],
    new: Annotated[list[SourceFile], About("Files after", [{"path": "x.py", "text": "a = 2\n"}], max_items=300)],
    context_lines: Annotated[int, About("Unchanged lines around each change", minimum=0, maximum=50)] = 3,
) -> MadeDiff:
    """Make one unified diff of two versions of a set of files.

    Use it to hand over a change as a patch. Files that stand on one side only become new or deleted. Returns a diff
    that git apply and patch -p1 take.
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


def _changes(diff: str) -> list[_Change]:
    """The files of a diff. Raises `ToolError` where it is none."""
    changes: list[_Change] = []
    lines = diff.split("\n")
    place = 0
    while place < len(lines):
        line = lines[place].rstrip("\r")
        head = _HUNK.match(line)
        if line.startswith("diff --git ") and (names := re.fullmatch(r"diff --git a/(.+) b/(.+)", line)):
            changes.append(_Change(names[1], names[2]))
        elif line.startswith("--- ") and place + 1 < len(lines) and lines[place + 1].startswith("+++ "):
            paths = _path(line[4:]), _path(lines[place + 1][4:])
            if not changes or changes[-1].hunks or not _same_file(changes[-1], paths):
                changes.append(_Change(*paths))
            changes[-1].old_path, changes[-1].path = paths
            place += 1
        elif line.startswith(("Binary files ", "GIT binary patch")) and changes:
            changes[-1].binary = True
        elif head and changes:
            body = _body(lines, place + 1, int(head[2] or 1), int(head[4] or 1))
            changes[-1].hunks.append((head, body))
            place += len(body)
        place += 1
    if not changes or len(changes) > _MOST_FILES:
        raise ToolError("This is not a unified diff of up to 1,000 files. It has ---, +++ and @@ lines.")
    return changes


def _path(text: str) -> str:
    name = text.partition("\t")[0].strip().strip('"')
    return name if name == "/dev/null" else re.sub(r"^[abiwco]/", "", name)


def _same_file(change: _Change, paths: tuple[str, str]) -> bool:
    return change.path in paths or change.old_path in paths


def _body(lines: list[str], start: int, old: int, new: int) -> list[str]:
    """The lines of a hunk, as many as its head announces."""
    body: list[str] = []
    for line in lines[start:]:
        if (old <= 0 and new <= 0 and not line.startswith("\\")) or (line.strip("\r") and line[0] not in " +-\\"):
            break
        old -= not line.startswith(("+", "\\"))
        new -= not line.startswith(("-", "\\"))
        body.append(line if line.strip("\r") else f" {line}")
    if old > 0 or new > 0:
        raise ToolError(f"The diff breaks off: a hunk near line {start} has fewer lines than it announces.")
    return body


def _hunk(head: re.Match[str], lines: list[str]) -> Hunk:
    return {
        "old_start": int(head[1]),
        "new_start": int(head[3]),
        "section": head[5],
        "added": [line[1:] for line in lines if line.startswith("+")],
        "removed": [line[1:] for line in lines if line.startswith("-")],
    }


def _show(change: _Change) -> str:
    return change.old_path if change.path == "/dev/null" else change.path


def _stat(counts: list[tuple[_Change, int, int]]) -> str:
    width = max(len(_show(change)) for change, _, _ in counts)
    most = max(1, *(plus + minus for _, plus, minus in counts))
    scale = min(1.0, 50 / most)
    rows = []
    for change, plus, minus in counts:
        bar = "+" * (-int(-plus * scale // 1)) + "-" * (-int(-minus * scale // 1))
        rows.append(f" {_show(change):<{width}} | {'Bin' if change.binary else plus + minus} {bar}".rstrip())
    added, removed = sum(plus for _, plus, _ in counts), sum(minus for _, _, minus in counts)
    total = [f"{len(counts)} file{'s' * (len(counts) != 1)} changed"]
    total += [f"{added} insertion{'s' * (added != 1)}(+)"] * (added > 0)
    total += [f"{removed} deletion{'s' * (removed != 1)}(-)"] * (removed > 0)
    return "\n".join([*rows, f" {', '.join(total)}"]) + "\n"


def _reverse(diff: str) -> str:
    parts = []
    for change in _changes(diff):
        parts += [f"--- {_prefix(change.path)}", f"+++ {_prefix(change.old_path)}"]
        for head, lines in change.hunks:
            parts.append(f"@@ -{head[3]},{head[4] or 1} +{head[1]},{head[2] or 1} @@")
            parts += [line.translate({ord("+"): "-", ord("-"): "+"})[:1] + line[1:] for line in lines]
    return "\n".join(parts) + "\n"


def _prefix(path: str) -> str:
    return path if path == "/dev/null" else f"a/{path}"


def _apply(text: str, change: _Change) -> tuple[str, int]:
    """The text after the hunks of a file, and how many lay at another place than stated."""
    lines = lines_of(text)
    shift = moved = 0
    for head, body in change.hunks:
        old, new = _sides(body)
        stated = max(0, int(head[1]) - (int(head[2] or 1) > 0)) + shift
        place = _fitting(lines, old, stated)
        if place is None:
            raise ToolError(
                f"The hunk at line {head[1]} of {change.old_path} does not fit the file. Is it another version?"
            )
        lines[place : place + len(old)] = new
        shift += place - stated + len(new) - len(old)
        moved += place != stated
    return "".join(lines), moved


def _sides(body: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lines of a hunk before and after, with their line ends."""
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
    """The place nearest to the stated one where the old lines stand."""
    for distance in range(_FUZZ_LINES + 1):
        for place in {stated + distance, stated - distance}:
            if 0 <= place <= len(lines) and lines[place : place + len(old)] == old:
                return place
    return None


def _by_path(files: list[SourceFile]) -> dict[str, str]:
    texts = {file["path"]: file["text"] for file in files}
    if len(texts) < len(files):
        raise ToolError("A path stands there twice. Give every file once on each side.")
    return texts
