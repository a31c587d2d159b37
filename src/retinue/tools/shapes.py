"""What a question means beyond its words: everyday phrases, the shapes of the data in it, and units of measure."""

import re
from collections.abc import Iterator

from retinue.core.stems import stem

_PHRASES = tuple(
    (re.compile(rf"\b(?:{pattern})\b"), words.split())
    for pattern, words in (
        (r"how (?:big|large)", "size"),
        (r"how old", "age difference dates"),
        (r"how far", "distance"),
        (r"how strong", "strength"),
        (r"how (?:similar|alike|close)", "similarity compare"),
        (r"as the crow flies", "great circle distance"),
        (r"wh(?:ich|at) (?:\w+ )?direction", "bearing"),
        (r"what(?:'?s| is) (?:wrong|the matter|the problem)", "check explain fault"),
        (r"(?:keeps? failing|does(?:n'?t| not) (?:work|parse|load)|won'?t (?:open|parse|load))", "validate fault"),
        (r"(?:is|are|was) .{0,80}\b(?:valid|real|genuine|proper|correct|well formed)", "validate"),
        (r"(?:is|are) .{0,80}\b(?:up|down|online|offline|reachable)(?: right now)?", "status answers"),
        (r"get rid of", "remove"),
        (r"(?:take|pick|pull) (?:\w+ ){0,3}apart", "parse parts"),
        (r"(?:pull|get|take) (?:\w+ ){0,4}out of", "extract"),
        (r"fill (?:\w+ )?(?:in|out)", "fill"),
        (r"to-?do", "task list"),
        (r"day of the week|which weekday", "weekday describe date"),
        (r"word (?:document|file|letter|template)s?", "docx"),
        (r"right now", "current moment"),
        (r"runs? out|expires?", "expiry validity"),
        (r"how many", "count number"),
        (r"in (?:which|what) order", "order sort"),
    )
)

_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_SHAPES = tuple(
    (re.compile(pattern), words.split())
    for pattern, words in (
        (r"\b\d{1,3}(?:\.\d{1,3}){3}/\d{1,2}\b", "cidr subnet network ip"),
        (r"\b\d{1,3}(?:\.\d{1,3}){3}\b", "ip address"),
        (r"\b[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}\b", "mac address"),
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "uuid"),
        (r"\b(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})\b", "hash"),
        (r"\b0x[0-9a-f]+\b", "hexadecimal number base"),
        (r"#[0-9a-f]{6}\b", "colour"),
        (r"\b\d{4}-\d\d-\d\d\b", "date"),
        (r"\b\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d\b", "date"),
        (r"\d{4}-\d\d-\d\d\b.*\b\d{4}-\d\d-\d\d", "difference between dates"),
        (r"\b\d{1,2}:\d\d\b", "time"),
        (r"\b\d{1,2} ?[ap]\.?m\b", "time"),
        (r"\b\d+ ?h(?:rs?|ours?)? ?\d+ ?m", "duration"),
        (rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{_MONTHS})", "date"),
        (rf"\b(?:{_MONTHS})[a-z]*\s+\d{{1,2}}", "date"),
        (r"\b1\d{9}\b", "timestamp unix"),
        (r"(?<!\S)(?:[\d*][\d*/,-]*\s+){4}[\d*][\d*/,-]*(?!\S)", "cron"),
        (r"\d\s*%", "percent"),
        (r"\d\s*(?:%|percent) of\b", "calculator arithmetic evaluate"),
        (r"[$€£¥]\s*\d", "money currency"),
        (r"\S@\S{1,200}?\.\w", "email"),
        (r"https?://", "url web"),
        (r"\d\s*[+*^\u00d7\u00f7]\s*\(?\d|\d\s+[-/]\s+\(?\d|(?<![\d./-])\d+[/-]\d+(?![\d./-])", "arithmetic evaluate"),
        (r"\b\d*[a-z]\b(?:\^\d)?[^=]{0,200}=\s*-?\d", "equation solve"),
        (r"(?<![\d,.])(?<!, )-?\d+\.\d+\s*,\s*-?\d+\.\d+(?![\d.]*\s*,)|\d\s*°", "coordinate latitude longitude"),
        (r"(?:\b\d+(?:\.\d+)?,\s+){2,}\d", "number list"),
        (r"\b[a-z0-9]{1,3}\s?-\s?[a-z0-9]{1,3}\b.*\b[a-z0-9]{1,3}\s?-\s?[a-z0-9]{1,3}\b", "edge graph"),
        (r"\b\w+\s*->\s*\w+\b.*->", "edge graph directed"),
        (r"\[\s*\[", "matrix"),
        (r"\{\s*\"", "json"),
        (r"</?[a-z][a-z0-9]*[ >/]", "html xml"),
        (r"\bselect\b.{1,500}\bfrom\b", "sql query"),
        (r"\\[dwsb]\b|\(\?[:=!<]|\^\(|\[a-z", "regex pattern"),
        (r"\beyj[\w-]+\.", "jwt token"),
        (r"\b(?=[ivxlcdm]{3})m*(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})(?<=[ivxlcdm])\b", "roman"),
        (r"\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){3,7}(?: ?[a-z0-9]{1,3})?\b", "iban bank account"),
        (r"\b[acgtu]{6,}\b", "dna sequence"),
        (r"\bto-?do\b", "task list"),
    )
)

_UNITS = (
    "mm cm km mile inch foot feet yard metre meter litre liter gallon pint ounce pound kg gram tonne stone mph knot"
    " celsius fahrenheit kelvin psi bar pascal joule calorie kwh watt horsepower acre hectare byte mb gb hp lb oz"
    " ft kilometre kilometer kilogram centimetre millimetre degree"
)
_UNIT_STEMS = frozenset(map(stem, _UNITS.split()))


def meant(text: str) -> Iterator[str]:
    """Stems of what a text in lower case means by its phrases and by the shapes of the data in it."""
    for pattern, words in (*_PHRASES, *_SHAPES):
        if pattern.search(text):
            yield from map(stem, words)


def measures(stems: set[str]) -> Iterator[str]:
    """What the names of units among the words of a question mean."""
    if not _UNIT_STEMS.isdisjoint(stems):
        yield from map(stem, ("unit", "convert", "measure"))
