"""Ranks and z-scores of a list of numbers."""

import statistics
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.statistics._values import Sample, Value, check_varied, compute, number

Series = Annotated[list[Value], About("Values in order", [10, 12, 15, 14, 18], min_items=1, max_items=10_000)]


class ZScores(TypedDict):
    """Values in standard deviations from the mean."""

    z_scores: Annotated[list[float], About("Z-score of each number, in the given order")]
    mean: float
    deviation: Annotated[float, About("Standard deviation used")]


@tool(
    tags="z-score standardize standard score list normalise deviations from the mean",
    use_when=(
        "Give the z-scores of 2, 4, 4, 4, 5, 5, 7, 9",
        "Standardise these marks to mean 0 and deviation 1",
        "How many standard deviations is each value from the mean?",
    ),
    examples=(
        Example(
            {"values": [2, 4, 4, 4, 5, 5, 7, 9], "deviation": "population"},
            {"z_scores": [-1.5, -0.5, -0.5, -0.5, 0.0, 0.0, 1.0, 2.0], "mean": 5.0, "deviation": 2.0},
            source="Wikipedia, Standard deviation: mean 5 and deviation 2 of these numbers",
        ),
        Example({"values": [90, 100, 110]}, {"z_scores": [-1.0, 0.0, 1.0]}, source="by hand: sample deviation 10"),
        Refusal({"values": [3, 3, 3]}, "are equal, so there is no variation to test"),
    ),
    reply="The z-scores are {z_scores}, from the mean {mean} and the standard deviation {deviation}.",
)
@compute()
def stats_compute_z_scores(
    values: Sample,
    deviation: Annotated[Literal["sample", "population"], About("Divide by n - 1, or by n")] = "sample",
) -> ZScores:
    """Compute the z-score of every number in a list: its distance from the mean in standard deviations.

    Use it to standardise a list; stats_standardize_value uses one value with a known mean and deviation.
    """
    check_varied(values)
    mean = statistics.fmean(values)
    spread = statistics.stdev(values) if deviation == "sample" else statistics.pstdev(values)
    return {"z_scores": [number((value - mean) / spread) for value in values], "mean": mean, "deviation": spread}


class StandardScore(TypedDict):
    """A value of a normal distribution."""

    z: Annotated[float, About("Distance from the mean in standard deviations")]
    percentile: Annotated[float, About("Percentile: share of a normal distribution below the value, in percent")]
    above_percent: Annotated[float, About("Share above the value, in percent")]
    t_score: Annotated[float, About("T-score: 50 + 10 z")]


@tool(
    tags="z-score one value mean standard deviation standard score percentile normal iq test result",
    use_when=(
        "z-score of 85 if the mean is 70 and the sd is 10",
        "How many standard deviations below average is 52 when the mean is 64 and sigma 8?",
        "In which percentile is an IQ of 130?",
    ),
    examples=(
        Example(
            {"value": 85, "mean": 70, "deviation": 10},
            {"z": 1.5, "percentile": 93.3192799, "t_score": 65.0},
            source="by hand; standard normal table: 0.93319",
            tolerance=1e-6,
        ),
        Example(
            {"value": 52, "mean": 52, "deviation": 8},
            {"z": 0.0, "percentile": 50.0, "above_percent": 50.0},
            source="by hand",
        ),
        Refusal({"value": 85, "mean": 70, "deviation": 0}, "deviation"),
    ),
    reply="The z-score is {z}, which is the percentile {percentile} of a normal distribution.",
)
@compute()
def stats_standardize_value(
    value: Annotated[Value, About("The value", 85)],
    mean: Annotated[Value, About("Mean of the distribution", 70)],
    deviation: Annotated[float, About("Standard deviation", 10, exclusive_minimum=0, maximum=1e15)],
) -> StandardScore:
    """Compute the z-score of one value from a known mean and standard deviation, with its percentile if normal.

    Use it for test results and comparisons of scores.
    """
    z = number((value - mean) / deviation)
    below = statistics.NormalDist().cdf(z)
    return {
        "z": z,
        "percentile": below * 100,
        "above_percent": statistics.NormalDist().cdf(-z) * 100,
        "t_score": 50 + 10 * z,
    }


class Ranks(TypedDict):
    """Ranks of numbers."""

    ranks: Annotated[list[float], About("Rank of each number, in the given order")]
    sorted: Annotated[list[float], About("Numbers sorted by rank")]


@tool(
    tags="rank ranks list order place ties average dense competition position numbers",
    use_when=(
        "Give the rank of each number in 12, 7, 15, 7, 20",
        "Rank these scores with the highest first, ties share the average rank",
        "Which place has each runner by time?",
    ),
    examples=(
        Example(
            {"values": [12, 7, 15, 7, 20]},
            {"ranks": [3.0, 1.5, 4.0, 1.5, 5.0], "sorted": [7.0, 7.0, 12.0, 15.0, 20.0]},
            source="by hand: the two 7 share places 1 and 2",
        ),
        Example(
            {"values": [100, 90, 90, 80], "first": "largest", "ties": "lowest"},
            {"ranks": [1.0, 2.0, 2.0, 4.0]},
            source="Wikipedia, Ranking: standard competition ranking 1224",
        ),
        Example(
            {"values": [100, 90, 90, 80], "first": "largest", "ties": "dense"},
            {"ranks": [1.0, 2.0, 2.0, 3.0]},
            source="Wikipedia, Ranking: dense ranking 1223",
        ),
        Refusal({"values": []}, "at least 1"),
    ),
    reply="The ranks are {ranks}.",
)
def stats_rank_values(
    values: Annotated[Series, About("Numbers to rank", [12, 7, 15, 7, 20])],
    first: Annotated[Literal["smallest", "largest"], About("Which number has rank 1")] = "smallest",
    ties: Annotated[
        Literal["average", "lowest", "dense"], About("Ties share the mean rank, the best rank, or ranks without gaps")
    ] = "average",
) -> Ranks:
    """Rank the numbers of a list, from the smallest or the largest, with a choice for ties.

    Use it for places in contests and for rank statistics.
    """
    ordered = sorted(values, reverse=first == "largest")
    places: dict[float, list[int]] = {}
    for place, value in enumerate(ordered, 1):
        places.setdefault(value, []).append(place)
    dense = {value: position for position, value in enumerate(places, 1)}
    rules = {
        "average": lambda value: statistics.fmean(places[value]),
        "lowest": lambda value: float(places[value][0]),
        "dense": lambda value: float(dense[value]),
    }
    return {"ranks": [rules[ties](value) for value in values], "sorted": ordered}
