"""Merge three versions of a text, and resolve the conflicts of a merge."""

import re
from difflib import SequenceMatcher
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import lines_of

_MOST_LINES = 20_000


Version = Annotated[str, About("Text of a file", "one\ntwo\n", max_length=200_000)]


class Conflict(TypedDict):
    """Lines that both sides changed."""

    line: Annotated[int, About("First line of the conflict in the merged text, from 1")]
    ours: Annotated[str, About("Our side")]
    base: Annotated[str, About("Common ancestor; empty if unknown")]
    theirs: Annotated[str, About("Their side")]


class Merged(TypedDict):
    """Result of a merge."""

    text: Annotated[str, About("Merged text, with conflict markers where both sides differ")]
    clean: Annotated[bool, About("Whether there is no conflict")]
    conflicts: Annotated[list[Conflict], About("Conflicts to resolve")]


@tool(
    tags="merge three-way diff3 conflict git ours theirs base ancestor",
    use_when=(
        "Merge these two edited versions of a file with their common ancestor",
        "Three-way merge my changes with theirs",
        "Do these two edits of the same file conflict?",
    ),
    examples=(
        Example(
            {"base": "a\nb\nc\n", "ours": "A\nb\nc\n", "theirs": "a\nb\nC\n"},
            {"text": "A\nb\nC\n", "clean": True, "conflicts": []},
            source="by hand: the changes lie apart",
        ),
        Example(
            {"base": "a\nb\nc\n", "ours": "a\nx\nc\n", "theirs": "a\ny\nc\n", "on_conflict": "diff3"},
            {
                "clean": False,
                "text": "a\n<<<<<<< ours\nx\n||||||| base\nb\n=======\ny\n>>>>>>> theirs\nc\n",
                "conflicts": [{"line": 2, "ours": "x\n", "base": "b\n", "theirs": "y\n"}],
            },
            source="documentation of git merge, conflict style diff3",
        ),
        Example(
            {"base": "a\n", "ours": "x\n", "theirs": "y\n", "on_conflict": "theirs"}, {"text": "y\n"}, source="by hand"
        ),
        Refusal({"base": "a\n" * 20001, "ours": "", "theirs": ""}, "too many lines"),
    ),
    reply={
        "clean": "The versions merge without conflicts: {text}",
        "": "Both sides changed the same place, so there are conflicts: {text}",
    },
    pace="normal",
)
def merge_three_versions(
    base: Version,
    ours: Version,
    theirs: Version,
    on_conflict: Annotated[
        Literal["markers", "diff3", "ours", "theirs"],
        About("Output for conflicting lines: markers, markers with the base, or one side"),
    ] = "markers",
) -> Merged:
    """Merge two edited versions of a text with their common ancestor, the version that both come from.

    Use it to bring two people's changes together. Changes in different places and identical changes are applied;
    different changes of the same lines are a conflict. Returns the merged text and every conflict with its three sides.
    """
    lines = [lines_of(text) for text in (base, ours, theirs)]
    if max(map(len, lines)) > _MOST_LINES:
        raise ToolError(f"There are too many lines. Send at most {_MOST_LINES:,} lines per version.")
    merged: list[str] = []
    conflicts: list[Conflict] = []
    for old, mine, other in _regions(*lines):
        if other in (mine, old):
            merged += mine
        elif mine == old:
            merged += other
        else:
            sides = ["".join(side) for side in (mine, old, other)]
            conflicts.append({"line": len(merged) + 1, "ours": sides[0], "base": sides[1], "theirs": sides[2]})
            merged += _mark_conflict(mine, old, other, on_conflict)
    return {"text": "".join(merged), "clean": not conflicts, "conflicts": conflicts}


