"""Tests of means that assume roughly normal samples."""

from typing import Annotated, Any, Literal

import numpy as np
from scipy import stats
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.statistics._classics import SLEEP_1, SLEEP_2
from retinue_tools.statistics._values import (
    SCIPY_NAMES,
    Alternative,
    Confidence,
    Interval,
    OpenInterval,
    OtherSample,
    PValue,
    Sample,
    Value,
    check_same_length,
    check_varied,
    compute,
    interval,
    number,
    open_interval,
)


class TTest(TypedDict):
    """A t-test of a mean or a difference of means."""

    t: Annotated[float, About("t statistic")]
    degrees_of_freedom: Annotated[float, About("Degrees of freedom")]
    p_value: PValue
    estimate: Annotated[float, About("Mean, or first mean minus second mean")]
    interval: Annotated[OpenInterval, About("Confidence interval of the estimate; null if unbounded")]
    standard_error: Annotated[float, About("Standard error of the estimate")]
    cohens_d: Annotated[float, About("Cohen's d: difference in standard deviations")]
    significant: Annotated[bool, About("Whether the p-value is below 1 minus the confidence level")]


def _t_test(outcome: Any, estimate: float, effect: float, confidence: float, error: float) -> TTest:
    """Convert the result of SciPy's test. `error` is the standard error of the estimate."""
    bounds = outcome.confidence_interval(confidence)
    return {
        "t": number(outcome.statistic),
        "degrees_of_freedom": number(outcome.df),
        "p_value": number(outcome.pvalue),
        "estimate": estimate,
        "interval": open_interval(bounds.low, bounds.high),
        "standard_error": number(error),
        "cohens_d": number(effect),
        "significant": bool(outcome.pvalue < 1 - confidence),
    }


@tool(
    tags="t-test one-sample mean compare value significance student hypothesis",
    use_when=(
        "Is the mean of 5.1, 4.9, 5.3, 5.0 different from 5?",
        "Do our bottles hold 500 ml on average?",
        "Test whether the average rating is above 3",
    ),
    examples=(
        Example(
            {"values": SLEEP_1, "expected_mean": 0},
            {"t": 1.3257, "p_value": 0.2176, "estimate": 0.75, "interval": [-0.5297804, 2.0297804]},
            source="R, t.test of the first group of the data set sleep",
            tolerance=1e-4,
        ),
        Example(
            {"values": [1, 2, 3, 4, 5], "expected_mean": 3, "alternative": "greater"},
            {"t": 0.0, "p_value": 0.5, "significant": False, "cohens_d": 0.0},
            source="by hand: the mean is the value",
        ),
        Refusal({"values": [2, 2, 2], "expected_mean": 1}, "are equal, so there is no variation to test"),
    ),
    reply={
        "significant": (
            "The mean of {estimate} differs significantly from {args.expected_mean}: t = {t}, p = {p_value}."
        ),
        "": "The mean of {estimate} does not differ significantly from {args.expected_mean}: t = {t}, p = {p_value}.",
    },
    memory_mb=1024,
)
@compute()
def stats_test_mean_one_sample(
    values: Sample,
    expected_mean: Annotated[Value, About("Value to compare the mean with", 5)],
    alternative: Alternative = "two_sided",
    confidence: Confidence = 0.95,
) -> TTest:
    """Test with Student's one-sample t-test whether the mean of a sample differs from a given value.

    Use it to compare measurements with a target or norm. Returns t, p-value, confidence interval and Cohen's d.
    """
    check_varied(values)
    outcome = stats.ttest_1samp(values, expected_mean, alternative=SCIPY_NAMES[alternative])
    mean, spread = number(np.mean(values)), number(np.std(values, ddof=1))
    return _t_test(outcome, mean, (mean - expected_mean) / spread, confidence, spread / len(values) ** 0.5)


