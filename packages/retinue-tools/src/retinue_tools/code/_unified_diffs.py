"""Parse unified diffs to files and hunks."""

import re
from dataclasses import dataclass, field
from typing import Annotated

from retinue.sdk import About, ToolError

_HUNK = re.compile(r"^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)$")


_MOST_FILES = 1000

Diff = Annotated[
    str,
    About(
        "Unified diff, such as the output of git diff",
        "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n",
        min_length=1,
        max_length=1_000_000,
    ),
]


@dataclass
class Change:
    """A file of a diff with its raw hunks."""

    old_path: str
    path: str
    hunks: list[tuple[re.Match[str], list[str]]] = field(default_factory=list)
    binary: bool = False

    @property
    def status(self) -> str:
        """Return the status of the file: added, deleted, renamed or modified."""
        if self.binary:
            return "binary"
        if self.old_path == "/dev/null":
            return "added"
        if self.path == "/dev/null":
            return "deleted"
        return "modified" if self.old_path == self.path else "renamed"

    def count(self, mark: str) -> int:
        """Count the lines with this marker."""
        return sum(line.startswith(mark) for _, lines in self.hunks for line in lines)


def read_changes(diff: str) -> list[Change]:
    """Parse the files of a diff. Raises `ToolError` if the text is not a diff."""
    changes: list[Change] = []
    lines = diff.split("\n")
    place = 0
    while place < len(lines):
        line = lines[place].rstrip("\r")
        head = _HUNK.match(line)
        if line.startswith("diff --git ") and (names := re.fullmatch(r"diff --git a/(.+) b/(.+)", line)):
            changes.append(Change(names[1], names[2]))
        elif line.startswith("--- ") and place + 1 < len(lines) and lines[place + 1].startswith("+++ "):
            paths = _path(line[4:]), _path(lines[place + 1][4:])
            if not changes or changes[-1].hunks or not _same_file(changes[-1], paths):
                changes.append(Change(*paths))
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


def _same_file(change: Change, paths: tuple[str, str]) -> bool:
    return change.path in paths or change.old_path in paths


def _body(lines: list[str], start: int, old: int, new: int) -> list[str]:
    """Return the lines of a hunk, as many as its header announces."""
    body: list[str] = []
    for line in lines[start:]:
        if (old <= 0 and new <= 0 and not line.startswith("\\")) or (line.strip("\r") and line[0] not in " +-\\"):
            break
        old -= not line.startswith(("+", "\\"))
        new -= not line.startswith(("-", "\\"))
        body.append(line if line.strip("\r") else f" {line}")
    if old > 0 or new > 0:
        raise ToolError(f"The diff is truncated: a hunk near line {start} has fewer lines than its header announces.")
    return body


def shown_path(change: Change) -> str:
    return change.old_path if change.path == "/dev/null" else change.path
