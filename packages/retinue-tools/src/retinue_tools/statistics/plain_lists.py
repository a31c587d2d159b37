"""What people ask of a plain list of numbers: spread, quartiles, outliers, ranks, z-scores, moving averages."""

import math
import statistics
from collections.abc import Sequence
from itertools import accumulate
from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._values import (
    OtherSample,
    Sample,
    Value,
    check_same_length,
    check_varied,
    compute,
    number,
)

Method = Annotated[
    Literal["inclusive", "exclusive", "median_excluded", "median_included"],
    About("inclusive as QUARTILE.INC, exclusive as QUARTILE.EXC, or medians of the halves without or with the median"),
]
Series = Annotated[list[Value], About("Values in order", [10, 12, 15, 14, 18], min_items=1, max_items=10_000)]


class Covariance(TypedDict):
    """How two variables vary together."""

    sample_covariance: Annotated[float, About("Divided by n - 1")]
    population_covariance: Annotated[float, About("Divided by n")]
    correlation: Annotated[float | None, About("Pearson's; null where a variable does not vary")]
    mean_x: float
    mean_y: float
    slope: Annotated[float | None, About("Of the regression of y on x; the beta of y against x")]
    matrix: Annotated[list[list[float]], About("Sample covariance matrix: variance of x, covariance, variance of y")]


@tool(
    tags="covariance sample population matrix correlation beta two lists paired",
    use_when=(
        "What is the covariance of x = 2, 4, 6, 8 and y = 1, 3, 2, 5?",
        "Sample covariance matrix of [1, 2, 3, 4] and [2, 4, 5, 9]",
        "Beta of a stock from its returns and the market's",
    ),
    examples=(
        Example(
            {"x": [2, 4, 6, 8], "y": [1, 3, 2, 5]},
            {"sample_covariance": 11 / 3, "population_covariance": 2.75, "slope": 0.55, "mean_y": 2.75},
            source="by hand: products of deviations add up to 11; 11 / 20",
        ),
        Example(
            {"x": [1, 2], "y": [3, 3]},
            {"sample_covariance": 0.0, "correlation": None},
            source="by hand: y does not vary",
        ),
        Refusal({"x": [1, 2, 3], "y": [1, 2]}, "3 of one and 2 of the other"),
    ),
)
@compute()
def stats_compute_covariance(
    x: Annotated[Sample, About("Values of the first variable", [2, 4, 6, 8])],
    y: Annotated[OtherSample, About("Values of the second variable", [1, 3, 2, 5])],
) -> Covariance:
    """Compute the covariance of two paired lists, of the sample and of the population, with correlation and slope.

    Use it for covariance matrices of two variables, and for the beta of a share (y) against the market (x).
    """
    check_same_length(x, y)
    shared, varies = statistics.covariance(x, y), (min(x) < max(x), min(y) < max(y))
    return {
        "sample_covariance": number(shared),
        "population_covariance": number(shared * (len(x) - 1) / len(x)),
        "correlation": number(statistics.correlation(x, y)) if all(varies) else None,
        "mean_x": statistics.fmean(x),
        "mean_y": statistics.fmean(y),
        "slope": number(shared / statistics.variance(x)) if varies[0] else None,
        "matrix": [[statistics.variance(x), shared], [shared, statistics.variance(y)]],
    }


class Dispersion(TypedDict):
    """How widely numbers are spread."""

    mean: float
    mean_absolute_deviation: Annotated[float, About("Mean distance from the mean")]
    mean_deviation_from_median: Annotated[float, About("Mean distance from the median")]
    median_absolute_deviation: Annotated[float, About("Median distance from the median, not scaled")]
    coefficient_of_variation_percent: Annotated[float | None, About("Sample deviation over mean; null for mean zero")]
    population_variation_percent: Annotated[float | None, About("Population deviation over mean, in percent")]
    deviation: Annotated[float, About("Sample standard deviation, divided by n - 1")]
    population_deviation: Annotated[float, About("Standard deviation, divided by n")]
    standard_error: Annotated[float, About("Of the mean: sample deviation over the root of n")]
    range: float
    sum_of_squares: Annotated[float, About("Of the deviations from the mean")]


