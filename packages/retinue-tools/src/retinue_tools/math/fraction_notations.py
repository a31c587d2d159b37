"""Fractions: mixed numbers, repeating decimals, percentages, and their order."""

import math
import re
import unicodedata
from fractions import Fraction
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math._notation import remove_thousands_separators

_MIXED = re.compile(r"([+-]?)(?:(\d{1,15})\s+(?:and\s+)?)?(\d{1,15})\s*/\s*(\d{1,15})")
_REPEATING = re.compile(r"([+-]?)(\d{0,15})\.(\d{0,40})[(\[](\d{1,40})[)\]](?:\.\.\.|…)?")
_TRAILING = re.compile(r"([+-]?)(\d{0,15})\.(\d*?)(\d{1,20}?)\4+(?:\.\.\.|…)")
_DECIMAL = re.compile(r"([+-]?\d{0,15}(?:\.\d{1,60})?)\s*(%?)")
_MOST_DECIMALS = 60
_OVERLINE = "\u0305"

FractionText = Annotated[
    str,
    About(
        "Fraction 3/8, mixed number 2 3/4, decimal 0.375, percentage 37.5%, or repeating decimal 0.1(6) or 0.1666...",
        "2 3/4",
        min_length=1,
        max_length=120,
    ),
]


class FractionForms(TypedDict):
    """A number in several fraction notations."""

    fraction: Annotated[str, About("Fraction in lowest terms")]
    mixed: Annotated[str, About("Mixed number")]
    decimal: Annotated[str, About("All decimals; repeating ones in brackets, such as 0.1(6)")]
    value: float
    percent: Annotated[str, About("Percentage, to six decimals")]
    repeating_digits: Annotated[int | None, About("Number of repeating decimals, 0 if none; null beyond a million")]


class Ranked(TypedDict):
    """A number of a sorted list."""

    given: Annotated[str, About("Number as given")]
    fraction: str
    over_common_denominator: str
    value: float


class Order(TypedDict):
    """Sorted fractions."""

    ascending: Annotated[list[str], About("Numbers as given, from smallest to largest")]
    descending: list[str]
    smallest: str
    largest: str
    all_equal: bool
    common_denominator: Annotated[str, About("Least common denominator")]
    sum: Annotated[str, About("Sum of all, as a fraction")]
    details: Annotated[list[Ranked], About("Details in ascending order")]


@tool(
    tags="fraction mixed number improper repeating recurring decimal percent convert lowest terms decimal simplify",
    use_when=(
        "Write 0.272727... as a fraction",
        "Improper fraction 47/6 as a mixed number",
        "What is 7/12 as a decimal?",
        "Convert 2 3/4 to an improper fraction",
        "What fraction is 35%?",
        "0.1(6) as a fraction",
    ),
    examples=(
        Example(
            {"number": "0.(27)"},
            {"fraction": "3/11", "decimal": "0.(27)", "repeating_digits": 2},
            source="27/99, by hand",
        ),
        Example(
            {"number": "47/6"},
            {"mixed": "7 5/6", "decimal": "7.8(3)", "fraction": "47/6"},
            source="7 * 6 + 5, by hand",
        ),
        Example({"number": "2 3/4"}, {"fraction": "11/4", "decimal": "2.75", "percent": "275%"}, source="by hand"),
        Example({"number": "37.5%"}, {"fraction": "3/8", "value": 0.375}, source="by hand"),
        Refusal({"number": "1/0"}, "denominator"),
        Refusal({"number": "a third"}, "0.1(6)"),
    ),
    reply=(
        "{args.number} is {fraction} as a fraction, {mixed} as a mixed number, {decimal} as a decimal and {percent}."
    ),
)
def fraction_convert_notation(number: FractionText) -> FractionForms:
    """Convert between fractions, mixed numbers, decimals with repeating digits, and percentages, exactly.

    Use it to convert a recurring decimal to a fraction, or an improper fraction to a mixed number. Returns all
    notations.
    """
    value = _read(number)
    length = _period(value)
    return {
        "fraction": str(value),
        "mixed": _mix(value),
        "decimal": _decimal(value, length),
        "value": float(value),
        "percent": f"{float(value * 100):.6f}".rstrip("0").rstrip(".") + "%",
        "repeating_digits": length,
    }


