"""Numbers in running text: amounts of money, percentages and measures, and ordinals."""

import math
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool

_MOST = 2000
Top = Annotated[int, About("Maximum number of results", minimum=1, maximum=_MOST)]

_NUMBER = re.compile(
    r"(?<![\w.,])(?P<sign>[-+\u2212])?(?P<before>[$\u20ac\u00a3\u00a5\u20b9]|US\$|(?:USD|EUR|GBP|CHF|JPY|INR)\s)?\s?"
    r"(?P<digits>\d{1,40}(?:[.,'\u2019\u00a0\u202f]\d{1,20}){0,12})(?P<fraction>(?:\s\d{1,3})?/\d{1,3}(?![\d/]))?"
    r"(?:[eE](?P<power>[-+]?\d{1,3}))?(?P<percent>\s?%)?"
    r"(?P<scale>\s?(?i:thousand|million|billion|trillion|bn)"
    r"|(?(before)(?:MM|[kKmMbBtT])|[kKmM])(?![\w\u00b2\u00b3]))?"
    r"(?:\s?(?P<after>\u20ac|\u00a3|\$|\u00a5|(?:USD|EUR|GBP|CHF|JPY|INR|dollars?|euros?|pounds?)\b))?"
    r"(?:\s?(?P<unit>km/h|km|cm|mm|kg|mg|kWh|GB|MB|kB|TB|Hz|kHz|MHz|GHz|ml|ms|mph|lbs?|oz|ft|\u00b0C|\u00b0F|m\u00b2|m|g|l|s|h|W|kW|V|A)(?!\w))?"
)


_GROUPED = re.compile(r"\d+|\d{1,3}(?:_\d{3})+|\d{1,2}(?:_\d\d)+_\d{3}")
"""Digits without groups, in groups of three, or of two before the last three as in India."""
_SCALES = {"thousand": 3, "k": 3, "million": 6, "m": 6, "mm": 6, "billion": 9, "bn": 9, "b": 9, "trillion": 12, "t": 12}
"""Powers of ten. MM, B and T count only after a currency, because 2B may be a pencil."""


_CURRENCIES = {
    "$": "USD", "us$": "USD", "dollar": "USD", "dollars": "USD", "€": "EUR", "euro": "EUR", "euros": "EUR", "£": "GBP",
    "pound": "GBP", "pounds": "GBP", "¥": "JPY", "₹": "INR",
}  # fmt: skip


Kind = Literal["number", "percent", "money", "measure"]


class Quantity(TypedDict):
    """A number in a text."""

    text: Annotated[str, About("Number as in the text")]
    value: Annotated[float, About("Value including scale words; 5 for 5 %")]
    kind: Annotated[Kind, About("Kind of number")]
    unit: Annotated[str | None, About("Currency code, unit of measure, or %")]
    position: Annotated[int, About("Start position, from 0")]


class Quantities(TypedDict):
    """Numbers in a text."""

    numbers: Annotated[list[Quantity], About("In text order")]
    sum: Annotated[float | None, About("Sum of the values; null if they have different units")]


