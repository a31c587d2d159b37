"""Tests of counts and contingency tables."""

import math
from typing import Annotated

import numpy as np
from scipy import stats
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._values import (
    SCIPY_NAMES,
    Alternative,
    Confidence,
    Interval,
    OpenInterval,
    PValue,
    compute,
    figure,
    interval,
    number,
    open_interval,
)

Frequency = Annotated[int, About("A count", 12, minimum=0, maximum=1_000_000_000)]
Row = Annotated[list[Frequency], About("Counts of a row", [762, 327, 468], min_items=2, max_items=50)]
Contingency = Annotated[
    list[Row], About("Contingency table of counts, row by row", [[762, 327], [484, 239]], min_items=2, max_items=50)
]
Pairwise = Annotated[list[Frequency], About("Two counts", [3, 1], min_items=2, max_items=2)]
Fourfold = Annotated[
    list[Pairwise], About("Table of two rows with two counts each", [[3, 1], [1, 3]], min_items=2, max_items=2)
]


def contingency(rows: list[list[int]]) -> np.ndarray:
    """Return a table without empty rows and columns. Raises `ToolError`."""
    if len({len(row) for row in rows}) > 1:
        raise ToolError("All rows of the table must have the same number of counts.")
    table = np.array(rows, dtype=float)
    if not (table.sum(axis=0) > 0).all() or not (table.sum(axis=1) > 0).all():
        raise ToolError("A row or column of the table contains only zeros. Omit it.")
    return table


class ChiSquare(TypedDict):
    """Chi-squared test of independence."""

    chi_square: Annotated[float, About("Pearson's chi-squared")]
    degrees_of_freedom: Annotated[int, About("Degrees of freedom")]
    p_value: PValue
    cramers_v: Annotated[float, About("Cramér's V: strength of association from 0 to 1, without continuity correction")]
    expected: Annotated[list[list[float]], About("Expected counts under independence")]
    residuals: Annotated[list[list[float]], About("Standardised residuals: above 2 in absolute value is notable")]
    reliable: Annotated[bool, About("Whether all expected counts are at least 5; otherwise use Fisher's test")]


@tool(
    tags="chi-square chi-squared independence contingency crosstab cramers v association categorical",
    use_when=(
        "Is party preference related to gender in the table 762, 327, 468 / 484, 239, 477?",
        "Are smoking and illness independent?",
        "Run a chi-square test on this crosstab",
        "Run a chi-square test on a contingency table",
    ),
    examples=(
        Example(
            {"table": [[762, 327, 468], [484, 239, 477]]},
            {"chi_square": 30.07, "degrees_of_freedom": 2, "p_value": 2.954e-07, "reliable": True},
            source="R, chisq.test: Agresti (2007), page 39",
            tolerance=2e-4,
        ),
        Example(
            {"table": [[10, 20], [20, 10]], "continuity_correction": False},
            {"chi_square": 20 / 3, "cramers_v": 1 / 3, "expected": [[15.0, 15.0], [15.0, 15.0]]},
            source="by hand: 4 * 25 / 15",
        ),
        Refusal({"table": [[0, 0], [1, 2]]}, "only zeros"),
    ),
    reply={
        "reliable": (
            "Chi-squared is {chi_square} with {degrees_of_freedom|degree of "
            "freedom|degrees of freedom}, and the p-value {p_value}."
        ),
        "": "Chi-squared is {chi_square} and the p-value {p_value}, but some counts are too small for this test.",
    },
    memory_mb=1024,
)
@compute()
def stats_test_chi_square(
    table: Contingency,
    continuity_correction: Annotated[bool, About("Whether to apply Yates' correction to a two-by-two table")] = True,
) -> ChiSquare:
    """Test whether the rows and columns of a table of counts are independent (Pearson's chi-squared).

    Use it for two categorical variables. Returns the p-value, Cramér's V, expected counts and residuals.
    """
    counts = contingency(table)
    outcome = stats.chi2_contingency(counts, correction=continuity_correction)
    plain = stats.chi2_contingency(counts, correction=False)
    total = counts.sum()
    shares = np.outer(1 - counts.sum(axis=1) / total, 1 - counts.sum(axis=0) / total)
    residuals = (counts - outcome.expected_freq) / np.sqrt(outcome.expected_freq * shares)
    return {
        "chi_square": number(outcome.statistic),
        "degrees_of_freedom": int(outcome.dof),
        "p_value": number(outcome.pvalue),
        "cramers_v": number(math.sqrt(plain.statistic / (total * (min(counts.shape) - 1)))),
        "expected": outcome.expected_freq.tolist(),
        "residuals": residuals.tolist(),
        "reliable": bool(outcome.expected_freq.min() >= 5),
    }


class GoodnessOfFit(TypedDict):
    """Observed against expected counts."""

    chi_square: Annotated[float, About("Pearson's chi-squared")]
    degrees_of_freedom: Annotated[int, About("Categories minus 1")]
    p_value: PValue
    expected: Annotated[list[float], About("Expected counts")]


