"""Lists as people write them."""

import re

_SEPARATORS = (
    re.compile(r"\n|\\n"),
    re.compile(r";\s*+(?:and\s+|or\s+)?"),
    re.compile(r",\s*+(?:and\s+|or\s+|&)?|(?<=\s)(?:and|or|&)\s"),
    re.compile(r"(?<=\s)(?:[/|]|->|\u2192|vs\.?|versus)\s|(?<=[A-Za-z])[/|](?=[A-Za-z])"),
)
"""What stands between items, the strongest first."""
_BLANKS = re.compile(r"\s+")
_QUOTES = ('"', '"'), ("'", "'"), ("`", "`"), ("\u201c\u2018\u00ab", "\u201d\u2019\u00bb")
"""Marks that open a quotation, and those that close it."""


def split_items(text: str, at_blanks: bool = True) -> list[str]:
    """The items of a list: between lines, else semicolons, else commas or conjunctions, else strokes, else blanks."""
    separators = (*_SEPARATORS, _BLANKS) if at_blanks else _SEPARATORS
    parts = next((found for one in separators if len(found := _parts(one, text)) > 1), [text])
    return [_bare(part) for part in parts]


def _parts(separator: re.Pattern[str], text: str) -> list[str]:
    return [part for one in separator.split(text) if (part := one.strip())]


def _bare(item: str) -> str:
    """An item without quotation marks around it."""
    quoted = any(item[:1] in opening and item[-1:] in closing for opening, closing in _QUOTES)
    return item[1:-1] or item if quoted else item