@tool(
    tags="mad coefficient variation sem dispersion spread relative rsd squares variability",
    use_when=(
        "Mean absolute deviation of 4, 7, 9, 12, 18?",
        "Coefficient of variation of 12.1, 11.8, 12.6 and 12.3 in percent",
        "What is the standard error of the mean of these values?",
        "How far are these numbers from their mean, in the mean?",
    ),
    examples=(
        Example(
            {"values": [2, 2, 3, 4, 14]},
            {"mean_absolute_deviation": 3.6, "mean_deviation_from_median": 2.8, "median_absolute_deviation": 1.0},
            source="Wikipedia, Average absolute deviation: the data set {2, 2, 3, 4, 14}",
        ),
        Example(
            {"values": [90, 100, 110]},
            {"coefficient_of_variation_percent": 10.0, "sum_of_squares": 200.0, "deviation": 10.0},
            source="Wikipedia, Coefficient of variation: deviation 10 of mean 100",
        ),
        Refusal({"values": [5]}, "at least 2"),
    ),
)
@compute()
def stats_measure_dispersion(values: Sample) -> Dispersion:
    """Measure the spread of numbers: mean absolute deviation, coefficient of variation, error of the mean and others.

    Use it for spreads that stats_describe_numbers does not have. Returns all of them at once.
    """
    mean, middle = statistics.fmean(values), statistics.median(values)
    sample, population = statistics.stdev(values), statistics.pstdev(values)
    return {
        "mean": mean,
        "mean_absolute_deviation": statistics.fmean(abs(value - mean) for value in values),
        "mean_deviation_from_median": statistics.fmean(abs(value - middle) for value in values),
        "median_absolute_deviation": statistics.median(abs(value - middle) for value in values),
        "coefficient_of_variation_percent": number(sample / abs(mean) * 100) if mean else None,
        "population_variation_percent": number(population / abs(mean) * 100) if mean else None,
        "deviation": sample,
        "population_deviation": population,
        "standard_error": sample / math.sqrt(len(values)),
        "range": max(values) - min(values),
        "sum_of_squares": math.fsum((value - mean) ** 2 for value in values),
    }


class Quartiles(TypedDict):
    """Quartiles and what lies far outside of them."""

    minimum: float
    q1: Annotated[float, About("First quartile")]
    median: float
    q3: Annotated[float, About("Third quartile")]
    maximum: float
    interquartile_range: float
    lower_fence: Annotated[float, About("First quartile less the factor times the interquartile range")]
    upper_fence: Annotated[float, About("Third quartile plus the factor times the interquartile range")]
    outliers: Annotated[list[float], About("Values beyond the fences, in the given order")]
    without_outliers: Annotated[list[float], About("The others, in the given order")]


@tool(
    tags="outliers quartiles iqr 1.5 fences box plot five number summary tukey hinges exclusive inclusive q1 q3",
    use_when=(
        "Which of 12, 14, 15, 16, 18, 19, 60 are outliers by the 1.5 IQR rule?",
        "Quartiles of 4, 7, 10, 12, 13, 18, 21 by the exclusive method",
        "Five-number summary and fences of a box plot",
        "Remove the outliers from this list of numbers",
    ),
    examples=(
        Example(
            {"values": [6, 7, 15, 36, 39, 40, 41, 42, 43, 47, 49], "method": "median_excluded"},
            {
                "q1": 15.0,
                "median": 40.0,
                "q3": 43.0,
                "interquartile_range": 28.0,
                "outliers": [],
                "minimum": 6,
                "maximum": 49,
                "lower_fence": -27.0,
                "without_outliers": [6, 7, 15, 36, 39, 40, 41, 42, 43, 47, 49],
            },
            source="Wikipedia, Quartile: example 1, method 1",
        ),
        Example(
            {"values": [6, 7, 15, 36, 39, 40, 41, 42, 43, 47, 49], "method": "median_included"},
            {"q1": 25.5, "q3": 42.5},
            source="Wikipedia, Quartile: example 1, method 2 (Tukey's hinges)",
        ),
        Example(
            {"values": [10, 12, 11, 13, 50]},
            {"q1": 11.0, "q3": 13.0, "upper_fence": 16.0, "outliers": [50.0]},
            source="by hand: 13 + 1.5 * 2",
        ),
        Refusal({"values": [1, 2]}, "at least 3"),
    ),
)
@compute()
def stats_find_outliers(
    values: Annotated[Sample, About("Numbers", [12, 14, 15, 16, 18, 19, 60], min_items=3, max_items=10_000)],
    method: Method = "inclusive",
    factor: Annotated[float, About("How many interquartile ranges; 3 for far outliers", minimum=0, maximum=100)] = 1.5,
) -> Quartiles:
    """Find the quartiles of a list of numbers by a method, the fences at 1.5 interquartile ranges, and the outliers.

    Use it for box plots, five-number summaries and to clean data.
    """
    q1, q3 = _quartiles(sorted(values), method)
    low, high = q1 - factor * (q3 - q1), q3 + factor * (q3 - q1)
    return {
        "minimum": min(values),
        "q1": q1,
        "median": statistics.median(values),
        "q3": q3,
        "maximum": max(values),
        "interquartile_range": q3 - q1,
        "lower_fence": low,
        "upper_fence": high,
        "outliers": [value for value in values if not low <= value <= high],
        "without_outliers": [value for value in values if low <= value <= high],
    }


