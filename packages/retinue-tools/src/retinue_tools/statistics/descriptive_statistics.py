"""Descriptive statistics of a sample: summary, stem-and-leaf plot, streaks, inequality and entropy."""

import math
import statistics
from collections import defaultdict
from itertools import groupby
from math import fsum, log, log2
from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, BoundedNumber, Example, NumberList, Refusal, ToolError, tool
from retinue_tools.tidy import tidy


class ListEntropy(TypedDict):
    """Entropy of a distribution."""

    bits: Annotated[float, About("Shannon entropy to the base 2")]
    nats: float
    gini_impurity: Annotated[float, About("Gini impurity: one minus the sum of squared shares")]
    evenness: Annotated[float | None, About("Entropy divided by its maximum; null for one value")]
    shares: list[float]


@tool(
    tags="shannon entropy bits probabilities distribution information gini impurity diversity index evenness counts",
    use_when=(
        "Shannon entropy in bits of the probabilities 0.5, 0.25, 0.25",
        "Entropy and Gini impurity of a node with 9 yes and 5 no",
        "Shannon diversity of 20, 30 and 50 individuals",
    ),
    examples=(
        Example({"values": [0.5, 0.25, 0.25]}, {"bits": 1.5, "gini_impurity": 0.625}, source="by hand"),
        Example(
            {"values": [9, 5]}, {"bits": 0.940286, "gini_impurity": 0.459184}, "Quinlan 1986, the weather data", 1e-5
        ),
        Refusal({"values": [1, -1]}, "negative"),
    ),
    reply="The entropy is {bits} bits, and the Gini impurity {gini_impurity}.",
)
def stats_measure_entropy(
    values: Annotated[list[BoundedNumber], About("Probabilities, or counts", [9, 5], min_items=1, max_items=100_000)],
) -> ListEntropy:
    """Measure the Shannon entropy of probabilities or counts, and their Gini impurity.

    Use it for codes, decision trees and diversity. Counts are divided by their sum.
    """
    total = fsum(values)
    if min(values) < 0 or total <= 0:
        raise ToolError("Values must not be negative, and not all 0.")
    shares = [value / total for value in values]
    bits = fsum(-share * log2(share) for share in shares if share)
    return {
        "bits": tidy(bits),
        "nats": tidy(bits * log(2)),
        "gini_impurity": tidy(1 - fsum(share**2 for share in shares)),
        "evenness": tidy(bits / log2(len(values))) if len(values) > 1 else None,
        "shares": [tidy(share) for share in shares],
    }


_MAX_MODES = 10


class Description(TypedDict):
    """Summary statistics of a sample."""

    count: Annotated[int, About("Number of values")]
    sum: Annotated[float, About("Sum of the values")]
    mean: Annotated[float, About("Arithmetic mean")]
    median: Annotated[float, About("Median")]
    modes: Annotated[list[float], About("Most frequent values; empty if every value occurs once")]
    minimum: Annotated[float, About("Smallest value")]
    maximum: Annotated[float, About("Largest value")]
    range: Annotated[float, About("Largest minus smallest")]
    population_variance: Annotated[float, About("Variance, divided by n")]
    population_deviation: Annotated[float, About("Standard deviation, divided by n")]
    quartiles: NotRequired[Annotated[list[float], About("Quartiles, interpolated linearly (R type 7)")]]
    variance: NotRequired[Annotated[float, About("Sample variance, divided by n - 1")]]
    deviation: NotRequired[Annotated[float, About("Sample standard deviation, divided by n - 1")]]