@tool(
    tags="t-test independent two-sample welch student compare groups means cohen",
    use_when=(
        "Is there a significant difference between group A 5.1, 4.9, 6.2 and group B 6.8, 7.1, 6.5?",
        "Do men and women differ in these reaction times?",
        "Compare the means of treatment and control with Welch's test",
        "Is the difference between two groups of measurements significant?",
    ),
    examples=(
        Example(
            {"first": SLEEP_1, "second": SLEEP_2},
            {
                "t": -1.8608,
                "degrees_of_freedom": 17.776,
                "p_value": 0.07939,
                "interval": [-3.3654832, 0.2054832],
                "estimate": -1.5799999999999996,
                "standard_error": 0.849091017238762,
                "cohens_d": -0.8321810813495395,
            },
            source="R, t.test(extra ~ group, data = sleep)",
            tolerance=1e-4,
        ),
        Example(
            {"first": SLEEP_1, "second": SLEEP_2, "variances": "equal", "alternative": "less"},
            {"t": -1.8608, "degrees_of_freedom": 18.0, "p_value": 0.03959, "significant": True},
            source="R, t.test(extra ~ group, data = sleep, var.equal = TRUE): p = 0.07919, halved",
            tolerance=2e-4,
        ),
        Refusal({"first": [1, 1], "second": [2, 2]}, "are equal, so there is no variation to test"),
    ),
    reply={
        "significant": "Yes, the means differ significantly by {estimate}: t = {t}, p = {p_value}.",
        "": "No, the difference of {estimate} is not significant: t = {t}, p = {p_value}.",
    },
    memory_mb=1024,
)
@compute()
def stats_test_means_independent(
    first: Sample,
    second: OtherSample,
    variances: Annotated[
        Literal["unequal", "equal"], About("Welch's test for unequal variances, or Student's for equal ones")
    ] = "unequal",
    alternative: Alternative = "two_sided",
    confidence: Confidence = 0.95,
) -> TTest:
    """Test whether the means of two independent samples differ, with Welch's or Student's t-test.

    Use it to compare groups of different subjects. Returns t, p-value, the interval of the difference and Cohen's d.
    """
    if min(first) == max(first):
        check_varied(second, "samples")
    equal = variances == "equal"
    outcome = stats.ttest_ind(first, second, equal_var=equal, alternative=SCIPY_NAMES[alternative])
    variance = [float(np.var(sample, ddof=1)) for sample in (first, second)]
    sizes = len(first), len(second)
    pooled = sum(v * (n - 1) for v, n in zip(variance, sizes, strict=True)) / (sum(sizes) - 2)
    parts = [pooled, pooled] if equal else variance
    error = sum(v / n for v, n in zip(parts, sizes, strict=True)) ** 0.5
    difference = number(np.mean(first) - np.mean(second))
    return _t_test(outcome, difference, difference / pooled**0.5, confidence, error)


@tool(
    tags="t-test paired dependent before after repeated difference means",
    use_when=(
        "Did weight change from 82, 90, 77 before to 80, 86, 78 after the diet?",
        "Compare the scores of the same students before and after the course",
        "Run a paired t-test on these two columns",
    ),
    examples=(
        Example(
            {"first": SLEEP_1, "second": SLEEP_2},
            {
                "t": -4.0621,
                "degrees_of_freedom": 9.0,
                "p_value": 0.002833,
                "estimate": -1.58,
                "interval": [-2.4598858, -0.7001142],
                "significant": True,
            },
            source="R, t.test(Pair(extra.1, extra.2) ~ 1, data = sleep2)",
            tolerance=1e-4,
        ),
        Example(
            {"first": SLEEP_1, "second": SLEEP_2, "alternative": "less"},
            {"p_value": 0.0014165},
            source="half of the p-value of R's two-sided test",
            tolerance=2e-4,
        ),
        Refusal({"first": [1, 2, 3], "second": [1, 2]}, "paired"),
    ),
    reply={
        "significant": "Yes, the measurements differ significantly by {estimate} on average: t = {t}, p = {p_value}.",
        "": "No, the difference of {estimate} on average is not significant: t = {t}, p = {p_value}.",
    },
    memory_mb=1024,
)
@compute()
def stats_test_means_paired(
    first: Sample, second: OtherSample, alternative: Alternative = "two_sided", confidence: Confidence = 0.95
) -> TTest:
    """Test with the paired t-test whether two measurements of the same subjects differ on average.

    Use it for before and after. Returns t, p-value, the interval of the mean difference (first minus second) and
    Cohen's d of the differences.
    """
    check_same_length(first, second)
    differences = [a - b for a, b in zip(first, second, strict=True)]
    check_varied(differences, "differences")
    outcome = stats.ttest_1samp(differences, 0, alternative=SCIPY_NAMES[alternative])
    mean, spread = number(np.mean(differences)), number(np.std(differences, ddof=1))
    return _t_test(outcome, mean, mean / spread, confidence, spread / len(differences) ** 0.5)


