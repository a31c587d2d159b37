"""Parses whole numbers, such as ids, from the texts of paths, queries and forms."""

MAX_ID = 2**63 - 1
"""Maximum id of a record: that of a 64-bit column."""

_MOST_DIGITS = 19


def parse_whole_number(text: str, most: int = MAX_ID) -> int | None:
    """Return a number of ASCII digits alone, or None for any other text and for numbers greater than `most`.

    `int` alone would also take signs, spaces, underscores and the digits of other scripts, and fails on long texts.
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
        return None
    number = int(text)
    return number if number <= most else None
