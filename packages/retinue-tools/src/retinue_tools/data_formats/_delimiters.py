"""Detection of the delimiter of a table."""

import re

_QUOTED = re.compile(r'(?:^|(?<=[,;\t|]))"(?:[^"]|"")*"')


def likeliest_delimiter(header: str) -> str:
    """Return the comma, semicolon, tab or pipe that occurs most often in a row, outside quoted fields."""
    unquoted = _QUOTED.sub("", header.removeprefix("\ufeff"))
    return max(",;\t|", key=unquoted.count)
