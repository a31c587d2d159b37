"""Convert plain language to index terms: folding, light stemming, and separating a question from the data in it."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from retinue.language.text_normalization import fold, join, stem

_WORD = re.compile(r"[a-z0-9]+")

_DATA = re.compile(
    r"(?<![\w-])[a-z]\w*(?:-\w+)+-\d+(?![\w-])|(?<=:)\s.*$|\([^()]*\)"
    r"|(?<!\w)([\"'\u2018\u201c]).{2}[^\"'\u2018\u2019\u201c\u201d]*+"
    r"(?:(?:[\"'\u2019\u201d](?=\w)|[\u2018\u201c])[^\"'\u2018\u2019\u201c\u201d]*+){0,60}+[\"'\u2019\u201d](?!\w)",
    re.DOTALL,
)
_ADDRESS = re.compile(
    r"\bhttps?://\S+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w.-])(?:[\w-]+\.)+(?:com|org|net|example|invalid)\b"
)
_FILE_NAME = re.compile(
    r"(?<![\w./-])[\w./-]*[\w-]\.(pdf|docx?|xlsx?|pptx?|csv|tsv|json|ya?ml|toml|xml|html?|md|txt|py|js|css|sql|ini|env|zip|tar|gz"
    r"|png|jpe?g|gif|webp|svg|mp3|wav|mp4|srt|ics|eml|gpx|geojson|parquet|log)\b"
)
_DOTTED = re.compile(r"\.\w|@|//")
"""Cheaper to search for than addresses and file names, and part of all of them."""
_AIM = re.compile(r"\b(?:to|into|as)\s+(?:an?\s+|the\s+|my\s+|normal\s+|plain\s+)?([a-z0-9]+)")
_DATA_WEIGHT = 0.3
"""Weight of the words of quoted data; the question's own words weigh 1."""
_SHORT_NUMBER = 3
"""Numbers of up to this many digits occur everywhere and are ignored."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


STOP_WORDS = _set(
    "a about after all am an and any are as at be been but by can could did do does for from get give had has have"
    " help her him his how hows i if im in into is it its just let like list many may me more much my need no not of"
    " on one or our out please shall she should show so some such tell than that thats the their them then there"
    " these they this those to up us use using want was we were what whats when where wheres which who whos whose"
    " why will with would you your"
)


def index_terms(text: str) -> Iterator[str]:
    """Yield the stems of all significant words of a text and their related terms, including repetitions."""
    yield from significant_stems(text)
    yield from conversion_targets(fold(text))


def conversion_targets(text: str) -> Iterator[str]:
    """Terms for the target of a conversion: CSV to JSON is not JSON to CSV."""
    return (f"to {stem(word)}" for word in _AIM.findall(text))


def pairs(text: str) -> list[str]:
    """Return the significant words of a text, each paired with the next."""
    return [f"{first} {second}" for first, second in pairwise(significant_stems(text))]


@lru_cache(32)
def significant_stems(text: str) -> tuple[str, ...]:
    """Return the stems of a text's words, in order and without stop words."""
    return tuple(stem(word) for word in _WORD.findall(_plain(fold(text))) if word not in STOP_WORDS)


def _plain(text: str) -> str:
    """Return a text without addresses; file names are reduced to their endings, and names with a number become one
    word.
    """
    text = join(text)
    return _ADDRESS.sub(" ", _FILE_NAME.sub(r" \1 ", text)) if _DOTTED.search(text) else text


def query_terms(text: str) -> dict[str, float]:
    """Return the terms to look up for a question, with weights: 1 for its own words, less for quoted data."""
    text = fold(text)
    words, data = _split_question(text)
    own = [stem(word) for word in words if word not in STOP_WORDS] or [stem(word) for word in words]
    terms = dict.fromkeys((*own, *conversion_targets(_DATA.sub(" ", text))), 1.0)
    for word in data:
        terms.setdefault(stem(word), _DATA_WEIGHT)
    return terms


def _split_question(text: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return the words of the question, and those of the data in it: text after a colon or in quotation marks,
    addresses and file names.

    Numbers and single letters belong to neither: they are data whose shape alone carries meaning.
    """
    words = _WORD.findall(_plain(_DATA.sub(" ", text)))
    intent = [word for word in words if _tells(word)]
    data = [word for word in _WORD.findall(text) if word not in intent and (_tells(word) or len(word) > _SHORT_NUMBER)]
    return (intent, data) if intent else (_WORD.findall(text), [])


def _tells(word: str) -> bool:
    return len(word) > 1 and not word.isdecimal()