def _quartiles(ordered: Sequence[float], method: str) -> tuple[float, float]:
    """First and third quartile of sorted values."""
    if method in {"inclusive", "exclusive"}:
        cuts = statistics.quantiles(ordered, method="inclusive" if method == "inclusive" else "exclusive")
        return cuts[0], cuts[2]
    half = (len(ordered) + (method == "median_included")) // 2
    return statistics.median(ordered[:half]), statistics.median(ordered[-half:])


class ZScores(TypedDict):
    """Values in standard deviations from the mean."""

    z_scores: Annotated[list[float], About("In the given order")]
    mean: float
    deviation: Annotated[float, About("The standard deviation that was taken")]


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
        Refusal({"values": [3, 3, 3]}, "the same"),
    ),
)
@compute()
def stats_compute_z_scores(
    values: Sample,
    deviation: Annotated[Literal["sample", "population"], About("Divided by n - 1, or by n")] = "sample",
) -> ZScores:
    """Compute the z-score of every number in a list: its distance from the mean in standard deviations.

    Use it to standardise a list; stats_standardize_value takes one value with a known mean and deviation.
    """
    check_varied(values)
    mean = statistics.fmean(values)
    spread = statistics.stdev(values) if deviation == "sample" else statistics.pstdev(values)
    return {"z_scores": [number((value - mean) / spread) for value in values], "mean": mean, "deviation": spread}


class StandardScore(TypedDict):
    """A value of a normal distribution."""

    z: Annotated[float, About("Distance from the mean in standard deviations")]
    percentile: Annotated[float, About("Share of a normal distribution below the value, in percent")]
    above_percent: Annotated[float, About("Share above it, in percent")]
    t_score: Annotated[float, About("50 + 10 z")]


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
    """Places of numbers."""

    ranks: Annotated[list[float], About("Rank of each number, in the given order")]
    sorted: Annotated[list[float], About("The numbers from rank 1 on")]


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
)
def stats_rank_values(
    values: Annotated[Series, About("Numbers to rank", [12, 7, 15, 7, 20])],
    first: Annotated[Literal["smallest", "largest"], About("Which number gets rank 1")] = "smallest",
    ties: Annotated[
        Literal["average", "lowest", "dense"], About("Equal numbers get the mean rank, the best one, or leave no gaps")
    ] = "average",
) -> Ranks:
    """Rank the numbers of a list, from the smallest or the largest, with ties as wished.

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


class Smoothed(TypedDict):
    """A moving average."""

    averages: Annotated[list[float], About("Simple, weighted: one for each full window; exponential: one a value")]
    last: Annotated[float, About("The latest one")]
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
)
def timeseries_smooth_values(
    values: Series,
    window: Annotated[int, About("How many values; the span of an exponential average", 3, minimum=1, maximum=10_000)],
    kind: Annotated[
        Literal["simple", "exponential", "weighted"],
        About("Equal weights, falling ones over all values, or linearly rising to the newest"),
    ] = "simple",
) -> Smoothed:
    """Compute the moving average of a list of numbers: simple, exponential (started with the first value) or weighted.

    Use it to smooth prices, temperatures or daily figures.
    """
    if kind == "exponential":
        return _exponential(values, 2 / (window + 1))
    if len(values) < window:
        raise ToolError(f"There are fewer values than the window of {window}. Take a shorter window.")
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
