"""Fixed assets: depreciation schedules."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Money, Refusal, ToolError, tool
from retinue_tools.finance._amounts import Cost, cents, dec

Method = Annotated[
    Literal["straight_line", "declining_balance", "sum_of_years", "units"],
    About("How the cost is spread: equal parts, falling rate, sum of the years' digits, or units produced"),
]


class AssetYear(TypedDict):
    """One year of depreciation."""

    year: int
    depreciation: float
    accumulated: float
    book_value: Annotated[float, About("At the end of the year")]


class Depreciation(TypedDict):
    """How an asset loses its value."""

    depreciable: Annotated[float, About("Cost less salvage value")]
    years: list[AssetYear]


@tool(
    tags="depreciation schedule straight line declining balance sum of years digits units asset book value",
    use_when=(
        "Depreciate a machine of 30,000 over 10 years to 7,500",
        "Double declining balance schedule for 2,400 over 10 years",
        "What is the book value after 3 years of straight-line depreciation?",
    ),
    examples=(
        Example(
            {"cost": 1000, "salvage": 100, "life_years": 3},
            {
                "depreciable": 900.0,
                "years": [
                    {"year": 1, "depreciation": 300.0, "accumulated": 300.0, "book_value": 700.0},
                    {"year": 2, "depreciation": 300.0, "accumulated": 600.0, "book_value": 400.0},
                    {"year": 3, "depreciation": 300.0, "accumulated": 900.0, "book_value": 100.0},
                ],
            },
            source="by hand",
        ),
        Example(
            {"cost": 2400, "salvage": 300, "life_years": 2, "method": "declining_balance", "factor": 1},
            {"years": [{"depreciation": 1200.0}, {"depreciation": 900.0, "book_value": 300.0}]},
            source="by hand: half of the book value, then straight line to the salvage value",
        ),
        Example(
            {"cost": 600, "salvage": 0, "life_years": 3, "method": "sum_of_years"},
            {"years": [{"depreciation": 300.0}, {"depreciation": 200.0}, {"depreciation": 100.0}]},
            source="by hand: 3/6, 2/6 and 1/6",
        ),
        Example(
            {"cost": 600, "salvage": 100, "life_years": 2, "method": "units", "units_per_year": [10, 40]},
            {"years": [{"depreciation": 100.0}, {"depreciation": 400.0}]},
            source="by hand",
        ),
        Refusal({"cost": 100, "salvage": 200, "life_years": 3}, "salvage"),
    ),
)
def asset_schedule_depreciation(
    cost: Money,
    salvage: Cost,
    life_years: Annotated[int, About("Years of use", 10, minimum=1, maximum=100)],
    method: Method = "straight_line",
    factor: Annotated[
        float,
        About("For declining_balance: rate as a multiple of the straight line, 2 for double", 2, minimum=1, maximum=5),
    ] = 2,
    units_per_year: Annotated[
        list[Annotated[float, About("Units produced", 1000, minimum=0, maximum=1e12)]] | None,
        About("For units: production of each year", [10000, 12000, 8000], min_items=1, max_items=100),
    ] = None,
) -> Depreciation:
    """Schedule the depreciation of an asset year by year, from its cost to its salvage value.

    Use it for accounts and budgets. The declining balance changes to the straight line of the rest as soon as that
    takes off more. Returns depreciation, accumulated depreciation and book value of each year.
    """
    price, rest = cents(dec(cost)), cents(dec(salvage))
    if rest > price:
        raise ToolError("The salvage value is higher than the cost. Lower salvage.")
    if method == "declining_balance":
        values = list(_declining(price, rest, life_years, dec(factor)))
    else:
        values = list(_by_weights(price, rest, _weights(method, life_years, units_per_year)))
    years: list[AssetYear] = []
    before = price
    for year, value in enumerate(values, 1):
        years.append(
            {
                "year": year,
                "depreciation": float(before - value),
                "accumulated": float(price - value),
                "book_value": float(value),
            }
        )
        before = value
    return {"depreciable": float(price - rest), "years": years}


def _weights(method: str, life: int, units: list[float] | None) -> list[Decimal]:
    if method == "straight_line":
        return [Decimal(1)] * life
    if method == "sum_of_years":
        return [Decimal(life - place) for place in range(life)]
    if units is None or len(units) != life or not any(units):
        raise ToolError("The method units needs units_per_year: one number per year of life, not all zero.")
    return [dec(unit) for unit in units]


def _by_weights(price: Decimal, rest: Decimal, weights: list[Decimal]) -> Iterator[Decimal]:
    """Book values at the year ends; rounding never adds up."""
    total, spent = sum(weights, Decimal()), Decimal()
    for weight in weights:
        spent += weight
        yield cents(price - (price - rest) * spent / total)


def _declining(price: Decimal, rest: Decimal, life: int, factor: Decimal) -> Iterator[Decimal]:
    value = price
    for year in range(life):
        falling = value * factor / life
        straight = (value - rest) / (life - year)
        value = max(rest, cents(value - max(falling, straight)))
        yield value
