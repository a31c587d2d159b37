"""Comparison of several means, and of their variances."""

from itertools import chain, combinations
from typing import Annotated, Literal

import numpy as np
from scipy import stats
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._classics import INSECT_SPRAYS, PLANT_GROWTH
from retinue_tools.statistics._values import (
    Confidence,
    Groups,
    Interval,
    PValue,
    check_total,
    check_varied,
    compute,
    interval,
    number,
)


class Anova(TypedDict):
    """One-way analysis of variance."""

    f: Annotated[float, About("F statistic")]
    degrees_between: Annotated[float, About("Degrees of freedom between groups")]
    degrees_within: Annotated[float, About("Degrees of freedom within groups")]
    p_value: PValue
    eta_squared: Annotated[float, About("Eta squared: share of the variance that the groups explain")]
    omega_squared: Annotated[float, About("Omega squared, with less bias in small samples")]
    means: Annotated[list[float], About("Mean of each group")]


@tool(
    tags="anova one-way analysis of variance groups means f-test welch",
    use_when=(
        "Do the mean yields of three fertilisers differ?",
        "Run a one-way ANOVA on 4.2, 5.6, 5.2 and 4.8, 4.2, 4.4 and 6.3, 5.1, 5.5",
        "Compare the average scores of four classes",
    ),
    examples=(
        Example(
            {"groups": PLANT_GROWTH},
            {"f": 4.846, "p_value": 0.01591, "degrees_between": 2.0, "degrees_within": 27.0,
             "means": [5.032, 4.661, 5.526]},
            source="R, anova(lm(weight ~ group, PlantGrowth))",
            tolerance=2e-4,
        ),
        Example(
            {"groups": PLANT_GROWTH, "variances": "unequal"},
            {"f": 5.181, "degrees_within": 17.128, "p_value": 0.01739},
            source="R, oneway.test(weight ~ group, PlantGrowth)",
            tolerance=2e-4,
        ),
        Refusal({"groups": [[1, 1], [2, 2]]}, "vary within"),
    ),
    reply="F is {f} with a p-value of {p_value}; the group means are {means}.",
    memory_mb=1024,
)  # fmt: skip
@compute()
def stats_test_anova(
    groups: Groups,
    variances: Annotated[
        Literal["equal", "unequal"], About("Classical ANOVA for equal variances, or Welch's for unequal ones")
    ] = "equal",
) -> Anova:
    """Test whether the means of several independent groups differ (one-way ANOVA, classical or Welch's).

    Use it for three or more groups. Returns F, p-value, effect sizes and the means; use stats_compare_pairs_tukey to
    compare pairs.
    """
    check_total(groups)
    if any(min(group) == max(group) for group in groups) and (
        variances == "unequal" or all(min(group) == max(group) for group in groups)
    ):
        raise ToolError("The values must vary within the groups.")
    sizes = np.array([len(group) for group in groups])
    means = np.array([np.mean(group) for group in groups])
    within = float(sum(np.var(group) * len(group) for group in groups))
    between = float((sizes * (means - np.mean(list(chain.from_iterable(groups)))) ** 2).sum())
    free = len(groups) - 1, int(sizes.sum()) - len(groups)
    mean_square = within / free[1]
    statistic, last = (between / free[0] / mean_square, free[1]) if variances == "equal" else _welch(groups)
    return {
        "f": number(statistic),
        "degrees_between": float(free[0]),
        "degrees_within": number(last),
        "p_value": number(stats.f.sf(statistic, free[0], last)),
        "eta_squared": number(between / (between + within)),
        "omega_squared": max(0.0, number((between - free[0] * mean_square) / (between + within + mean_square))),
        "means": [number(mean) for mean in means],
    }


def _welch(groups: list[list[float]]) -> tuple[float, float]:
    """Return the statistic and the second degrees of freedom of Welch (1951)."""
    sizes = np.array([len(group) for group in groups])
    weights = sizes / np.array([np.var(group, ddof=1) for group in groups])
    means = np.array([np.mean(group) for group in groups])
    count = len(groups)
    centre = (weights * means).sum() / weights.sum()
    spread = ((1 - weights / weights.sum()) ** 2 / (sizes - 1)).sum() / (count**2 - 1)
    top = (weights * (means - centre) ** 2).sum() / (count - 1)
    return float(top / (1 + 2 * (count - 2) * spread)), float(1 / (3 * spread))


class Pair(TypedDict):
    """Comparison of two groups."""

    first: Annotated[int, About("Number of the first group, from 1")]
    second: Annotated[int, About("Number of the second group")]
    difference: Annotated[float, About("Mean of the second minus mean of the first")]
    interval: Annotated[Interval, About("Simultaneous confidence interval of the difference")]
    p_value: Annotated[float, About("p-value adjusted for all comparisons")]
    significant: Annotated[bool, About("Whether the pair differs at the confidence level")]


class Pairs(TypedDict):
    """All pairs of groups."""

    pairs: Annotated[list[Pair], About("Every pair once")]


