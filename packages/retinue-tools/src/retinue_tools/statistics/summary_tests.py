"""Tests of means from summary statistics: mean, standard deviation and size, without the values themselves."""

import math
from typing import Annotated, Literal

from scipy import stats
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.statistics._values import (
    Alternative,
    Confidence,
    Interval,
    PValue,
    Value,
    compute,
    interval,
    number,
)

Deviation = Annotated[float, About("Standard deviation", 3, exclusive_minimum=0, maximum=1e15)]
_USUAL_CONFIDENCE = 0.95
Size = Annotated[int, About("Number of values", 20, minimum=2, maximum=10**9)]


class SummaryTest(TypedDict):
    """A test of means from summary statistics."""

    statistic: Annotated[float, About("t, or z if the population deviation is known")]
    distribution: Annotated[Literal["t", "z"], About("Distribution of the statistic")]
    degrees_of_freedom: Annotated[float | None, About("Degrees of freedom of t; null for z")]
    p_value: PValue
    difference: Annotated[float, About("Mean minus expected mean, or first mean minus second")]
    standard_error: float
    interval: Annotated[Interval, About("Two-sided confidence interval of the difference")]
    significant: Annotated[bool, About("Whether the p-value is below 1 minus the confidence level")]


def _judge(difference: float, error: float, free: float | None, alternative: str, confidence: float) -> SummaryTest:
    """Test a difference with this standard error; z if there are no degrees of freedom."""
    law = stats.norm() if free is None else stats.t(free)
    statistic = number(difference / error)
    tails = {"greater": law.sf(statistic), "less": law.cdf(statistic), "two_sided": 2 * law.sf(abs(statistic))}
    p_value = number(tails[alternative])
    margin = law.ppf((1 + confidence) / 2) * error
    return {
        "statistic": statistic,
        "distribution": "z" if free is None else "t",
        "degrees_of_freedom": free,
        "p_value": p_value,
        "difference": difference,
        "standard_error": error,
        "interval": interval(difference - margin, difference + margin),
        "significant": p_value < 1 - confidence,
    }


@tool(
    tags="t-test z-test one sample summary statistics mean deviation size hypothesis without data",
    use_when=(
        "t statistic: sample mean 27.4, hypothesised 25, s = 4.8, n = 16",
        "z statistic for a sample mean of 52.3, population mean 50, sigma 6, n = 36",
        "Sample of 40 with mean 103 and sd 12: is the mean above 100?",
    ),
    examples=(
        Example(
            {"mean": 27.4, "deviation": 4.8, "size": 16, "expected_mean": 25},
            {"statistic": 2.0, "degrees_of_freedom": 15.0, "distribution": "t", "p_value": 0.0639450},
            source="by hand: 2.4 / 1.2; table of t with 15 degrees: p between 0.05 and 0.1, R: 2 * pt(-2, 15)",
            tolerance=1e-5,
        ),
        Example(
            {
                "mean": 96, "deviation": 12, "size": 55, "expected_mean": 100, "deviation_known": True,
            },
            {"statistic": -2.4720661623652, "p_value": 0.0134, "distribution": "z"},
            source="Wikipedia, Z-test: reading scores, z = -2.47, p = 0.0134",
            tolerance=4e-3,
        ),
        Refusal({"mean": 27.4, "deviation": 0, "size": 16, "expected_mean": 25}, "deviation"),
    ),
    reply={
        "significant": "The difference of {difference} is significant: {distribution} = {statistic}, p = {p_value}.",
        "": "The difference of {difference} is not significant: {distribution} = {statistic}, p = {p_value}.",
    },
    memory_mb=1024,
)  # fmt: skip
@compute()
def stats_test_mean_from_summary(
    mean: Annotated[Value, About("Mean of the sample", 27.4)],
    deviation: Deviation,
    size: Size,
    expected_mean: Annotated[Value, About("Value to compare the mean with", 25)],
    deviation_known: Annotated[
        bool, About("Whether the deviation is that of the population (z), not of the sample (t)")
    ] = False,
    alternative: Alternative = "two_sided",
    confidence: Confidence = 0.95,
) -> SummaryTest:
    """Test a mean against a value from mean, standard deviation and size of the sample (one-sample t or z test).

    Use it for exercises and published figures; stats_test_mean_one_sample uses the values themselves.
    """
    free = None if deviation_known else float(size - 1)
    return _judge(mean - expected_mean, deviation / math.sqrt(size), free, alternative, confidence)