@tool(
    tags="chi-square goodness of fit observed expected dice fair uniform mendel frequencies",
    use_when=(
        "Is this die fair: 44, 26, 12, 10, 8 and 20 throws?",
        "Do 315, 101, 108 and 32 peas follow Mendel's 9:3:3:1?",
        "Are our visitors spread evenly over the weekdays?",
    ),
    examples=(
        Example(
            {"observed": [315, 101, 108, 32], "expected_shares": [9, 3, 3, 1]},
            {"chi_square": 0.470024, "degrees_of_freedom": 3, "p_value": 0.9254},
            source="Mendel's peas, as in textbooks: chi-squared 0.470, p = 0.925",
            tolerance=1e-4,
        ),
        Example(
            {"observed": [44, 56]},
            {"chi_square": 1.44, "expected": [50.0, 50.0], "p_value": 0.2301},
            source="Wikipedia, Pearson's chi-squared test: 44 men and 56 women",
            tolerance=1e-3,
        ),
        Refusal({"observed": [1, 2], "expected_shares": [1, 2, 3]}, "the same number"),
    ),
    reply="Chi-squared is {chi_square} with a p-value of {p_value}; expected are {expected}.",
    memory_mb=1024,
)
@compute()
def stats_test_goodness_of_fit(
    observed: Annotated[
        list[Frequency], About("Counts of each category", [44, 26, 12, 10], min_items=2, max_items=1000)
    ],
    expected_shares: Annotated[
        list[Annotated[float, About("A share", 9, exclusive_minimum=0, maximum=1e9)]] | None,
        About("Expected counts, shares or ratios; default: all equal", [9, 3, 3, 1], min_items=2, max_items=1000),
    ] = None,
) -> GoodnessOfFit:
    """Test whether counts in categories follow expected shares or ratios (chi-squared goodness of fit).

    Use it for dice, genetics and uniform distributions. Returns chi-squared, p-value and the expected counts.
    """
    shares = expected_shares or [1.0] * len(observed)
    if len(shares) != len(observed):
        raise ToolError(
            f"There must be the same number of expected shares and counts: {len(observed)}, not {len(shares)}."
        )
    total = sum(observed)
    if not total:
        raise ToolError("All counts are zero.")
    expected = [total * share / math.fsum(shares) for share in shares]
    statistic = math.fsum((seen - count) ** 2 / count for seen, count in zip(observed, expected, strict=True))
    return {
        "chi_square": number(statistic),
        "degrees_of_freedom": len(observed) - 1,
        "p_value": number(stats.chi2.sf(statistic, len(observed) - 1)),
        "expected": expected,
    }


class Fisher(TypedDict):
    """Fisher's exact test."""

    p_value: PValue
    odds_ratio: Annotated[float | None, About("Conditional maximum likelihood estimate; null if infinite")]
    interval: Annotated[OpenInterval, About("Exact confidence interval of the odds ratio; null if unbounded")]


@tool(
    tags="fisher exact test 2x2 contingency small counts odds ratio",
    use_when=(
        "Can the lady taste whether milk came first: 3, 1 / 1, 3?",
        "Test a 2x2 table with small counts",
        "Is the cure rate 7 of 8 better than 2 of 9?",
    ),
    examples=(
        Example(
            {"table": [[3, 1], [1, 3]], "alternative": "greater"},
            {"p_value": 0.24285714, "odds_ratio": 6.408309, "interval": [0.3135693, None]},
            source="R, fisher.test: Agresti (1990), Fisher's tea drinker",
            tolerance=1e-4,
        ),
        Example(
            {"table": [[2, 10], [15, 3]]},
            {"p_value": 0.0005367, "odds_ratio": 0.04693661},
            source="R, fisher.test: Fisher (1962), convictions of twins",
            tolerance=1e-3,
        ),
        Refusal({"table": [[0, 0], [1, 1]]}, "only zeros"),
    ),
    reply={
        "odds_ratio": "The p-value is {p_value}, and the odds ratio {odds_ratio}.",
        "": "The p-value is {p_value}.",
    },
    memory_mb=1024,
)
@compute()
def stats_test_fisher_exact(
    table: Fourfold, alternative: Alternative = "two_sided", confidence: Confidence = 0.95
) -> Fisher:
    """Test a table of two by two counts exactly (Fisher), with the conditional odds ratio and its interval.

    Use it instead of chi-squared for small counts.
    """
    counts = contingency(table).astype(int)
    if counts.sum() > 100_000:
        raise ToolError("With more than 100,000 observations use the chi-squared test.")
    name = SCIPY_NAMES[alternative]
    ratio = stats.contingency.odds_ratio(counts, kind="conditional")
    bounds = ratio.confidence_interval(confidence, alternative=name)
    return {
        "p_value": number(stats.fisher_exact(counts, alternative=name).pvalue),
        "odds_ratio": figure(ratio.statistic),
        "interval": open_interval(bounds.low, bounds.high),
    }