@tool(
    tags="tukey hsd post-hoc pairwise comparison anova multiple groups",
    use_when=(
        "Which of the three treatments differ from each other after the ANOVA?",
        "Run Tukey's HSD on these groups",
        "Compare every pair of classes with an adjusted p-value",
    ),
    examples=(
        Example(
            {"groups": PLANT_GROWTH},
            {"pairs": [
                {"difference": -0.371, "p_value": 0.3908711, "interval": [-1.0622161, 0.3202161]},
                {"difference": 0.494, "p_value": 0.1979960, "significant": False},
                {"difference": 0.865, "p_value": 0.0120064, "significant": True},
            ]},
            source="R, TukeyHSD(aov(weight ~ group, PlantGrowth))",
            tolerance=1e-3,
        ),
        Example(
            {"groups": [[1, 2, 3], [11, 12, 13]], "confidence": 0.99},
            {"pairs": [{"first": 1, "second": 2, "difference": 10.0, "significant": True}]},
            source="by hand",
        ),
        Refusal({"groups": [[1, 2, 3]]}, "at least 2"),
    ),
    reply="The pairs of groups: {pairs}",
    memory_mb=1024,
)  # fmt: skip
@compute()
def stats_compare_pairs_tukey(
    groups: Annotated[
        Groups, About("Two to 20 samples, one list of values each", [[4.2, 5.6], [4.8, 4.2]], min_items=2, max_items=20)
    ],
    confidence: Confidence = 0.95,
) -> Pairs:
    """Compare all pairs of group means with Tukey's honestly significant difference (Tukey-Kramer).

    Use it after an ANOVA to see which groups differ. Returns difference, interval and adjusted p-value of each pair.
    """
    check_total(groups)
    if all(min(group) == max(group) for group in groups):
        raise ToolError("The values must vary within the groups.")
    outcome = stats.tukey_hsd(*groups)
    bounds = outcome.confidence_interval(confidence)
    return {
        "pairs": [
            {
                "first": low + 1,
                "second": high + 1,
                "difference": number(outcome.statistic[high, low]),
                "interval": interval(bounds.low[high, low], bounds.high[high, low]),
                "p_value": number(outcome.pvalue[high, low]),
                "significant": bool(outcome.pvalue[high, low] < 1 - confidence),
            }
            for low, high in combinations(range(len(groups)), 2)
        ]
    }


class Variances(TypedDict):
    """A test of equal variances."""

    statistic: Annotated[float, About("F of Levene's and the F-test, chi-squared K of Bartlett's test")]
    p_value: PValue
    variances: Annotated[list[float], About("Sample variance of each group")]
    ratio: Annotated[float, About("Ratio of the largest to the smallest variance")]


@tool(
    tags="levene bartlett brown-forsythe f-test equal variances homoscedasticity homogeneity",
    use_when=(
        "Do these groups have equal variances?",
        "Check homogeneity of variance before my ANOVA",
        "Is machine A more variable than machine B?",
    ),
    examples=(
        Example(
            {"groups": INSECT_SPRAYS, "method": "bartlett"},
            {"statistic": 25.96, "p_value": 9.085e-05},
            source="R, bartlett.test(InsectSprays$count, InsectSprays$spray)",
            tolerance=1e-3,
        ),
        Example(
            {"groups": INSECT_SPRAYS},
            {"statistic": 3.8214, "p_value": 0.004223},
            source="R, car::leveneTest(count ~ spray, InsectSprays), around the median",
            tolerance=1e-3,
        ),
        Example(
            {"groups": [[1, 3, 5], [2, 3, 4]], "method": "f_test"},
            {"statistic": 4.0, "p_value": 0.4, "ratio": 4.0},
            source="by hand: F of 2 and 2 degrees of freedom, 2 / (1 + 4)",
        ),
        Refusal({"groups": [[1, 2], [1, 2], [1, 3]], "method": "f_test"}, "two groups"),
    ),
    reply="The p-value is {p_value}; the largest variance is {ratio} times the smallest.",
    memory_mb=1024,
)
@compute()
def stats_test_equal_variances(
    groups: Groups,
    method: Annotated[
        Literal["levene", "bartlett", "f_test"],
        About("Levene's around the median (Brown-Forsythe), Bartlett's for normal data, F for two normal groups"),
    ] = "levene",
) -> Variances:
    """Test whether several groups have the same variance, by Levene's, Bartlett's or the F-test.

    Use it to compare variability or to check an assumption of ANOVA. Returns statistic, p-value and the variances.
    """
    check_total(groups)
    for group in groups:
        check_varied(group, "group")
    variances = [number(np.var(group, ddof=1)) for group in groups]
    if method == "f_test":
        statistic, p_value = _f_test(groups, variances)
    else:
        samples = [np.array(group, dtype=float) for group in groups]
        outcome = stats.levene(*samples, center="median") if method == "levene" else stats.bartlett(*samples)
        statistic, p_value = number(outcome.statistic), number(outcome.pvalue)
    return {
        "statistic": statistic,
        "p_value": p_value,
        "variances": variances,
        "ratio": number(max(variances) / min(variances)),
    }


def _f_test(groups: list[list[float]], variances: list[float]) -> tuple[float, float]:
    if len(groups) != 2:
        raise ToolError("The F-test compares two groups. Choose levene or bartlett for more.")
    ratio = variances[0] / variances[1]
    free = len(groups[0]) - 1, len(groups[1]) - 1
    tail = min(stats.f.sf(ratio, *free), stats.f.cdf(ratio, *free))
    return number(ratio), min(1.0, number(2 * tail))
