"""Text differences by line and by word."""

import difflib
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.text._versions import Version, lines_of, matcher


class Unified(TypedDict):
    """Line-by-line changes."""

    diff: Annotated[str, About("Unified diff; empty if the texts are equal")]
    added: Annotated[int, About("Number of added lines")]
    removed: Annotated[int, About("Number of removed lines")]
    same: Annotated[bool, About("Whether there is no difference")]


class Change(TypedDict):
    """A run of words."""

    kind: Annotated[Literal["same", "insert", "delete"], About("Kind of change")]
    text: Annotated[str, About("Words with the space after them")]


class WordChanges(TypedDict):
    """Word-by-word changes."""

    changes: Annotated[list[Change], About("Complete text in runs: same, deleted, inserted")]
    marked: Annotated[str, About("Text with [-deleted-] and {+inserted+} words")]
    inserted_words: Annotated[int, About("Number of inserted words")]
    deleted_words: Annotated[int, About("Number of deleted words")]
    similarity_percent: Annotated[float, About("Similarity in percent: 200 * same / (old + new)")]


@tool(
    tags="diff unified compare lines changes patch versions difference",
    use_when=(
        "Show the line differences between these two versions",
        "Make a unified diff of the old and new file",
        "What changed between the two configurations?",
    ),
    examples=(
        Example(
            {"old": "one\ntwo\nthree\n", "new": "one\n2\nthree\n"},
            {
                "diff": "--- old\n+++ new\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
                "added": 1,
                "removed": 1,
                "same": False,
            },
            source="GNU diffutils: diff -u",
        ),
        Example({"old": "a  b\n", "new": "a b\n", "ignore_spaces": True}, {"diff": "", "same": True}, source="by hand"),
        Refusal({"old": "a", "new": "b", "context": -1}, "context"),
    ),
    reply={
        "same": "The texts are the same.",
        "diff": "{added|line} added and {removed} removed: {diff}",
        "": "The texts differ.",
    },
)
def text_diff_lines(
    old: Version,
    new: Version,
    context: Annotated[int, About("Number of unchanged lines around changes", minimum=0, maximum=100)] = 3,
    ignore_spaces: Annotated[
        bool, About("Whether runs of white space count as one space, and none at line ends")
    ] = False,
) -> Unified:
    """Compare two texts line by line as a unified diff, as in version control.

    Returns the diff, which can be applied as a patch, and the numbers of added and removed lines.
    """
    left, right = lines_of(old), lines_of(new)
    if ignore_spaces:
        left, right = [_space(line) for line in left], [_space(line) for line in right]
    rows = list(difflib.unified_diff(left, right, "old", "new", n=context))
    text = "".join(row if row.endswith("\n") else row + "\n\\ No newline at end of file\n" for row in rows)
    added = sum(row.startswith("+") for row in rows[2:])
    return {"diff": text, "added": added, "removed": sum(row.startswith("-") for row in rows[2:]), "same": not rows}


@tool(
    tags="diff words compare inline changes redline track changes edits revision",
    use_when=(
        "Mark the words that changed between these two paragraphs",
        "Show a redline of the contract clause",
        "Which words did the editor add and delete?",
        "What is different between two texts?",
    ),
    examples=(
        Example(
            {"old": "The quick brown fox", "new": "The slow brown fox jumps"},
            {
                "marked": "The [-quick-] {+slow+} brown fox {+jumps+}",
                "inserted_words": 2,
                "deleted_words": 1,
                "similarity_percent": 66.67,
            },
            source="by hand: three of four and five words stayed, 600/9",
        ),
        Refusal({"old": " ", "new": ""}, "Both texts are empty"),
    ),
    reply={
        "marked": "{inserted_words|word} inserted and {deleted_words} deleted: {marked}",
        "": "The texts are empty.",
    },
)
def text_diff_words(
    old: Annotated[str, About("Old text", "The quick fox", max_length=50_000)],
    new: Annotated[str, About("New text", "The slow fox", max_length=50_000)],
) -> WordChanges:
    """Compare two texts word by word and mark what was inserted and deleted, as in tracked changes.

    Line breaks count as spaces. Returns the runs of words, the marked text and the counts.
    """
    left, right = old.split(), new.split()
    if not left and not right:
        raise ToolError("Both texts are empty.")
    changes: list[Change] = []
    for tag, start, end, other_start, other_end in matcher(left, right).get_opcodes():
        if tag == "equal":
            changes.append({"kind": "same", "text": " ".join(left[start:end])})
            continue
        if end > start:
            changes.append({"kind": "delete", "text": " ".join(left[start:end])})
        if other_end > other_start:
            changes.append({"kind": "insert", "text": " ".join(right[other_start:other_end])})
    sizes = {
        kind: sum(len(one["text"].split()) for one in changes if one["kind"] == kind)
        for kind in ("same", "insert", "delete")
    }
    frames = {"same": "{}", "insert": "{{+{}+}}", "delete": "[-{}-]"}
    return {
        "changes": changes,
        "marked": " ".join(frames[change["kind"]].format(change["text"]) for change in changes),
        "inserted_words": sizes["insert"],
        "deleted_words": sizes["delete"],
        "similarity_percent": round(200 * sizes["same"] / (len(left) + len(right)), 2),
    }


def _space(line: str) -> str:
    return " ".join(line.split()) + "\n"
