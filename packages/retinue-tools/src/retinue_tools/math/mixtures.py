"""Mixtures of two strengths or prices."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_MOST = 1e15
_LEAST = 1e-12


class Mixture(TypedDict):
    """How much of each to take."""

    first_amount: float
    second_amount: float
    total: float
    first_share: Annotated[float, About("Part of the whole that is the first, 0 to 1")]


@tool(
    tags="mixture alligation blend concentration percent solution alcohol price coffee nuts two kinds target",
    use_when=(
        "How much 40 % and 10 % acid make 6 litres of 20 %?",
        "How much water must be added to 2 l of 90 % alcohol for 70 %?",
        "Nuts at 8 and 12 a kilo are mixed to 50 kg at 9.60. How much of each?",
    ),
    examples=(
        Example(
            {"first_strength": 40, "second_strength": 10, "target": 20, "total": 6},
            {"first_amount": 2.0, "second_amount": 4.0, "first_share": 0.333333333333},
            source="by hand: 6 (20 - 10) / 30",
        ),
        Example(
            {"first_strength": 90, "second_strength": 0, "target": 60, "first_amount": 2},
            {"second_amount": 1.0, "total": 3.0},
            source="by hand: 2 (90 - 60) / 60",
        ),
        Refusal({"first_strength": 40, "second_strength": 10, "target": 50, "total": 6}, "between"),
        Refusal({"first_strength": 40, "second_strength": 10, "target": 20}, "one of"),
    ),
)
def mixture_solve_amounts(
    first_strength: Annotated[float, About("Percentage, price or strength of the first", 40, minimum=0, maximum=_MOST)],
    second_strength: Annotated[
        float, About("That of the second; 0 for water, 100 for pure", 10, minimum=0, maximum=_MOST)
    ],
    target: Annotated[float, About("That of the mixture", 20, minimum=0, maximum=_MOST)],
    total: Annotated[float | None, About("How much mixture there shall be", 6, minimum=1e-30, maximum=_MOST)] = None,
    first_amount: Annotated[
        float | None,
        About("How much of the first there is, in place of a total", 2, minimum=1e-30, maximum=_MOST),
    ] = None,
    second_amount: Annotated[
        float | None, About("How much of the second there is", 4, minimum=1e-30, maximum=_MOST)
    ] = None,
) -> Mixture:
    """Solve how much of two strengths or prices makes a mixture of a third between them.

    Use it for acids, alcohol, milk and coffee. Give the total, or how much there is of one.
    """
    share = _share(first_strength, second_strength, target)
    whole = _whole(share, total, first_amount, second_amount)
    return {
        "first_amount": tidy(whole * share),
        "second_amount": tidy(whole * (1 - share)),
        "total": tidy(whole),
        "first_share": tidy(share),
    }


def _share(first: float, second: float, target: float) -> float:
    low, high = sorted((first, second))
    if not low < target < high or (target - low) / (high - low) < _LEAST:
        raise ToolError(f"The target must lie between the two strengths, {low:g} and {high:g}.")
    return (target - second) / (first - second)


def _whole(share: float, total: float | None, first: float | None, second: float | None) -> float:
    given = [one for one in (total, first and first / share, second and second / (1 - share)) if one is not None]
    if len(given) != 1:
        raise ToolError("Give one of total, first_amount and second_amount.")
    return given[0]
