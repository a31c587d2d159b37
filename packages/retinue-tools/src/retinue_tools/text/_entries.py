"""The entries of a list: one a line, or in one line between semicolons or commas."""

import re

_SEPARATORS = (re.compile(r"\s*;\s*"), re.compile(r"\s*,\s*"))


def entries_of(text: str, fewest: int = 3) -> tuple[list[str], str]:
    """The entries of a text without spaces around them, and what joins them: the lines; or of a single line that has as
    many as `fewest` parts, these.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for separator in _SEPARATORS if len(lines) == 1 else ():
        if len(parts := [part for part in separator.split(lines[0].strip(" .,;")) if part]) >= fewest:
            return parts, "; " if ";" in separator.pattern else ", "
    return lines, "\n"
