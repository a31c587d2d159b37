"""Meta-analysis of studies, and adjustment and combination of p-values."""

import math
from typing import Annotated, Literal, NotRequired

import numpy as np
from scipy import stats
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._values import Confidence, Interval, PValue, Value, compute, interval, number

PValues = Annotated[
    list[Annotated[float, About("A p-value", 0.03, minimum=0, maximum=1)]],
    About("p-values of the tests", [0.01, 0.04, 0.03, 0.005], min_items=1, max_items=10_000),
]


class Adjusted(TypedDict):
    """Adjusted p-values."""

    adjusted: Annotated[list[float], About("Adjusted p-values in the given order")]
    significant: Annotated[list[bool], About("Whether each is at most alpha")]
    significant_count: Annotated[int, About("Number of significant p-values")]


@tool(
    tags="multiple testing correction bonferroni holm hochberg benjamini-hochberg fdr false discovery rate p-values",
    use_when=(
        "Correct the p-values 0.01, 0.04, 0.03 and 0.005 for multiple testing",
        "Which of these 20 tests remain significant at a false discovery rate of 5 %?",
        "Apply Holm's correction",
    ),
    examples=(
        Example(
            {"p_values": [0.01, 0.02, 0.03, 0.04, 0.05], "method": "holm"},
            {"adjusted": [0.05, 0.08, 0.09, 0.09, 0.09], "significant_count": 1},
            source="by hand, as R's p.adjust",
        ),
        Example(
            {"p_values": [0.01, 0.02, 0.03, 0.04, 0.05], "method": "benjamini_hochberg"},
            {"adjusted": [0.05] * 5, "significant_count": 5},
            source="by hand, as R's p.adjust",
        ),
        Example(
            {"p_values": [0.03, 0.5], "method": "bonferroni"},
            {"adjusted": [0.06, 1.0], "significant": [False, False]},
            source="by hand",
        ),
        Example(
            {"p_values": [0.01, 0.04], "method": "benjamini_yekutieli"},
            {"adjusted": [0.03, 0.06]},
            source="by hand: times 1 + 1/2",
        ),
        Refusal({"p_values": [1.5]}, "at most 1"),
    ),
    reply=("Significant after the correction: {significant_count}; the adjusted p-values are {adjusted}."),
    memory_mb=1024,
)
def stats_adjust_p_values(
    p_values: PValues,
    method: Annotated[
        Literal["bonferroni", "holm", "hochberg", "benjamini_hochberg", "benjamini_yekutieli"],
        About("The first three bound the probability of any false finding, the last two the share of false findings"),
    ] = "holm",
    alpha: Annotated[float, About("Level of significance", minimum=0.0001, maximum=0.5)] = 0.05,
) -> Adjusted:
    """Correct p-values for multiple testing, by Bonferroni, Holm, Hochberg, Benjamini-Hochberg or -Yekutieli.

    Use it whenever several hypotheses were tested together. Returns adjusted p-values in the given order.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    for place, value in zip(order, _adjust([p_values[place] for place in order], method), strict=True):
        adjusted[place] = value
    significant = [value <= alpha * (1 + 1e-12) for value in adjusted]
    return {"adjusted": adjusted, "significant": significant, "significant_count": sum(significant)}


def _adjust(rising: list[float], method: str) -> list[float]:
    count = len(rising)
    if method == "bonferroni":
        return [min(1.0, count * value) for value in rising]
    if method in ("holm", "hochberg"):
        raw = [(count - place) * value for place, value in enumerate(rising)]
    else:
        factor = count * (math.fsum(1 / k for k in range(1, count + 1)) if method == "benjamini_yekutieli" else 1)
        raw = [factor / (place + 1) * value for place, value in enumerate(rising)]
    steps, best = raw if method == "holm" else raw[::-1], max if method == "holm" else min
    monotone: list[float] = []
    for value in steps:
        monotone.append(min(1.0, best(value, monotone[-1]) if monotone else value))
    return monotone if method == "holm" else monotone[::-1]


class Combined(TypedDict):
    """Combined p-value of several independent tests."""

    p_value: Annotated[float, About("Combined p-value")]
    statistic: Annotated[float, About("Chi-squared of Fisher's, z of Stouffer's method")]


@tool(
    tags="combine p-values fisher stouffer meta-analysis independent tests evidence",
    use_when=(
        "Three studies found p = 0.04, 0.10 and 0.07: what do they say together?",
        "Combine p-values by Fisher's method",
        "Pool independent tests by Stouffer's z",
    ),
    examples=(
        Example(
            {"p_values": [0.1, 0.1]},
            {"statistic": -4 * math.log(0.1), "p_value": 0.01 * (1 - math.log(0.01))},
            source="by hand: the tail of chi-squared with 4 degrees of freedom is exp(-x/2)(1 + x/2)",
        ),
        Example({"p_values": [0.5, 0.5], "method": "stouffer"}, {"p_value": 0.5, "statistic": 0.0}, source="by hand"),
        Refusal({"p_values": []}, "at least 1"),
    ),
    reply="The combined p-value is {p_value}.",
    memory_mb=1024,
)
@compute()
def stats_combine_p_values(
    p_values: PValues,
    method: Annotated[Literal["fisher", "stouffer"], About("Fisher's sum of logarithms, or Stouffer's sum of z")] = (
        "fisher"
    ),
) -> Combined:
    """Combine the p-values of independent tests of the same hypothesis into one (Fisher or Stouffer).

    Use it if only the p-values of several studies are known; with effects and errors use stats_combine_studies.
    """
    bounded = [min(max(value, 1e-300), 1 - 1e-16) for value in p_values]
    outcome = stats.combine_pvalues(bounded, method=method)
    return {"p_value": number(outcome.pvalue), "statistic": number(outcome.statistic)}


_BCG = [-0.8893, -1.5854, -1.3481, -1.4416, -0.2175, -0.7861, -1.6209, 0.0120, -0.4694, -1.3713, -0.3394, 0.4459,
        -0.0173]  # fmt: skip
_BCG_VARIANCES = [0.3256, 0.1946, 0.4154, 0.0200, 0.0512, 0.0069, 0.2230, 0.0040, 0.0564, 0.0730, 0.0124, 0.5325,
                  0.0714]  # fmt: skip


class Study(TypedDict):
    """Weight of a study."""

    weight_percent: Annotated[float, About("Share of the weight")]
    interval: Annotated[Interval, About("Confidence interval of its effect")]


class Pooled(TypedDict):
    """A pooled effect."""

    effect: Annotated[float, About("Pooled effect")]
    interval: Annotated[Interval, About("Confidence interval of the pooled effect")]
    standard_error: Annotated[float, About("Standard error of the pooled effect")]
    p_value: PValue
    q: Annotated[float, About("Cochran's Q of heterogeneity")]
    q_p_value: Annotated[float, About("p-value of Q")]
    i_squared_percent: Annotated[float, About("I squared: share of variation that is not due to chance")]
    tau_squared: Annotated[float, About("Variance between studies (DerSimonian-Laird)")]
    prediction_interval: NotRequired[
        Annotated[
            Interval,
            About("Prediction interval for the effect of a new study, for random effects of 3 or more studies"),
        ]
    ]
    studies: Annotated[list[Study], About("Studies in the given order")]


@tool(
    tags="meta-analysis pooled effect random fixed effects heterogeneity i2 tau2 forest dersimonian-laird studies",
    use_when=(
        "Combine effects 0.3, 0.5 and 0.1 with standard errors 0.1, 0.2 and 0.15",
        "How heterogeneous are these studies?",
        "Run a random-effects meta-analysis of these log odds ratios",
    ),
    examples=(
        Example(
            {"effects": _BCG, "standard_errors": [math.sqrt(variance) for variance in _BCG_VARIANCES]},
            {"effect": -0.7141, "standard_error": 0.1787, "tau_squared": 0.3088, "i_squared_percent": 92.12,
             "q": 152.233},
            source="R, package metafor: rma(yi, vi, data = dat.bcg, method = 'DL')",
            tolerance=5e-3,
        ),
        Example(
            {"effects": [1, 3], "standard_errors": [1, 1], "model": "fixed"},
            {"effect": 2.0, "standard_error": math.sqrt(0.5), "q": 2.0, "i_squared_percent": 50.0,
             "tau_squared": 1.0},
            source="by hand",
        ),
        Refusal({"effects": [1, 2], "standard_errors": [1, 0]}, "more than 0"),
    ),
    reply=(
        "The pooled effect is {effect}, from {interval.0} to {interval.1} (p = {p_value}); {i_squared_percent} % of "
        "the variation is not due to chance."
    ),
    memory_mb=1024,
)  # fmt: skip
@compute()
def stats_combine_studies(
    effects: Annotated[
        list[Value],
        About(
            "Effect of each study: a difference, or the logarithm of a ratio", [0.3, 0.5], min_items=2, max_items=500
        ),
    ],
    standard_errors: Annotated[
        list[Annotated[float, About("A standard error", 0.1, exclusive_minimum=0, maximum=1e15)]],
        About("Standard error of each effect", [0.1, 0.2], min_items=2, max_items=500),
    ],
    model: Annotated[
        Literal["random", "fixed"], About("Whether the true effect may differ between studies")
    ] = "random",
    confidence: Confidence = 0.95,
) -> Pooled:
    """Combine the effects of several studies (meta-analysis), with random effects by DerSimonian-Laird or fixed
    effects.

    Use it with differences, log odds ratios and other effects with standard errors. Returns pooled effect and
    heterogeneity.
    """
    if len(effects) != len(standard_errors):
        raise ToolError("There must be the same number of standard errors and effects.")
    values, variances = np.array(effects, dtype=float), np.square(np.array(standard_errors, dtype=float))
    plain = 1 / variances
    centre = (plain * values).sum() / plain.sum()
    q, free = float((plain * (values - centre) ** 2).sum()), len(values) - 1
    tau = max(0.0, (q - free) / float(plain.sum() - (plain**2).sum() / plain.sum()))
    weights = 1 / (variances + tau) if model == "random" else plain
    effect, error = number((weights * values).sum() / weights.sum()), number(1 / math.sqrt(weights.sum()))
    z = float(stats.norm.ppf((1 + confidence) / 2))
    result: Pooled = {
        "effect": effect,
        "interval": interval(effect - z * error, effect + z * error),
        "standard_error": error,
        "p_value": number(2 * stats.norm.sf(abs(effect / error))),
        "q": number(q),
        "q_p_value": number(stats.chi2.sf(q, free)),
        "i_squared_percent": 100 * max(0.0, (q - free) / q) if q else 0.0,
        "tau_squared": number(tau),
        "studies": [
            {
                "weight_percent": number(100 * weight / weights.sum()),
                "interval": interval(value - z * spread, value + z * spread),
            }
            for value, spread, weight in zip(values, standard_errors, weights, strict=True)
        ],
    }
    if model == "random" and free > 1:
        reach = float(stats.t.ppf((1 + confidence) / 2, free - 1)) * math.sqrt(tau + error**2)
        result["prediction_interval"] = interval(effect - reach, effect + reach)
    return result
