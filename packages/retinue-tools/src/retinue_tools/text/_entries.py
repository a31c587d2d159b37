"""Entries of a list: one per line, or on one line separated by semicolons or commas."""

import re

_SEPARATORS = (re.compile(r"\s*;\s*"), re.compile(r"\s*,\s*"))


def entries_of(text: str, fewest: int = 3) -> tuple[list[str], str]:
    """Return the trimmed entries of a text and their separator: the lines, or the parts of a single line that has at
    least `fewest` parts.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for separator in _SEPARATORS if len(lines) == 1 else ():
        if len(parts := [part for part in separator.split(lines[0].strip(" .,;")) if part]) >= fewest:
            return parts, "; " if ";" in separator.pattern else ", "
    return lines, "\n"
