"""Rewrites numbers and dates of languages that write 79,90 and 1.9.2024."""

import re

_DECIMAL_COMMA = re.compile(r"(?<![\d.,])(\d{1,12}),(\d{1,2})(?![\d.,]*\d)")
_DATE = re.compile(r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)")


def write_english_numbers(text: str) -> str:
    """Write decimals with a point and dates as ISO 8601: 79,90 becomes 79.90, and 1.9.2024 becomes 2024-09-01."""
    dated = _DATE.sub(lambda date: f"{date[3]}-{int(date[2]):02}-{int(date[1]):02}", text)
    return _DECIMAL_COMMA.sub(r"\1.\2", dated)