@tool(
    tags="t-test two samples summary statistics welch student means deviations sizes without data p value",
    use_when=(
        "Welch t-test from n=20, mean 15, sd 3 versus n=25, mean 13, sd 4",
        "Compare two groups of which I know mean, standard deviation and size only",
        "Pooled t-test: means 82 and 78, sds 5 and 6, 15 students each",
    ),
    examples=(
        Example(
            {"mean_a": 15, "deviation_a": 3, "size_a": 20, "mean_b": 13, "deviation_b": 4, "size_b": 25},
            {"statistic": 1.9160, "difference": 2.0, "degrees_of_freedom": 42.86},
            source="by hand: 2 / sqrt(9 / 20 + 16 / 25), Welch-Satterthwaite 1.09^2 / (0.2025 / 19 + 0.4096 / 24)",
            tolerance=3e-4,
        ),
        Example(
            {
                "mean_a": 15, "deviation_a": 87.5**0.5, "size_a": 13, "mean_b": 12, "deviation_b": 39**0.5,
                "size_b": 11, "variances": "equal",
            },
            {"statistic": 0.9051358093310269, "p_value": 0.3751996797581487, "degrees_of_freedom": 22.0},
            source="SciPy's documentation of ttest_ind_from_stats",
        ),
        Refusal(
            {"mean_a": 15, "deviation_a": 3, "size_a": 1, "mean_b": 13, "deviation_b": 4, "size_b": 25}, "size_a"
        ),
    ),
    reply={
        "significant": "The difference of {difference} is significant: {distribution} = {statistic}, p = {p_value}.",
        "": "The difference of {difference} is not significant: {distribution} = {statistic}, p = {p_value}.",
    },
    memory_mb=1024,
)  # fmt: skip
@compute()
def stats_test_means_from_summary(
    mean_a: Annotated[Value, About("Mean of the first group", 15)],
    deviation_a: Annotated[Deviation, About("Sample standard deviation of the first group", 3)],
    size_a: Annotated[Size, About("Size of the first group", 20)],
    mean_b: Annotated[Value, About("Mean of the second group", 13)],
    deviation_b: Annotated[Deviation, About("Sample standard deviation of the second group", 4)],
    size_b: Annotated[Size, About("Size of the second group", 25)],
    variances: Annotated[Literal["unequal", "equal"], About("Welch's test, or Student's with pooled variance")] = (
        "unequal"
    ),
    alternative: Alternative = "two_sided",
) -> SummaryTest:
    """Test whether two means differ from mean, standard deviation and size of each group (Welch's or Student's t).

    Use it for exercises and published figures; stats_test_means_independent uses the values themselves. The confidence
    level of the interval is 95 %.
    """
    first, second = deviation_a**2 / size_a, deviation_b**2 / size_b
    free = float(size_a + size_b - 2)
    if variances == "equal":
        pooled = ((size_a - 1) * deviation_a**2 + (size_b - 1) * deviation_b**2) / free
        error = math.sqrt(pooled * (1 / size_a + 1 / size_b))
    else:
        error = math.sqrt(first + second)
        free = (first + second) ** 2 / (first**2 / (size_a - 1) + second**2 / (size_b - 1))
    return _judge(mean_a - mean_b, error, free, alternative, _USUAL_CONFIDENCE)
