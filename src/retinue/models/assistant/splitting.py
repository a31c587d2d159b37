"""Splits a message into its clauses by rules, without a model, if each clause is clearly a request of its own.

`Convert 3 hours to minutes and divide the result by 4.` becomes `Convert 3 hours to minutes` and `divide {1} by 4.`:
a number in braces stands for the result of that request. An ambiguous message stays one request.
"""

import re

MOST = 16
"""Most requests in one message; a message with more is not split."""
_LONGEST = 600
"""Most characters of a message to split: a longer one contains data, and is one request."""
_SHORT = 7
"""Most words of an elliptical message such as "And 25?"."""

_CONNECTORS = r"(?:and|also|then|plus|und|dann|auch|y|luego|tambi\u00e9n|et|puis|aussi)"
_OPENERS = (
    r"(?:add|calculate|check|compute|convert|count|decode|divide|encode|find|generate|give|hash|is|list|make|multiply"
    r"|put|remind|remember|reverse|save|show|sort|square|subtract|take|tell|translate|turn|work out|write|how|what"
    r"|what'?s|when|where|which"
    r"|who|why|are|does|wie|was|welche[rs]?|rechne|wandle|cu\u00e1l|cu\u00e1nt[oa]s?|qu\u00e9|convierte|combien"
    r"|quel(?:le)?|convertis)"
)
_BOUNDARY = re.compile(
    rf"(?:(?<=[?!.;])\s+|,?\s+(?={_CONNECTORS}\b))(?:{_CONNECTORS},?\s+)*(?:please\s+)?(?={_OPENERS}\b)", re.IGNORECASE
)
"""Matches the separator between two requests."""
_ASKING = re.compile(
    rf"(?:^\W{{0,9}}|[.!:;,-]\s+)(?:(?:hey|hi|hello|please|can you|could you),?\s+){{0,2}}{_OPENERS}\b|\?\W*$",
    re.IGNORECASE,
)
"""Found in a clause that asks for something; matches at its beginning if it asks at once. A statement, such as "A shirt
costs 45.", belongs to the next clause.
"""
_SIDES = re.compile(r",?\s(?:and|und|y|et)\s(?=\d)", re.IGNORECASE)
_CONVERSION = re.compile(r"\s(?:to|in|into)\s[^\d?]{1,40}$", re.IGNORECASE)
"""Matches the end of a side of `Convert 3 kg to pounds and 5 feet to metres`, where both sides share the verb."""
_REFERENCE = re.compile(
    r"\b(?:that|this) (?:number|result|sum|value|text|word|amount|answer|acronym|area|code|date)\b"
    r"|\bthe (?:result|sum|answer|product|total)\b"
    r"|\bit\b|\b(?:that|this)\b(?=\W*$|\s(?:to|by|in|into|with|and|from|as|up)\b)|(?<=of )(?:that|this)\b"
    r"|\bdas ergebnis\b|\bel resultado\b|\ble r\u00e9sultat\b",
    re.IGNORECASE,
)
_VAGUE = re.compile(r"\b(?:its|they|them|their|these|those|instead|the same)\b", re.IGNORECASE)
"""Matches references that only a model can resolve."""
_ELLIPSIS = re.compile(
    r"\W{0,9}(?:and|or|what about|how about|(?:now )?the same|und|oder|was ist mit|y|qu\u00e9 tal|et)\b", re.IGNORECASE
)
_NAMES = re.compile(r"\d|[\"'\u201c\u2018]|(?<=\s)[A-Z][a-z]|^\W*(?:who|when|where|why)\b")
"""Matches data or names that a request is about. A clause without them belongs to the previous one."""
_QUOTATION = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)|\u201c[^\u201d]*\u201d|\u2018[^\u2019]*\u2019")


def split(message: str) -> list[str]:
    """Return the requests of a message in order; the whole message if it cannot be split."""
    text = message.strip()
    if len(text) > _LONGEST or "\n" in text:
        return [message]
    if elided := _with_verb(text):
        return elided
    clauses = _clauses(text)
    is_story = _ASKING.match(clauses[0]) is None
    if not 1 < len(clauses) <= MOST or (is_story and not all(any(map(str.isdigit, one)) for one in clauses[1:])):
        return [message]
    first, *others = [clause[:1].upper() + clause[1:] for clause in clauses]
    return [first, *(replace_reference(clause, f"{{{at}}}") for at, clause in enumerate(others, 1))]


def replace_reference(request: str, result: str) -> str:
    """Replace the first `that`, `it` or similar reference of a request with a result."""
    return _REFERENCE.sub(lambda _: result, request, count=1)


def refers(request: str) -> bool:
    """True if a request contains a reference such as `that` or `it`."""
    return len(request) <= _LONGEST and _REFERENCE.search(_mask_quotations(request)) is not None


def is_vague(request: str) -> bool:
    """True if a request contains a reference that only a model can resolve, and no digits."""
    bare = len(request) <= _LONGEST and not any(map(str.isdigit, request))
    return bare and _VAGUE.search(_mask_quotations(request)) is not None


def is_elliptical(message: str) -> bool:
    """True if a message only names a replacement for part of an earlier one: "And 25?", "What about Rome?"."""
    return len(message.split()) <= _SHORT and _ELLIPSIS.match(message) is not None and not refers(message)


def _with_verb(text: str) -> list[str]:
    """Split two conversions that share a verb, and repeat the verb; [] for any other text."""
    sides = _SIDES.split(_mask_quotations(text).rstrip("."))
    if len(sides) != 2 or not all(any(map(str.isdigit, side)) and _CONVERSION.search(side) for side in sides):
        return []
    return [text[: len(sides[0])], f"{text.split(maxsplit=1)[0]} {text.rstrip('.')[-len(sides[1]) :]}"]


def _clauses(text: str) -> list[str]:
    """Split a text at the boundaries. A clause without data, names or references joins the previous one, and so does
    one after a statement.
    """
    covered, begin = _mask_quotations(text), 0
    clauses: list[str] = []
    cuts = [match.span() for match in _BOUNDARY.finditer(covered)]
    for end, following in [*cuts, (len(text), len(text))]:
        clause = text[begin:end]
        if clauses and (_is_part(clause) or not _ASKING.search(clauses[-1])):
            start = text.rindex(clauses.pop(), 0, begin)
            clause = text[start:end]
        clauses.append(clause)
        begin = following
    return clauses


def _is_part(clause: str) -> bool:
    return not (_NAMES.search(clause) or refers(clause) or is_vague(clause))


def _mask_quotations(text: str) -> str:
    """Mask the content of quotations, so that it is not split."""
    return _QUOTATION.sub(lambda quoted: '"' + "x" * (len(quoted[0]) - 2) + '"', text)
