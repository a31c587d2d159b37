"""Averages and percentiles, and the value required to reach an average."""

import math
import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import fsum
from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, BoundedNumber, Example, Refusal, ToolError, tool
from retinue_tools.statistics._values import Sample, Value, compute
from retinue_tools.tidy import tidy

_MAD_SCALE = 1.482602218505602
_MOST_PAIRS = 2000
_USUAL = (5, 25, 50, 75, 95)


class Percentile(TypedDict):
    """One percentile."""

    percent: Annotated[float, About("Percentage")]
    value: Annotated[float, About("Value below which that share of the sample lies, interpolated linearly")]


class Percentiles(TypedDict):
    """Positions in a sample."""

    percentiles: Annotated[list[Percentile], About("Requested percentiles (R type 7)")]
    rank_percent: NotRequired[Annotated[float, About("Percentile rank of the value, counting ties half")]]


@tool(
    tags="percentile quantile rank position percentile-rank p95 p99 latency score",
    use_when=(
        "What is the 95th percentile of these response times: 120, 135, 110, 480, 150?",
        "In which percentile is a score of 83 among these marks?",
        "Give me the 10th, 50th and 90th percentile of these salaries",
    ),
    examples=(
        Example(
            {"values": [15, 20, 35, 40, 50], "percents": [40]},
            {"percentiles": [{"percent": 40.0, "value": 29.0}]},
            source="Wikipedia, Percentile: linear interpolation, C = 1",
        ),
        Example(
            {"values": [1, 2, 3, 4, 5], "value": 3},
            {"rank_percent": 50.0},
            source="by hand: 2 of 5 below, 1 tied counts half",
        ),
        Refusal({"values": [1, 2], "percents": [101]}, "at most 100"),
    ),
    reply={
        "percentiles.1": "The percentiles: {percentiles}",
        "percentiles, not args.value": "The {percentiles.0.percent}th percentile is {percentiles.0.value}.",
        "args.value": "{args.value} has the percentile rank {rank_percent} %.",
        "percentiles": "The percentiles: {percentiles}",
    },
)
def stats_compute_percentiles(
    values: Sample,
    percents: Annotated[
        list[Annotated[float, About("A percentage", 95, minimum=0, maximum=100)]] | None,
        About("Percentages; default: 5, 25, 50, 75 and 95", [90, 95, 99], min_items=1, max_items=100),
    ] = None,
    value: Annotated[Value | None, About("Value whose percentile rank to compute", 83)] = None,
) -> Percentiles:
    """Compute percentiles of a sample, and the percentile rank of one value within it.

    Use it for p95 latencies, score rankings and salary bands. Returns each percentile by linear interpolation.
    """
    ordered = sorted(values)
    result: Percentiles = {
        "percentiles": [
            {"percent": percent, "value": _quantile(ordered, percent / 100)} for percent in percents or _USUAL
        ]
    }
    if value is not None:
        below, upto = bisect_left(ordered, value), bisect_right(ordered, value)
        result["rank_percent"] = 50 * (below + upto) / len(ordered)
    return result