@tool(
    tags="extract numbers money amounts percent quantities units measurements currency sum figures",
    use_when=(
        "Which amounts of money occur in this contract?",
        "Pull all numbers and percentages out of the report",
        "Get the measurements with units from this description",
    ),
    examples=(
        Example(
            {"text": "Sales rose 5.5% to $1.2 million; we sold 1,250 bikes of 12 kg at -3 \u00b0C."},
            {
                "numbers": [
                    {"text": "5.5%", "value": 5.5, "kind": "percent", "unit": "%", "position": 11},
                    {"text": "$1.2 million", "value": 1200000.0, "kind": "money", "unit": "USD"},
                    {"text": "1,250", "value": 1250.0, "kind": "number", "unit": None},
                    {"text": "12 kg", "value": 12.0, "kind": "measure", "unit": "kg"},
                    {"text": "-3 \u00b0C", "value": -3.0, "kind": "measure", "unit": "\u00b0C"},
                ]
            },
            source="by hand",
        ),
        Example(
            {"text": "1.234,56 \u20ac und 0,5", "decimal_mark": "comma"},
            {"numbers": [{"value": 1234.56, "unit": "EUR"}, {"value": 0.5}], "sum": None},
            source="by hand: euros and a bare number have no sum",
        ),
        Example(
            {"text": "1.234,56 \u20ac and 12,50 \u20ac"},
            {"numbers": [{"value": 1234.56}, {"value": 12.5}], "sum": 1247.06},
            source="by hand: the groups show which sign parts decimals",
        ),
        Example(
            {"text": "A beam of 7.5 m costs 2k."},
            {"numbers": [{"value": 7.5, "unit": "m"}, {"value": 2000.0}]},
            source="by hand: metres stand apart",
        ),
        Example(
            {"text": "3/4 cup of milk and 1 1/2 cups of flour"},
            {"numbers": [{"text": "3/4", "value": 0.75}, {"text": "1 1/2", "value": 1.5}], "sum": 2.25},
            source="by hand",
        ),
        Example(
            {"text": "on 3/4/2026, open 24/7"},
            {"numbers": [{"value": value} for value in (3.0, 4.0, 2026.0, 24.0, 7.0)]},
            source="by hand: a date and a ratio are no fractions",
        ),
        Refusal({"text": "none here"}, "no numbers"),
    ),
    reply={
        "numbers.1": "The numbers, with a sum of {sum}: {numbers}",
        "numbers.1, numbers": "The numbers: {numbers}",
        "numbers.0.unit": "The number is {numbers.0.value} {numbers.0.unit}.",
        "numbers": "The number is {numbers.0.value}.",
        "": "There are no numbers in the text.",
    },
    pace="normal",
)
def text_extract_numbers(
    text: Text,
    decimal_mark: Annotated[
        Literal["point", "comma"], About("Decimal separator in this text: 1,234.5 or 1.234,5")
    ] = "point",
    top: Top = 500,
) -> Quantities:
    """Extract the numbers of a text as values: plain, percentages, money with its currency, measures with their unit.

    Signs, thousands separators, exponents and words such as million are taken into account. Returns the numbers with
    their positions.
    """
    found = list(_quantities(text, decimal_mark))
    if not found:
        raise ToolError("There are no numbers in digits in the text.")
    alike = len({(quantity["kind"], quantity["unit"]) for quantity in found}) == 1
    total = sum((Decimal(repr(quantity["value"])) for quantity in found), Decimal())
    return {"numbers": found[:top], "sum": float(total) if alike else None}


def _quantities(text: str, decimal_mark: str) -> Iterator[Quantity]:
    """Return the numbers of a text. In 24/7 and 3/4/2026 the slashes separate numbers; only proper fractions are one
    number.
    """
    parted = re.sub(_NUMBER, lambda match: match[0] if _is_sound(match) else match[0].replace("/", " "), text)
    for match in _NUMBER.finditer(parted):
        if quantity := _quantity(match, decimal_mark):
            yield {**quantity, "text": text[match.start() : match.end()].strip()}


def _is_sound(match: re.Match[str]) -> bool:
    return not match["fraction"] or (
        match["digits"].isdigit() and math.isfinite(_mix(match["digits"], match["fraction"]))
    )


def _quantity(match: re.Match[str], decimal_mark: str) -> Quantity | None:
    plain = _plain(re.sub("['\u2019\u00a0\u202f]", "", match["digits"]), decimal_mark)
    if plain is None:
        return None
    scale = _SCALES.get((match["scale"] or "").strip().lower(), 0) + int(match["power"] or 0)
    sign = "-" if match["sign"] in ("-", "\u2212") else ""
    fraction = match["fraction"]
    value = (
        _mix(sign + match["digits"], fraction) * 10.0 ** min(scale, 300)
        if fraction
        else float(f"{sign}{plain}e{scale}")
    )
    if math.isinf(value):
        return None
    kind, unit = _kind(match)
    return {"text": match[0].strip(), "value": value, "kind": kind, "unit": unit, "position": match.start()}


