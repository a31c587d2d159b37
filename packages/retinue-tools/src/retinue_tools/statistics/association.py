"""Correlation and effect size."""

import math
from typing import Annotated, Literal

import numpy as np
from scipy import stats
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._classics import TUNA_L, TUNA_QUALITY
from retinue_tools.statistics._values import (
    Confidence,
    Interval,
    OtherSample,
    PValue,
    Sample,
    check_same_length,
    check_varied,
    compute,
    interval,
    number,
)


class Correlation(TypedDict):
    """A correlation of two variables."""

    coefficient: Annotated[float, About("Correlation from -1 to 1")]
    p_value: PValue
    interval: Annotated[Interval, About("Confidence interval by Fisher's z transformation")]
    shared_variance: Annotated[float, About("Square of the coefficient")]
    pairs: Annotated[int, About("Number of pairs")]


def _fisher_interval(coefficient: float, confidence: float, spread: float) -> list[float]:
    """Return the interval of a correlation whose z has the standard error `spread`."""
    margin = float(stats.norm.ppf((1 + confidence) / 2)) * spread
    centre = math.atanh(min(max(coefficient, -1 + 1e-15), 1 - 1e-15))
    return interval(math.tanh(centre - margin), math.tanh(centre + margin))


@tool(
    tags="correlation pearson spearman kendall coefficient association relationship",
    use_when=(
        "How strongly are advertising 1, 2, 3, 5 and sales 2, 4, 5, 9 correlated?",
        "Is there a monotone relation between age and income?",
        "Compute Spearman's rho with a p-value",
    ),
    examples=(
        Example(
            {"x": TUNA_L, "y": TUNA_QUALITY},
            {
                "coefficient": 0.5711816,
                "p_value": 0.1082,
                "interval": [-0.1497426, 0.8955795],
                "shared_variance": 0.3262483717010415,
            },
            source="R, cor.test: Hollander & Wolfe (1973), page 187",
            tolerance=4e-4,
        ),
        Example(
            {"x": TUNA_L, "y": TUNA_QUALITY, "method": "kendall"},
            {"coefficient": 0.4444444, "p_value": 0.1194},
            source="R, cor.test(method = 'kendall'): T = 26, p = 0.1194",
            tolerance=4e-4,
        ),
        Example(
            {"x": [1, 2, 3, 4], "y": [1, 4, 9, 16], "method": "spearman"},
            {"coefficient": 1.0, "pairs": 4},
            source="by hand: both rise",
        ),
        Refusal({"x": [1, 2, 3, 4], "y": [1, 1, 1, 1]}, "are equal, so there is no variation to test"),
    ),
    reply={
        "interval.0, interval.1": (
            "The correlation is {coefficient} with a p-value of "
            "{p_value}, and a confidence interval from {interval.0} "
            "to {interval.1}."
        ),
        "": "The correlation is {coefficient} with a p-value of {p_value}.",
    },
    memory_mb=1024,
)
@compute()
def stats_test_correlation(
    x: Annotated[Sample, About("Values of the first variable", TUNA_L, min_items=4, max_items=10_000)],
    y: Annotated[Sample, About("Values of the second variable", TUNA_QUALITY, min_items=4, max_items=10_000)],
    method: Annotated[
        Literal["pearson", "spearman", "kendall"],
        About("Pearson (linear), Spearman (ranks), or Kendall (concordant pairs)"),
    ] = "pearson",
    confidence: Confidence = 0.95,
) -> Correlation:
    """Test the correlation of two variables (Pearson, Spearman or Kendall), with p-value and confidence interval.

    Use it for paired measurements. Spearman and Kendall need only a monotone relation.
    """
    check_same_length(x, y)
    check_varied(x, "first variable")
    check_varied(y, "second variable")
    outcome = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[method](x, y)
    coefficient, count = number(outcome.statistic), len(x)
    factor = {"pearson": 1.0, "spearman": 1 + coefficient**2 / 2, "kendall": 0.437}[method]
    spread = math.sqrt(factor / (count - (4 if method == "kendall" and count > 4 else 3)))
    return {
        "coefficient": coefficient,
        "p_value": number(outcome.pvalue),
        "interval": _fisher_interval(coefficient, confidence, spread),
        "shared_variance": coefficient**2,
        "pairs": count,
    }


class PartialCorrelation(TypedDict):
    """A partial correlation."""

    coefficient: Annotated[float, About("Partial correlation from -1 to 1")]
    plain_coefficient: Annotated[float, About("Pearson correlation without controls")]
    p_value: PValue
    degrees_of_freedom: Annotated[int, About("Degrees of freedom")]


