"""Division into whole pieces."""

from math import ceil, floor
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.tidy import tidy

_NEARLY = 1e-9
"""By so much of a piece floating point may miss a whole one."""


class Pieces(TypedDict):
    """Whole pieces and what is left."""

    pieces: Annotated[int, About("Whole pieces that fit")]
    remainder: Annotated[float, About("What is left over")]
    exact: Annotated[float, About("The quotient")]
    rounded_up: Annotated[int, About("Pieces that are needed to cover all")]


@tool(
    tags="divide whole quotient remainder left over pieces fit how many times decimals cut length groups",
    use_when=(
        "How many 3.5 m pieces can be cut from 90 m, and how much is left?",
        "How many boxes of 12 are needed for 250 eggs?",
        "Quotient and remainder of 7.25 divided by 0.6",
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
)
def number_divide_whole(
    total: Annotated[float, About("What there is", 90, minimum=0, maximum=1e15)],
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
