"""What stands for the end of a line in a request that is one line itself."""

import re
from functools import lru_cache

_MARKS = {"slash": "/", "pipe": "|", "bar": "|", "semicolon": ";", "double slash": "//", "backslash": "\\"}
_MARK = r"(?P<{}>(?:double )?slash(?:es)?|pipes?|bars?|semicolons?|//|[/|;\u00a7])"
_CLOSED = r"[\"'\u201d\u2019)]?"
_STANDS = r"(?:stands? for|marks?|means?|is|are|separates?|ends?|divides?|parts?)"
_PARTED = r"(?:separated|split|divided|parted|marked|shown|written|joined)"
_LINE = r"(?:line ?breaks?|new ?lines?|line ends?|lines?|rows?)"
_TOLD = tuple(
    re.compile(told, re.IGNORECASE)
    for told in (
        rf"{_MARK.format('mark')}{_CLOSED}\s(?:\w+\s)?{_STANDS}\s(?:(?:a|an|the|each|every)\s)?{_LINE}\b",
        rf"\b{_LINE},?\s(?:are\s|is\s)?{_PARTED}?\s?"
        rf"(?:by|with|as|at)\s(?:(?:a|an|the)\s)?[\"'\u201c\u2018(]?\s?{_MARK.format('mark')}",
        rf"{_MARK.format('mark')}{_CLOSED}\s?(?:=|for)\s?(?:(?:a|the)\s)?{_LINE}\b",
    )
)


@lru_cache(256)
def line_mark(request: str) -> str | None:
    """The mark that a request says to stand between lines: `a slash stands for a line break`."""
    match = next((found for told in _TOLD if (found := told.search(request))), None)
    if match is None:
        return None
    word = match["mark"].lower()
    return _MARKS.get(word) or _MARKS.get(word.removesuffix("es")) or _MARKS.get(word.removesuffix("s")) or word


def in_lines(text: str, request: str) -> str:
    """A text of the request with its lines, where the request says what stands between them."""
    mark = line_mark(request)
    if mark is None or mark not in text:
        return text
    apart = rf"\s+{re.escape(mark)}\s+" if f" {mark} " in text else rf"\s*{re.escape(mark)}\s*"
    return re.sub(apart, "\n", text)
