"""Finds what a request refers to: "that", "it" or "the result" stand for the result of an earlier request.

In the requests of a message, a number in braces stands for such a result: `divide {1} by 4`.
"""

import re
from collections.abc import Sequence

LONGEST = 600
"""Most characters of a request to analyse: a longer one contains data."""
_REFERENCE = re.compile(
    r"\b(?:that|this) (?:number|result|sum|value|text|word|amount|answer|acronym|area|code|date)\b"
    r"|\bthe (?:result|sum|answer|product|total|[a-z]{2,12}ed (?:text|word|number|value))\b"
    r"|(?<!make )\b(?:it|them)\b(?!')"
    r"|\b(?:that|this)\b(?=\W*$|\s(?:to|by|in|into|with|and|from|as|up)\b)|(?<=of )(?:that|this)\b"
    r"|\bdas ergebnis\b|\bel resultado\b|\ble r\u00e9sultat\b",
    re.IGNORECASE,
)
_QUOTATION = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)|\u201c[^\u201d]*\u201d|\u2018[^\u2019]*\u2019|\([^()]*\)")
_INDEX = re.compile(r"\{([1-9])\}")
UNKNOWN = "that"
"""The placeholder for a missing result."""


def number_references(requests: Sequence[str]) -> list[str]:
    """Replace the reference of each request to the one before it with its number in braces."""
    return [
        one if at == 0 or _INDEX.search(one) else replace_reference(one, f"{{{at}}}") for at, one in enumerate(requests)
    ]


def replace_reference(request: str, result: str) -> str:
    """Replace the first `that`, `it` or similar reference of a request with a result."""
    return _REFERENCE.sub(lambda _: result, request, count=1)


def refers(request: str) -> bool:
    """Return whether a request contains a reference such as `that` or `it`."""
    return len(request) <= LONGEST and _REFERENCE.search(mask_quotations(request)) is not None


def has_placeholders(message: str) -> bool:
    """Return whether a message of the user has braces that would be taken for results."""
    return _INDEX.search(message) is not None


def dependencies(request: str) -> list[int]:
    """Return the indexes (from 0) of the earlier requests whose results this request uses."""
    return [int(number) - 1 for number in _INDEX.findall(request)]


def fill_results(request: str, results: Sequence[str]) -> str:
    """Replace the placeholders of a request with earlier results; texts get quotation marks."""
    values = [one if one[:1] in "-0123456789" or one == UNKNOWN else f'"{one}"' for one in results]
    return _INDEX.sub(lambda one: values[int(one[1]) - 1] if int(one[1]) <= len(values) else one[0], request)


def mask_quotations(text: str) -> str:
    """Mask the content of quotations, so that it is not split."""
    return _QUOTATION.sub(lambda quoted: '"' + "x" * (len(quoted[0]) - 2) + '"', text)
