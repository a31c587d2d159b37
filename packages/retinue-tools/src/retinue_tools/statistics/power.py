"""Sample size and power."""

import math
from typing import Annotated, Literal, NotRequired

from scipy import stats
from statsmodels.stats import power as powers
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._values import compute, number

_MOST = 1_000_000_000
Alpha = Annotated[float, About("Level of significance", minimum=0.0001, maximum=0.25)]
Power = Annotated[float, About("Power: probability to detect an existing effect", minimum=0.5, maximum=0.999)]


class Plan(TypedDict):
    """A planned study."""

    per_group: Annotated[int, About("Required size of each group (or in total, for one sample or pairs)")]
    total: Annotated[int, About("Required total size")]
    exact_per_group: Annotated[float, About("Required size before rounding up")]
    power_at_size: NotRequired[Annotated[float, About("Power with the given size")]]


@tool(
    tags="sample size power analysis planning t-test anova proportions correlation effect size cohen",
    use_when=(
        "How many patients per group do I need for an effect of d = 0.5 with 80 % power?",
        "What power has my study with 20 per group and d = 1?",
        "How large must the sample be to detect a correlation of 0.3?",
    ),
    examples=(
        Example(
            {"test": "t_two_samples", "effect": 1, "power": 0.9},
            {"exact_per_group": 22.02110, "per_group": 23, "total": 46},
            source="R, power.t.test(power = .90, delta = 1)",
            tolerance=1e-4,
        ),
        Example(
            {"test": "t_two_samples", "effect": 1, "size": 20},
            {"power_at_size": 0.8689528},
            source="R, power.t.test(n = 20, delta = 1, sd = 1)",
            tolerance=1e-5,
        ),
        Example(
            {"test": "anova", "effect": 0.5, "groups": 4},
            {"exact_per_group": 11.92613, "total": 48},
            source="R, power.anova.test(groups = 4, between.var = 1, within.var = 3, power = .80): f = 0.5",
            tolerance=1e-4,
        ),
        Example(
            {"test": "correlation", "effect": 0.3},
            {"per_group": 85},
            source="Hulley et al., Designing Clinical Research, appendix 6C: 85 for r = 0.30",
        ),
        Refusal({"test": "correlation", "effect": 1.5}, "below 1"),
    ),
    reply={
        "power_at_size": "With this size the power is {power_at_size}.",
        "": "You need {per_group} per group, {total} in all.",
    },
    tier="starter",
    memory_mb=2048,
)
@compute()
def stats_plan_sample_size(
    test: Annotated[
        Literal["t_two_samples", "t_one_sample", "t_paired", "anova", "correlation", "two_proportions"],
        About("Planned test"),
    ],
    effect: Annotated[
        float,
        About(
            "Cohen's d for t-tests, f for ANOVA, correlation r, h of proportions: 2 asin sqrt p1 - 2 asin sqrt p2",
            0.5,
            minimum=0.005,
            maximum=20,
        ),
    ],
    power: Power = 0.8,
    alpha: Alpha = 0.05,
    groups: Annotated[int, About("Number of groups of an ANOVA", minimum=2, maximum=50)] = 3,
    size: Annotated[
        int | None, About("Size of each group whose power to compute", 20, minimum=4, maximum=1000000)
    ] = None,
) -> Plan:
    """Plan the sample size of a two-sided test for a desired power, or compute the power of a given size.

    Use it before a study. It supports t-tests, one-way ANOVA, correlations and two proportions.
    """  # fmt: skip
    factor = groups if test == "anova" else 2 if test in ("t_two_samples", "two_proportions") else 1
    exact = _size(test, effect, power, alpha, groups)
    per_group = max(2, math.ceil(exact - 1e-9))
    result: Plan = {"per_group": per_group, "total": per_group * factor, "exact_per_group": exact}
    if size is not None:
        result["power_at_size"] = _power(test, effect, size, alpha, groups)
    return result


