"""Rank tests, which assume no distribution."""

from itertools import chain
from typing import Annotated, NotRequired

import numpy as np
from scipy import stats
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._values import (
    SCIPY_NAMES,
    Alternative,
    Groups,
    OtherSample,
    PValue,
    Sample,
    check_same_length,
    check_total,
    check_varied,
    compute,
    number,
)

_DEPRESSION_1 = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
_DEPRESSION_2 = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
_PERMEABILITY_1 = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
_PERMEABILITY_2 = [1.15, 0.88, 0.90, 0.74, 1.21]
_DUST = [[2.9, 3.0, 2.5, 2.6, 3.2], [3.8, 2.7, 4.0, 2.4], [2.8, 3.4, 3.7, 2.2, 2.0]]
_ROUNDING = [
    [5.40, 5.85, 5.20, 5.55, 5.90, 5.45, 5.40, 5.45, 5.25, 5.85, 5.25,
     5.65, 5.60, 5.05, 5.50, 5.45, 5.55, 5.45, 5.50, 5.65, 5.70, 6.30],
    [5.50, 5.70, 5.60, 5.50, 5.85, 5.55, 5.40, 5.50, 5.15, 5.80, 5.20,
     5.55, 5.35, 5.00, 5.50, 5.55, 5.55, 5.50, 5.45, 5.60, 5.65, 6.30],
    [5.55, 5.75, 5.50, 5.40, 5.70, 5.60, 5.35, 5.35, 5.00, 5.70, 5.10,
     5.45, 5.45, 4.95, 5.40, 5.50, 5.35, 5.55, 5.25, 5.40, 5.55, 6.25],
]  # fmt: skip


class MannWhitney(TypedDict):
    """Mann-Whitney U test."""

    u: Annotated[float, About("U of the first sample: number of pairs it wins, counting ties half (W in R)")]
    p_value: PValue
    probability_of_superiority: Annotated[
        float,
        About("Probability that a value of the first sample is larger than one of the second, counting ties half"),
    ]
    rank_biserial: Annotated[float, About("Effect size from -1 to 1")]
    shift: NotRequired[
        Annotated[float, About("Median of all differences first minus second (Hodges-Lehmann), for small samples")]
    ]


@tool(
    tags="mann-whitney wilcoxon rank-sum u-test nonparametric two groups independent median",
    use_when=(
        "Compare the satisfaction ratings of two groups without assuming normality",
        "Is 0.80, 0.83, 1.89 larger than 1.15, 0.88, 0.90? Use ranks",
        "Run a Mann-Whitney U test on these two samples",
    ),
    examples=(
        Example(
            {"first": _PERMEABILITY_1, "second": _PERMEABILITY_2, "alternative": "greater"},
            {"u": 35.0, "p_value": 0.1272, "probability_of_superiority": 0.7, "rank_biserial": 0.4},
            source="R, wilcox.test: Hollander & Wolfe (1973), 69f, permeability constants",
            tolerance=4e-4,
        ),
        Example(
            {"first": [4, 5, 6], "second": [1, 2, 3]},
            {"u": 9.0, "p_value": 0.1, "shift": 3.0},
            source="by hand: 2 of 20 orders are this extreme",
        ),
        Refusal({"first": [1, 1], "second": [1, 1]}, "are equal, so there is no variation to test"),
    ),
    reply=(
        "U is {u} with a p-value of {p_value}; a value of the first sample is larger with a "
        "probability of {probability_of_superiority}."
    ),
    memory_mb=1024,
)
@compute()
def stats_test_mann_whitney(first: Sample, second: OtherSample, alternative: Alternative = "two_sided") -> MannWhitney:
    """Test by ranks whether the values of one independent sample tend to be larger (Mann-Whitney, Wilcoxon rank sum).

    Use it for ordinal or skewed data of two groups. The test is exact for samples of up to 8 values, or of at most 50
    without ties.
    """
    check_varied([*first, *second], "samples")
    small = len(first) <= 50 and len(second) <= 50 and len({*first, *second}) == len(first) + len(second)
    outcome = stats.mannwhitneyu(
        first, second, alternative=SCIPY_NAMES[alternative], method="exact" if small else "asymptotic"
    )
    share = number(outcome.statistic) / (len(first) * len(second))
    result: MannWhitney = {
        "u": number(outcome.statistic),
        "p_value": number(outcome.pvalue),
        "probability_of_superiority": share,
        "rank_biserial": 2 * share - 1,
    }
    if len(first) * len(second) <= 1_000_000:
        result["shift"] = number(np.median(np.subtract.outer(first, second)))
    return result


