"""Everyday integer calculations: digits, division with remainder, totals from two prices, the Collatz sequence."""

import re
from collections import Counter
from fractions import Fraction
from math import ceil, floor, gcd
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math._arithmetic import evaluate
from retinue_tools.math._notation import plain
from retinue_tools.tidy import tidy

_LONGEST_CALCULATION = 500
_SEPARATORS = re.compile(r"(?<=[0-9])[\s,_'](?=[0-9])")


class DigitFacts(TypedDict):
    """Properties of a number's digits."""

    digit_count: Annotated[int, About("Number of digits")]
    digit_sum: Annotated[int, About("Sum of digits")]
    digital_root: Annotated[int, About("Digital root: repeated sum of digits until one digit is left")]
    reversed: Annotated[str, About("Digits in reverse order")]
    palindrome: Annotated[bool, About("Whether it is a palindrome")]
    occurrences: Annotated[dict[str, int], About("Number of occurrences of each digit")]
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
    reply=(
        "{args.number} has {digit_count|digit}, with a digit sum of {digit_sum} and a digital root of {digital_root}."
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
    """Describe the digits of a whole number: how many, their sum, digital root, reverse order, how often each occurs.

    Use it for digit sums and number puzzles. Numbers may have up to 10,000 digits, and results of calculations up to
    3,600.
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
    """Return the digits without a sign and leading zeros."""
    bare = _SEPARATORS.sub("", number.strip()).lstrip("+-")
    if re.fullmatch("[0-9]+", bare):
        return bare.lstrip("0") or "0"
    if len(number) > _LONGEST_CALCULATION:
        raise ToolError(
            f"A calculation may have at most {_LONGEST_CALCULATION} characters. Longer numbers must be given as plain "
            "digits."
        )
    value = evaluate(plain(number))
    if not isinstance(value, Fraction) or value.denominator != 1:
        raise ToolError("A whole number is required. Remove the decimal point to describe only the digits.")
    return str(abs(value.numerator))


_NEARLY = 1e-9
"""Tolerance, in fractions of a piece, for floating-point errors."""


class Pieces(TypedDict):
    """Whole pieces and the remainder."""

    pieces: Annotated[int, About("Number of whole pieces that fit")]
    remainder: Annotated[float, About("Remainder")]
    exact: Annotated[float, About("Quotient")]
    rounded_up: Annotated[int, About("Number of pieces that cover everything")]


@tool(
    tags="divide whole quotient remainder left over pieces fit how many times decimals cut length groups",
    use_when=(
        "How many 3.5 m pieces can be cut from 90 m, and how much is left?",
        "How many boxes of 12 are needed for 250 eggs?",
        "Quotient and remainder of 7.25 divided by 0.6",
        "Long division",
    ),
    examples=(
        Example(
            {"total": 90, "piece": 3.5}, {"pieces": 25, "remainder": 2.5, "rounded_up": 26}, source="25 * 3.5 = 87.5"
        ),
        Example(
            {"total": 250, "piece": 12}, {"pieces": 20, "remainder": 10.0, "rounded_up": 21}, source="20 * 12 = 240"
        ),
        Refusal({"total": 5, "piece": 0}, "piece"),
    ),
    reply=("{pieces} whole pieces fit and {remainder} is left; to cover everything, {rounded_up} are needed."),
)
def number_divide_whole(
    total: Annotated[float, About("Total amount", 90, minimum=0, maximum=1e15)],
    piece: Annotated[float, About("Size of a piece", 3.5, minimum=1e-9, maximum=1e15)],
) -> Pieces:
    """Divide into whole pieces: how many fit, what is left, and how many are needed to cover all."""
    exact = total / piece
    pieces = floor(exact + _NEARLY)
    return {
        "pieces": pieces,
        "remainder": tidy(max(0.0, total - pieces * piece)),
        "exact": tidy(exact),
        "rounded_up": ceil(exact - _NEARLY),
    }


_SHOWN_PAIRS = 1000
_MOST = 10_000_000


class PayablePairs(TypedDict):
    """Combinations of two amounts that make a sum."""

    solvable: bool
    count: Annotated[int, About("Number of pairs")]
    pairs: Annotated[list[list[int]], About(f"Numbers of the first and of the second, at most {_SHOWN_PAIRS} pairs")]
    fewest: Annotated[list[int] | None, About("The pair with the fewest pieces")]
    largest_impossible: Annotated[int | None, About("Largest sum that cannot be made (Frobenius), if there is one")]


@tool(
    tags="two kinds coins stamps packs boxes whole numbers combinations make total frobenius diophantine puzzle",
    use_when=(
        "Eggs come in boxes of 6 and 10. In which ways can I buy exactly 62?",
        "Which amounts of 5 and 3 cent stamps make 97 cents?",
        "Nuggets in packs of 7 and 11: the largest number that cannot be bought?",
    ),
    examples=(
        Example(
            {"first": 6, "second": 10, "total": 62},
            {"count": 2, "pairs": [[2, 5], [7, 2]], "fewest": [2, 5]},
            source="by hand: 12 + 50 and 42 + 20",
        ),
        Example(
            {"first": 7, "second": 11, "total": 59},
            {"solvable": False, "largest_impossible": 59},
            source="7 * 11 - 7 - 11",
        ),
        Refusal({"first": 1, "second": 1, "total": 1000000000}, "total"),
    ),
    reply={
        "solvable": "I found {count|way}, with the fewest pieces in {fewest}: {pairs}",
        "largest_impossible": "It cannot be done; {largest_impossible} is the largest sum that cannot be made.",
        "": "It cannot be done.",
    },
)
def number_split_total(
    first: Annotated[int, About("Size or value of the first kind", 6, minimum=1, maximum=1_000_000)],
    second: Annotated[int, About("Size or value of the second kind", 10, minimum=1, maximum=1_000_000)],
    total: Annotated[int, About("Sum to make", 62, minimum=0, maximum=_MOST)],
) -> PayablePairs:
    """Find all ways to make a sum of two sizes, in whole numbers from 0 (first * x + second * y = total).

    Use it for packs, stamps, coins and legs of animals. Returns the pairs (x, y).
    """
    rests = ((count, total - first * count) for count in range(total // first + 1))
    pairs = [[count, rest // second] for count, rest in rests if rest % second == 0]
    return {
        "solvable": bool(pairs),
        "count": len(pairs),
        "pairs": pairs[:_SHOWN_PAIRS],
        "fewest": min(pairs, key=sum) if pairs else None,
        "largest_impossible": _frobenius(first, second),
    }


def _frobenius(first: int, second: int) -> int | None:
    """Sylvester's formula, for sizes without a common divisor."""
    return first * second - first - second if gcd(first, second) == 1 and min(first, second) > 1 else None


_SHOWN_STEPS = 200


class Collatz(TypedDict):
    """Collatz sequence of a number down to 1."""

    steps: int
    highest: Annotated[str, About("Largest number of the sequence")]
    numbers: Annotated[list[str], About(f"The first {_SHOWN_STEPS} numbers, including the start")]


@tool(
    tags="collatz hailstone 3n+1 sequence steps conjecture number theory",
    use_when=(
        "How many Collatz steps does 27 take to reach 1?",
        "Hailstone sequence of 7",
        "Halve if even, triple and add one if odd: how many steps from 19 to 1, and the highest number?",
    ),
    examples=(
        Example({"start": 27}, {"steps": 111, "highest": "9232"}, source="OEIS A006577 and A025586"),
        Example(
            {"start": 6},
            {"steps": 8, "numbers": ["6", "3", "10", "5", "16", "8", "4", "2", "1"]},
            source="by hand",
        ),
        Refusal({"start": 0}, "start"),
    ),
    reply="It takes {steps|step} down to 1, and {highest} is the largest number on the way.",
)
def number_follow_collatz(
    start: Annotated[int, About("Whole number from 1", 27, minimum=1, maximum=2**60)],
) -> Collatz:
    """Follow the Collatz sequence of a number down to 1: an even one is halved, an odd one tripled plus one.

    Use it for puzzles. Returns the number of steps, the highest number and the sequence.
    """
    numbers = [start]
    while numbers[-1] != 1:
        last = numbers[-1]
        numbers.append(3 * last + 1 if last % 2 else last // 2)
    return {
        "steps": len(numbers) - 1,
        "highest": str(max(numbers)),
        "numbers": [str(one) for one in numbers[:_SHOWN_STEPS]],
    }
