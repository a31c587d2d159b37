"""Whole numbers from 0 on that make a sum."""

from math import gcd
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool

_SHOWN = 1000
_MOST = 10_000_000


class PayablePairs(TypedDict):
    """How many ways a sum can be made of two amounts."""

    solvable: bool
    count: Annotated[int, About("How many pairs there are")]
    pairs: Annotated[list[list[int]], About(f"How many of the first and of the second, at most {_SHOWN} pairs")]
    fewest: Annotated[list[int] | None, About("The pair with the fewest pieces")]
    largest_impossible: Annotated[int | None, About("Largest sum that cannot be made, if there is one (Frobenius)")]


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
)
def number_split_total(
    first: Annotated[int, About("Size or value of one kind", 6, minimum=1, maximum=1_000_000)],
    second: Annotated[int, About("Size or value of the other", 10, minimum=1, maximum=1_000_000)],
    total: Annotated[int, About("The sum to make", 62, minimum=0, maximum=_MOST)],
) -> PayablePairs:
    """Find all ways to make a sum of two sizes, in whole numbers from 0 on (first * x + second * y = total).

    Use it for packs, stamps, coins and legs of animals. Returns the pairs (x, y).
    """
    rests = ((count, total - first * count) for count in range(total // first + 1))
    pairs = [[count, rest // second] for count, rest in rests if rest % second == 0]
    return {
        "solvable": bool(pairs),
        "count": len(pairs),
        "pairs": pairs[:_SHOWN],
        "fewest": min(pairs, key=sum) if pairs else None,
        "largest_impossible": _frobenius(first, second),
    }


def _frobenius(first: int, second: int) -> int | None:
    """Sylvester's formula, for sizes without a common divisor."""
    return first * second - first - second if gcd(first, second) == 1 and min(first, second) > 1 else None
