"""The data that a request holds: a small model picks from it rather than write it down once more, with mistakes."""

import json
import math
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import chain
from typing import Any

import orjson

from retinue.models.reading.bounds import number, read, unmarked
from retinue.models.reading.written import crons_in, edges_in, moment, points_in

FILE = "file_"
"""With this the ids of files begin."""

_QUOTED = re.compile(
    r"\"([^\"]+)\"|\u201c([^\u201c\u201d]+)\u201d|`([^`]+)`"
    r"|(?<!\w)['\u2018]([^'\u2018\u2019]++(?:['\u2019](?=\w)[^'\u2018\u2019]*+){0,60}+)['\u2019](?!\w)"
)
_AFTER_COLON = re.compile(r":\s+(\S.*)$", re.DOTALL)
_LAST_QUESTION = re.compile(r"(?:[.!]\s+(?![-\u2013])|\s[-\u2013]{1,2}\s)[^.!?]{1,400}\?$")
_QUESTION = re.compile(
    r"(?:what|how|which|who|when|where|is|are|does|do|can|will)\b[^:\"'`\u201c\u2018]{0,400}\?$", re.IGNORECASE
)
_FIRST_WORD_ALONE = re.compile(r"([A-Z0-9+/=_?*-]{8,200}+)\.\s", re.IGNORECASE)
"""A code with sentences behind it."""

_CAPITALS = re.compile(r"(?<![\w\"'`])[A-Z]+(?: [A-Z]+)+(?![\w\"'`])")
"""Words in nothing but capitals."""

_TAG = re.compile(r"<[A-Za-z?]")
_WORD = re.compile(r"[^\s,;'\"`]+")
_SHORTEST_CODE = 5

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_OTHER_DAY, _OTHER_MONTH = r"\d{1,2}(?:st|nd|rd|th)?(?: of)?", r"[a-z]{3,9}\.?"
_UNTIL = r",? ?(?:to|until|till|through|and|[-\u2013])(?: the)? ?"
_DATES = tuple(
    re.compile(rf"(?<![\w.-]){pattern}(?!(?!T\d)\w)", re.IGNORECASE)
    for pattern in (
        r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)",
        rf"{_DAY}(?: of)? {_MONTH},? (?P<year>\d{{4}})",
        rf"{_MONTH} {_DAY},? (?P<year>\d{{4}})",
        r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})",
        # What the first of two days leaves out stands with the second: 3 to 17 May 2025.
        rf"{_DAY}(?: of)? {_MONTH}(?={_UNTIL}{_OTHER_DAY} {_OTHER_MONTH},? (?P<year>\d{{4}}))",
        rf"{_MONTH} {_DAY}(?={_UNTIL}{_OTHER_MONTH} {_OTHER_DAY},? (?P<year>\d{{4}}))",
        rf"{_DAY}(?={_UNTIL}{_OTHER_DAY} {_MONTH},? (?P<year>\d{{4}}))",
    )
)
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_NUMBERS = re.compile(_NUMBER)
_ALONE = re.compile(r"(?<![\w.])-?\d++(?:\.\d++)?+(?:e[-+]?\d{1,2})?(?![\d.]*\d)", re.IGNORECASE)
_SOUTH_WEST = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s?\u00b0?\s?(?:[SW]\b|south\b|west\b)")
"""Degrees that coordinates count as negative."""

_EXACT = 2**53
_LIST = re.compile(rf"(?<![\w.,]){_NUMBER}(?:(?:, *| and |, and ){_NUMBER})+(?![\w.]*\d)")
_FEWEST = 3
_ITEM = r"[^\s,;:\"'`()\[\]{}<>]{1,60}"
_WORD_LIST = re.compile(
    rf"(?<![^\s:(\"'`]){_ITEM}(?P<mark>[,;]) {_ITEM}(?:(?P=mark) {_ITEM}){{0,200}}(?:(?P=mark)? and {_ITEM})?"
    r"(?=\s*(?:[.?!)\"'`]|$))"
)

_OPENING = re.compile(r"[\[{]")
_DECODER = json.JSONDecoder()
_TRIES = 20


@dataclass(frozen=True, slots=True)
class RequestData:
    """What stands in a request: texts in quotation marks or after a colon, or HTML or XML; codes (words with digits or
    of capitals); documents (HTML, XML or JSON as they are written); how many texts there are (`pieces`); dates
    and moments in ISO 8601; schedules of cron; lists of three numbers or more, and of as many words or codes;
    JSON and other nested values; how many numbers there are, and how many of them outside of lists (`loose`).
    """

    texts: tuple[str, ...]
    codes: tuple[str, ...]
    documents: tuple[str, ...]
    pieces: int
    dates: tuple[str, ...]
    moments: tuple[str, ...]
    crons: tuple[str, ...]
    lists: tuple[tuple[float, ...], ...]
    words: tuple[tuple[str, ...], ...]
    literals: tuple[Any, ...]
    numbers: int
    loose: int


def data_in(request: str) -> RequestData:
    """Look through a request; a very long one tells nothing."""
    return _data_in(read(request))


