"""Replaces literal data in a request by its kind: intent depends on there being a date, not on which date."""

import re
from collections.abc import Iterator

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_NUMBER, _NODE, _NAME = r"[-+]?\d[\d.]{0,40}+", r"[a-z0-9]{1,2}", r"[a-z0-9]{1,14}"
_AMOUNT, _COINS = r"\d[\d,]{0,15}+(?:\.\d{1,15}+)?", r"dollars?|euros?|eur|usd|gbp|pounds?|bucks|chf|\u20ac|\u00a3"
_MORSE, _HEX, _DEGREES, _GROUP = r"[.\-\u2022\u00b7]{1,6}", r"[0-9a-f]", r"-?\d{1,3}\.\d{3,}", r"[0-9a-f]{0,4}"
_TO, _WEIGHT = r"(?:\s?->\s?|\s?\u2192\s?|-)", r"(?:\s?[:=(]?\s?[\d.]+\)?)?"

_UNITS = {
    "length_value": r"km|kilomet(?:er|re)s?|m|met(?:er|re)s?|cm|centimet(?:er|re)s?|mm|millimet(?:er|re)s?|miles?|mi"
    r"|yards?|yd|feet|foot|ft|inch(?:es)?|furlongs?|nautical miles?|nm|light[- ]years?|au|parsecs?",
    "mass_value": r"kg|kilos?|kilograms?|g|grams?|mg|milligrams?|tonnes?|tons?|lbs?|oz|ounces?|stones?",
    "volume_value": r"l|litres?|liters?|ml|millilit(?:er|re)s?|gal|gallons?|pints?|quarts?|cups?|tbsp|tsp"
    r"|tablespoons?|teaspoons?|fl oz|m3|cm3",
    "speed_value": r"km/h|kph|mph|m/s|knots?|kn",
    "heat_value": r"\u00b0\s?[cf]|degrees? (?:celsius|fahrenheit|c|f)|celsius|fahrenheit|kelvin|k",
    "electric_value": r"volts?|v|amps?|amperes?|a|ma|ohms?|\u03c9|watts?|w|kw|kwh|mah|farads?|uf|nf|pf"
    r"|henr(?:y|ies)|mh",
    "force_value": r"newtons?|n|joules?|j|kj|pascals?|pa|kpa|bar|psi|atm|hpa|mmhg|cal|kcal|hp|horsepower",
    "data_value": r"bytes?|kb|mb|gb|tb|kib|mib|gib|tib|bits?|mbps|gbps|kbps|mbit/s|gbit/s|mb/s",
    "time_value": r"seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?|years?|yrs?",
}
"""Units of measurement by kind. The replacement keeps the unit next to the kind."""


def _patterns() -> Iterator[tuple[str, str]]:
    """Yield each pattern with its replacement. Earlier patterns take precedence."""
    yield r"[{\[<](?:[^}\]>]{0,1000}+[}\]>])++", "nested_data"
    yield r"\"[^\"]*\"|\u201c[^\u201c\u201d]*\u201d|`[^`]*`|(?<!\w)'[^']{2,}'(?!\w)", "quoted_text"
    yield r"https?://\S+", "web_address"
    yield (
        rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b\.?,?(?: \d{{4}})?"
        rf"|\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?",
        "calendar_date",
    )
    yield from _codes()
    yield rf"[$\u20ac\u00a3]\s?{_AMOUNT}|\b{_AMOUNT}\s?(?:{_COINS})(?!\w)", "money_amount"
    yield r"\b\d+(?:\.\d+)?\s?(?:%|percent\b|per cent\b|pct\b)", "percent_value"
    yield r"\b\d+/\d+\b", "fraction_value"
    yield r"\b\d{1,2}:\d\d(?::\d\d)?\b", "clock_time"
    yield from _edges()
    for kind, units in _UNITS.items():
        yield rf"\b{_AMOUNT}\s?({units})(?![\w/])", rf"{kind} \1"
    yield rf"(?:{_NUMBER},\s*){{2,}}(?:and\s+)?{_NUMBER}(?:\s+and\s+{_NUMBER})?", "number_list"
    yield r"\b(?=[0-9a-z]*\d)(?=[0-9a-z]*[a-z])[0-9a-z]{5,}\b", "mixed_code"
    yield r"[-+]?\d[\d,.]*", "one_number"
    yield r"(?:\b[a-z']{1,40}+,\s*){3,}(?:and\s+)?[a-z']{1,40}\b(?:\s+and\s+[a-z']{1,40})?", "word_list"


def _codes() -> Iterator[tuple[str, str]]:
    """Yield the patterns of machine-written identifiers: tokens, addresses, ids, colours, versions, coordinates."""
    yield r"(?<![\w-])eyj[\w-]++\.[\w-]++\.[\w-]*", "signed_token"
    yield rf"(?<![\w.-]){_MORSE}(?:[ /|]+{_MORSE}){{2,}}(?!\w)", "morse_code"
    yield r"(?<![\w.+-])[\w.+-]++@[\w-]++\.[\w.]+", "mail_address"
    yield (
        rf"\b\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?:/\d{{1,2}})?\b|\b{_GROUP}(?::{_GROUP}){{3,7}}(?:/\d+)?\b",
        "network_address",
    )
    yield rf"\b{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}\b", "unique_id"
    yield rf"#{_HEX}{{6}}\b|#{_HEX}{{3}}\b", "hex_color"
    yield rf"\b0x{_HEX}+\b|\b0b[01]+\b|\b0o[0-7]+\b", "prefixed_number"
    yield r"\bv?\d+\.\d+\.\d+(?:[-+][\w.]+)?\b", "version_number"
    yield rf"{_DEGREES}\s*[,/ ]\s*{_DEGREES}", "coordinate_pair"


def _edges() -> Iterator[tuple[str, str]]:
    """Yield the patterns of graph edges: two or more between short names, three or more between longer ones."""
    yield (
        rf"\b{_NODE}\s?(?:-|->|\u2192)\s?{_NODE}\b(?:\s?[:=]?\s?[\d.]+)?"
        rf"(?:[,;]?\s+(?:and )?{_NODE}\s?(?:-|->|\u2192)\s?{_NODE}\b(?:\s?[:=]?\s?[\d.]+)?)+",
        "graph_edges",
    )
    yield rf"\b{_NAME}{_TO}{_NAME}{_WEIGHT}(?:[,;]\s?(?:and )?{_NAME}{_TO}{_NAME}{_WEIGHT}){{2,}}", "graph_edges"


_KINDS = tuple((re.compile(pattern, re.DOTALL), f" {kind} ") for pattern, kind in _patterns())


def with_kinds(text: str) -> str:
    """Replace the data in a lower-case text by the names of their kinds."""
    for pattern, kind in _KINDS:
        text = pattern.sub(kind, text)
    return text