def _plain(digits: str, decimal_mark: str) -> str | None:
    """Return digits with a decimal point and without groups. Groups that are not of three digits indicate the other
    notation.
    """
    group, mark = (",", ".") if decimal_mark == "point" else (".", ",")
    for thousands, decimal in ((group, mark), (mark, group)):
        whole, _, rest = digits.partition(decimal)
        if _GROUPED.fullmatch(whole.replace(thousands, "_")) and (rest.isdigit() or not rest):
            return f"{whole.replace(thousands, '')}.{rest or 0}"
    return None


def _mix(whole: str, fraction: str) -> float:
    """Return the value of 3/4, split as 3 and /4, or of 1 3/4, split as 1 and 3/4; infinite if it is neither."""
    numerator, _, denominator = fraction.strip().partition("/")
    top, bottom = int(numerator or whole.lstrip("-")), int(denominator)
    if not 0 < top < bottom:
        return math.inf
    sign = -1 if whole.startswith("-") else 1
    return sign * (float(whole.lstrip("-")) + top / bottom) if numerator else sign * top / bottom


def _kind(match: re.Match[str]) -> tuple[Kind, str | None]:
    """Return the kind of the number, and its unit."""
    if currency := (match["before"] or match["after"] or "").strip():
        return "money", _CURRENCIES.get(currency.lower(), currency.upper())
    if match["percent"]:
        return "percent", "%"
    unit: str | None = match["unit"]
    return ("measure" if unit else "number"), unit


_ORDINAL = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d{1,30})(?:st|nd|rd|th)?(?![\w]|\.\d)")
_SUFFIXES = {"1": "st", "2": "nd", "3": "rd"}


class Ordinals(TypedDict):
    """Numbers as ordinals."""

    result: Annotated[str, About("Text with its numbers as ordinals")]
    ordinals: Annotated[list[str], About("Only the ordinals")]


@tool(
    tags="ordinal st nd rd th suffix number 1st 2nd 3rd 21st list rank position",
    use_when=(
        "Write 21, 22 and 113 as ordinals with st, nd, rd, th",
        "Is it 111st or 111th?",
        "What is the ordinal suffix of 42?",
        "Turn these places into 1st, 2nd, 3rd",
    ),
    examples=(
        Example(
            {"numbers": "21, 22 and 113"},
            {"result": "21st, 22nd and 113th", "ordinals": ["21st", "22nd", "113th"]},
            source="English grammar: 11, 12 and 13 take th",
        ),
        Example({"numbers": "1,003 111"}, {"ordinals": ["1,003rd", "111th"]}, source="English grammar"),
        Refusal({"numbers": "seven"}, "no whole number"),
    ),
    reply={
        "result": "{result}",
        "": "The text: {result}",
    },
)
def number_write_ordinals(
    numbers: Annotated[
        str,
        About("Whole numbers, with any text between them", "21, 22 and 113", min_length=1, max_length=20_000),
    ],
) -> Ordinals:
    """Write whole numbers as English ordinals in figures with st, nd, rd or th: 21st, 22nd, 113th.

    For words such as twenty-first use text_spell_number. Returns the text with the suffixes, and the list.
    """
    ordinals = [_ordinal(found[0]) for found in _ORDINAL.finditer(numbers)]
    if not ordinals:
        raise ToolError("There is no whole number in digits in the text. Write it as 21.")
    return {"result": _ORDINAL.sub(lambda found: _ordinal(found[0]), numbers), "ordinals": ordinals}


def _ordinal(number: str) -> str:
    """Return a number with the suffix of its last digit, but th after 11, 12 and 13."""
    figures = number.rstrip("stndrh")
    teen = figures[-2:-1] == "1"
    return figures + ("th" if teen else _SUFFIXES.get(figures[-1], "th"))
