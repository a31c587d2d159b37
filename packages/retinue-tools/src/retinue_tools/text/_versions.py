"""Versions of a text in lines."""

import difflib
from collections.abc import Sequence
from typing import Annotated

from retinue.sdk import About, ToolError

_MOST_LINES = 20_000


Version = Annotated[str, About("A version of the text", "one\ntwo\nthree\n", max_length=300_000)]


def lines_of(text: str) -> list[str]:
    """The lines with their ends, which become LF. Raises `ToolError` when there are too many."""
    lines = text.replace("\r\n", "\n").splitlines(keepends=True)
    if len(lines) > _MOST_LINES:
        raise ToolError(f"A text has more than {_MOST_LINES} lines. Divide it.")
    return lines


def matcher(left: Sequence[str], right: Sequence[str]) -> difflib.SequenceMatcher[str]:
    """What finds the runs in common; in long texts it passes over what occurs very often."""
    return difflib.SequenceMatcher(None, left, right, autojunk=len(left) + len(right) > 4000)
