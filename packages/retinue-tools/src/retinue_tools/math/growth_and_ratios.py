"""Growth by a percentage, change between two values, and ratios in lowest terms."""

import math
from fractions import Fraction
from math import expm1, log1p
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_MOST_LOG = 600.0
"""Growth beyond e^600 exceeds the range of floating-point numbers."""


class Growth(TypedDict):
    """A value after repeated growth."""

    final: Annotated[float, About("Final value")]
    change: Annotated[float, About("Final minus start value")]
    change_percent: Annotated[float, About("Total change in percent of the start")]
    values: Annotated[list[float], About("Value after each whole period, up to 100 of them")]


@tool(
    tags="growth repeated percent decay shrink population car value depreciation reducing balance inflation bacteria",
    use_when=(
        "A town of 24,000 grows by 1.3 % a year. How many live there in 20 years?",
        "A car bought for 28,000 loses 15 % of its value each year: worth after 4 years?",
        "Bacteria grow 20 percent an hour from 500. How many after 6 hours?",
        "Rent of 900 rises 3 % every year; what is it in the fifth year?",
    ),
    examples=(
        Example(
            {"start": 1000, "percent": 10, "periods": 3},
            {"final": 1331.0, "change": 331.0, "change_percent": 33.1, "values": [1100.0, 1210.0, 1331.0]},
            source="by hand: 1.1^3 = 1.331",
        ),
        Example(
            {"start": 28000, "percent": -15, "periods": 2},
            {"final": 20230.0, "values": [23800.0, 20230.0]},
            source="by hand: 28000 * 0.85^2",
        ),
        Example(
            {"start": 28000, "percent": 15, "periods": 2, "direction": "shrinks"}, {"final": 20230.0}, source="the same"
        ),
        Refusal({"start": 1000, "percent": 100, "periods": 3, "direction": "shrinks"}, "below 100"),
        Refusal({"start": 1000, "percent": 1000, "periods": 1000}, "too large"),
    ),
    reply="It comes to {final}, a change of {change} or {change_percent} %.",
)
def growth_project_amount(
    start: Annotated[float, About("Start value", 24000, minimum=-1e15, maximum=1e15)],
    percent: Annotated[
        float,
        About("Change per period in percent; negative if the value shrinks", 1.3, minimum=-99.999999, maximum=1e6),
    ],
    periods: Annotated[float, About("Number of periods: years, months or hours", 20, minimum=0, maximum=10_000)],
    direction: Annotated[
        Literal["grows", "shrinks"], About("shrinks means a loss or decay by that percentage")
    ] = "grows",
) -> Growth:
    """Project what grows or shrinks by the same percentage in every period: populations, prices, values of cars.

    Use it for compound growth. Returns the final value, the change, and the value after each period.
    """
    change = percent if direction == "grows" else -abs(percent)
    if change <= -100:
        raise ToolError("A value cannot shrink by 100 percent or more repeatedly. Give a percentage below 100.")
    rate = log1p(change / 100)
    if abs(rate * periods) > _MOST_LOG:
        raise ToolError("The value is too large. Give fewer periods or a smaller percentage.")
    growth = expm1(rate * periods)
    return {
        "final": tidy(start * (1 + growth)),
        "change": tidy(start * growth),
        "change_percent": tidy(growth * 100),
        "values": [tidy(start * (1 + expm1(rate * (one + 1)))) for one in range(min(int(periods), 100))],
    }


_LARGEST = 1e300


class Change(TypedDict):
    """Change of a value."""

    difference: float
    change_percent: Annotated[float, About("The difference in percent of the first value")]
    factor: Annotated[float, About("The last value divided by the first")]
    rate_per_period_percent: Annotated[
        float | None, About("Compound growth per period (CAGR, if periods are years); null without periods")
    ]


@tool(
    tags="percent percentage change growth rate increase decrease difference cagr compound annual rise fall went",
    use_when=(
        "By how many percent did sales grow from 1840 to 2093?",
        "What is the percentage change from 80 to 60?",
        "CAGR from 1000 to 2000 over 5 years",
        "Prices went up from 4.20 to 4.90: what increase is that in percent?",
    ),
    examples=(
        Example(
            {"first": 80, "last": 60},
            {"difference": -20.0, "change_percent": -25.0, "factor": 0.75, "rate_per_period_percent": None},
            source="by hand",
        ),
        Example(
            {"first": 9000, "last": 13000, "periods": 3},
            {"difference": 4000.0, "rate_per_period_percent": 13.040382},
            source="by hand: (13 / 9) ** (1 / 3) - 1",
            tolerance=1e-6,
        ),
        Refusal({"first": 0, "last": 5}, "zero"),
        Refusal({"first": 5, "last": -5, "periods": 2}, "same sign"),
        Refusal({"first": 9000, "last": 13000, "periods": 1e-9}, "Give more periods"),
        Refusal({"first": 5e-324, "last": 1e15}, "too close to zero"),
    ),
    reply={
        "rate_per_period_percent": (
            "The change is {difference}, or {change_percent} %; that is {rate_per_period_percent} % per period."
        ),
        "": "The change is {difference}, or {change_percent} %.",
    },
)
def growth_measure_change(
    first: Annotated[float, About("First value", 1840, minimum=-1e15, maximum=1e15)],
    last: Annotated[float, About("Last value", 2093, minimum=-1e15, maximum=1e15)],
    periods: Annotated[
        float | None,
        About("Number of years, months or other periods between them", 6, exclusive_minimum=0, maximum=1e4),
    ] = None,
) -> Change:
    """Measure the change from one value to another: difference, percent, factor, and growth per period.

    Use it for percentage changes and compound annual growth rates (CAGR).
    """
    if first == 0:
        raise ToolError("A change from zero cannot be expressed in percent. Give a first value that is not zero.")
    factor = Fraction(repr(last)) / Fraction(repr(first))
    if abs(factor) > _LARGEST:
        raise ToolError("The first value is too close to zero for a comparison. Use a larger one.")
    if periods is not None and factor <= 0:
        raise ToolError("Growth per period needs two values with the same sign.")
    return {
        "difference": float(Fraction(repr(last)) - Fraction(repr(first))),
        "change_percent": float((factor - 1) * 100),
        "factor": float(factor),
        "rate_per_period_percent": None if periods is None else _rate_percent(abs(first), abs(last), periods),
    }


