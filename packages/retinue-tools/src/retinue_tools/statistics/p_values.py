"""Many p-values at once."""

import math
from typing import Annotated, Literal

from scipy import stats
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.statistics._values import compute, number

PValues = Annotated[
    list[Annotated[float, About("A p-value", 0.03, minimum=0, maximum=1)]],
    About("p-values of the tests", [0.01, 0.04, 0.03, 0.005], min_items=1, max_items=10_000),
]


class Adjusted(TypedDict):
    """p-values corrected for their number."""

    adjusted: Annotated[list[float], About("Adjusted p-values in the given order")]
    significant: Annotated[list[bool], About("Which of them are at most alpha")]
    significant_count: Annotated[int, About("How many are significant")]


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
    memory_mb=1024,
)
def stats_adjust_p_values(
    p_values: PValues,
    method: Annotated[
        Literal["bonferroni", "holm", "hochberg", "benjamini_hochberg", "benjamini_yekutieli"],
        About("The first three bound the chance of any false finding, the last two the share of false findings"),
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
    """One p-value of several independent tests."""

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

    Use it when only p-values of several studies are known; with effects and errors use a meta-analysis.
    """
    bounded = [min(max(value, 1e-300), 1 - 1e-16) for value in p_values]
    outcome = stats.combine_pvalues(bounded, method=method)
    return {"p_value": number(outcome.pvalue), "statistic": number(outcome.statistic)}
