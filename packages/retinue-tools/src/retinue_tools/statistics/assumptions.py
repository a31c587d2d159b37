"""Tests of distributions and of randomness."""

import math
from itertools import pairwise
from typing import Annotated, Literal, NotRequired

import numpy as np
from scipy import stats
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._classics import SLEEP_1, SLEEP_2
from retinue_tools.statistics._values import (
    SCIPY_NAMES,
    Alternative,
    OtherSample,
    PValue,
    Sample,
    Seed,
    Value,
    check_varied,
    compute,
    number,
)

_WEIGHTS = [148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236]
_MOST_RESAMPLED = 2000


class Normality(TypedDict):
    """Tests of normality."""

    shapiro_w: Annotated[float, About("Shapiro-Wilk W: near 1 for normal data")]
    shapiro_p_value: PValue
    dagostino_p_value: NotRequired[Annotated[float, About("P-value of D'Agostino and Pearson, for at least 20 values")]]
    skewness: Annotated[float, About("Skewness: 0 for symmetric data")]
    excess_kurtosis: Annotated[float, About("Kurtosis minus 3: 0 for normal data")]
    looks_normal: Annotated[bool, About("Whether Shapiro's p-value is at least 0.05")]


@tool(
    tags="normality shapiro-wilk dagostino normal distribution assumption test gaussian",
    use_when=(
        "Are these values normally distributed: 148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236?",
        "May I use a t-test, or are the data too skewed?",
        "Run a Shapiro-Wilk test",
    ),
    examples=(
        Example(
            {"values": _WEIGHTS},
            {"shapiro_w": 0.79, "looks_normal": False},
            source="Shapiro & Wilk (1965): weights of eleven men, W = 0.79",
            tolerance=5e-3,
        ),
        Example(
            {"values": [1, 2, 3, 4, 5]},
            {"skewness": 0.0, "excess_kurtosis": -1.3, "looks_normal": True},
            source="by hand: fourth moment 6.8 over 2 squared, minus 3",
        ),
        Refusal({"values": [3, 3, 3]}, "are equal, so there is no variation to test"),
    ),
    reply={
        "looks_normal": (
            "The values may come from a normal distribution (Shapiro-Wilk W = {shapiro_w}, p = {shapiro_p_value})."
        ),
        "": "The values do not look normal (Shapiro-Wilk W = {shapiro_w}, p = {shapiro_p_value}).",
    },
    memory_mb=1024,
)
@compute()
def stats_test_normality(
    values: Annotated[Sample, About("Measured values", _WEIGHTS, min_items=3, max_items=5000)],
) -> Normality:
    """Test whether a sample may come from a normal distribution (Shapiro-Wilk; D'Agostino for at least 20 values).

    Use it before t-tests and ANOVA. Returns p-values, skewness and kurtosis.
    """
    check_varied(values)
    shapiro = stats.shapiro(values)
    result: Normality = {
        "shapiro_w": number(shapiro.statistic),
        "shapiro_p_value": number(shapiro.pvalue),
        "skewness": number(stats.skew(values)),
        "excess_kurtosis": number(stats.kurtosis(values)),
        "looks_normal": bool(shapiro.pvalue >= 0.05),
    }
    if len(values) >= 20:
        result["dagostino_p_value"] = number(stats.normaltest(values).pvalue)
    return result


class Kolmogorov(TypedDict):
    """Kolmogorov-Smirnov test."""

    d: Annotated[float, About("Maximum distance of the two distribution functions")]
    p_value: PValue


@tool(
    tags="kolmogorov smirnov ks-test distribution compare samples goodness of fit",
    use_when=(
        "Do these two samples come from the same distribution?",
        "Do the waiting times follow an exponential distribution with mean 5?",
        "Are these random numbers uniform between 0 and 1?",
    ),
    examples=(
        Example(
            {"values": [0.1, 0.2, 0.3], "distribution": "uniform", "location": 0, "scale": 1},
            {"d": 0.7, "p_value": 2 * 0.3**3},
            source="by hand: 1 - 0.3; the exact p-value is twice 0.3^3, Kolmogorov's formula for large d",
        ),
        Example(
            {"values": [1, 2, 3], "other": [4, 5, 6]}, {"d": 1.0, "p_value": 0.1}, source="by hand: 2 of 20 orders"
        ),
        Refusal({"values": [1, 2, 3]}, "second sample or a distribution"),
    ),
    reply="The greatest distance is {d}, with a p-value of {p_value}.",
    memory_mb=1024,
)
@compute()
def stats_test_kolmogorov_smirnov(
    values: Sample,
    other: OtherSample | None = None,
    distribution: Annotated[
        Literal["normal", "uniform", "exponential"] | None, About("Distribution to compare with, instead of a sample")
    ] = None,
    location: Annotated[Value, About("Mean of the normal, lower bound of the uniform, start of the exponential")] = 0,
    scale: Annotated[
        float,
        About(
            "Deviation of the normal, width of the uniform, mean of the exponential", exclusive_minimum=0, maximum=1e15
        ),
    ] = 1,
) -> Kolmogorov:
    """Test whether a sample follows a fully known distribution, or the same one as a second sample.

    Use it to compare whole distributions rather than means. The parameters must not be estimated from the sample.
    """  # fmt: skip
    if (other is None) == (distribution is None):
        raise ToolError("Give either a second sample or a distribution to compare with.")
    if other is not None:
        outcome = stats.ks_2samp(values, other)
    else:
        known = {"normal": stats.norm, "uniform": stats.uniform, "exponential": stats.expon}[distribution or "normal"]
        outcome = stats.kstest(values, known(loc=location, scale=scale).cdf)
    return {"d": number(outcome.statistic), "p_value": number(outcome.pvalue)}


