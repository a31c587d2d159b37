"""Unified diffs of whole projects: hunks and change statistics."""

import re
from pathlib import PurePosixPath
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.code._unified_diffs import Change, Diff, read_changes, shown_path


class Hunk(TypedDict):
    """A hunk of a diff."""

    old_start: Annotated[int, About("First line in the old file")]
    new_start: Annotated[int, About("First line in the new file")]
    section: Annotated[str, About("Enclosing function or heading, if the diff names it")]
    added: Annotated[list[str], About("Added lines")]
    removed: Annotated[list[str], About("Removed lines")]


class FileChange(TypedDict):
    """Changes of a file in a diff."""

    path: Annotated[str, About("Path after the change")]
    old_path: Annotated[str, About("Path before the change")]
    status: Annotated[str, About("added, deleted, renamed, modified or binary")]
    additions: Annotated[int, About("Lines added")]
    deletions: Annotated[int, About("Lines removed")]
    hunks: Annotated[list[Hunk], About("Hunks")]


class ParsedDiff(TypedDict):
    """A parsed diff."""

    files: Annotated[list[FileChange], About("Files in diff order")]
    additions: Annotated[int, About("Total of added lines")]
    deletions: Annotated[int, About("Total of removed lines")]


class Share(TypedDict):
    """Changes by file type."""

    extension: Annotated[str, About("File extension, or the file name if it has none")]
    files: Annotated[int, About("Number of files")]
    additions: Annotated[int, About("Lines added")]
    deletions: Annotated[int, About("Lines removed")]


class DiffStat(TypedDict):
    """Size of a change."""

    stat: Annotated[str, About("Table in the format of git diff --stat")]
    files: Annotated[int, About("Files changed")]
    additions: Annotated[int, About("Lines added")]
    deletions: Annotated[int, About("Lines removed")]
    by_extension: Annotated[list[Share], About("File types, most changed lines first")]
    tests_touched: Annotated[bool, About("Whether a test file is among the files")]
    size: Annotated[str, About("XS (under 10 lines), S (under 50), M (under 250), L (under 1,000) or XL")]


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
    reply={
        "files": "The diff adds {additions|line} and removes {deletions}: {files}",
        "": "There is no file in this diff.",
    },
)
def diff_parse_hunks(diff: Diff) -> ParsedDiff:
    """Parse a unified diff to files and hunks.

    Use it in a code review or to see what a patch touches. Returns for each file its path before and after, its status,
    and the added and removed lines of every hunk.
    """
    changes = read_changes(diff)
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
    reply=(
        "The diff is of size {size}: {files|file}, {additions|line} added and {deletions} removed. The changes: {stat}"
    ),
)
def diff_summarize_changes(diff: Diff) -> DiffStat:
    """Summarise the size of a diff by file and kind of file.

    Use it to judge a pull request. Returns a table in the format of git diff --stat, totals, the share of each file
    type, whether tests are changed, and a size class.
    """
    changes = read_changes(diff)
    counts = [(change, change.count("+"), change.count("-")) for change in changes]
    added, removed = sum(count for _, count, _ in counts), sum(count for _, _, count in counts)
    shares: dict[str, Share] = {}
    for change, plus, minus in counts:
        path = PurePosixPath(shown_path(change))
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
        "tests_touched": any(
            re.search(r"(^|/)tests?(/|_)|[._]test\.|[._]spec\.", shown_path(change)) for change in changes
        ),
        "size": next((name for name, limit in limits if added + removed < limit), "XL"),
    }


def _hunk(head: re.Match[str], lines: list[str]) -> Hunk:
    return {
        "old_start": int(head[1]),
        "new_start": int(head[3]),
        "section": head[5],
        "added": [line[1:] for line in lines if line.startswith("+")],
        "removed": [line[1:] for line in lines if line.startswith("-")],
    }


def _stat(counts: list[tuple[Change, int, int]]) -> str:
    width = max(len(shown_path(change)) for change, _, _ in counts)
    most = max(1, *(plus + minus for _, plus, minus in counts))
    scale = min(1.0, 50 / most)
    rows = []
    for change, plus, minus in counts:
        bar = "+" * (-int(-plus * scale // 1)) + "-" * (-int(-minus * scale // 1))
        rows.append(f" {shown_path(change):<{width}} | {'Bin' if change.binary else plus + minus} {bar}".rstrip())
    added, removed = sum(plus for _, plus, _ in counts), sum(minus for _, _, minus in counts)
    total = [f"{len(counts)} file{'s' * (len(counts) != 1)} changed"]
    total += [f"{added} insertion{'s' * (added != 1)}(+)"] * (added > 0)
    total += [f"{removed} deletion{'s' * (removed != 1)}(-)"] * (removed > 0)
    return "\n".join([*rows, f" {', '.join(total)}"]) + "\n"
