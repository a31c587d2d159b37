"""Counting out in a circle."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool

_MOST = 5000


class CountedOut(TypedDict):
    """Who is left."""

    survivor: Annotated[int, About("Place of the last one, from 1 on")]
    order: Annotated[list[int], About("In which order the places go out")]


@tool(
    tags="josephus problem circle counting out eliminated survivor every kth puzzle",
    use_when=(
        "41 people stand in a circle and every third is struck out. Who is the last?",
        "Josephus problem with 7 people and step 3",
    ),
    examples=(
        Example({"people": 41, "step": 3}, {"survivor": 31}, source="the usual telling of the problem"),
        Example(
            {"people": 7, "step": 3}, {"survivor": 4, "order": [3, 6, 2, 7, 5, 1, 4]}, source="OEIS A032434; by hand"
        ),
        Refusal({"people": 0, "step": 3}, "people"),
    ),
)
def josephus_find_survivor(
    people: Annotated[int, About("How many stand in the circle", 41, minimum=1, maximum=_MOST)],
    step: Annotated[int, About("Every which one goes out", 3, minimum=1, maximum=1_000_000)] = 2,
) -> CountedOut:
    """Find who is left when every k-th of a circle goes out (Josephus problem); counting begins at place 1."""
    circle, order, place = list(range(1, people + 1)), [], 0
    while circle:
        place = (place + step - 1) % len(circle)
        order.append(circle.pop(place))
    return {"survivor": order[-1], "order": order}
