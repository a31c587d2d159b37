"""Versions of a text, line by line."""

import difflib
from collections.abc import Sequence
from typing import Annotated

from retinue.sdk import About, ToolError

_MOST_LINES = 20_000


Version = Annotated[str, About("Version of the text", "one\ntwo\nthree\n", max_length=300_000)]


def lines_of(text: str) -> list[str]:
    """Return the lines with their ends normalised to LF. Raises `ToolError` if there are too many."""
    lines = text.replace("\r\n", "\n").splitlines(keepends=True)
    if len(lines) > _MOST_LINES:
        raise ToolError(f"A text has more than {_MOST_LINES} lines. Split it.")
    return lines


def matcher(left: Sequence[str], right: Sequence[str]) -> difflib.SequenceMatcher[str]:
    """Return a matcher of common runs; in long texts it ignores very frequent elements."""
    return difflib.SequenceMatcher(None, left, right, autojunk=len(left) + len(right) > 4000)
