"""What a request is like: its words, and its pairs of words, with kinds of data in the place of the data."""

import re
from itertools import pairwise

from retinue.core.stems import folded, stem
from retinue.core.wishes import without_wishes

_MOST_CHARACTERS, _MOST_WORDS = 1500, 80

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_NUMBER, _NODE = r"[-+]?\d[\d.]*", r"[a-z0-9]{1,2}"
_KINDS = tuple(
    (re.compile(pattern, re.DOTALL), f" {kind} ")
    for pattern, kind in (
        (r"[{\[<].*[}\]>]", "nested_data"),
        (r"\"[^\"]*\"|\u201c[^\u201d]*\u201d|`[^`]*`|(?<!\w)'[^']{2,}'(?!\w)", "quoted_text"),
        (r"https?://\S+", "web_address"),
        (
            rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b\.?,?(?: \d{{4}})?"
            rf"|\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?",
            "calendar_date",
        ),
        (r"\b\d{1,2}:\d\d(?::\d\d)?\b", "clock_time"),
        (
            rf"\b{_NODE}\s?(?:-|->|\u2192)\s?{_NODE}\b(?:\s?[:=]?\s?[\d.]+)?"
            rf"(?:[,;]?\s+(?:and )?{_NODE}\s?(?:-|->|\u2192)\s?{_NODE}\b(?:\s?[:=]?\s?[\d.]+)?)+",
            "graph_edges",
        ),
        (rf"(?:{_NUMBER},\s*){{2,}}(?:and\s+)?{_NUMBER}(?:\s+and\s+{_NUMBER})?", "number_list"),
        (r"\b(?=[0-9a-z]*\d)(?=[0-9a-z]*[a-z])[0-9a-z]{5,}\b", "mixed_code"),
        (r"[-+]?\d[\d,.]*", "one_number"),
    )
)
_TOKEN = re.compile(r"[a-z_]{2,}|[%$€£°=^*/+]")
_START = "^"


def features(request: str) -> set[str]:
    """The stems of a request's words, and each with the one before it."""
    text = without_wishes(folded(request[:_MOST_CHARACTERS]))
    for pattern, kind in _KINDS:
        text = pattern.sub(kind, text)
    words = [stem(word) for word in _TOKEN.findall(text)[:_MOST_WORDS]]
    return {*words, *(f"{first} {second}" for first, second in pairwise([_START, *words]))}