class SignedRank(TypedDict):
    """Wilcoxon signed-rank test."""

    v: Annotated[float, About("Sum of the ranks of the positive differences (V in R)")]
    p_value: PValue
    pairs: Annotated[int, About("Number of pairs that differ; pairs without a difference are ignored")]
    rank_biserial: Annotated[float, About("Effect size from -1 to 1")]
    median_difference: Annotated[float, About("Median of first minus second")]


@tool(
    tags="wilcoxon signed-rank paired before after nonparametric median ordinal",
    use_when=(
        "Did the depression scores fall after therapy? The pairs are not normal",
        "Compare paired ratings by ranks",
        "Run a Wilcoxon signed-rank test on before and after",
    ),
    examples=(
        Example(
            {"first": _DEPRESSION_1, "second": _DEPRESSION_2, "alternative": "greater"},
            {"v": 40.0, "p_value": 0.01953125, "pairs": 9, "rank_biserial": 35 / 45},
            source="R, wilcox.test: Hollander & Wolfe (1973), 29f, Hamilton depression scale",
        ),
        Example(
            {"first": [2, 4, 6], "second": [1, 2, 3]},
            {"v": 6.0, "p_value": 0.25, "median_difference": 2.0},
            source="by hand: 2 of 8 patterns of signs are this extreme",
        ),
        Refusal({"first": [1, 2], "second": [1, 2]}, "No pair differs"),
    ),
    reply="The p-value is {p_value}, and the median difference {median_difference}.",
    memory_mb=1024,
)
@compute()
def stats_test_wilcoxon_paired(
    first: Sample, second: OtherSample, alternative: Alternative = "two_sided"
) -> SignedRank:
    """Test by ranks whether paired measurements differ (Wilcoxon signed-rank test).

    Use it for before and after if differences are ordinal or skewed. The test is exact without ties for at most 50
    pairs.
    """
    check_same_length(first, second)
    differences = np.subtract(first, second)
    nonzero = differences[differences != 0]
    if not len(nonzero):
        raise ToolError("No pair differs, so there is nothing to test.")
    exact = len(nonzero) <= 50 and len(np.unique(np.abs(nonzero))) == len(nonzero)
    outcome = stats.wilcoxon(nonzero, alternative=SCIPY_NAMES[alternative], method="exact" if exact else "approx")
    ranks = stats.rankdata(np.abs(nonzero))
    positive = number(ranks[nonzero > 0].sum())
    total = number(ranks.sum())
    return {
        "v": positive,
        "p_value": number(outcome.pvalue),
        "pairs": len(nonzero),
        "rank_biserial": 2 * positive / total - 1,
        "median_difference": number(np.median(differences)),
    }


class Kruskal(TypedDict):
    """Kruskal-Wallis test."""

    h: Annotated[float, About("H statistic, corrected for ties (chi-squared in R)")]
    degrees_of_freedom: Annotated[int, About("Groups minus 1")]
    p_value: PValue
    epsilon_squared: Annotated[float, About("Effect size from 0 to 1")]
    mean_ranks: Annotated[list[float], About("Mean rank of each group")]


