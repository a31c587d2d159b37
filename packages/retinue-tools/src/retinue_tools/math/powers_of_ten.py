"""Numbers with powers of ten."""

import re
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_LONGEST = 400
_POWER = re.compile(r"[*x\u00b7\u00d7]10(?:\*\*|\^)?")
_PREFIXES = {
    30: "quetta", 27: "ronna", 24: "yotta", 21: "zetta", 18: "exa", 15: "peta", 12: "tera", 9: "giga", 6: "mega",
    3: "kilo", 0: "", -3: "milli", -6: "micro", -9: "nano", -12: "pico", -15: "femto", -18: "atto", -21: "zepto",
    -24: "yocto", -27: "ronto", -30: "quecto",
}  # fmt: skip


class PowersOfTen(TypedDict):
    """A number in several notations."""

    scientific: Annotated[str, About("One digit before the point: 4.5 x 10^-4")]
    e_notation: Annotated[str, About("4.5e-4")]
    engineering: Annotated[str, About("With a power of a thousand: 450 x 10^-6")]
    plain: Annotated[str, About("Without a power")]
    mantissa: str
    exponent: int
    prefix: Annotated[str | None, About("Of the engineering notation, as micro")]


@tool(
    tags="scientific notation standard form engineering exponent mantissa power of ten e-notation decimal write out",
    use_when=(
        "What is 0.00045 in scientific notation?",
        "Write 6.02e23 out in full",
        "93,000,000 in standard form",
        "Engineering notation of 47300",
    ),
    examples=(
        Example(
            {"number": "0.00045"},
            {"scientific": "4.5 x 10^-4", "engineering": "450 x 10^-6", "exponent": -4, "prefix": "micro"},
            source="by hand",
        ),
        Example({"number": "2", "digits": 100}, {"scientific": "2 x 10^0", "plain": "2"}, source="by hand"),
        Example({"number": "123456", "digits": 3}, {"plain": "123000", "exponent": 5}, source="by hand"),
        Example({"number": "3.2 x 10^5"}, {"plain": "320000", "e_notation": "3.2e5"}, source="by hand"),
        Refusal({"number": "many"}, "not a number"),
    ),
)
def number_convert_scientific(
    number: Annotated[
        str, About("Number in any notation: 0.00045, 4.5e-4, 4.5 x 10^-4", "0.00045", max_length=_LONGEST)
    ],
    digits: Annotated[int | None, About("Significant digits to round to", 3, minimum=1, maximum=100)] = None,
) -> PowersOfTen:
    """Convert a number between plain, scientific (standard form) and engineering notation.

    Use it for very large and very small numbers. Returns all of them.
    """
    value = _parse(number)
    if digits and value:
        value = Context(prec=digits, rounding=ROUND_HALF_EVEN).plus(value)
    exponent = value.adjusted() if value else 0
    power = exponent // 3 * 3
    mantissa = _digits(value.scaleb(-exponent))
    return {
        "scientific": f"{mantissa} x 10^{exponent}",
        "e_notation": f"{mantissa}e{exponent}",
        "engineering": f"{_digits(value.scaleb(-power))} x 10^{power}",
        "plain": _digits(value),
        "mantissa": mantissa,
        "exponent": exponent,
        "prefix": _PREFIXES.get(power),
    }


def _parse(text: str) -> Decimal:
    plain = text.replace(",", "").replace("_", "").replace("\N{MINUS SIGN}", "-").casefold()
    plain = _POWER.sub("e", "".join(plain.split()))
    try:
        value = Decimal(plain)
    except InvalidOperation as error:
        raise ToolError(f"{text} is not a number. Write it as 0.00045, 4.5e-4 or 4.5 x 10^-4.") from error
    if not value.is_finite() or abs(value.adjusted()) > _LONGEST:
        raise ToolError(f"The number must be finite, with at most {_LONGEST} digits written out.")
    return value


def _digits(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