@tool(
    tags="statistics mean average median mode variance standard deviation quartile summary describe"
    " values list numbers",
    use_when=(
        "What are the mean and standard deviation of 2, 4, 4, 4, 5, 5, 7, 9?",
        "What is the median of these numbers?",
        "Summarise this list of measurements",
        "What is the average of my grades?",
        "Average of 4, 9 and 11",
        "Standard deviation of 3, 7 and 8",
        "Average of my marks",
    ),
    examples=(
        Example(
            {"numbers": [10000001, 10000003, 10000002]},
            {
                "mean": 10000002.0,
                "deviation": 1.0,
                "count": 3,
                "sum": 30000006.0,
                "minimum": 10000001.0,
                "maximum": 10000003.0,
                "range": 2.0,
                "quartiles": [10000001.5, 10000002.0, 10000002.5],
                "variance": 1.0,
            },
            source="NIST Statistical Reference Datasets, univariate, NumAcc1",
        ),
        Example(
            {"numbers": [2, 4, 4, 4, 5, 5, 7, 9]},
            {"mean": 5.0, "population_variance": 4.0, "population_deviation": 2.0, "median": 4.5, "modes": [4.0]},
            source="Wikipedia, Standard deviation: basic examples",
        ),
        Refusal({"numbers": [1e308, 1e308]}, "too large"),
    ),
    reply={
        "deviation": (
            "The mean is {mean}, the median {median} and the standard deviation "
            "{deviation}; the {count|value} go from {minimum} to {maximum}."
        ),
        "": "The mean is {mean} and the median {median}; the {count|value} go from {minimum} to {maximum}.",
    },
)
def stats_describe_numbers(numbers: NumberList) -> Description:
    """Describe a list of numbers: mean, median, modes, quartiles, spread and extremes.

    Use it for any question about averages or variation of given numbers. Returns all these statistics at once.
    """
    values = [float(number) for number in numbers]
    try:
        return _describe(values)
    except OverflowError as error:
        raise ToolError("The numbers are too large to be added up.") from error


def _describe(values: list[float]) -> Description:
    modes = statistics.multimode(values)
    description: Description = {
        "count": len(values),
        "sum": math.fsum(values),
        "mean": statistics.fmean(values),
        "median": statistics.median(values),
        "modes": modes[:_MAX_MODES] if len(modes) < len(values) else [],
        "minimum": min(values),
        "maximum": max(values),
        "range": max(values) - min(values),
        "population_variance": statistics.pvariance(values),
        "population_deviation": statistics.pstdev(values),
    }
    if len(values) > 1:
        description["quartiles"] = statistics.quantiles(values, method="inclusive")
        description["variance"] = statistics.variance(values)
        description["deviation"] = statistics.stdev(values)
    return description


_LARGEST, _MOST_STEMS = 2.0**53, 10_000
"""Above 2^53 a float has no digit for the leaf."""


class StemPlot(TypedDict):
    """A stem-and-leaf plot."""

    plot: Annotated[str, About("Lines, one for each stem, such as 2 | 1 3 3")]
    key: Annotated[str, About("Key: how to read a line")]
    fullest_stem: int


@tool(
    tags="stem and leaf plot diagram display data digits tens units distribution",
    use_when=(
        "Make a stem and leaf plot of 12, 15, 21, 23, 23, 34, 38",
        "Stem-and-leaf diagram of the marks 45 52 58 61 61 67 73",
    ),
    examples=(
        Example(
            {"values": [12, 15, 21, 23, 23, 41]},
            {"plot": "1 | 2 5\n2 | 1 3 3\n3 |\n4 | 1", "key": "1 | 2 means 12", "fullest_stem": 2},
            source="by hand",
        ),
        Example({"values": [1.2, 1.5, 2.1], "leaf": 0.1}, {"plot": "1 | 2 5\n2 | 1"}, source="by hand"),
        Refusal({"values": []}, "values"),
        Refusal({"values": [1, 1e9], "leaf": 1e-30}, "leaf is too small"),
        Refusal({"values": [1, 1e9]}, "stems"),
    ),
    reply="The plot, in which {key}: {plot}",
)
def stats_draw_stem_plot(
    values: Annotated[
        list[BoundedNumber], About("NumberList of 0 or more", [12, 15, 21, 23], min_items=1, max_items=1000)
    ],
    leaf: Annotated[float, About("Value of one leaf unit", 0.1, minimum=1e-30, maximum=1e9)] = 1,
) -> StemPlot:
    """Draw a stem-and-leaf plot of numbers: tens as stems, units as leaves. Use it for small samples."""
    if any(abs(value) / leaf > _LARGEST for value in values):
        raise ToolError(f"leaf is too small for these values: none may exceed {_LARGEST:g} leaves.")
    whole = sorted(round(value / leaf) for value in values)
    leaves: dict[int, list[str]] = defaultdict(list)
    for value in whole:
        leaves[value // 10].append(str(value % 10))
    if max(leaves) - min(leaves) >= _MOST_STEMS:
        raise ToolError(f"The plot would have more than {_MOST_STEMS:,} stems. Give a larger leaf.")
    stems = range(min(leaves), max(leaves) + 1)
    first = whole[0]
    return {
        "plot": "\n".join(f"{stem} | {' '.join(leaves.get(stem, ()))}".rstrip() for stem in stems),
        "key": f"{first // 10} | {first % 10} means {first * leaf:g}",
        "fullest_stem": max(leaves, key=lambda stem: len(leaves[stem])),
    }


class Streaks(TypedDict):
    """Runs of the same value."""

    longest: Annotated[int, About("Length of the longest run")]
    value: Annotated[str, About("Value of the longest run")]
    starts_at: Annotated[int, About("Position of its first element, from 1")]
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
    reply="The longest run is {longest} times {value} in a row, from position {starts_at} on.",
)
def list_find_streaks(
    items: Annotated[
        list[str] | None, About("Values in order", ["W", "W", "L"], min_items=1, max_items=100_000)
    ] = None,
    letters: Annotated[
        str | None, About("The same values as letters without separators", "HHTH", min_length=1, max_length=100_000)
    ] = None,
) -> Streaks:
    """Find the longest run of equal values in a row, overall and for each value, and the run at the end."""
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


