"""Splits a text into parts: the items of its list, else its lines."""

import re
from dataclasses import dataclass, field

_ITEM = re.compile(r"\s{0,100}+(?:[-*+•]|\d{1,3}[.)])\s+(?P<text>\S.*)")


@dataclass(frozen=True, slots=True)
class Split:
    """The parts of a text, at least one, and the text around a list."""

    parts: list[str] = field(default_factory=list)
    around: str = ""


def split(text: str) -> Split:
    """Split into the items of a list of two or more, else into lines, else return the whole text as one part."""
    lines = text.splitlines()
    if sum(bool(_ITEM.match(line)) for line in lines) > 1:
        return _by_items(lines)
    filled = [line.strip() for line in lines if line.strip()]
    return Split(filled or [text])


def _by_items(lines: list[str]) -> Split:
    """Split into list items. Lines after an item belong to it, up to an empty line; others are around the list."""
    items: list[str] = []
    surrounding: list[str] = []
    inside = False
    for line in lines:
        if item := _ITEM.match(line):
            items.append(item["text"].rstrip())
            inside = True
        elif not line.strip():
            inside = False
        elif inside:
            items[-1] += "\n" + line.strip()
        else:
            surrounding.append(line.strip())
    return Split(items, "\n".join(surrounding))
