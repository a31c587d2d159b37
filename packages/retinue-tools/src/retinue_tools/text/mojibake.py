"""Text that was read in a wrong encoding, mended."""

import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool

_RUN = re.compile(
    "(?![\u00c4-\u00dc][\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u00bb](?![^\\W\\d_]|[^\\x00-\\x7f]))[^\\x00-\\x7f]{2,}"
)
"""Characters beyond ASCII side by side, unless they are a capital with a closing mark, as at the end of a quotation."""
_UNLIKELY = re.compile("[\u0500-\u058f\u0700-\u07ff]")
"""What a letter and a closing mark such as \u00df\u201c would give: scripts that are seldom met."""


class Repaired(TypedDict):
    """A text mended."""

    result: Annotated[str, About("The text")]
    changed: Annotated[bool, About("Whether anything was mended")]
    steps: Annotated[list[str], About("Encodings that it had been read in wrongly, in the order of mending")]


@tool(
    tags="mojibake repair fix garbled encoding utf-8 latin-1 windows-1252 broken characters ftfy",
    use_when=(
        "Fix the garbled text 'CafÃ© â€“ naÃ¯ve'",
        "Why does my text show â€™ instead of an apostrophe?",
        "Repair umlauts that look like Ã¼",
    ),
    examples=(
        Example(
            {"text": "CafÃ© â€“ itâ€™s naÃ¯ve"},
            {"result": "Café \u2013 it\u2019s naïve", "changed": True, "steps": ["cp1252"]},
            source="by hand: UTF-8 read as Windows-1252",
        ),
        Example(
            {"text": "Schöne Grüße"}, {"result": "Schöne Grüße", "changed": False, "steps": []}, source="it is sound"
        ),
        Refusal({"text": ""}, "text"),
    ),
)
def text_repair_mojibake(
    text: Annotated[str, About("The garbled text", "CafÃ©", min_length=1, max_length=200_000)],
) -> Repaired:
    """Mend text in UTF-8 that was read as Windows-1252, Latin-1 or the like once or several times (mojibake).

    Sound parts stay as they are. Returns the text and the encodings that had been taken for UTF-8.
    """
    result, steps = text, []
    for _ in range(3):
        for encoding in ("cp1252", "iso-8859-1", "mac_roman"):
            mended = _mend(result, encoding)
            if mended != result:
                result = mended
                steps.append(encoding)
                break
        else:
            break
    return {"result": result, "changed": result != text, "steps": steps}


def _mend(text: str, encoding: str) -> str:
    """Each run of characters that is valid UTF-8 by that encoding, decoded."""
    return _RUN.sub(lambda match: _reread(match[0], encoding), text)


def _reread(run: str, encoding: str) -> str:
    raw = b"".join(_byte(one, encoding) for one in run)
    try:
        mended = raw.decode("utf-8")
    except UnicodeDecodeError:
        return run
    return run if _UNLIKELY.search(mended) else mended


def _byte(one: str, encoding: str) -> bytes:
    """The byte of a character; the five bytes that Windows-1252 leaves out come as control characters."""
    try:
        return one.encode(encoding)
    except UnicodeEncodeError:
        return bytes([ord(one)]) if "\x80" <= one <= "\x9f" else b"\xff"