class Inequality(TypedDict):
    """Inequality of values."""

    gini: Annotated[float, About("Gini coefficient: 0 if all are equal, towards 1 if one has everything")]
    gini_corrected: Annotated[float, About("Gini coefficient times n / (n - 1), for small samples")]
    herfindahl: Annotated[float, About("Herfindahl-Hirschman index: sum of squared shares, 1/n to 1")]
    herfindahl_points: Annotated[float, About("Herfindahl-Hirschman index with shares in percent, up to 10,000")]
    top_share: Annotated[float, About("Share of the largest, 0 to 1")]
    shares: Annotated[list[BoundedNumber], About("Share of each in the sum, in order")]


@tool(
    tags="gini coefficient inequality income lorenz herfindahl hirschman hhi concentration market shares distribution",
    use_when=(
        "Gini coefficient of the incomes 10, 20, 30, 40 and 100",
        "How unequal are 1, 1, 2 and 10?",
        "Herfindahl index of market shares 40, 30, 20, 10",
    ),
    examples=(
        Example({"values": [1, 1, 1, 1]}, {"gini": 0.0, "herfindahl": 0.25}, source="equal values"),
        Example(
            {"values": [1, 2, 3, 4]},
            {"gini": 0.25, "top_share": 0.4},
            source="by hand: mean difference 1.25 / (2 * 2.5)",
        ),
        Example({"values": [40, 30, 20, 10]}, {"herfindahl_points": 3000.0}, source="1600 + 900 + 400 + 100"),
        Refusal({"values": [1, -2]}, "negative"),
    ),
    reply="The Gini coefficient is {gini}, and the Herfindahl index {herfindahl}.",
)
def stats_measure_inequality(
    values: Annotated[
        list[BoundedNumber], About("Incomes, holdings or shares", [10, 20, 30, 40, 100], min_items=2, max_items=100_000)
    ],
) -> Inequality:
    """Measure how unequally something is distributed: Gini coefficient and Herfindahl-Hirschman index.

    Use it for incomes, wealth and markets. Values need not add up to anything.
    """
    total, count = sum(values), len(values)
    if min(values) < 0 or total <= 0:
        raise ToolError("Values must not be negative, and not all 0.")
    ranked = sum(rank * value for rank, value in enumerate(sorted(values), start=1))
    gini = 2 * ranked / (count * total) - (count + 1) / count
    shares = [value / total for value in values]
    squares = sum(share**2 for share in shares)
    return {
        "gini": tidy(gini),
        "gini_corrected": tidy(gini * count / (count - 1)),
        "herfindahl": tidy(squares),
        "herfindahl_points": tidy(squares * 1e4),
        "top_share": tidy(max(shares)),
        "shares": [tidy(share) for share in shares],
    }
