"""Dispersion, covariance and outliers of a list of numbers."""

import math
import statistics
from collections.abc import Sequence
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.statistics._values import OtherSample, Sample, check_same_length, compute, number

Method = Annotated[
    Literal["inclusive", "exclusive", "median_excluded", "median_included"],
    About("inclusive is QUARTILE.INC, exclusive is QUARTILE.EXC, or medians of the halves without or with the median"),
]


class Covariance(TypedDict):
    """Covariance of two variables."""

    sample_covariance: Annotated[float, About("Sample covariance, divided by n - 1")]
    population_covariance: Annotated[float, About("Population covariance, divided by n")]
    correlation: Annotated[float | None, About("Pearson correlation; null if a variable does not vary")]
    mean_x: float
    mean_y: float
    slope: Annotated[float | None, About("Slope of the regression of y on x; the beta of y against x")]
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
    reply={
        "correlation": (
            "The sample covariance is {sample_covariance}, the population "
            "covariance {population_covariance} and the correlation "
            "{correlation}."
        ),
        "": "The sample covariance is {sample_covariance} and the population covariance {population_covariance}.",
    },
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
    """Dispersion of numbers."""

    mean: float
    mean_absolute_deviation: Annotated[float, About("Mean distance from the mean")]
    mean_deviation_from_median: Annotated[float, About("Mean distance from the median")]
    median_absolute_deviation: Annotated[float, About("Median absolute deviation from the median, unscaled")]
    coefficient_of_variation_percent: Annotated[
        float | None, About("Coefficient of variation: sample deviation divided by mean; null for mean zero")
    ]
    population_variation_percent: Annotated[
        float | None, About("Coefficient of variation with the population deviation, in percent")
    ]
    deviation: Annotated[float, About("Sample standard deviation, divided by n - 1")]
    population_deviation: Annotated[float, About("Standard deviation, divided by n")]
    standard_error: Annotated[
        float, About("Standard error of the mean: sample deviation divided by the square root of n")
    ]
    range: float
    sum_of_squares: Annotated[float, About("Sum of squared deviations from the mean")]


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
    reply={
        "coefficient_of_variation_percent": (
            "The mean absolute deviation is "
            "{mean_absolute_deviation}, the standard "
            "deviation {deviation} and the coefficient of "
            "variation {coefficient_of_variation_percent} "
            "%."
        ),
        "deviation": (
            "The mean absolute deviation is {mean_absolute_deviation} and the standard deviation {deviation}."
        ),
        "": "The mean absolute deviation is {mean_absolute_deviation}.",
    },
)
@compute()
def stats_measure_dispersion(values: Sample) -> Dispersion:
    """Measure the spread of numbers: mean absolute deviation, coefficient of variation, error of the mean and others.

    Use it for measures that stats_describe_numbers does not contain. Returns all of them at once.
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
    """Quartiles and outliers."""

    minimum: float
    q1: Annotated[float, About("First quartile")]
    median: float
    q3: Annotated[float, About("Third quartile")]
    maximum: float
    interquartile_range: float
    lower_fence: Annotated[float, About("Lower fence: first quartile minus the factor times the interquartile range")]
    upper_fence: Annotated[float, About("Upper fence: third quartile plus the factor times the interquartile range")]
    outliers: Annotated[list[float], About("Outliers: values beyond the fences, in the given order")]
    without_outliers: Annotated[list[float], About("Other values, in the given order")]


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
    reply={
        "outliers": "The outliers are {outliers}; the quartiles are {q1}, {median} and {q3}.",
        "": "There are no outliers; the quartiles are {q1}, {median} and {q3}.",
    },
)
@compute()
def stats_find_outliers(
    values: Annotated[Sample, About("Numbers", [12, 14, 15, 16, 18, 19, 60], min_items=3, max_items=10_000)],
    method: Method = "inclusive",
    factor: Annotated[
        float, About("Factor of the interquartile range; 3 for far outliers", minimum=0, maximum=100)
    ] = 1.5,
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
    """Return first and third quartile of sorted values."""
    if method in {"inclusive", "exclusive"}:
        cuts = statistics.quantiles(ordered, method="inclusive" if method == "inclusive" else "exclusive")
        return cuts[0], cuts[2]
    half = (len(ordered) + (method == "median_included")) // 2
    return statistics.median(ordered[:half]), statistics.median(ordered[-half:])
