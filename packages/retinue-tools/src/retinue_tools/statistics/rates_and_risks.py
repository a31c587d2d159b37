"""Comparison of rates and risks of two groups, such as in A/B tests."""

import math
from typing import Annotated, Literal

import numpy as np
from scipy import special, stats
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._values import Alternative, Confidence, Interval, PValue, Seed, compute, interval, number
from retinue_tools.statistics.counts import Pairwise, contingency

_DRAWS = 200_000
Successes = Annotated[int, About("Conversions or other successes", 200, minimum=0, maximum=1_000_000_000)]
Trials = Annotated[int, About("Visitors or other trials", 1000, minimum=1, maximum=1_000_000_000)]


class RateTest(TypedDict):
    """Two rates compared."""

    rate_a: Annotated[float, About("Rate of A")]
    rate_b: Annotated[float, About("Rate of B")]
    difference: Annotated[float, About("Rate of B minus rate of A")]
    difference_interval: Annotated[Interval, About("Newcombe's interval of the difference, based on Wilson's")]
    lift_percent: Annotated[
        float | None, About("Lift: relative difference of B to A in percent; null if A has no success")
    ]
    z: Annotated[float, About("Z-score of the pooled test")]
    p_value: PValue
    significant: Annotated[bool, About("Whether the p-value is below 1 minus the confidence level")]


def _wilson(successes: int, trials: int, z: float) -> tuple[float, float]:
    share = successes / trials
    centre = (successes + z * z / 2) / (trials + z * z)
    margin = z * math.sqrt(trials) / (trials + z * z) * math.sqrt(share * (1 - share) + z * z / (4 * trials))
    return centre - margin, centre + margin


def _check(successes: int, trials: int, name: str) -> None:
    if successes > trials:
        raise ToolError(f"{name} has more successes than trials.")


@tool(
    tags="a/b test ab-test two proportions z-test conversion rate lift significance compare",
    use_when=(
        "Variant A converted 200 of 1000, B 250 of 1000: is B better?",
        "Is the difference of 5.1 % and 6.3 % click rate significant?",
        "Compare the success rates of two treatments",
    ),
    examples=(
        Example(
            {"successes_a": 200, "trials_a": 1000, "successes_b": 250, "trials_b": 1000},
            {"z": 0.05 / math.sqrt(0.225 * 0.775 * 0.002), "p_value": 0.00742, "lift_percent": 25.0,
             "significant": True},
            source="by hand: pooled rate 0.225, z = 2.677, table of the normal distribution",
            tolerance=1e-3,
        ),
        Example(
            {"successes_a": 48, "trials_a": 80, "successes_b": 56, "trials_b": 70, "confidence": 0.95,
             "alternative": "greater"},
            {"difference": 0.2, "difference_interval": [0.0524, 0.3339]},
            source="Newcombe (1998), Statistics in Medicine 17, 873: 56/70 against 48/80, method 10",
            tolerance=1e-3,
        ),
        Refusal({"successes_a": 5, "trials_a": 4, "successes_b": 1, "trials_b": 2}, "A has more"),
    ),
    reply={
        "significant, lift_percent": (
            "Yes, the difference is significant (p = {p_value}): A has {rate_a} and B {rate_b}, a change of "
            "{lift_percent} %."
        ),
        "significant": "Yes, the difference is significant (p = {p_value}): A has {rate_a} and B {rate_b}.",
        "lift_percent": (
            "No, the difference is not significant (p = {p_value}): A has {rate_a} and B {rate_b}, a change of "
            "{lift_percent} %."
        ),
        "": "No, the difference is not significant (p = {p_value}): A has {rate_a} and B {rate_b}.",
    },
    memory_mb=1024,
)  # fmt: skip
@compute()
def stats_test_two_proportions(
    successes_a: Successes,
    trials_a: Trials,
    successes_b: Successes,
    trials_b: Trials,
    alternative: Annotated[
        Alternative, About("Alternative hypothesis: any difference, or only the rate of B being greater or less")
    ] = "two_sided",
    confidence: Confidence = 0.95,
) -> RateTest:
    """Test whether two rates differ (A/B test, pooled z-test), with the lift and an interval of the difference.

    Use it for conversion rates and success rates of two groups. The alternative "greater" means that B is higher.
    """
    _check(successes_a, trials_a, "A")
    _check(successes_b, trials_b, "B")
    pooled = (successes_a + successes_b) / (trials_a + trials_b)
    if pooled in (0, 1):
        raise ToolError("All trials had the same outcome, so there is nothing to compare.")
    rate_a, rate_b = successes_a / trials_a, successes_b / trials_b
    z = (rate_b - rate_a) / math.sqrt(pooled * (1 - pooled) * (1 / trials_a + 1 / trials_b))
    tails = {"two_sided": 2 * stats.norm.sf(abs(z)), "greater": stats.norm.sf(z), "less": stats.norm.cdf(z)}
    quantile = float(stats.norm.ppf((1 + confidence) / 2))
    low_a, high_a = _wilson(successes_a, trials_a, quantile)
    low_b, high_b = _wilson(successes_b, trials_b, quantile)
    difference = rate_b - rate_a
    return {
        "rate_a": rate_a,
        "rate_b": rate_b,
        "difference": difference,
        "difference_interval": interval(
            difference - math.hypot(rate_b - low_b, high_a - rate_a),
            difference + math.hypot(high_b - rate_b, rate_a - low_a),
        ),
        "lift_percent": 100 * difference / rate_a if rate_a else None,
        "z": z,
        "p_value": number(tails[alternative]),
        "significant": bool(tails[alternative] < 1 - confidence),
    }