class Runs(TypedDict):
    """Wald-Wolfowitz runs test."""

    runs: Annotated[int, About("Number of runs on one side of the threshold")]
    expected_runs: Annotated[float, About("Expected number of runs in a random order")]
    z: Annotated[float, About("Z-score: negative for too few runs, positive for too many")]
    p_value: PValue
    threshold: Annotated[float, About("Threshold between high and low values")]


@tool(
    tags="runs test randomness wald-wolfowitz sequence order independence",
    use_when=(
        "Is the sequence 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0 random?",
        "Do highs and lows in this series alternate too often?",
        "Test the randomness of the order of these values",
    ),
    examples=(
        Example(
            {"values": [1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0], "threshold": 0.5},
            {"runs": 6, "expected_runs": 2 * 13 * 9 / 22 + 1},
            source="Wikipedia, Wald-Wolfowitz runs test: ++++---+++--++++++----",
        ),
        Example(
            {"values": [1, 9, 1, 9, 1, 9]},
            {"runs": 6, "expected_runs": 4.0, "threshold": 5.0, "z": 2 / math.sqrt(1.2)},
            source="by hand: variance 3 * 2 / 5",
        ),
        Refusal({"values": [1, 2], "threshold": 5}, "both sides"),
    ),
    reply="I found {runs|run}, where {expected_runs} are expected in a random order (p = {p_value}).",
    memory_mb=1024,
)
@compute()
def stats_test_runs(
    values: Sample, threshold: Annotated[Value | None, About("Threshold between high and low values", 0.5)] = None
) -> Runs:
    """Test whether the order of a sequence is random, by its runs above and below a threshold (Wald-Wolfowitz).

    Use it for series of measurements or yes/no results. The default threshold is the median; equal values are ignored.
    """
    split = float(np.median(values)) if threshold is None else threshold
    sides = [value > split for value in values if value != split]
    high = sum(sides)
    low = len(sides) - high
    if not high or not low or high + low < 3:
        raise ToolError("There must be values on both sides of the threshold, at least three in total.")
    runs = 1 + sum(a != b for a, b in pairwise(sides))
    expected = 2 * high * low / (high + low) + 1
    variance = (expected - 1) * (expected - 2) / (high + low - 1)
    z = (runs - expected) / math.sqrt(variance)
    return {
        "runs": runs,
        "expected_runs": expected,
        "z": z,
        "p_value": number(2 * stats.norm.sf(abs(z))),
        "threshold": split,
    }


class Permutation(TypedDict):
    """Permutation test."""

    difference: Annotated[float, About("Statistic of the first minus that of the second sample")]
    p_value: PValue
    exact: Annotated[bool, About("Whether all permutations were tried, instead of a random subset")]
    permutations: Annotated[int, About("Number of permutations")]


@tool(
    tags="permutation randomization test exact difference mean median resampling shuffle",
    use_when=(
        "Test the difference of these two small groups by permutation",
        "Is the median of A larger than that of B, without any assumption?",
        "Shuffle the labels 10,000 times and give me a p-value",
    ),
    examples=(
        Example(
            {"first": [1, 2, 3], "second": [4, 5, 6]},
            {"difference": -3.0, "p_value": 0.1, "exact": True, "permutations": 20},
            source="by hand: 2 of 20 splits are this extreme",
        ),
        Example(
            {"first": SLEEP_1, "second": SLEEP_2, "paired": True},
            {"difference": -1.58, "exact": True, "permutations": 1024, "p_value": 4 / 1024},
            source="by hand: all differences are negative but one zero, so 2 signs of the zero times 2 extremes",
        ),
        Refusal({"first": [1, 2, 3], "second": [1, 2], "paired": True}, "paired"),
    ),
    reply=("The difference is {difference}, with a p-value of {p_value} from {permutations|permutation}."),
    pace="normal",
    memory_mb=1024,
)
@compute()
def stats_test_permutation(
    first: Annotated[Sample, About("First sample", [1, 2, 3], min_items=2, max_items=_MOST_RESAMPLED)],
    second: Annotated[Sample, About("Second sample", [4, 5, 6], min_items=2, max_items=_MOST_RESAMPLED)],
    statistic: Annotated[Literal["mean", "median"], About("Statistic to compare")] = "mean",
    paired: Annotated[bool, About("Whether values at the same position are paired")] = False,
    alternative: Alternative = "two_sided",
    permutations: Annotated[
        int, About("Number of random permutations, if there are more than these", minimum=100, maximum=20_000)
    ] = 9999,
    seed: Seed = 1,
) -> Permutation:
    """Test a difference of means or medians by exchanging the labels of the two samples (permutation test).

    Use it for small or unusual samples without assuming a distribution. The test is exact if the number of permutations
    is small enough.
    """
    if paired and len(first) != len(second):
        raise ToolError("The values are paired, so both samples must have the same size.")
    every = 2 ** len(first) if paired else math.comb(len(first) + len(second), len(first))
    middle = np.mean if statistic == "mean" else np.median
    outcome = stats.permutation_test(
        (first, second),
        lambda a, b, axis: middle(a, axis=axis) - middle(b, axis=axis),
        permutation_type="samples" if paired else "independent",
        vectorized=True,
        n_resamples=permutations,
        batch=max(1, 2_000_000 // (len(first) + len(second))),
        alternative=SCIPY_NAMES[alternative],
        rng=np.random.default_rng(seed),
    )
    return {
        "difference": number(outcome.statistic),
        "p_value": min(1.0, number(outcome.pvalue)),
        "exact": every <= permutations,
        "permutations": min(every, permutations),
    }
