"""How likely it is that two of many are the same (the birthday problem)."""

from math import ceil, expm1, isqrt, log, log1p, sqrt
from typing import Annotated

import mpmath
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_SUMMED = 100_000
"""Up to so many items the chances are multiplied one by one."""


class Coincidence(TypedDict):
    """The chance that two are the same."""

    probability: float
    percent: float
    possible: Annotated[float, About("How many different values there are")]
    expected_pairs: Annotated[float, About("Pairs that are the same, on average")]
    items_for_half: Annotated[int | float, About("With so many items the chance reaches one half, approximately")]


@tool(
    tags="birthday problem paradox collision probability hash uuid random same people coincidence bits",
    use_when=(
        "What is the chance that two of 23 people share a birthday?",
        "How likely is a collision among 100,000 random 64-bit ids?",
        "Probability that two of 5 people were born in the same month",
    ),
    examples=(
        Example({"items": 23, "possible": 365}, {"probability": 0.507297234324}, source="the birthday problem"),
        Example(
            {"items": 100000, "bits": 64},
            {"probability": 2.7104735e-10},
            source="1 - exp(-n (n - 1) / 2^65)",
            tolerance=1e-6,
        ),
        Example({"items": 2, "possible": 6}, {"probability": 0.166666666667}, source="two dice"),
        Example(
            {"items": 40_000_000, "possible": 10**15},
            {"probability": 0.5507},
            source="1 - exp(-n (n - 1) / 2 m)",
            tolerance=1e-3,
        ),
        Example(
            {"items": 6_000_000_000, "bits": 64}, {"probability": 0.6231}, "1 - exp(-n (n - 1) / 2^65)", tolerance=1e-3
        ),
        Example({"items": 1_300_000, "possible": 10**12}, {"probability": 0.57044}, "1 - exp(-n (n - 1) / 2 m)", 1e-4),
        Example({"items": 23, "bits": 512}, {"probability": 0.0}, source="253 pairs of 2^512", tolerance=1e-9),
        Refusal({"items": 5}, "either"),
    ),
)
def stats_compute_coincidence(
    items: Annotated[int, About("How many people, ids or draws", 23, minimum=2, maximum=10**18)],
    possible: Annotated[
        int | None, About("How many values are equally likely: 365 days", 365, minimum=1, maximum=10**18)
    ] = None,
    bits: Annotated[int | None, About("Random bits of each, in place of possible", 64, minimum=1, maximum=512)] = None,
) -> Coincidence:
    """Compute the probability that at least two of several random items are the same (birthday problem).

    Use it for birthdays, identifiers and hashes. Give the number of possible values, or of bits.
    """
    if (possible is None) == (bits is None):
        raise ToolError("Give either possible, the number of values, or bits.")
    values = possible if possible is not None else 2 ** (bits or 0)
    chance = _chance(items, values)
    return {
        "probability": tidy(chance),
        "percent": tidy(chance * 100),
        "possible": float(values),
        "expected_pairs": tidy(items * (items - 1) / 2 / values),
        "items_for_half": half if (half := _items_for_half(values)) < 2**53 else float(half),
    }


def _chance(items: int, values: int) -> float:
    """One minus the product of (1 - k/values), by its logarithm; for many items that of values! / (values - items)!."""
    if items > values:
        return 1.0
    if items <= _SUMMED:
        return -expm1(sum(log1p(-rank / values) for rank in range(1, items)))
    # The two logarithms agree in up to twice as many digits as `values` has, so their difference needs more than that.
    with mpmath.workdps(2 * len(str(values)) + 30):
        logarithm = mpmath.loggamma(values + 1) - mpmath.loggamma(values - items + 1) - items * mpmath.log(values)
        return float(-mpmath.expm1(logarithm))


def _items_for_half(values: int) -> int:
    if values <= _SUMMED:
        return next(count for count in range(2, values + 2) if _chance(count, values) >= 0.5)
    return ceil(0.5 + sqrt(0.25 + 2 * log(2) * values)) if values < 10**30 else isqrt(values * 1386294361120 // 10**12)