class BayesianTest(TypedDict):
    """Bayesian comparison of two rates."""

    probability_b_better: Annotated[float, About("Probability that the rate of B is higher")]
    expected_loss_a: Annotated[float, About("Expected loss of rate when choosing A")]
    expected_loss_b: Annotated[float, About("Expected loss of rate when choosing B")]
    mean_a: Annotated[float, About("Posterior mean of the rate of A")]
    mean_b: Annotated[float, About("Posterior mean of the rate of B")]
    interval_a: Annotated[Interval, About("Credible interval of the rate of A")]
    interval_b: Annotated[Interval, About("Credible interval of the rate of B")]
    lift_interval_percent: Annotated[Interval, About("Credible interval of the lift of B over A in percent")]


@tool(
    tags="bayesian a/b test beta posterior probability better expected loss credible interval",
    use_when=(
        "How likely is it that B is better, given 200 of 1000 against 230 of 1000?",
        "What do I risk by choosing variant B now?",
        "Do a Bayesian A/B test",
    ),
    examples=(
        Example(
            {"successes_a": 0, "trials_a": 1, "successes_b": 1, "trials_b": 1},
            {"probability_b_better": 5 / 6, "mean_a": 1 / 3, "mean_b": 2 / 3},
            source="by hand: integral of 2(1 - (1 - p)^2) p over 0 to 1",
            tolerance=5e-3,
        ),
        Example(
            {"successes_a": 50, "trials_a": 100, "successes_b": 50, "trials_b": 100, "seed": 3},
            {"probability_b_better": 0.5, "mean_a": 0.5},
            source="by hand: symmetry",
            tolerance=0.01,
        ),
        Refusal({"successes_a": 1, "trials_a": 2, "successes_b": 5, "trials_b": 2}, "B has more"),
    ),
    reply=(
        "The probability that B is better is {probability_b_better}; choosing B wrongly "
        "would cost {expected_loss_b} of the rate on average."
    ),
    memory_mb=1024,
)
@compute()
def stats_compare_rates_bayesian(
    successes_a: Successes,
    trials_a: Trials,
    successes_b: Successes,
    trials_b: Trials,
    prior_successes: Annotated[float, About("First parameter of the beta prior", minimum=0.01, maximum=1e6)] = 1,
    prior_failures: Annotated[float, About("Second parameter of the beta prior", minimum=0.01, maximum=1e6)] = 1,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
) -> BayesianTest:
    """Evaluate (judge) an A/B test by Bayes: the chance that B is better, and the expected loss if the choice is wrong.

    Use it to decide between two variants. It uses a beta prior and 200,000 seeded draws of both posteriors.
    """
    _check(successes_a, trials_a, "A")
    _check(successes_b, trials_b, "B")
    generator = np.random.default_rng(seed)
    shapes = [
        (prior_successes + wins, prior_failures + trials - wins)
        for wins, trials in ((successes_a, trials_a), (successes_b, trials_b))
    ]
    a, b = (generator.beta(*shape, size=_DRAWS) for shape in shapes)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    lift = np.quantile((b - a) / np.maximum(a, 1e-12), tails) * 100
    bounds = [special.betaincinv(*shape, tails) for shape in shapes]
    return {
        "probability_b_better": number((b > a).mean()),
        "expected_loss_a": number(np.maximum(b - a, 0).mean()),
        "expected_loss_b": number(np.maximum(a - b, 0).mean()),
        "mean_a": shapes[0][0] / sum(shapes[0]),
        "mean_b": shapes[1][0] / sum(shapes[1]),
        "interval_a": interval(*bounds[0]),
        "interval_b": interval(*bounds[1]),
        "lift_interval_percent": interval(*lift),
    }


class Risks(TypedDict):
    """Comparison of two risks, with confidence intervals."""

    risk_exposed: Annotated[float, About("Share of events in the first row")]
    risk_unexposed: Annotated[float, About("Share of events in the second row")]
    risk_difference: Annotated[float, About("Risk difference: first minus second risk")]
    risk_difference_interval: Annotated[Interval, About("Wald interval of the risk difference")]
    risk_ratio: Annotated[float, About("Risk ratio: first divided by second risk")]
    risk_ratio_interval: Annotated[Interval, About("Log interval of the risk ratio")]
    odds_ratio: Annotated[float, About("Odds ratio")]
    odds_ratio_interval: Annotated[Interval, About("Log interval of the odds ratio (Woolf)")]
    number_needed: Annotated[
        float | None, About("Number needed to treat for one event more or fewer: 1 / |risk difference|")
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
    reply={
        "number_needed": (
            "The risk ratio is {risk_ratio}, the odds ratio {odds_ratio} and the risk difference {risk_difference}; "
            "the number needed to treat is {number_needed}."
        ),
        "": "The risk ratio is {risk_ratio}, the odds ratio {odds_ratio} and the risk difference {risk_difference}.",
    },
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
        Literal["add_half", "refuse"], About("Handling of zero counts: add 0.5 to all four, or reject")
    ] = "add_half",
) -> Risks:
    """Compare the risks of two groups: risk ratio, odds ratio, risk difference and number needed to treat.

    Use it for cohort studies, trials and two-by-two tables of counts. Every measure has an interval.
    """  # fmt: skip
    counts = contingency(table)
    corrected = bool((counts == 0).any())
    if corrected and measure_zero == "refuse":
        raise ToolError("A count is zero, so the ratios are not defined. Allow 0.5 to be added, or merge categories.")
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
