"""Runs of the same in a row."""

from itertools import groupby
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool


class Streaks(TypedDict):
    """Runs of the same value."""

    longest: Annotated[int, About("Length of the longest run")]
    value: Annotated[str, About("Of which value that is")]
    starts_at: Annotated[int, About("Place of its first, from 1 on")]
    by_value: Annotated[dict[str, int], About("Longest run of each value")]
    current: Annotated[int, About("Length of the last run")]
    runs: int


@tool(
    tags="streak longest run consecutive in a row wins losses sequence same heads tails days",
    use_when=(
        "Longest winning streak in W W L W W W L W",
        "How many heads in a row at most: HHTHHHHTTH?",
        "yes, yes, no, yes, yes, yes: longest run of yes",
    ),
    examples=(
        Example(
            {"items": ["W", "W", "L", "W", "W", "W", "L"]},
            {"longest": 3, "value": "W", "starts_at": 4, "by_value": {"W": 3, "L": 1}, "runs": 4},
            source="by hand",
        ),
        Example({"letters": "HHTHHHHTTH"}, {"longest": 4, "value": "H", "current": 1}, source="by hand"),
        Refusal({}, "Give"),
    ),
)
def list_find_streaks(
    items: Annotated[
        list[str] | None, About("Values in order", ["W", "W", "L"], min_items=1, max_items=100_000)
    ] = None,
    letters: Annotated[
        str | None, About("The same as letters without separators", "HHTH", min_length=1, max_length=100_000)
    ] = None,
) -> Streaks:
    """Find the longest run of equal values in a row, of all and of each value, and the run at the end."""
    values = items or [one for one in letters or "" if not one.isspace()]
    if not values:
        raise ToolError("Give items or letters.")
    runs = [(value, len(list(group))) for value, group in groupby(values)]
    best = max(range(len(runs)), key=lambda place: runs[place][1])
    by_value: dict[str, int] = {}
    for value, length in runs:
        by_value[value] = max(length, by_value.get(value, 0))
    return {
        "longest": runs[best][1],
        "value": runs[best][0],
        "starts_at": 1 + sum(length for _, length in runs[:best]),
        "by_value": by_value,
        "current": runs[-1][1],
        "runs": len(runs),
    }
