"""The sequence of Collatz."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool

_SHOWN = 200


class Collatz(TypedDict):
    """The way of a number down to 1."""

    steps: int
    highest: Annotated[str, About("Greatest number on the way")]
    numbers: Annotated[list[str], About(f"The first {_SHOWN} numbers, the start among them")]


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
)
def number_follow_collatz(
    start: Annotated[int, About("A whole number from 1 on", 27, minimum=1, maximum=2**60)],
) -> Collatz:
    """Follow the Collatz sequence of a number down to 1: an even one is halved, an odd one tripled plus one.

    Use it for puzzles. Returns the steps, the highest number and the numbers.
    """
    numbers = [start]
    while numbers[-1] != 1:
        last = numbers[-1]
        numbers.append(3 * last + 1 if last % 2 else last // 2)
    return {"steps": len(numbers) - 1, "highest": str(max(numbers)), "numbers": [str(one) for one in numbers[:_SHOWN]]}
