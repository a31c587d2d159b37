"""Combining marks, such as vowel signs and decomposed accents: `re` does not count them as parts of words."""

import unicodedata

_VARIATION_SELECTORS = range(0xFE00, 0xFE10)
_LAST = 0x1FFFF
"""The marks after it are variation selectors."""


def _mark_ranges() -> str:
    """Return the marks (categories Mn and Mc) as ranges of a character class."""
    ranges: list[list[int]] = []
    for code in range(0x300, _LAST):
        if unicodedata.category(chr(code)) not in {"Mn", "Mc"} or code in _VARIATION_SELECTORS:
            continue
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


MARK = f"[{_mark_ranges()}]"
WORD = rf"[^\W_](?:[^\W_]|{MARK})*"
"""Patterns of a mark, and of a run of letters and digits with their marks."""
