"""Tariffs with a price for each step of a quantity."""

from itertools import accumulate
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Bounded, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_MOST = 1e12
_LEAST = 1e-9


class TariffStep(TypedDict):
    """What one step costs."""

    units: float
    price: float
    cost: float


class Tariff(TypedDict):
    """What a quantity costs."""

    total: float
    usage_cost: Annotated[float, About("Without the fixed charge")]
    average_price: Annotated[float | None, About("Total for each unit")]
    steps: list[TariffStep]


@tool(
    tags="tiered tariff price per unit steps water electricity block rate volume pricing graduated fixed charge bill",
    use_when=(
        "Water: first 10 m3 free, next 20 at 1.20, rest at 2.10. What do 44 m3 cost?",
        "Electricity 0.12 for the first 100 kWh, 0.15 for the next 200, 0.20 beyond, standing charge 9: 380 kWh?",
        "Shipping costs 5 each for the first 10 parcels and 4 for every one after that. 26 parcels?",
    ),
    examples=(
        Example(
            {"quantity": 44, "limits": [10, 30], "prices": [0, 1.2, 2.1]},
            {"total": 53.4, "usage_cost": 53.4},
            source="by hand: 20 * 1.20 + 14 * 2.10",
        ),
        Example(
            {"quantity": 380, "limits": [100, 300], "prices": [0.12, 0.15, 0.2], "fixed": 9},
            {"total": 67.0},
            source="by hand: 9 + 12 + 30 + 16",
        ),
        Example({"quantity": 44, "widths": [10, 20], "prices": [1.2, 2.1]}, {"total": 53.4}, source="the same"),
        Refusal({"quantity": 5, "limits": [10, 20], "prices": [1]}, "one price more"),
    ),
)
def tariff_compute_tiers(
    quantity: Annotated[float, About("How much is used or bought", 44, minimum=0, maximum=_MOST)],
    prices: Annotated[
        list[Bounded],
        About(
            "Price of a unit in each step; a free first one may be left out",
            [0, 1.2, 2.1],
            min_items=1,
            max_items=51,
        ),
    ],
    limits: Annotated[
        list[Bounded] | None,
        About(
            "Quantity up to which each step goes, counted from 0, but for the last", [10, 30], min_items=1, max_items=50
        ),
    ] = None,
    widths: Annotated[
        list[Bounded] | None,
        About(
            "How many units each step has, but for the last, in place of limits", [10, 20], min_items=1, max_items=50
        ),
    ] = None,
    fixed: Annotated[float, About("Fixed charge on top", 9, minimum=0, maximum=_MOST)] = 0,
) -> Tariff:
    """Compute what a quantity costs by a tariff whose price per unit changes in steps, each unit at its own step's.

    Use it for water, electricity and graduated prices; for taxes in percent use tax_compute_brackets.
    """
    ends = _ends(limits, widths)
    if len(prices) == len(ends):
        prices = [0.0, *prices]
    if len(prices) != len(ends) + 1:
        raise ToolError("Give one price more than limits or widths, or as many where the first step is free.")
    bounds = [0.0, *ends, max(quantity, ends[-1])]
    steps: list[TariffStep] = []
    for low, high, price in zip(bounds, bounds[1:], prices, strict=False):
        units = max(0.0, min(quantity, high) - low)
        steps.append({"units": tidy(units), "price": price, "cost": tidy(units * price)})
    usage = sum(step["cost"] for step in steps)
    return {
        "total": tidy(usage + fixed),
        "usage_cost": tidy(usage),
        "average_price": tidy((usage + fixed) / quantity) if quantity > _LEAST else None,
        "steps": steps,
    }


def _ends(limits: list[float] | None, widths: list[float] | None) -> list[float]:
    """Where each step but the last ends."""
    ends = limits or list(accumulate(widths or ()))
    if not ends or (limits and widths) or ends[0] <= 0 or sorted(set(ends)) != ends:
        raise ToolError("Give either limits that rise from above 0 on, or widths above 0.")
    return ends