def _power(test: str, effect: float, size: float, alpha: float, groups: int) -> float:
    """Return the power of `size` subjects in each group."""
    match test:
        case "t_two_samples":
            return number(powers.TTestIndPower().power(effect, size, alpha))
        case "anova":
            return number(powers.FTestAnovaPower().power(effect, size * groups, alpha, k_groups=groups))
        case "two_proportions":
            return number(powers.NormalIndPower().power(effect, size, alpha))
        case "correlation":
            if effect >= 1:
                raise ToolError("A correlation must be below 1.")
            shift = math.atanh(effect) * math.sqrt(max(size - 3, 0))
            z = stats.norm.isf(alpha / 2)
            return number(stats.norm.sf(z - shift) + stats.norm.cdf(-z - shift))
    return number(powers.TTestPower().power(effect, size, alpha))


def _size(test: str, effect: float, power: float, alpha: float, groups: int) -> float:
    """Return the smallest size of each group with that power, by bisection."""
    low, high = 2.0, 4.0
    while _power(test, effect, high, alpha, groups) < power:
        low, high = high, high * 2
        if high > _MOST:
            raise ToolError("More than a billion subjects would be required. Assume a larger effect.")
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _power(test, effect, middle, alpha, groups) < power else (low, middle)
    return high


class AbPlan(TypedDict):
    """A planned A/B test."""

    visitors_per_variant: Annotated[int, About("Required visitors per variant")]
    total_visitors: Annotated[int, About("Required visitors in total")]
    target_rate_percent: Annotated[float, About("Conversion rate to detect")]
    days: NotRequired[Annotated[int, About("Duration in days")]]


@tool(
    tags="a/b test sample size duration visitors conversion minimum detectable effect mde planning experiment",
    use_when=(
        "How many visitors does an A/B test need to see 5 % rise to 6 %?",
        "How long must my test run with 2000 visitors a day?",
        "Sample size for a 10 % relative lift of a conversion rate of 3 %",
    ),
    examples=(
        Example(
            {"base_rate_percent": 50, "lift_percent": 50, "power": 0.9},
            {"visitors_per_variant": 77, "total_visitors": 154, "target_rate_percent": 75.0},
            source="R, power.prop.test(p1 = .50, p2 = .75, power = .90): n = 76.65",
        ),
        Example(
            {"base_rate_percent": 50, "lift_percent": 50, "power": 0.9, "visitors_per_day": 10, "variants": 3},
            {"total_visitors": 231, "days": 24},
            source="by hand: three times 77, over 10 a day",
        ),
        Refusal({"base_rate_percent": 60, "lift_percent": 80}, "100 %"),
    ),
    reply={
        "days": (
            "The test needs {visitors_per_variant|visitor} per variant, {total_visitors} in all, and {days|day}."
        ),
        "": "The test needs {visitors_per_variant|visitor} per variant, {total_visitors} in all.",
    },
)
def stats_plan_ab_test(
    base_rate_percent: Annotated[
        float, About("Current conversion rate in percent", 5, exclusive_minimum=0, maximum=99.9)
    ],
    lift_percent: Annotated[
        float, About("Smallest relevant relative change, in percent of the rate", 20, minimum=-99, maximum=10000)
    ],
    power: Power = 0.8,
    alpha: Alpha = 0.05,
    variants: Annotated[int, About("Number of variants, including the current one", minimum=2, maximum=20)] = 2,
    visitors_per_day: Annotated[float | None, About("Total visitors per day", 2000, minimum=0.1, maximum=1e9)] = None,
) -> AbPlan:
    """Plan an A/B test: visitors for each variant to detect a relative change of a conversion rate, and days.

    Use it before starting a test, to know how long it must run. The test is two-sided, without correction for several
    variants.
    """
    first = base_rate_percent / 100
    second = first * (1 + lift_percent / 100)
    if second >= 1:
        raise ToolError("The rate with the lift would reach 100 %. Use a smaller lift.")
    if abs(second - first) < 1e-7:
        raise ToolError("The lift is too small. Use one further from 0.")
    mean = (first + second) / 2
    scaled = stats.norm.isf(alpha / 2) * math.sqrt(2 * mean * (1 - mean)) + stats.norm.ppf(power) * math.sqrt(
        first * (1 - first) + second * (1 - second)
    )
    each = math.ceil((scaled / (second - first)) ** 2)
    plan: AbPlan = {
        "visitors_per_variant": each,
        "total_visitors": each * variants,
        "target_rate_percent": 100 * second,
    }
    if visitors_per_day is not None:
        plan["days"] = math.ceil(each * variants / visitors_per_day)
    return plan
