"""Corrects frequent misspellings of the words by which requests are recognized and their values are found."""

import re
from pathlib import Path

from retinue_assistant.references import mask_quotations

_LINES = (Path(__file__).parent / "prompts/misspellings.txt").read_text(encoding="utf-8").splitlines()
_CORRECTIONS = {wrong: right for right, *misspelled in map(str.split, _LINES) for wrong in misspelled}
_WORD = re.compile(r"\b[a-z]{4,13}\b", re.IGNORECASE)
_SPELLING = re.compile(r"\b(?:correct|letters?|proofread|spell\w{0,6}|typos?|word|write)\b|:\s", re.IGNORECASE)
"""Matches a request for which the spelling matters, or data after a colon."""


def correct_spelling(message: str) -> str:
    """Correct the frequent misspellings of a message. Quotations stay as they are."""
    if _SPELLING.search(message):
        return message
    parts, end = list[str](), 0
    for found in _WORD.finditer(mask_quotations(message)):
        if right := _CORRECTIONS.get(found[0].lower()):
            parts += [message[end : found.start()], right.capitalize() if found[0][0].isupper() else right]
            end = found.end()
    return "".join([*parts, message[end:]])
