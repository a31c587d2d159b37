"""Tests of means from summary figures: mean, standard deviation and size, without the values themselves."""

import math
from typing import Annotated, Literal, NamedTuple

from scipy import stats
from typing_extensions import TypedDict

from retinue.sdk import About, Alias, Example, Refusal, ToolError, tool
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
Size = Annotated[int, About("Number of values", 20, minimum=2, maximum=10**9)]


class SummaryTest(TypedDict):
    """A test of means from summary figures."""

    statistic: Annotated[float, About("t, or z where the deviation is known")]
    distribution: Annotated[Literal["t", "z"], About("Which one the statistic follows")]
    degrees_of_freedom: Annotated[float | None, About("Of t; null for z")]
    p_value: PValue
    difference: Annotated[float, About("Mean less expected mean, or first mean less second")]
    standard_error: float
    interval: Annotated[Interval, About("Two-sided confidence interval of the difference")]
    significant: Annotated[bool, About("Whether the p-value is below 1 minus the confidence level")]


def _judge(difference: float, error: float, free: float | None, alternative: str, confidence: float) -> SummaryTest:
    """The test of a difference with that standard error; z where there are no degrees of freedom."""
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
    tags="t-test z-test one sample two samples summary statistics welch student means deviations sizes hypothesis "
    "without data p value",
    use_when=(
        "Welch t-test from n=20, mean 15, sd 3 versus n=25, mean 13, sd 4",
        "Compare two groups of which I know mean, standard deviation and size only",
        "Pooled t-test: means 82 and 78, sds 5 and 6, 15 students each",
        "t statistic: sample mean 27.4, hypothesised 25, s = 4.8, n = 16",
        "z statistic for a sample mean of 52.3, population mean 50, sigma 6, n = 36",
        "Sample of 40 with mean 103 and sd 12: is the mean above 100?",
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
        Example(
            {"mean_a": 27.4, "deviation_a": 4.8, "size_a": 16, "mean_b": 25},
            {
                "statistic": 2.0, "degrees_of_freedom": 15.0, "distribution": "t", "p_value": 0.0639450,
                "standard_error": 1.2, "significant": False,
            },
            source="by hand: 2.4 / 1.2; table of t with 15 degrees: p between 0.05 and 0.1, R: 2 * pt(-2, 15)",
            tolerance=1e-5,
        ),
        Example(
            {"mean_a": 96, "deviation_a": 12, "size_a": 55, "mean_b": 100, "deviation_known": True},
            {"statistic": -2.4720661623652, "p_value": 0.0134, "distribution": "z"},
            source="Wikipedia, Z-test: reading scores, z = -2.47, p = 0.0134",
            tolerance=4e-3,
        ),
        Example(
            {
                "mean_a": 27.4, "deviation_a": 4.8, "size_a": 16, "mean_b": 25, "alternative": "greater",
                "confidence": 0.9,
            },
            {"p_value": 0.0319725, "significant": True},
            source="half of the two-sided p-value; below 0.1",
            tolerance=1e-5,
        ),
        Refusal(
            {"mean_a": 15, "deviation_a": 3, "size_a": 1, "mean_b": 13, "deviation_b": 4, "size_b": 25}, "size_a"
        ),
        Refusal({"mean_a": 27.4, "deviation_a": 0, "size_a": 16, "mean_b": 25}, "deviation_a"),
        Refusal({"mean_a": 15, "deviation_a": 3, "size_a": 9, "mean_b": 13, "size_b": 25}, "Give deviation_b"),
    ),
    memory_mb=1024,
    aliases=(
        Alias(
            "stats_test_mean_from_summary",
            {"mean": "mean_a", "deviation": "deviation_a", "size": "size_a", "expected_mean": "mean_b"},
        ),
    ),
)  # fmt: skip
@compute()
def stats_test_means_from_summary(
    mean_a: Annotated[Value, About("Mean of the sample, or of the first group", 15)],
    deviation_a: Annotated[Deviation, About("Its standard deviation", 3)],
    size_a: Annotated[Size, About("Its size", 20)],
    mean_b: Annotated[Value, About("Value that the mean is compared with, or mean of the second group", 13)],
    deviation_b: Annotated[
        Deviation | None, About("Standard deviation of the second group, if there is one", 4)
    ] = None,
    size_b: Annotated[Size | None, About("Size of the second group, if there is one", 25)] = None,
    variances: Annotated[Literal["unequal", "equal"], About("Welch's test, or Student's with pooled variance")] = (
        "unequal"
    ),
    deviation_known: Annotated[
        bool, About("Whether deviations are those of the population (z), not of the sample (t)")
    ] = False,
    alternative: Alternative = "two_sided",
    confidence: Confidence = 0.95,
) -> SummaryTest:
    """Test a mean against a value, or two means against each other, from mean, standard deviation and size.

    Use it for exercises and published figures: one-sample t or z test, Welch's or Student's t-test. The tools
    stats_test_mean_one_sample and stats_test_means_independent take the values themselves.
    """
    if (deviation_b is None) != (size_b is None):
        raise ToolError("Give deviation_b and size_b for a second group, or neither.")
    first = _Group(deviation_a, size_a)
    if deviation_b is None or size_b is None:
        error, free = deviation_a / math.sqrt(size_a), float(size_a - 1)
    else:
        error, free = _of_two(first, _Group(deviation_b, size_b), pooled=variances == "equal")
    return _judge(mean_a - mean_b, error, None if deviation_known else free, alternative, confidence)


class _Group(NamedTuple):
    """What is known of the spread of a group."""

    deviation: float
    size: int


def _of_two(first: _Group, second: _Group, *, pooled: bool) -> tuple[float, float]:
    """The standard error of the difference of two means, and its degrees of freedom."""
    shares = [group.deviation**2 / group.size for group in (first, second)]
    if pooled:
        free = float(first.size + second.size - 2)
        variance = sum((group.size - 1) * group.deviation**2 for group in (first, second)) / free
        return math.sqrt(variance * (1 / first.size + 1 / second.size)), free
    spread = sum(share**2 / (group.size - 1) for share, group in zip(shares, (first, second), strict=True))
    return math.sqrt(sum(shares)), sum(shares) ** 2 / spread
