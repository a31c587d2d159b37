"""Splits a message into its clauses by rules, without a model, if each clause is clearly a request of its own.

`Convert 3 hours to minutes and divide the result by 4.` becomes `Convert 3 hours to minutes` and `divide {1} by 4.`:
a number in braces stands for the result of that request. An ambiguous message stays one request.
"""

import re
from itertools import chain, pairwise

from retinue.language.text_normalization import stems
from retinue_assistant.numbers import has_digits
from retinue_assistant.references import LONGEST, mask_quotations, number_references, refers

MOST = 16
"""Most requests in one message; a message with more is not split."""
_CONNECTORS = r"(?:and|also|then|plus|und|dann|auch|y|luego|tambi\u00e9n|et|puis|aussi)"
OPENERS = (
    r"(?:add|calculate|check|compare|compute|convert|count|decode|define|describe|divide|encode|explain|find|generate"
    r"|give|hash|is(?! [a-z]{2,12}ed\b)|list|make|multiply|put|rank|remind|remember|reverse|roll|save|show|simplify"
    r"|solve|sort|spell|square"
    r"|subtract|sum|summari[sz]e|take(?! the [a-z]{2,12}:? [\d(\[])|tell|translate|turn|work out|write|how|what|what'?s"
    r"|when|where|which|who|why|are|does|sag mir|nenne|wie|was|welche[rs]?|rechne|wandle|dime|cu\u00e1l"
    r"|cu\u00e1nt[oa]s?|qu\u00e9|convierte|\u00e9cris|dis-moi|donne-moi|combien|quel(?:le)?|convertis)"
)
"""Matches the beginning of a request. "Take the numbers 3, 5." only introduces data."""
_QUESTIONS = ("how", "what", "when", "where", "which", "who", "is ", "are ", "does ")
_BOUNDARY = re.compile(
    rf"(?:(?<=[?!.;])\s+|,?\s+(?={_CONNECTORS}\b))(?:(?:{_CONNECTORS}|please),?\s+)*(?={OPENERS}\b)"
    r"|(?<=\?)\s+(?=[^?\"':<>]{1,200}\?(?:\s|$))"
    r"|(?:(?<=[?!.,;])|\s+and)\s+also,?\s+|,\s+(?=(?:what'?s|how (?:much|many))\b)|,\s+and\s+(?=[a-z0-9]{2,12} of \d)",
    re.IGNORECASE,
)
"""Matches the separator between two requests."""
_OPENING = r"(?:and|also|then|while you(?:'re| are) at it|hey|hi|hello|please|can you|could you)"
ASKING = re.compile(rf"(?:^\W{{0,9}}|[.!:;,-]\s+)(?:{_OPENING},?\s+){{0,2}}{OPENERS}\b|\?\W*$", re.IGNORECASE)
"""`search` finds it in a clause that asks. `match` succeeds only if the clause begins with the question."""
_SIDES = re.compile(r",?\s(?:and|und|y|et)\s(?=\d)", re.IGNORECASE)
_CONVERSION = re.compile(r"\s(?:to|in|into)\s[^\d?]{1,40}$", re.IGNORECASE)
"""Matches the end of a side of `Convert 3 kg to pounds and 5 feet to metres`, where both sides share the verb."""
_ITS = re.compile(r"\bits\b", re.IGNORECASE)
DATA = re.compile(r"\"[^\"]{1,200}\"|(?<!\w)'[^']{1,200}'|\d[\d.,]{0,40}(?<![.,])")
"""Matches what "its" can refer to: a quotation or a number."""
_LIST = re.compile(
    r"[^:]{0,40}\b(?:two|three|four|five|several|some|few|[2-5])\s(?:\w{1,12}\s)?(?:ones|things|questions|tasks)\b[^:]{0,60}:"
    r"\s+(?=\S)",
    re.IGNORECASE,
)
"""Matches the beginning of `Three quick ones: the capital of Peru, the cube root of 27, and 5% of 80.`"""
_TELLING = re.compile(r"^\W*(?:i|we|my|our)\s(?!want|need|would like)", re.IGNORECASE)
_ITEM = re.compile(r",\s+(?:and\s+)?", re.IGNORECASE)
_ITEM_WORDS = 3
"""Fewest words of a request in a list."""
_BULLET = re.compile(r"^(?:[-*\u2022]|\d{1,2}[.)])\s+")
COURTESIES = stems("bonjour cheers danke gracias hallo hello hey hi hola merci thank thanks thx while")
"""Words of greetings, of thanks and of "while you're at it", which ask for nothing."""
_NAMES = re.compile(r"\d|[\"'\u201c\u2018]|(?<=\s)[A-Z][a-z]|^\W*(?:who|when|where|why)\b|\b(?:word|name) [a-z]")
"""Matches data or names that a request is about. A clause without them belongs to the previous one."""


