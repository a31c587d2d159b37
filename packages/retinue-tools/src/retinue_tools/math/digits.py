"""The digits of whole numbers."""

import re
from collections import Counter
from fractions import Fraction
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math._arithmetic import evaluate
from retinue_tools.math._notation import plain

_LONGEST_CALCULATION = 500
_SEPARATORS = re.compile(r"(?<=[0-9])[\s,_'](?=[0-9])")


class DigitFacts(TypedDict):
    """What the digits of a number tell."""

    digit_count: Annotated[int, About("How many digits it has")]
    digit_sum: Annotated[int, About("The sum of its digits")]
    digital_root: Annotated[int, About("The sum of digits taken again and again until one digit is left")]
    reversed: Annotated[str, About("Its digits from last to first")]
    palindrome: Annotated[bool, About("Whether it reads the same from both ends")]
    occurrences: Annotated[dict[str, int], About("How often each digit occurs that does")]
    number: Annotated[str, About("The number in digits")]


@tool(
    tags="digits digit sum cross sum quersumme count how many digital root reverse palindrome number length",
    use_when=(
        "What is the digit sum of 987654321?",
        "How many digits does 2^1000 have?",
        "What is the digital root of 65536?",
        "Reverse the digits of 12345",
        "Is 12321 a palindrome number?",
    ),
    examples=(
        Example(
            {"number": "2^1000"},
            {"digit_count": 302, "digit_sum": 1366, "palindrome": False},
            source="Project Euler, problem 16; floor(1000 log10 2) + 1",
        ),
        Example(
            {"number": "65,536"},
            {"digit_sum": 25, "digital_root": 7, "reversed": "63556", "occurrences": {"3": 1, "5": 2, "6": 2}},
            source="by hand",
        ),
        Example({"number": "100!"}, {"digit_sum": 648, "digit_count": 158}, source="Project Euler, problem 20"),
        Refusal({"number": "3.14"}, "whole number"),
    ),
)
def number_describe_digits(
    number: Annotated[
        str,
        About(
            "Whole number, or a calculation that gives one, such as 2^1000 or 50!",
            "2^1000",
            min_length=1,
            max_length=10_000,
        ),
    ],
) -> DigitFacts:
    """Describe the digits of a whole number: how many, their sum, digital root, order reversed, how often each occurs.

    Use it for digit sums and number puzzles. Numbers may have 10,000 digits, results of calculations 3,600.
    """
    digits = _digits(number)
    total = sum(map(int, digits))
    return {
        "digit_count": len(digits),
        "digit_sum": total,
        "digital_root": 1 + (total - 1) % 9 if total else 0,
        "reversed": digits[::-1],
        "palindrome": digits == digits[::-1],
        "occurrences": dict(sorted(Counter(digits).items())),
        "number": digits,
    }


def _digits(number: str) -> str:
    """The digits without a sign and without zeros in front."""
    bare = _SEPARATORS.sub("", number.strip()).lstrip("+-")
    if re.fullmatch("[0-9]+", bare):
        return bare.lstrip("0") or "0"
    if len(number) > _LONGEST_CALCULATION:
        raise ToolError(
            f"A calculation may have {_LONGEST_CALCULATION} signs. Longer numbers are given in digits alone."
        )
    value = evaluate(plain(number))
    if not isinstance(value, Fraction) or value.denominator != 1:
        raise ToolError("A whole number is needed. Leave out the decimal point to look at the digits alone.")
    return str(abs(value.numerator))
