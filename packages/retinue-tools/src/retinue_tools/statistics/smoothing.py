"""Smoothing of time series: moving averages and exponential smoothing."""

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics.ranks_and_z_scores import Series
from retinue_tools.tidy import tidy


class Smoothed(TypedDict):
    """A moving average."""

    averages: Annotated[
        list[float], About("Simple, weighted: one value for each full window; exponential: one for each value")
    ]
    last: Annotated[float, About("Latest average")]
    smoothing_factor: NotRequired[Annotated[float, About("Weight of the newest value, for exponential")]]


@tool(
    tags="moving-average rolling simple exponential weighted sma ema wma window span smooth",
    use_when=(
        "3-point moving average of 10, 12, 15, 14, 18",
        "Exponential moving average with span 3 of 10, 12, 15, 14, 18",
        "Smooth these daily figures over a window of 7 days",
    ),
    examples=(
        Example(
            {"values": [10, 12, 14, 16, 21], "window": 3},
            {"averages": [12.0, 14.0, 17.0], "last": 17.0},
            source="by hand: 36 / 3, 42 / 3, 51 / 3",
        ),
        Example(
            {"values": [10, 12, 15], "window": 3, "kind": "exponential"},
            {"averages": [10.0, 11.0, 13.0], "smoothing_factor": 0.5},
            source="by hand: factor 2 / (3 + 1), started with the first value",
        ),
        Example(
            {"values": [1, 2, 3], "window": 3, "kind": "weighted"},
            {"averages": [14 / 6]},
            source="by hand: (1 * 1 + 2 * 2 + 3 * 3) / 6",
        ),
        Refusal({"values": [1, 2], "window": 3}, "fewer values"),
    ),
    reply="The moving averages are {averages}.",
)
def timeseries_smooth_values(
    values: Series,
    window: Annotated[int, About("Window length; for exponential averages, the span", 3, minimum=1, maximum=10_000)],
    kind: Annotated[
        Literal["simple", "exponential", "weighted"],
        About(
            "Equal weights, exponentially decreasing weights over all values, or weights that increase linearly to "
            "the newest"
        ),
    ] = "simple",
) -> Smoothed:
    """Compute the moving average of a list of numbers: simple, exponential (started with the first value) or weighted.

    Use it to smooth prices, temperatures or daily figures.
    """
    if kind == "exponential":
        return _exponential(values, 2 / (window + 1))
    if len(values) < window:
        raise ToolError(f"There are fewer values than the window of {window}. Use a shorter window.")
    weights = [1] * window if kind == "simple" else list(range(1, window + 1))
    averages = [
        math.fsum(value * weight for value, weight in zip(values[place : place + window], weights, strict=True))
        / sum(weights)
        for place in range(len(values) - window + 1)
    ]
    return {"averages": averages, "last": averages[-1]}


def _exponential(values: Sequence[float], factor: float) -> Smoothed:
    averages = list(accumulate(values, lambda before, value: before + factor * (value - before)))
    return {"averages": averages, "last": averages[-1], "smoothing_factor": factor}


class SmoothedExponentially(TypedDict):
    """Exponentially smoothed values."""

    smoothed: list[float]
    forecast: Annotated[float, About("Forecast for the next value: the last smoothed one")]


@tool(
    tags="exponential smoothing alpha forecast moving average ema weighted series demand next value",
    use_when=(
        "Simple exponential smoothing with alpha 0.3 of 100, 120, 90, 130: next forecast?",
        "Exponential moving average (alpha 0.5) of 10, 12, 11, 15",
    ),
    examples=(
        Example({"values": [10, 20], "alpha": 0.5}, {"smoothed": [10.0, 15.0], "forecast": 15.0}, source="by hand"),
        Example(
            {"values": [100, 120, 90], "alpha": 0.3}, {"forecast": 101.2}, source="by hand: 106, then 0.7 * 106 + 27"
        ),
        Refusal({"values": [1], "alpha": 2}, "alpha"),
    ),
)
def timeseries_smooth_exponentially(
    values: Annotated[
        list[Annotated[float, About("Value", 100, minimum=-1e15, maximum=1e15)]],
        About("Values in chronological order", [100, 120, 90, 130], min_items=1, max_items=100_000),
    ],
    alpha: Annotated[float, About("Weight of the newest value", 0.3, minimum=0, maximum=1)],
) -> SmoothedExponentially:
    """Smooth a series exponentially with a given alpha, beginning with its first value, and forecast the next one."""
    smoothed = [values[0]]
    for value in values[1:]:
        smoothed.append(alpha * value + (1 - alpha) * smoothed[-1])
    return {"smoothed": [tidy(one) for one in smoothed], "forecast": tidy(smoothed[-1])}