@tool(
    tags="fractions compare sort order ascending descending smallest largest bigger common denominator greater",
    use_when=(
        "Sort these fractions from small to large: 2/3, 5/8, 7/12, 3/5",
        "Which is bigger, 5/8 or 0.6?",
        "Bring 2/3, 3/4 and 5/6 to a common denominator",
        "Is 7/9 greater than 10/13?",
    ),
    examples=(
        Example(
            {"numbers": ["2/3", "5/8", "7/12", "3/5"]},
            {
                "ascending": ["7/12", "3/5", "5/8", "2/3"],
                "largest": "2/3",
                "common_denominator": "120",
                "descending": ["2/3", "5/8", "3/5", "7/12"],
            },
            source="80, 75, 70 and 72 of 120, by hand",
        ),
        Example(
            {"numbers": ["1 1/2", "150%", "1.25"]},
            {"smallest": "1.25", "all_equal": False, "sum": "17/4"},
            source="1.5 + 1.5 + 1.25, by hand",
        ),
        Refusal({"numbers": ["1/2", "x"]}, "is not a fraction"),
    ),
    reply={
        "all_equal": "All these numbers are equal.",
        "": "From small to large: {ascending}",
    },
)
def fraction_compare_list(
    numbers: Annotated[
        list[FractionText],
        About("Fractions, mixed numbers, decimals or percentages", ["2/3", "5/8", "0.6"], min_items=2, max_items=50),
    ],
) -> Order:
    """Sort and compare fractions, mixed numbers, decimals and percentages exactly.

    Use it to find which is greater. Returns the order, the least common denominator and the sum.
    """
    ranked = sorted(((_read(number), number) for number in numbers), key=lambda pair: pair[0])
    ascending = [number for _, number in ranked]
    common = math.lcm(*(value.denominator for value, _ in ranked))
    return {
        "ascending": ascending,
        "descending": ascending[::-1],
        "smallest": ascending[0],
        "largest": ascending[-1],
        "all_equal": ranked[0][0] == ranked[-1][0],
        "common_denominator": str(common),
        "sum": str(sum((value for value, _ in ranked), Fraction(0))),
        "details": [
            {
                "given": number,
                "fraction": str(value),
                "over_common_denominator": f"{value.numerator * (common // value.denominator)}/{common}",
                "value": float(value),
            }
            for value, number in ranked
        ],
    }


def _read(number: str) -> Fraction:
    """Parse a number. Raises `ToolError`."""
    text = _with_brackets(_with_slashes(number.strip().replace("\u2212", "-")))
    if found := _MIXED.fullmatch(text):
        sign, whole, top, bottom = found.groups()
        if not int(bottom):
            raise ToolError(f"{number} has the denominator 0. A denominator must not be zero.")
        return _sign(sign, int(whole or 0) + Fraction(int(top), int(bottom)))
    if found := _REPEATING.fullmatch(text) or _TRAILING.fullmatch(text):
        sign, whole, fixed, repeated = found.groups()
        ends = Fraction(int(repeated), 10 ** len(fixed) * (10 ** len(repeated) - 1))
        return _sign(sign, int(whole or 0) + Fraction(int(fixed or 0), 10 ** len(fixed)) + ends)
    found = _DECIMAL.fullmatch(remove_thousands_separators(text))
    if found is None or not re.search(r"\d", found[1]):
        raise ToolError(f"{number[:40]} is not a fraction. Write it as 3/8, 2 3/4, 0.375, 37.5% or 0.1(6).")
    return Fraction(found[1]) / (100 if found[2] else 1)


def _sign(sign: str, value: Fraction) -> Fraction:
    return -value if sign == "-" else value


def _with_slashes(text: str) -> str:
    """Replace single-character fractions such as ¾ with a slash notation."""
    spaced = re.sub(r"(?<=\d)(?=[¼-¾⅐-⅞])", " ", text)
    return unicodedata.normalize("NFKC", spaced).replace("\u2044", "/")


def _with_brackets(text: str) -> str:
    """Put digits under a bar in brackets."""
    return re.sub(rf"(?:\d{_OVERLINE})+", lambda found: f"({found[0].replace(_OVERLINE, '')})", text)


def _mix(value: Fraction) -> str:
    whole, rest = divmod(abs(value.numerator), value.denominator)
    parts = [str(whole)] * bool(whole or not rest) + [f"{rest}/{value.denominator}"] * bool(rest)
    return "-" * (value < 0) + " ".join(parts)


def _period(value: Fraction) -> int | None:
    """Return the number of repeating decimals: the order of 10 modulo the denominator without its factors 2 and 5."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest == 1:
        return 0
    power = 10 % rest
    for length in range(1, 1_000_001):
        if power == 1:
            return length
        power = power * 10 % rest
    return None


def _decimal(value: Fraction, period: int | None) -> str:
    """Format the decimals with the repeating ones in brackets, truncated with ... if there are too many."""
    whole, rest = divmod(abs(value.numerator), value.denominator)
    fixed = _fixed_decimals(value.denominator)
    shown = fixed + period if period is not None and fixed + period <= _MOST_DECIMALS else _MOST_DECIMALS
    digits = str(rest * 10**shown // value.denominator).zfill(shown) if shown else ""
    if period is None or fixed + period > _MOST_DECIMALS:
        digits += "..."
    elif period:
        digits = f"{digits[:fixed]}({digits[fixed:]})"
    return f"{'-' * (value < 0)}{whole}{'.' * bool(digits)}{digits}"


def _fixed_decimals(denominator: int) -> int:
    """Return the number of decimals before the repeating ones: the larger exponent of 2 and 5 in the denominator."""
    powers = []
    for prime in (2, 5):
        power = 0
        while denominator % prime == 0:
            denominator, power = denominator // prime, power + 1
        powers.append(power)
    return max(powers)