@lru_cache(64)
def _data_in(request: str) -> RequestData:
    found = tuple(_literals(request))
    literals = tuple(value for _, value in found)
    dates = tuple(_dates(request))
    markup = _markup(request)
    quoted = _unique("".join(groups) for groups in _QUOTED.findall("" if literals or markup else request))
    after = () if markup else _after_colon(request) or _CAPITALS.findall(request)
    codes = _unique(word for word in map(_bare, _WORD.findall(request)) if _is_code(word))
    plain = unmarked(request)
    lists, numbers = _unique(_lists(plain)), len(_NUMBERS.findall(plain))
    return RequestData(
        texts=(markup,) if markup else _unique((*quoted, *after)),
        codes=codes,
        documents=(markup,) if markup else tuple(text for text, _ in found),
        pieces=len(quoted) + bool(after or markup),
        dates=_unique(day for day, *_ in dates),
        moments=_unique(when for day, begin, end in dates if (when := moment(day, request[:begin], request[end:]))),
        crons=_unique(crons_in(request)),
        lists=lists,
        words=_unique(_word_lists(request)),
        literals=(
            *literals,
            *chain.from_iterable(map(_inner_records, literals)),
            *edges_in(request),
            *points_in(request),
        ),
        numbers=numbers,
        loose=numbers - sum(map(len, lists)),
    )


def numbers_in(request: str) -> list[float]:
    """The numbers of a request, each once."""
    text = unmarked(read(request))
    found = filter(
        math.isfinite, (*map(float, _ALONE.findall(text)), *(-float(one) for one in _SOUTH_WEST.findall(text)))
    )
    return [*dict.fromkeys(int(one) if one.is_integer() and abs(one) < _EXACT else one for one in found)]


def is_south_or_west(degrees: float, request: str) -> bool:
    """Whether a request has that many degrees of southern latitude or western longitude."""
    return abs(degrees) in map(float, _SOUTH_WEST.findall(read(request)))


def with_iso_dates(request: str) -> str:
    """A request with its days as 2025-05-03."""
    parts, at = [], 0
    for day, begin, end in _dates(request):
        if begin >= at:
            parts += [request[at:begin], day]
            at = end
    return "".join([*parts, request[at:]])


def count_of(value: float, request: str) -> int:
    """How often a number stands in a request."""
    return [*map(float, _ALONE.findall(unmarked(read(request))))].count(value)


def _after_colon(request: str) -> tuple[str, ...]:
    """What follows a colon, with and without a question at its end."""
    after = _AFTER_COLON.search(request)
    whole = after[1].strip() if after else ""
    if after and _QUESTION.match(whole) and _ALONE.search(request[: after.start()]):
        return ()
    bare = _LAST_QUESTION.sub("", whole)
    code = _FIRST_WORD_ALONE.match(bare)
    if code and (code[1].isupper() or any(map(str.isdecimal, code[1]))):
        return (code[1],)
    return _unique([whole, bare]) if whole else ()


def _markup(request: str) -> str:
    """From the first tag to the end of the last one, if there is one that closes."""
    begin = _TAG.search(request)
    markup = request[begin.start() : request.rfind(">") + 1] if begin else ""
    return markup if "</" in markup or "/>" in markup else ""


def _is_code(word: str) -> bool:
    return len(word) >= _SHORTEST_CODE and (any(map(str.isdecimal, word)) or (word.isalpha() and word.isupper()))


def _bare(word: str) -> str:
    return word.strip("?!.:()")


def _dates(request: str) -> Iterator[tuple[str, int, int]]:
    """Each day in ISO 8601, with where it begins and ends."""
    found = (match for pattern in _DATES for match in pattern.finditer(request))
    for match in sorted(found, key=lambda match: match.start()):
        month = match["month"][:3].lower()
        place = _MONTHS.index(month) + 1 if month in _MONTHS else int(month)
        with suppress(ValueError):
            yield date(int(match["year"]), place, int(match["day"])).isoformat(), *match.span()


def _lists(request: str) -> Iterator[tuple[float, ...]]:
    for match in _LIST.finditer(request):
        numbers = tuple(map(number, _NUMBERS.findall(match[0])))
        if len(numbers) >= _FEWEST:
            yield numbers


def _word_lists(request: str) -> Iterator[tuple[str, ...]]:
    for match in _WORD_LIST.finditer(request):
        items = re.split(r"[,;]? and |[,;] ", match[0].rstrip(".?!"))
        if len(items) >= _FEWEST:
            yield tuple(items)


def _literals(request: str) -> Iterator[tuple[str, Any]]:
    """JSON arrays and objects, the outermost, as text and as values; few, since each search may go to the end."""
    at = 0
    for _ in range(_TRIES):
        if (begin := _OPENING.search(request, at)) is None:
            return
        at = begin.end()
        with suppress(ValueError, RecursionError):
            _, end = _DECODER.raw_decode(request, begin.start())
            text = request[begin.start() : end]
            yield text, orjson.loads(text)  # which takes long numbers as floats, and no NaN
            at = end


def _inner_records(value: Any) -> Iterator[list[Any]]:
    """The lists of records within an object."""
    for inner in value.values() if isinstance(value, dict) else ():
        if isinstance(inner, list) and inner and all(isinstance(one, dict) for one in inner):
            yield inner
        yield from _inner_records(inner)


def _unique(found: Any) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(found))