class McNemar(TypedDict):
    """McNemar's test."""

    statistic: Annotated[float, About("Chi-squared with continuity correction, or the smaller discordant count")]
    p_value: PValue
    gained: Annotated[int, About("Number that changed from no to yes")]
    lost: Annotated[int, About("Number that changed from yes to no")]
    method: Annotated[str, About("exact below 26 changed pairs, otherwise chi_square")]


@tool(
    tags="mcnemar paired proportions yes no before after change marginal homogeneity",
    use_when=(
        "Did approval change in the same voters between two surveys: 794, 150 / 86, 570?",
        "The same patients before and after: did more test positive?",
        "Compare two classifiers on the same cases",
    ),
    examples=(
        Example(
            {"table": [[794, 150], [86, 570]]},
            {"statistic": 16.82, "p_value": 4.115e-05, "gained": 86, "lost": 150, "method": "chi_square"},
            source="by hand: (|150 - 86| - 1)^2 / 236",
            tolerance=1e-3,
        ),
        Example(
            {"table": [[10, 1], [5, 10]]},
            {"statistic": 1.0, "p_value": 14 / 64, "method": "exact"},
            source="by hand: 2 * (1 + 6) / 2^6",
        ),
        Refusal({"table": [[5, 0], [0, 5]]}, "No pair changed"),
    ),
    reply="The p-value is {p_value}: {gained} changed from no to yes, and {lost} from yes to no.",
    memory_mb=1024,
)
@compute()
def stats_test_mcnemar(
    table: Annotated[
        list[Pairwise],
        About(
            "Pairs: first row yes before (yes after, no after), second row no before (yes after, no after)",
            [[794, 150], [86, 570]],
            min_items=2,
            max_items=2,
        ),
    ],
) -> McNemar:
    """Test whether the share of yes changed between two paired yes/no measurements (McNemar).

    Use it for the same subjects asked twice, or two tests on the same cases. The test is exact if few pairs changed.
    """  # fmt: skip
    lost, gained = table[0][1], table[1][0]
    changed = lost + gained
    if not changed:
        raise ToolError("No pair changed, so there is nothing to test.")
    if changed < 26:
        p_value = stats.binomtest(min(lost, gained), changed).pvalue
        return {"statistic": float(min(lost, gained)), "p_value": number(p_value), "gained": gained, "lost": lost,
                "method": "exact"}  # fmt: skip
    statistic = max(0, abs(lost - gained) - 1) ** 2 / changed
    return {"statistic": statistic, "p_value": number(stats.chi2.sf(statistic, 1)), "gained": gained, "lost": lost,
            "method": "chi_square"}  # fmt: skip


class Binomial(TypedDict):
    """Exact binomial test."""

    proportion: Annotated[float, About("Observed share of successes")]
    p_value: PValue
    interval: Annotated[Interval, About("Exact confidence interval of the proportion (Clopper-Pearson)")]


@tool(
    tags="binomial exact test proportion coin fair success rate",
    use_when=(
        "Is a coin with 60 heads in 100 throws fair?",
        "Are 682 of 925 plants compatible with three quarters?",
        "Is our success rate above 50 %?",
    ),
    examples=(
        Example(
            {"successes": 682, "trials": 925, "expected": 0.75},
            {"p_value": 0.3825, "interval": [0.7076683, 0.7654066], "proportion": 0.7372973},
            source="R, binom.test: Conover (1971), page 97",
            tolerance=2e-4,
        ),
        Example(
            {"successes": 9, "trials": 10, "expected": 0.5, "alternative": "greater"},
            {"p_value": 11 / 1024},
            source="by hand: (10 + 1) / 2^10",
        ),
        Refusal({"successes": 5, "trials": 4, "expected": 0.5}, "more successes"),
    ),
    reply=(
        "The p-value is {p_value}; the observed share is {proportion}, with a confidence "
        "interval from {interval.0} to {interval.1}."
    ),
    memory_mb=1024,
)
@compute()
def stats_test_binomial(
    successes: Frequency,
    trials: Annotated[int, About("Number of trials", 925, minimum=1, maximum=1_000_000_000)],
    expected: Annotated[float, About("Expected proportion", minimum=0, maximum=1)] = 0.5,
    alternative: Alternative = "two_sided",
    confidence: Confidence = 0.95,
) -> Binomial:
    """Test exactly whether a share of successes differs from an expected proportion.

    Use it for coins, quotas and success rates. Returns the p-value and the exact interval of the proportion.
    """
    if successes > trials:
        raise ToolError("There are more successes than trials.")
    outcome = stats.binomtest(successes, trials, expected, alternative=SCIPY_NAMES[alternative])
    bounds = outcome.proportion_ci(confidence)
    return {
        "proportion": successes / trials,
        "p_value": number(outcome.pvalue),
        "interval": interval(bounds.low, bounds.high),
    }
