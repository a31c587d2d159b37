"""What grows or shrinks by the same percentage in every period."""

from math import expm1, log1p
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_MOST_LOG = 600.0
"""Growth beyond e^600 leaves floating point."""


class Growth(TypedDict):
    """A value after repeated growth."""

    final: Annotated[float, About("Value at the end")]
    change: Annotated[float, About("Final less start: what was gained or lost")]
    change_percent: Annotated[float, About("Change over the whole time in percent of the start")]
    values: Annotated[list[float], About("Value after each whole period, up to 100 of them")]


@tool(
    tags="growth repeated percent decay shrink population car value depreciation reducing balance inflation bacteria",
    use_when=(
        "A town of 24,000 grows by 1.3 % a year. How many live there in 20 years?",
        "A car bought for 28,000 loses 15 % of its value each year: worth after 4 years?",
        "Bacteria grow 20 percent an hour from 500. How many after 6 hours?",
        "Rent of 900 rises 3 % every year; what is it in the fifth year?",
    ),
    examples=(
        Example(
            {"start": 1000, "percent": 10, "periods": 3},
            {"final": 1331.0, "change": 331.0, "change_percent": 33.1, "values": [1100.0, 1210.0, 1331.0]},
            source="by hand: 1.1^3 = 1.331",
        ),
        Example(
            {"start": 28000, "percent": -15, "periods": 2},
            {"final": 20230.0, "values": [23800.0, 20230.0]},
            source="by hand: 28000 * 0.85^2",
        ),
        Example(
            {"start": 28000, "percent": 15, "periods": 2, "direction": "shrinks"}, {"final": 20230.0}, source="the same"
        ),
        Refusal({"start": 1000, "percent": 100, "periods": 3, "direction": "shrinks"}, "below 100"),
        Refusal({"start": 1000, "percent": 1000, "periods": 1000}, "beyond all numbers"),
    ),
)
def growth_project_amount(
    start: Annotated[float, About("Value at the beginning", 24000, minimum=-1e15, maximum=1e15)],
    percent: Annotated[
        float,
        About("Change in each period in percent; negative where it shrinks", 1.3, minimum=-99.999999, maximum=1e6),
    ],
    periods: Annotated[float, About("How many years, months or hours", 20, minimum=0, maximum=10_000)],
    direction: Annotated[
        Literal["grows", "shrinks"], About("shrinks: loses, falls, decays, depreciates by that percentage")
    ] = "grows",
) -> Growth:
    """Project what grows or shrinks by the same percentage in every period: populations, prices, values of cars.

    Use it for growth on growth (compound). Returns the value at the end, the change, and the value after each period.
    """
    change = percent if direction == "grows" else -abs(percent)
    if change <= -100:
        raise ToolError("Nothing can shrink by 100 percent or more again and again. Give a percentage below 100.")
    rate = log1p(change / 100)
    if abs(rate * periods) > _MOST_LOG:
        raise ToolError("The value would be beyond all numbers. Give fewer periods or a smaller percentage.")
    growth = expm1(rate * periods)
    return {
        "final": tidy(start * (1 + growth)),
        "change": tidy(start * growth),
        "change_percent": tidy(growth * 100),
        "values": [tidy(start * (1 + expm1(rate * (one + 1)))) for one in range(min(int(periods), 100))],
    }