@tool(
    tags="partial correlation control confounder third variable pearson",
    use_when=(
        "Are ice cream sales and drownings correlated when temperature is held fixed?",
        "Correlate x and y controlling for age",
        "Is the relation spurious?",
    ),
    examples=(
        Example(
            {"x": [2, 4, 15, 20], "y": [1, 2, 3, 4], "controls": [[0, 0, 1, 1]]},
            {"plain_coefficient": 0.9695016, "coefficient": 0.9191450},
            source="Wikipedia, Partial correlation: numerical example",
            tolerance=1e-6,
        ),
        Refusal({"x": [1, 2, 3, 4], "y": [1, 3, 2, 4], "controls": [[1, 2, 3, 4]]}, "completely determine"),
    ),
    reply=(
        "The partial correlation is {coefficient} with a p-value of {p_value}; without "
        "controls it is {plain_coefficient}."
    ),
    memory_mb=1024,
)
@compute()
def stats_test_partial_correlation(
    x: Annotated[Sample, About("Values of the first variable", [2, 4, 15, 20], min_items=4, max_items=10_000)],
    y: Annotated[Sample, About("Values of the second variable", [1, 2, 3, 4], min_items=4, max_items=10_000)],
    controls: Annotated[
        list[Sample],
        About("Control variables, one list each, in the same order", [[0, 0, 1, 1]], min_items=1, max_items=20),
    ],
) -> PartialCorrelation:
    """Test the linear correlation of two variables controlling for others that are held fixed (partial correlation).

    Use it to see whether a relation is explained by a third variable. Returns the plain correlation for comparison.
    """
    for other in (y, *controls):
        check_same_length(x, other)
    free = len(x) - 2 - len(controls)
    if free < 1:
        raise ToolError("There are too few values for so many control variables.")
    design = np.column_stack([np.ones(len(x)), *controls])
    rest = [np.asarray(v) - design @ np.linalg.lstsq(design, v, rcond=None)[0] for v in (x, y)]
    for left, whole in zip(rest, (x, y), strict=True):
        check_varied(whole, "variable")
        if np.linalg.norm(left) < 1e-9 * np.linalg.norm(np.asarray(whole) - np.mean(whole)):
            raise ToolError("The controls completely determine one of the variables.")
    coefficient = number(np.clip(np.dot(*rest) / np.linalg.norm(rest[0]) / np.linalg.norm(rest[1]), -1, 1))
    t = coefficient * math.sqrt(free / max(1 - coefficient**2, 1e-300))
    return {
        "coefficient": coefficient,
        "plain_coefficient": number(np.corrcoef(x, y)[0, 1]),
        "p_value": number(2 * stats.t.sf(abs(t), free)),
        "degrees_of_freedom": free,
    }


class EffectSizes(TypedDict):
    """Effect sizes."""

    cohens_d: Annotated[float, About("Cohen's d: difference of means in pooled standard deviations")]
    hedges_g: Annotated[float, About("Hedges' g: Cohen's d corrected for small samples")]
    glass_delta: Annotated[
        float | None, About("Glass' delta: difference in standard deviations of the second sample (control)")
    ]
    cliffs_delta: Annotated[
        float, About("Cliff's delta: share of pairs in which the first is larger minus share in which it is smaller")
    ]
    interval: Annotated[Interval, About("Approximate confidence interval of Hedges' g")]
    magnitude: Annotated[str, About("negligible, small, medium or large, by Cohen's rules of thumb for d")]


@tool(
    tags="effect size cohen d hedges g glass delta cliff standardized mean difference",
    use_when=(
        "How large is the difference between 2, 4, 7, 3, 7 and 1, 2, 4, 3, 5?",
        "Compute Cohen's d and Hedges' g of treatment against control",
        "Is the effect small, medium or large?",
    ),
    examples=(
        Example(
            {"first": [1, 2, 3], "second": [3, 4, 5]},
            {"cohens_d": -2.0, "glass_delta": -2.0, "cliffs_delta": -8 / 9, "magnitude": "large",
             "hedges_g": -1.6},
            source="by hand: deviation 1; correction 1 - 3 / (4 * 4 - 1); 8 of 9 pairs smaller, one tied",
        ),
        Example(
            {"first": [1, 2, 3], "second": [1, 2, 3], "confidence": 0.9},
            {"cohens_d": 0.0, "magnitude": "negligible", "interval": [-1.343017, 1.343017]},
            source="by hand: 1.644854 * sqrt(2 / 3)",
            tolerance=1e-5,
        ),
        Refusal({"first": [1, 1], "second": [2, 2]}, "are equal, so there is no variation to test"),
    ),
    reply="The difference is {magnitude}: Cohen's d is {cohens_d} and Hedges' g {hedges_g}.",
    memory_mb=1024,
)  # fmt: skip
@compute()
def stats_compute_effect_sizes(first: Sample, second: OtherSample, confidence: Confidence = 0.95) -> EffectSizes:
    """Compute how large the difference of two independent samples is: Cohen's d, Hedges' g, Glass' and Cliff's delta.

    Use it beside a p-value, or to plan and combine studies.
    """
    sizes = len(first), len(second)
    if sizes[0] * sizes[1] > 4_000_000:
        raise ToolError("The samples are too large: the product of their sizes must be below 4 million.")
    if min(first) == max(first):
        check_varied(second, "samples")
    variances = np.var(first, ddof=1), np.var(second, ddof=1)
    free = sum(sizes) - 2
    pooled = math.sqrt(((sizes[0] - 1) * variances[0] + (sizes[1] - 1) * variances[1]) / free)
    difference = float(np.mean(first) - np.mean(second))
    d = number(difference / pooled)
    g = d * (1 - 3 / (4 * free - 1))
    margin = float(stats.norm.ppf((1 + confidence) / 2)) * math.sqrt(
        sum(1 / n for n in sizes) + g**2 / (2 * sum(sizes))
    )
    return {
        "cohens_d": d,
        "hedges_g": g,
        "glass_delta": difference / math.sqrt(variances[1]) if variances[1] else None,
        "cliffs_delta": number(np.sign(np.subtract.outer(first, second)).mean()),
        "interval": interval(g - margin, g + margin),
        "magnitude": next(name for most, name in _MAGNITUDES if abs(d) < most),
    }


_MAGNITUDES = ((0.2, "negligible"), (0.5, "small"), (0.8, "medium"), (math.inf, "large"))