class Equivalence(TypedDict):
    """Equivalence test (two one-sided tests)."""

    equivalent: Annotated[bool, About("Whether the difference is shown to be within the margin")]
    p_value: Annotated[float, About("The larger p-value of the two one-sided tests")]
    difference: Annotated[float, About("First mean minus second mean")]
    interval: Annotated[Interval, About("Confidence interval of the difference, of level 1 - 2 alpha")]


@tool(
    tags="equivalence tost bioequivalence non-inferiority margin means two one-sided tests",
    use_when=(
        "Are these two methods equivalent within a margin of 0.5?",
        "Show that the generic drug is as good as the original, within 3 units",
        "Run a TOST with these samples",
    ),
    examples=(
        Example(
            {"first": [1, 2, 3], "second": [1, 2, 3], "margin": 10},
            {"equivalent": True, "difference": 0.0, "p_value": 0.000129},
            source="by hand: t = 10 / sqrt(2/3) = 12.247 with 4 degrees of freedom",
            tolerance=0.02,
        ),
        Example(
            {"first": SLEEP_1, "second": SLEEP_2, "margin": 2, "alpha": 0.1},
            {"equivalent": False, "difference": -1.58},
            source="R, data set sleep: means 0.75 and 2.33; their 80 % interval reaches beyond -2",
        ),
        Refusal({"first": [1, 2], "second": [1, 2], "margin": 0}, "more than 0"),
    ),
    reply={
        "equivalent": (
            "Yes, the means are equivalent within the margin of {args.margin} (p "
            "= {p_value}); they differ by {difference}."
        ),
        "": (
            "No, equivalence within the margin of {args.margin} is not shown (p = "
            "{p_value}); the means differ by {difference}."
        ),
    },
    memory_mb=1024,
)
@compute()
def stats_test_equivalence(
    first: Sample,
    second: OtherSample,
    margin: Annotated[
        float, About("Equivalence margin: largest irrelevant difference", 0.5, exclusive_minimum=0, maximum=1e15)
    ],
    alpha: Annotated[float, About("Level of significance", minimum=0.0001, maximum=0.25)] = 0.05,
) -> Equivalence:
    """Test whether two means are equivalent, that is, differ by less than a margin (TOST, Welch's version).

    Use it to show that two means are equal for practical purposes, which a plain t-test cannot show.
    """
    if min(first) == max(first):
        check_varied(second, "samples")
    above = stats.ttest_ind([a + margin for a in first], second, equal_var=False, alternative="greater")
    below = stats.ttest_ind([a - margin for a in first], second, equal_var=False, alternative="less")
    p_value = number(max(above.pvalue, below.pvalue))
    bounds = stats.ttest_ind(first, second, equal_var=False).confidence_interval(1 - 2 * alpha)
    return {
        "equivalent": p_value < alpha,
        "p_value": p_value,
        "difference": number(np.mean(first) - np.mean(second)),
        "interval": interval(bounds.low, bounds.high),
    }