@tool(
    tags="merge conflict markers resolve git ours theirs both union",
    use_when=(
        "Resolve these git conflict markers by taking their side",
        "List the merge conflicts in this file",
        "Keep both sides of every conflict in this file",
    ),
    examples=(
        Example(
            {"text": "a\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> other\nb\n", "take": "theirs"},
            {"text": "a\ny\nb\n", "clean": True, "conflicts": [{"line": 2, "ours": "x\n", "theirs": "y\n"}]},
            source="documentation of git merge",
        ),
        Example(
            {"text": "<<<<<<< a\nx\n||||||| o\nw\n=======\ny\n>>>>>>> b\n", "take": "both"},
            {"text": "x\ny\n", "conflicts": [{"base": "w\n"}]},
            source="documentation of git merge, conflict style diff3",
        ),
        Example(
            {"text": "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"},
            {"clean": False, "conflicts": [{"line": 1}]},
            source="by hand",
        ),
        Refusal({"text": "plain"}, "no conflict markers"),
    ),
    reply={
        "conflicts": "The text without conflicts: {text}",
        "": "There are no conflicts in the text.",
    },
)
def merge_resolve_markers(
    text: Version,
    take: Annotated[
        Literal["none", "ours", "theirs", "both", "base"], About("Side to keep; none only lists the conflicts")
    ] = "none",
) -> Merged:
    """List the conflicts that a merge left in a file, and resolve them all with one side.

    Use it on a file with <<<<<<< markers. With both, ours is followed by theirs. Returns the text and every conflict.
    """
    pattern = re.compile(
        r"^<{7}[^\n]*\n(?P<ours>.*?)(?:^\|{7}[^\n]*\n(?P<base>.*?))?^={7}\n(?P<theirs>.*?)^>{7}[^\n]*(?:\n|\Z)",
        re.MULTILINE | re.DOTALL,
    )
    found = list(pattern.finditer(text))
    if not found:
        raise ToolError("The text has no conflict markers (<<<<<<<, =======, >>>>>>>).")
    conflicts: list[Conflict] = [
        {
            "line": text.count("\n", 0, one.start()) + 1,
            "ours": one["ours"],
            "base": one["base"] or "",
            "theirs": one["theirs"],
        }
        for one in found
    ]
    if take == "none":
        return {"text": text, "clean": False, "conflicts": conflicts}
    sides = ("ours", "theirs") if take == "both" else (take,)
    resolved = pattern.sub(lambda one: "".join(one[side] or "" for side in sides), text)
    return {"text": resolved, "clean": True, "conflicts": conflicts}


def _regions(base: list[str], ours: list[str], theirs: list[str]) -> list[tuple[list[str], list[str], list[str]]]:
    """Divide the three sides into alternating regions that are equal on all sides and that differ."""
    mine, other = _keep(base, ours), _keep(base, theirs)
    regions = []
    start = (0, 0, 0)
    line = 0
    while line < len(base):
        if line not in mine or line not in other:
            line += 1
            continue
        here = (line, mine[line], other[line])
        regions.append(_cut(base, ours, theirs, start, here))
        after = (here[0] + 1, here[1] + 1, here[2] + 1)
        regions.append(_cut(base, ours, theirs, here, after))
        start, line = after, line + 1
    regions.append(_cut(base, ours, theirs, start, (len(base), len(ours), len(theirs))))
    return regions


def _keep(base: list[str], side: list[str]) -> dict[int, int]:
    """Return the ranges of the base's lines that a side kept."""
    blocks = SequenceMatcher(None, base, side, autojunk=False).get_matching_blocks()
    return {block.a + step: block.b + step for block in blocks for step in range(block.size)}


def _cut(
    base: list[str], ours: list[str], theirs: list[str], start: tuple[int, int, int], end: tuple[int, int, int]
) -> tuple[list[str], list[str], list[str]]:
    return base[start[0] : end[0]], ours[start[1] : end[1]], theirs[start[2] : end[2]]


def _mark_conflict(mine: list[str], old: list[str], other: list[str], on_conflict: str) -> list[str]:
    if on_conflict in ("ours", "theirs"):
        return mine if on_conflict == "ours" else other
    middle = ["||||||| base\n", *_end(old)] if on_conflict == "diff3" else []
    return ["<<<<<<< ours\n", *_end(mine), *middle, "=======\n", *_end(other), ">>>>>>> theirs\n"]


def _end(lines: list[str]) -> list[str]:
    """Return the lines, with a line end after the last one: a marker must begin a line."""
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]
