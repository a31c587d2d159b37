"""Patches and merges of texts."""

import re
from collections.abc import Sequence
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.text._versions import Version, lines_of, matcher

Hunk = tuple[tuple[int, int], list[tuple[str, str]]]
"""First line in the old and in the new text, and rows of sign and line."""
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class Patched(TypedDict):
    """Result of applying a patch."""

    result: Annotated[str, About("New text")]
    hunks: Annotated[int, About("Number of applied hunks")]
    moved: Annotated[list[int], About("Line offset of each hunk from its stated position")]


class Merged(TypedDict):
    """Result of a merge."""

    result: Annotated[str, About("Merged text; conflicts are between <<<<<<< and >>>>>>>")]
    conflicts: Annotated[int, About("Number of conflicts")]


@tool(
    tags="patch apply unified diff hunk edit merge text",
    use_when=(
        "Apply this patch to the text",
        "What does the file look like after this diff?",
        "Undo a unified diff on the new version",
    ),
    examples=(
        Example(
            {"text": "zero\none\ntwo\nthree\n", "patch": "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"},
            {"result": "zero\none\n2\nthree\n", "hunks": 1, "moved": [1]},
            source="GNU patch: a hunk is looked for near its place",
        ),
        Example(
            {"text": "a\nB\n", "patch": "--- x\n+++ y\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "reverse": True},
            {"result": "a\nb\n"},
            source="GNU patch -R",
        ),
        Refusal({"text": "a\n", "patch": "@@ -1 +1 @@\n-b\n+c\n"}, "does not fit"),
        Refusal({"text": "a", "patch": "hello"}, "no hunk"),
    ),
    reply="The patched text: {result}",
)
def text_apply_patch(
    text: Version,
    patch: Annotated[str, About("Unified diff", "@@ -1 +1 @@\n-old\n+new\n", min_length=1, max_length=300_000)],
    reverse: Annotated[bool, About("Whether to undo the changes instead")] = False,
) -> Patched:
    """Apply a unified diff to a text, or undo it; hunks whose lines have moved are found at their new position.

    Returns the new text. If a hunk does not fit, nothing is changed and the error names the hunk.
    """
    lines, hunks = lines_of(text), _hunks(patch)
    result: list[str] = []
    moved: list[int] = []
    place = 0
    for number, (starts, rows) in enumerate(hunks, 1):
        start = starts[1 if reverse else 0]
        signs = {"-": "+", "+": "-"} if reverse else {}
        changed = [(signs.get(sign, sign), line) for sign, line in rows]
        old = [line for sign, line in changed if sign != "+"]
        at = _find(lines, old, place, start - (1 if old else 0) + (moved[-1] if moved else 0))
        if at is None:
            raise ToolError(f"Hunk {number} does not fit: its lines near {start} do not occur in the text.")
        moved.append(at - start + (1 if old else 0))
        result += lines[place:at] + [line for sign, line in changed if sign != "-"]
        place = at + len(old)
    return {"result": "".join(result + lines[place:]), "hunks": len(hunks), "moved": moved}


@tool(
    tags="merge three-way diff3 conflict versions combine edits common ancestor",
    use_when=(
        "Merge two edited copies of this text with their original",
        "Combine my changes with those of a colleague",
        "Where do the two versions conflict?",
    ),
    examples=(
        Example(
            {"base": "a\nb\nc\n", "first": "A\nb\nc\n", "second": "a\nb\nc\nd\n"},
            {"result": "A\nb\nc\nd\n", "conflicts": 0},
            source="by hand",
        ),
        Example(
            {"base": "a\nb\n", "first": "a\nx\n", "second": "a\ny\n"},
            {"result": "a\n<<<<<<< first\nx\n=======\ny\n>>>>>>> second\n", "conflicts": 1},
            source="the form of conflicts of diff3 -m and of version control",
        ),
        Refusal({"base": "a", "first": "b"}, "second"),
    ),
)
def text_merge_versions(base: Version, first: Version, second: Version) -> Merged:
    """Merge two changed versions of a text by lines, given the original of both (three-way merge).

    Returns the merged text; places that both changed differently are marked as conflicts.
    """
    origin, left, right = (
        lines_of(one if one.endswith("\n") or not one else one + "\n") for one in (base, first, second)
    )
    to_left, to_right = _keep(origin, left), _keep(origin, right)
    result: list[str] = []
    conflicts, at, at_left, at_right = 0, 0, 0, 0
    anchors = [*sorted(to_left.keys() & to_right.keys()), len(origin)]
    for anchor in anchors:
        end_left, end_right = to_left.get(anchor, len(left)), to_right.get(anchor, len(right))
        parts = origin[at:anchor], left[at_left:end_left], right[at_right:end_right]
        merged, clash = _resolve(*parts)
        result += merged + origin[anchor : anchor + 1]
        conflicts += clash
        at, at_left, at_right = anchor + 1, end_left + 1, end_right + 1
    return {"result": "".join(result), "conflicts": conflicts}


def _resolve(origin: list[str], left: list[str], right: list[str]) -> tuple[list[str], bool]:
    """Resolve a section without common lines, and return whether it is a conflict."""
    if right in (left, origin):
        return left, False
    if left == origin:
        return right, False
    return ["<<<<<<< first\n", *left, "=======\n", *right, ">>>>>>> second\n"], True


def _keep(origin: Sequence[str], version: Sequence[str]) -> dict[int, int]:
    """Return the positions of the original's lines in a version."""
    blocks = matcher(origin, version).get_matching_blocks()
    return {block.a + step: block.b + step for block in blocks for step in range(block.size)}


def _hunks(patch: str) -> list[Hunk]:
    """Parse the hunks of a patch."""
    hunks: list[Hunk] = []
    left = right = 0
    for line in patch.splitlines(keepends=True):
        if not (left or right) and (match := _HUNK.match(line)):
            left, right = int(match[2] or 1), int(match[4] or 1)
            hunks.append(((int(match[1]), int(match[3])), []))
        elif (left or right) and line[0] in " +-\n":
            sign = " " if line == "\n" else line[0]
            hunks[-1][1].append((sign, line if line == "\n" else line[1:]))
            left, right = left - (sign != "+"), right - (sign != "-")
        elif line.startswith("\\") and hunks and hunks[-1][1]:
            sign, last = hunks[-1][1][-1]
            hunks[-1][1][-1] = (sign, last.rstrip("\n"))
    if not hunks or left > 0 or right > 0:
        raise ToolError("The patch has no hunk, or its last hunk is truncated. A hunk begins with @@ -1,3 +1,3 @@.")
    return hunks


def _find(lines: Sequence[str], block: list[str], least: int, near: int) -> int | None:
    """Find the position of the wanted lines, from `least` on, nearest to `near`."""
    places = [at for at in range(least, len(lines) - len(block) + 1) if list(lines[at : at + len(block)]) == block]
    return min(places, key=lambda at: abs(at - near), default=None)
