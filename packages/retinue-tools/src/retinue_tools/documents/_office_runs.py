"""Texts of office documents: characters that XML allows, and replacement of text that is stored in several runs of a
paragraph.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from retinue.sdk import ToolError

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
PLACEHOLDER = re.compile(r"\{\{\s*([^{}]{1,100}?)\s*\}\}")


def xml_text(text: str) -> str:
    """Remove characters that XML 1.0 (section 2.2) does not allow, such as control characters."""
    return _NOT_XML.sub("", text)


def text_pattern(text: str, *, match_case: bool, whole_words: bool) -> re.Pattern[str]:
    """Return a pattern that matches a text literally."""
    literal = re.escape(text)
    return re.compile(
        rf"(?<!\w){literal}(?!\w)" if whole_words else literal, re.NOFLAG if match_case else re.IGNORECASE
    )


def replace_in_runs(runs: Sequence[Any], pattern: re.Pattern[str], new: Callable[[re.Match[str]], str]) -> int:
    """Replace the matches of a pattern in the joined text of runs; the first run of a match gets the new text.

    A run is any object with a writable `text`. Returns the number of replacements.
    """
    texts = [str(run.text) for run in runs]
    matches = list(pattern.finditer("".join(texts)))
    starts = [0, *accumulate(map(len, texts))]
    for match in reversed(matches):
        text = new(match)
        for number in range(len(texts) - 1, -1, -1):
            start, end = max(match.start(), starts[number]), min(match.end(), starts[number + 1])
            if start < end:
                first = starts[number] <= match.start()
                head, tail = texts[number][: start - starts[number]], texts[number][end - starts[number] :]
                texts[number] = head + (text if first else "") + tail
    for run, text in zip(runs, texts, strict=True):
        if text != run.text:
            run.text = text
    return len(matches)


def placeholders(texts: Iterable[str]) -> list[str]:
    """Return the distinct names within {{ }} in texts, sorted."""
    return sorted({match[1] for text in texts for match in PLACEHOLDER.finditer(text)})


def row_values(row: Mapping[str, Any], names: Sequence[str], number: int, missing: str) -> dict[str, str | None]:
    """Return the texts for placeholders by their case-folded names; None keeps a placeholder. Raises `ToolError` for a
    missing field.
    """
    fields = {name.strip().casefold(): value for name, value in row.items()}
    values: dict[str, str | None] = {}
    for name in names:
        if name.casefold() in fields:
            values[name.casefold()] = _show(fields[name.casefold()])
        elif missing == "refuse":
            raise ToolError(f"Row {number} has no field {name}. Add it, or set missing to blank or keep.")
        else:
            values[name.casefold()] = "" if missing == "blank" else None
    return values


def constant(text: str) -> Callable[[re.Match[str]], str]:
    """Return a function that always returns the same text."""
    return lambda _: text


def filling(values: Mapping[str, str | None]) -> Callable[[re.Match[str]], str]:
    """Return a function that replaces placeholders with values."""

    def fill(match: re.Match[str]) -> str:
        value = values.get(match[1].casefold())
        return match[0] if value is None else value

    return fill


def _show(value: str | float | bool | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else xml_text(f"{value:.15g}" if isinstance(value, float) else str(value))