@tool(
    tags="kruskal-wallis nonparametric anova several groups ranks median",
    use_when=(
        "Do these three clinics differ in waiting times? The data are skewed",
        "Compare ratings of four products without assuming normality",
        "Run a Kruskal-Wallis test",
    ),
    examples=(
        Example(
            {"groups": _DUST},
            {"h": 0.77143, "degrees_of_freedom": 2, "p_value": 0.68},
            source="R, kruskal.test: Hollander & Wolfe (1973), 116, mucociliary efficiency",
            tolerance=1e-4,
        ),
        Example(
            {"groups": [[1, 2], [3, 4]]},
            {"h": 2.4, "mean_ranks": [1.5, 3.5], "epsilon_squared": 0.8},
            source="by hand: 12 / 20 * (9 + 49) / 2 - 15",
        ),
        Refusal({"groups": [[1, 1], [1, 1]]}, "are equal, so there is no variation to test"),
    ),
    reply="H is {h} with a p-value of {p_value}.",
    memory_mb=1024,
)
@compute()
def stats_test_kruskal_wallis(groups: Groups) -> Kruskal:
    """Test by ranks whether several independent groups differ (Kruskal-Wallis).

    Use it instead of one-way ANOVA for ordinal or skewed data. Returns H, p-value, effect size and mean ranks.
    """
    check_total(groups)
    values = list(chain.from_iterable(groups))
    check_varied(values, "groups")
    outcome = stats.kruskal(*groups)
    ranks = np.split(stats.rankdata(values), np.cumsum([len(group) for group in groups])[:-1])
    return {
        "h": number(outcome.statistic),
        "degrees_of_freedom": len(groups) - 1,
        "p_value": number(outcome.pvalue),
        "epsilon_squared": number(outcome.statistic) / (len(values) - 1),
        "mean_ranks": [number(part.mean()) for part in ranks],
    }


class Friedman(TypedDict):
    """Friedman test."""

    chi_square: Annotated[float, About("Friedman's chi-squared, corrected for ties")]
    degrees_of_freedom: Annotated[int, About("Conditions minus 1")]
    p_value: PValue
    kendall_w: Annotated[float, About("Agreement of the subjects from 0 to 1 (Kendall's W)")]


@tool(
    tags="friedman repeated measures nonparametric ranks conditions blocks kendall w concordance",
    use_when=(
        "The same people rated three wines: do the ratings differ?",
        "Compare three methods measured on the same subjects, by ranks",
        "Do these judges agree in their rankings?",
    ),
    examples=(
        Example(
            {"conditions": _ROUNDING},
            {"chi_square": 11.143, "degrees_of_freedom": 2, "p_value": 0.003805},
            source="R, friedman.test: Hollander & Wolfe (1973), 140ff, methods of rounding first base",
            tolerance=1e-4,
        ),
        Example(
            {"conditions": [[1, 1, 1], [2, 2, 2], [3, 3, 3]]},
            {"kendall_w": 1.0, "chi_square": 6.0},
            source="by hand: three subjects agree wholly",
        ),
        Refusal({"conditions": [[1, 2], [3, 4]]}, "at least 3"),
    ),
    reply="Friedman's chi-squared is {chi_square} with a p-value of {p_value}.",
    memory_mb=1024,
)
@compute()
def stats_test_friedman(
    conditions: Annotated[
        list[Sample],
        About(
            "One list for each condition, with a value of each subject in the same order",
            [[7, 6, 8], [5, 6, 6], [8, 9, 9]],
            min_items=3,
            max_items=50,
        ),
    ],
) -> Friedman:
    """Test by ranks whether the same subjects respond differently under three or more conditions (Friedman).

    Use it instead of repeated-measures ANOVA for ordinal or skewed data. Returns chi-squared, p-value and Kendall's W.
    """  # fmt: skip
    check_total(conditions)
    for condition in conditions[1:]:
        check_same_length(conditions[0], condition)
    outcome = stats.friedmanchisquare(*conditions)
    statistic = number(outcome.statistic)
    return {
        "chi_square": statistic,
        "degrees_of_freedom": len(conditions) - 1,
        "p_value": number(outcome.pvalue),
        "kendall_w": statistic / (len(conditions[0]) * (len(conditions) - 1)),
    }