def _quantile(ordered: list[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


class WeightedMean(TypedDict):
    """A weighted mean and its spread."""

    mean: Annotated[float, About("Weighted mean")]
    deviation: Annotated[float, About("Weighted population standard deviation")]
    effective_size: Annotated[
        float, About("Effective sample size (Kish): number of equally weighted values with the same precision")
    ]
    weight_sum: Annotated[float, About("Sum of the weights")]


@tool(
    tags="weighted average mean grade gpa weights credits",
    use_when=(
        "What is my weighted average with grades 1.3, 2.0, 1.7 for 6, 9 and 3 credits?",
        "Average these prices weighted by quantity",
        "How large is the effective sample size of this weighted survey?",
    ),
    examples=(
        Example(
            {"values": [80, 90], "weights": [20, 30]},
            {"mean": 86.0, "deviation": math.sqrt(24), "weight_sum": 50.0, "effective_size": 2500 / 1300},
            source="Wikipedia, Weighted arithmetic mean: two school classes; deviation and Kish's size by hand",
        ),
        Refusal({"values": [1, 2, 3], "weights": [1, 1]}, "the same number of weights"),
        Refusal({"values": [1, 2], "weights": [0, 0]}, "all zero"),
    ),
    reply="The weighted mean is {mean}.",
)
@compute()
def stats_compute_weighted_mean(
    values: Sample,
    weights: Annotated[
        list[Annotated[float, About("A weight", 6, minimum=0, maximum=1e12)]],
        About("Weight of each value, in the same order", [6, 9, 3], min_items=2, max_items=10_000),
    ],
) -> WeightedMean:
    """Compute a weighted mean with the weighted spread and the effective sample size.

    Use it for grades with credits, prices with quantities and weighted surveys.
    """
    if len(values) != len(weights):
        raise ToolError(f"There must be the same number of weights and values: {len(values)}, not {len(weights)}.")
    total = math.fsum(weights)
    squares = math.fsum(weight**2 for weight in weights)
    if squares == 0:
        raise ToolError("The weights are all zero. At least one must be positive.")
    mean = math.fsum(value * weight for value, weight in zip(values, weights, strict=True)) / total
    variance = math.fsum(weight * (value - mean) ** 2 for value, weight in zip(values, weights, strict=True)) / total
    return {
        "mean": mean,
        "deviation": math.sqrt(variance),
        "effective_size": total**2 / squares,
        "weight_sum": total,
    }


class PowerMeans(TypedDict):
    """Averages for rates, ratios and growth."""

    geometric: Annotated[float, About("Geometric mean: of growth factors and ratios")]
    harmonic: Annotated[float, About("Harmonic mean: of speeds and other rates over equal amounts")]
    arithmetic: Annotated[float, About("Arithmetic mean")]
    quadratic: Annotated[float, About("Root mean square")]
    power: NotRequired[Annotated[float, About("Power mean with the requested exponent")]]


@tool(
    tags="geometric harmonic quadratic rms power mean average growth speed rate",
    use_when=(
        "What is my average speed if I drive 60 km/h there and 40 km/h back?",
        "What is the average yearly growth factor of 1.10, 0.95 and 1.20?",
        "Compute the root mean square of 3, 4 and 5",
    ),
    examples=(
        Example(
            {"values": [60, 20]},
            {"harmonic": 30.0, "arithmetic": 40.0, "geometric": math.sqrt(1200)},
            source="Wikipedia, Harmonic mean: 60 km/h out, 20 km/h back; geometric mean by hand",
        ),
        Example({"values": [25, 15], "weights": [20, 10]}, {"harmonic": 20.4545454545}, source="30 / (20/25 + 10/15)"),
        Example({"values": [1, 7], "power": 2}, {"power": 5.0, "quadratic": 5.0}, source="by hand: sqrt(50 / 2)"),
        Refusal({"values": [1, 0]}, "positive"),
    ),
    reply=("The arithmetic mean is {arithmetic}, the geometric {geometric} and the harmonic {harmonic}."),
)
@compute()
def stats_compute_power_means(
    values: Sample,
    power: Annotated[float | None, About("Exponent of an additional power mean", 3, minimum=-50, maximum=50)] = None,
    weights: Annotated[
        list[float] | None,
        About("Weight of each value, such as the distances driven at these speeds", [20, 10], max_items=100_000),
    ] = None,
) -> PowerMeans:
    """Compute the geometric, harmonic, arithmetic and quadratic mean of positive numbers, and any power mean.

    Use it for average speeds, growth factors, ratios and effective values.
    """
    if min(values) <= 0:
        raise ToolError("These means need positive numbers. Use growth factors such as 1.05 instead of 5 %.")
    shares = _shares(values, weights)
    result: PowerMeans = {
        "geometric": _power_mean(values, shares, 0),
        "harmonic": _power_mean(values, shares, -1),
        "arithmetic": _power_mean(values, shares, 1),
        "quadratic": _power_mean(values, shares, 2),
    }
    if power is not None:
        result["power"] = _power_mean(values, shares, power)
    return result


def _shares(values: Sequence[float], weights: Sequence[float] | None) -> list[float]:
    """Return the share of each value; equal shares without weights."""
    if weights is None:
        return [1 / len(values)] * len(values)
    if len(weights) != len(values) or min(weights) < 0 or not (total := math.fsum(weights)):
        raise ToolError(
            f"There must be the same number of weights and values, {len(values)}, none below 0 and not all 0."
        )
    return [weight / total for weight in weights]


def _power_mean(values: Sequence[float], shares: Sequence[float], power: float) -> float:
    """Return the power mean; for the power 0 it is the geometric mean, the limit."""
    if power == 0:
        return math.exp(math.fsum(share * math.log(value) for share, value in zip(shares, values, strict=True)))
    largest = max(values)
    scaled = (share * (value / largest) ** power for share, value in zip(shares, values, strict=True))
    return float(largest * math.fsum(scaled) ** (1 / power))


class RobustLocation(TypedDict):
    """Location and scale that are robust to outliers."""

    median: Annotated[float, About("Median")]
    trimmed_mean: Annotated[float, About("Trimmed mean: without the smallest and largest shares")]
    winsorized_mean: Annotated[float, About("Winsorised mean: with the extremes replaced by the nearest kept value")]
    median_deviation: Annotated[float, About("Median absolute deviation from the median (MAD), unscaled")]
    scaled_deviation: Annotated[float, About("MAD times 1.4826: estimates the standard deviation of normal data")]
    interquartile_range: Annotated[float, About("Interquartile range: third minus first quartile")]
    hodges_lehmann: NotRequired[
        Annotated[float, About("Hodges-Lehmann: median of the means of all pairs, for at most 2000 values")]
    ]


@tool(
    tags="robust trimmed winsorized mean mad median absolute deviation hodges-lehmann outliers",
    use_when=(
        "What is the average of these salaries without the extremes?",
        "Compute the median absolute deviation of 1, 1, 2, 2, 4, 6, 9",
        "Give me a 10 % trimmed mean of these measurements",
    ),
    examples=(
        Example(
            {"values": [1, 1, 2, 2, 4, 6, 9]},
            {"median": 2.0, "median_deviation": 1.0},
            source="Wikipedia, Median absolute deviation: example",
        ),
        Example(
            {"values": [92, 19, 101, 58, 1053, 91, 26, 78, 10, 13, -40, 101, 86, 85, 15, 89, 89, 28, -5, 41],
             "trim_percent": 5},
            {"trimmed_mean": 56.5, "winsorized_mean": 55.65},
            source="Wikipedia, Winsorizing and Truncated mean: the same 20 values",
        ),
        Refusal({"values": [1, 2], "trim_percent": 50}, "at most 49"),
    ),
    reply=(
        "The median is {median}, the trimmed mean {trimmed_mean} and the median absolute deviation {median_deviation}."
    ),
)  # fmt: skip
@compute()
def stats_estimate_robust_location(
    values: Sample,
    trim_percent: Annotated[float, About("Share trimmed at each end, in percent", minimum=0, maximum=49)] = 10,
) -> RobustLocation:
    """Estimate the centre and spread of a sample so that outliers have little effect.

    Use it for skewed or dirty measurements. Returns the median, trimmed and winsorised means, MAD and IQR.
    """
    ordered = sorted(values)
    cut = math.floor(len(ordered) * trim_percent / 100 + 1e-9)
    trimmed = ordered[cut : len(ordered) - cut]
    middle = statistics.median(ordered)
    mad = statistics.median(abs(value - middle) for value in ordered)
    result: RobustLocation = {
        "median": middle,
        "trimmed_mean": statistics.fmean(trimmed),
        "winsorized_mean": statistics.fmean([trimmed[0]] * cut + trimmed + [trimmed[-1]] * cut),
        "median_deviation": mad,
        "scaled_deviation": mad * _MAD_SCALE,
        "interquartile_range": _quantile(ordered, 0.75) - _quantile(ordered, 0.25),
    }
    if len(ordered) <= _MOST_PAIRS:
        pairs = [(a + b) / 2 for place, a in enumerate(ordered) for b in ordered[place:]]
        result["hodges_lehmann"] = statistics.median(pairs)
    return result


_MOST = 1e15


class NeededValue(TypedDict):
    """Value required to reach the target mean."""

    needed: Annotated[float, About("Required mean of the remaining values")]
    mean_now: float


@tool(
    tags="needed score average target grade next test exam mark required final mean reach",
    use_when=(
        "I have 70, 85, 90 and 78. What must I score on the fifth test to average 80?",
        "Coursework 64 counts 40 %, the exam 60 %: which exam mark gives 70?",
        "My mean over 6 games is 12. What do I need in the next two for a mean of 14?",
        "What mark do I need to pass?",
    ),
    examples=(
        Example({"values": [70, 85, 90, 78], "target": 80}, {"needed": 77.0, "mean_now": 80.75}, source="400 - 323"),
        Example(
            {"values": [64], "weights": [40], "coming_weight": 60, "target": 70},
            {"needed": 74.0},
            source="(70 - 25.6) / 0.6",
        ),
        Example(
            {"values": [12], "weights": [6], "coming_weight": 2, "target": 14},
            {"needed": 20.0},
            source="(112 - 72) / 2",
        ),
        Refusal({"values": [1, 2], "weights": [1], "target": 3}, "the same number"),
    ),
    reply="You need {needed}; the mean is {mean_now} so far.",
)
def average_find_needed(
    values: Annotated[
        list[BoundedNumber],
        About("Values so far, or a mean with its count as weight", [70, 85, 90, 78], min_items=1, max_items=10_000),
    ],
    target: Annotated[float, About("Target mean", 80, minimum=-_MOST, maximum=_MOST)],
    weights: Annotated[
        list[BoundedNumber] | None, About("Weight of each value; default: 1", [40], min_items=1, max_items=10_000)
    ] = None,
    coming_weight: Annotated[
        float, About("Weight, or number, of the remaining values", 60, minimum=1e-30, maximum=_MOST)
    ] = 1,
) -> NeededValue:
    """Find which value is still needed (required) to reach a mean: of tests, grades with weights, or future games."""
    counts = weights or [1.0] * len(values)
    if len(counts) != len(values) or min(counts) < 0 or not (total := fsum(counts)):
        raise ToolError("Give the same number of weights and values, none below 0 and not all 0.")
    weighted_sum = fsum(value * count for value, count in zip(values, counts, strict=True))
    return {
        "needed": tidy((target * (total + coming_weight) - weighted_sum) / coming_weight),
        "mean_now": tidy(weighted_sum / total),
    }
