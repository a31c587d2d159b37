"""Risks of two groups compared."""

import math
from typing import Annotated, Literal

from scipy import stats
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._values import Confidence, Interval, compute, interval
from retinue_tools.statistics.counts import Pairwise, contingency


class Risks(TypedDict):
    """Two risks compared, with confidence intervals."""

    risk_exposed: Annotated[float, About("Share of events in the first row")]
    risk_unexposed: Annotated[float, About("Share of events in the second row")]
    risk_difference: Annotated[float, About("First minus second risk")]
    risk_difference_interval: Annotated[Interval, About("Its Wald interval")]
    risk_ratio: Annotated[float, About("First over second risk")]
    risk_ratio_interval: Annotated[Interval, About("Its interval by the logarithm")]
    odds_ratio: Annotated[float, About("Odds ratio")]
    odds_ratio_interval: Annotated[Interval, About("Its interval by the logarithm (Woolf)")]
    number_needed: Annotated[
        float | None, About("How many to treat for one more event, or one fewer: 1 / |risk difference|")
    ]
    corrected: Annotated[bool, About("Whether 0.5 was added to each count because one is zero")]


@tool(
    tags="odds ratio risk ratio relative risk difference nnt number needed to treat epidemiology cohort",
    use_when=(
        "What are the odds ratio and relative risk of 15 of 150 against 100 of 250?",
        "How many patients must be treated to prevent one event?",
        "How much higher is the risk in the exposed group, with a confidence interval?",
    ),
    examples=(
        Example(
            {"table": [[15, 135], [100, 150]]},
            {"risk_exposed": 0.1, "risk_unexposed": 0.4, "risk_ratio": 0.25, "risk_difference": -0.3,
             "number_needed": 10 / 3, "odds_ratio": 1 / 6, "corrected": False},
            source="Wikipedia, Relative risk reduction: numerical example",
        ),
        Example(
            {"table": [[0, 10], [5, 5]], "confidence": 0.9},
            {"corrected": True, "risk_ratio": 0.5 / 5.5, "odds_ratio": 0.5 * 5.5 / (10.5 * 5.5)},
            source="by hand, with 0.5 added to each count",
        ),
        Refusal({"table": [[0, 0], [1, 2]]}, "only zeros"),
    ),
    memory_mb=1024,
)  # fmt: skip
@compute()
def stats_compare_risks(
    table: Annotated[
        list[Pairwise],
        About(
            "First row exposed (events, no events), second row not exposed (events, no events)",
            [[15, 135], [100, 150]],
            min_items=2,
            max_items=2,
        ),
    ],
    confidence: Confidence = 0.95,
    measure_zero: Annotated[
        Literal["add_half", "refuse"], About("What to do with a zero count: add 0.5 to all four, or refuse")
    ] = "add_half",
) -> Risks:
    """Compare the risks of two groups: risk ratio, odds ratio, risk difference and number needed to treat.

    Use it for cohort studies, trials and conversion tables of two by two counts. Every measure has an interval.
    """  # fmt: skip
    counts = contingency(table)
    corrected = bool((counts == 0).any())
    if corrected and measure_zero == "refuse":
        raise ToolError("A count is zero, so the ratios are not defined. Let 0.5 be added, or merge categories.")
    (a, b), (c, d) = (counts + 0.5 if corrected else counts).tolist()
    z = float(stats.norm.ppf((1 + confidence) / 2))
    first, second = a / (a + b), c / (c + d)
    error = math.sqrt(first * (1 - first) / (a + b) + second * (1 - second) / (c + d))
    ratio_error = math.sqrt(1 / a - 1 / (a + b) + 1 / c - 1 / (c + d))
    odds_error = math.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
    ratio, odds, difference = first / second, a * d / (b * c), first - second
    return {
        "risk_exposed": first,
        "risk_unexposed": second,
        "risk_difference": difference,
        "risk_difference_interval": interval(difference - z * error, difference + z * error),
        "risk_ratio": ratio,
        "risk_ratio_interval": interval(ratio * math.exp(-z * ratio_error), ratio * math.exp(z * ratio_error)),
        "odds_ratio": odds,
        "odds_ratio_interval": interval(odds * math.exp(-z * odds_error), odds * math.exp(z * odds_error)),
        "number_needed": 1 / abs(difference) if difference else None,
        "corrected": corrected,
    }
