"""Splits lists written in plain text into their items."""

import re

_SEPARATORS = (
    re.compile(r"\n|\\n"),
    re.compile(r";\s*+(?:and\s+|or\s+)?"),
    re.compile(r",\s*+(?:and\s+|or\s+|&)?|(?<=\s)(?:and|or|&)\s"),
    re.compile(r"(?<=\s)(?:[/|]|->|\u2192|vs\.?|versus)\s|(?<=[A-Za-z])[/|](?=[A-Za-z])"),
)
"""Separators between items, in the order in which they are tried."""
_QUOTES = ('"', '"'), ("'", "'"), ("`", "`"), ("\u201c\u2018\u00ab", "\u201d\u2019\u00bb")
"""Opening and closing quotation marks."""


def split_items(text: str, at_blanks: bool = True) -> list[str]:
    """Split a list at newlines, else semicolons, else commas or conjunctions, else slashes, else spaces."""
    words = (at_blanks and text.split()) or [text]
    parts = next((found for one in _SEPARATORS if len(found := _parts(one, text)) > 1), words)
    return [_bare(part) for part in parts]


def _parts(separator: re.Pattern[str], text: str) -> list[str]:
    return [part for one in separator.split(text) if (part := one.strip())]


def _bare(item: str) -> str:
    """Strip the quotation marks around an item."""
    quoted = any(item[:1] in opening and item[-1:] in closing for opening, closing in _QUOTES)
    return item[1:-1] or item if quoted else item