def split(message: str) -> list[str]:
    """Return the requests of a message in order; the whole message if it cannot be split."""
    text = message.strip()
    if len(text) > LONGEST:
        return [message]
    if "\n" in text:
        return number_references(_lines(text)) or [message]
    if listed := _with_verb(text) or _list_items(text):
        return listed
    clauses = _clauses(text)
    is_story = ASKING.match(clauses[0]) is None
    if not 1 < len(clauses) <= MOST or (is_story and not all(map(_is_own, clauses[1:]))):
        return [message]
    first, *others = [clause[:1].upper() + clause[1:] for clause in clauses]
    data = DATA.findall(first)
    owned = [_ITS.sub(lambda _: f"{data[0]}'s", clause) if len(data) == 1 else clause for clause in others]
    return number_references([first, *owned])


def states_facts(clause: str) -> bool:
    """Return whether a clause only tells something about the user: "I drive 15,000 km a year", before a question."""
    return _TELLING.match(clause) is not None and "?" not in clause


def later_clauses(request: str) -> list[str]:
    """Return the clauses of a request that `split` left whole which follow one that asks, or a word such as "and"."""
    between = ((last, begin, end) for (_, last), (begin, end) in pairwise(_spans(request)))
    return [
        request[begin:end]
        for last, begin, end in between
        if ASKING.search(request[:last]) or re.search(rf"\b{_CONNECTORS}\b", request[last:begin], re.IGNORECASE)
    ]


def _with_verb(text: str) -> list[str]:
    """Split two conversions that share a verb, and repeat the verb; [] for any other text."""
    sides = _SIDES.split(mask_quotations(text).rstrip("."))
    if len(sides) != 2 or not all(has_digits(side) and _CONVERSION.search(side) for side in sides):
        return []
    return [text[: len(sides[0])], f"{text.split(maxsplit=1)[0]} {text.rstrip('.')[-len(sides[1]) :]}"]


def _lines(text: str) -> list[str]:
    """Return the lines of a message if each asks, or if they are a list that no request introduces; else []."""
    lines = [line for line in map(str.strip, text.splitlines()) if line and not _is_courtesy(line)]
    requests = [_BULLET.sub("", line) for line in lines]
    ask = all(one[-1] != ":" and ASKING.search(one) for one in requests)
    are_items = all(_BULLET.match(one) and len(one.split()) > _ITEM_WORDS for one in lines)
    return requests if (ask or are_items) and 1 < len(lines) <= MOST else []


def _is_courtesy(line: str) -> bool:
    """True for "Hi!", "Thanks, Tom" and "Two questions:"."""
    return (line[-1] == ":" or not COURTESIES.isdisjoint(stems(line))) and not ASKING.search(line)


def _list_items(text: str) -> list[str]:
    """Split the items of a list that a statement introduces; [] for any other text."""
    covered = mask_quotations(text)
    opening = _LIST.match(covered)
    if not opening or ASKING.match(opening[0]):
        return []
    cuts = [(opening.end(), opening.end()), *(cut.span() for cut in _ITEM.finditer(covered, opening.end()))]
    ends = [begin for begin, _ in cuts[1:]] + [len(text)]
    items = [text[begin:end] for (_, begin), end in zip(cuts, ends, strict=True)]
    is_list = len(items) > 1 and all(len(item.split()) >= _ITEM_WORDS for item in items)
    return [item if ASKING.match(item) else f"What is {item}" for item in items] if is_list else []


def _clauses(text: str) -> list[str]:
    """Split at the boundaries. A clause without data, names or references, or after a statement, joins the previous."""
    spans: list[tuple[int, int]] = []
    for begin, end in _spans(text):
        joins = spans and (_is_part(text[begin:end]) or not ASKING.search(text[slice(*spans[-1])]))
        spans.append((spans.pop()[0] if joins else begin, end))
    return [text[slice(*span)] for span in spans]


def _spans(text: str) -> list[tuple[int, int]]:
    """Return the beginning and the end of each text between boundaries."""
    cuts = [match.span() for match in _BOUNDARY.finditer(mask_quotations(text))]
    return [*pairwise(chain([0], *cuts, [len(text)]))][::2]


def _is_part(clause: str) -> bool:
    return not (_NAMES.search(clause) or refers(clause) or _ITS.search(clause))


def _is_own(clause: str) -> bool:
    """Return whether a clause after a story is a request of its own: a question about "it" mostly means the story."""
    is_complete = refers(clause) or _NAMES.search(clause) is not None
    return has_digits(clause) or (is_complete and not clause.lower().startswith(_QUESTIONS))
