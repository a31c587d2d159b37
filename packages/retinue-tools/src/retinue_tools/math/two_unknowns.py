"""Two unknown numbers from two sums of them."""

from fractions import Fraction
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Bounded, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy


class TwoUnknowns(TypedDict):
    """Both unknowns."""

    first: Annotated[float, About("The first unknown: its count or its price")]
    second: Annotated[float, About("The second unknown")]
    sum: float
    difference: Annotated[float, About("First less second")]


@tool(
    tags="two unknowns equations simultaneous tickets adults children heads legs coins prices each linear system story",
    use_when=(
        "3 adult and 5 child tickets cost 49.25, 2 adults and 4 children 36.50. What is each ticket?",
        "35 heads and 94 legs: how many hens and how many rabbits?",
        "40 coins of 10 and 50 cents are worth 9.20. How many of each?",
        "Two numbers add up to 84 and differ by 18",
    ),
    examples=(
        Example(
            {"first_one": 1, "first_two": 1, "first_total": 35, "second_one": 2, "second_two": 4, "second_total": 94},
            {"first": 23.0, "second": 12.0},
            source="Sunzi Suanjing: 23 pheasants and 12 rabbits",
        ),
        Example(
            {"first_one": 2, "first_two": 1, "first_total": 7, "second_one": 1, "second_two": -1, "second_total": 2},
            {"first": 3.0, "second": 1.0, "sum": 4.0, "difference": 2.0},
            source="by hand: 2 * 3 + 1 = 7 and 3 - 1 = 2",
        ),
        Refusal(
            {"first_one": 1, "first_two": 1, "first_total": 5, "second_one": 2, "second_two": 2, "second_total": 10},
            "no single answer",
        ),
    ),
)
def math_solve_two_unknowns(
    first_one: Bounded,
    first_two: Bounded,
    first_total: Bounded,
    second_one: Bounded,
    second_two: Bounded,
    second_total: Bounded,
) -> TwoUnknowns:
    """Solve two unknown numbers from two totals, each told as so many of the first and so many of the second.

    Use it for tickets, coins, heads and legs: first_one and first_two stand in the first total, second_one and
    second_two in the second. A plain sum has 1 and 1, a difference 1 and -1.
    """
    a, b, total = (Fraction(repr(one)) for one in (first_one, first_two, first_total))
    c, d, other = (Fraction(repr(one)) for one in (second_one, second_two, second_total))
    if not (divisor := a * d - b * c):
        raise ToolError("The two totals say the same or contradict each other: there is no single answer.")
    first, second = (total * d - b * other) / divisor, (a * other - c * total) / divisor
    if max(abs(first), abs(second)) > Fraction(10) ** 300:
        raise ToolError("The result is beyond all numbers. Check what was given.")
    return {
        "first": tidy(float(first)),
        "second": tidy(float(second)),
        "sum": tidy(float(first + second)),
        "difference": tidy(float(first - second)),
    }