def _rate_percent(first: float, last: float, periods: float) -> float:
    growth = (math.log(last) - math.log(first)) / periods
    if growth > math.log(_LARGEST):
        raise ToolError("The growth per period is too large. Give more periods.")
    return math.expm1(growth) * 100


class Ratio(TypedDict):
    """A ratio in lowest terms."""

    ratio: Annotated[str, About("Ratio in whole numbers, such as 16:9")]
    terms: list[int]
    to_one: Annotated[str, About("Ratio with the last term as 1, such as 1.7778:1")]
    shares_percent: Annotated[list[float], About("Share of each term")]


@tool(
    tags="ratio simplify lowest terms aspect proportion screen width height share scale reduce colon",
    use_when=(
        "What is the aspect ratio of a screen of 1920 by 1080?",
        "Simplify the ratio 84:36",
        "Mix 250 g flour and 150 g sugar: in which ratio is that?",
    ),
    examples=(
        Example(
            {"terms": [1920, 1080]},
            {"ratio": "16:9", "terms": [16, 9], "to_one": "1.7778:1", "shares_percent": [64.0, 36.0]},
            source="by hand",
        ),
        Example({"terms": [0.5, 1.25, 2]}, {"ratio": "2:5:8"}, source="by hand"),
        Refusal({"terms": [1e-9, 1e9]}, "too far apart"),
    ),
    reply="The ratio is {ratio}, or {to_one}.",
)
def ratio_simplify_terms(
    terms: Annotated[
        list[Annotated[float, About("Term", 1920, exclusive_minimum=0, maximum=1e12)]],
        About("Terms in order", [1920, 1080], min_items=2, max_items=20),
    ],
) -> Ratio:
    """Simplify (bring) a ratio to its lowest terms, such as the aspect ratio of a screen.

    Returns it in whole numbers, with the last term as 1, and as shares in percent.
    """
    exact = [Fraction(repr(term)) for term in terms]
    scale = math.lcm(*(term.denominator for term in exact))
    whole = [int(term * scale) for term in exact]
    lowest = [term // math.gcd(*whole) for term in whole]
    if max(lowest) > 1e15:
        raise ToolError("The terms are too far apart for a ratio of whole numbers. Round them first.")
    return {
        "ratio": ":".join(map(str, lowest)),
        "terms": lowest,
        "to_one": ":".join(f"{round(float(term / exact[-1]), 4):g}" for term in exact),
        "shares_percent": [float(100 * term / sum(exact)) for term in exact],
    }


class Proportion(TypedDict):
    """A value in proportion to a quantity."""

    value: Annotated[float, About("Value for the new quantity")]
    per_unit: Annotated[float, About("Value for a quantity of 1")]


@tool(
    tags="proportion rule of three scale proportional cost price for quantity recipe servings people how much would",
    use_when=(
        "If 24 bulbs cost 9.60, what do 35 cost?",
        "A recipe for 4 people takes 250 g of flour. How much for 11 people?",
        "5 kg cost 12.40. What is the price of 8 kg?",
        "Change a recipe from 4 to 6 people",
    ),
    examples=(
        Example(
            {"quantity": 24, "value": 9.6, "new_quantity": 35},
            {"value": 14.0, "per_unit": 0.4},
            source="9.60 / 24 * 35",
        ),
        Example({"quantity": 4, "value": 250, "new_quantity": 11}, {"value": 687.5}, source="250 / 4 * 11"),
        Refusal({"quantity": 0, "value": 9.6, "new_quantity": 35}, "quantity"),
    ),
    reply="It comes to {value}, at {per_unit} each.",
)
def proportion_scale_value(
    quantity: Annotated[float, About("Known quantity", 24, exclusive_minimum=0, maximum=1e15)],
    value: Annotated[float, About("Value for the known quantity", 9.6, minimum=-1e15, maximum=1e15)],
    new_quantity: Annotated[float, About("Quantity whose value is wanted", 35, minimum=0, maximum=1e15)],
) -> Proportion:
    """Scale a value in proportion to a quantity (rule of three): if 24 cost 9.60, 35 cost 14.

    Use it for prices of other quantities, and for recipes with other numbers of people.
    """
    each = Fraction(repr(float(value))) / Fraction(repr(float(quantity)))
    return {"value": float(each * Fraction(repr(float(new_quantity)))), "per_unit": float(each)}
