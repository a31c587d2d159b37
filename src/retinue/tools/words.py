"""Plain language to index terms: folding, light stemming, the shapes of data in a question, and kindred words."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from retinue.core.stems import folded, stem

_WORD = re.compile(r"[a-z0-9]+")
_MAX_CHARACTERS = 2000
"""Of a long message only the beginning is looked at."""

_DATA = re.compile(r"(?<=:)\s.*$|(?<!\w)([\"'\u2018\u201c]).{2,}?[\"'\u2019\u201d](?!\w)", re.DOTALL)
_DATA_WEIGHT = 0.3
_SHORT_NUMBER = 3
"""Digits of numbers that stand everywhere, and tell nothing."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


STOP_WORDS = _set(
    "a about after all am an and any are as at be been but by can could did do does for from get give had has have help"
    " her him his how i if in into is it its just let like list many may me more much my need no not of on one or our"
    " out please shall she should show so some such tell than that the their them then there these they this those to"
    " up us use using want was we were what when where which who whose why will with would you your"
)

_SHAPES = tuple(
    (re.compile(pattern), words.split())
    for pattern, words in (
        (r"\b\d{1,3}(?:\.\d{1,3}){3}/\d{1,2}\b", "cidr subnet network ip"),
        (r"\b\d{1,3}(?:\.\d{1,3}){3}\b", "ip address"),
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "uuid"),
        (r"\b\d{4}-\d\d-\d\d\b", "date"),
        (r"\d{4}-\d\d-\d\d\b.*\b\d{4}-\d\d-\d\d", "difference between dates"),
        (r"\b\d{1,2}:\d\d\b", "time"),
        (r"\b\d{1,2}(?:st|nd|rd|th)?\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", "date"),
        (r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\s+\d{1,2}", "date"),
        (r"\d\s*%", "percent arithmetic"),
        (r"[$€£¥]\s*\d", "money currency"),
        (r"\S@\S+\.\w", "email"),
        (r"https?://", "url web"),
        (r"\d\s*[-+*/^\u00d7\u00f7]\s*\(?\d|\d\s*\*\*", "arithmetic expression evaluate"),
        (r"-?\d+\.\d+\s*,\s*-?\d+\.\d+", "coordinate latitude longitude"),
        (r"\b(?:\d+(?:\.\d+)?,\s*){3,}", "number list"),
        (r"\bto-?do\b", "task list"),
        (r"\beyj[\w-]+\.", "jwt token"),
        (r"\b[ivxlcdm]{3,}\b", "roman"),
    )
)

_UNITS = _set(
    "mm cm km mile inch foot feet yard metre meter litre liter gallon pint ounce pound kg gram tonne stone mph knot"
    " celsius fahrenheit kelvin psi bar pascal joule calorie kwh watt horsepower acre hectare byte mb gb hp lb oz ft"
    " kilometre kilometer kilogram centimetre millimetre degree"
)

_KINDRED = (
    "calculate compute evaluate work figure",
    "convert turn change transform translate",
    "mean average",
    "deviation spread variance",
    "hash digest checksum fingerprint",
    "loan mortgage credit instalment repayment repay borrow",
    "distance far length away",
    "create make generate build new",
    "remove delete strip drop",
    "merge join combine concatenate",
    "split divide separate chunk",
    "sort order rank",
    "duplicate unique deduplicate distinct repeated",
    "image picture photo",
    "email mail",
    "url link website webpage",
    "sum total add plus",
    "find search look locate",
    "check validate verify test valid correct",
    "compare difference diff",
    "summary summarise shorten",
    "letter character",
    "uppercase capital case lowercase",
    "random arbitrary",
    "interval period duration elapsed between",
    "later until ago before",
    "weekday day",
    "phone telephone mobile",
    "encrypt cipher",
    "table spreadsheet excel xlsx",
    "chart plot graph diagram",
    "forecast predict projection",
    "reverse backwards invert",
    "number numeral digit",
    "root sqrt square",
    "host address",
    "identifier id",
    "holiday vacation",
    "pdf document",
    "compress zip archive",
)


def index_terms(text: str) -> Iterator[str]:
    """The stems of all words of a text that mean something, repetitions included."""
    return (stem(word) for word in _words(text) if word not in STOP_WORDS)


def query_terms(text: str) -> dict[str, float]:
    """What to look up for a question, with weights: its own words 1, shapes, kindred words and quoted data less."""
    text = text[:_MAX_CHARACTERS]
    asked, data = _parted(text)
    own = [stem(word) for word in asked if word not in STOP_WORDS] or [stem(word) for word in asked]
    terms = dict.fromkeys(own, 1.0)
    for word in data:
        terms.setdefault(stem(word), _DATA_WEIGHT)
    for term in shapes(text):
        terms.setdefault(term, 0.6)
    for word in own:
        for term in _kindred().get(word, ()):
            terms.setdefault(term, 0.35)
    return terms


def _parted(text: str) -> tuple[list[str], list[str]]:
    """The words that ask, and those of the data they ask about: what follows a colon or stands in quotation marks.

    Numbers and single letters are neither: they are data, and say of what kind only by their shape.
    """
    asked = list(_words(_DATA.sub(" ", text)))
    telling = [word for word in asked if _tells(word)]
    given = [word for match in _DATA.finditer(text) for word in _words(match[0])]
    data = [word for word in [*given, *asked] if _tells(word) or len(word) > _SHORT_NUMBER]
    return (telling, data) if telling else (list(_words(text)), [])


def _tells(word: str) -> bool:
    return len(word) > 1 and not word.isdecimal()


def shapes(text: str) -> Iterator[str]:
    """Names of the kinds of data that stand in a text: a date, an address, a unit of measure."""
    lowered = text.lower()
    for pattern, words in _SHAPES:
        if pattern.search(lowered):
            yield from (stem(word) for word in words)
    if not _unit_stems().isdisjoint(stem(word) for word in _words(text)):
        yield from (stem(word) for word in ("unit", "convert", "measure"))


def _words(text: str) -> Iterable[str]:
    return _WORD.findall(folded(text))


@lru_cache(1)
def _kindred() -> dict[str, set[str]]:
    groups: dict[str, set[str]] = {}
    for line in _KINDRED:
        stems = {stem(word) for word in line.split()}
        for one in stems:
            groups.setdefault(one, set()).update(stems - {one})
    return groups


@lru_cache(1)
def _unit_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in _UNITS)
