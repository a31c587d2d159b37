"""Tiered amounts: tax brackets, commissions and tariffs."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import accumulate
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, BoundedNumber, Example, PositiveNumber, Refusal, ToolError, tool
from retinue_tools.finance._amounts import Cost, cents, dec, money, percent
from retinue_tools.tidy import tidy


class Bracket(TypedDict):
    """A bracket of a tariff."""

    above: Annotated[float, About("Lower limit above which the rate applies", 11000, minimum=0, maximum=1e15)]
    rate_percent: Annotated[float, About("Rate in percent", 12, minimum=0, maximum=100)]


class BracketPart(TypedDict):
    """Amount for one bracket."""

    above: float
    rate_percent: float
    amount: Annotated[float, About("Part of the base in this bracket")]
    due: float


class BracketSum(TypedDict):
    """Result of a tariff."""

    base: Annotated[float, About("Amount to which the brackets apply")]
    due: float
    left: Annotated[float, About("Amount minus the amount due")]
    effective_percent: Annotated[float, About("Amount due as a share of the total amount")]
    marginal_percent: Annotated[float, About("Marginal rate")]
    parts: list[BracketPart]


Brackets = Annotated[
    list[Bracket],
    About(
        "Brackets in any order",
        [{"above": 0, "rate_percent": 10}, {"above": 11000, "rate_percent": 12}],
        min_items=1,
        max_items=50,
    ),
]


Rates = Annotated[
    list[Annotated[float, About("Rate in percent", 12, minimum=0, maximum=1000)]] | None,
    About(
        "Rate of each bracket in percent, ascending; a free first bracket may be omitted",
        [10, 12, 22],
        min_items=1,
        max_items=50,
    ),
]
Limits = Annotated[
    list[PositiveNumber] | None,
    About("Upper limits of the brackets, except for the last one", [11000, 44725], min_items=1, max_items=50),
]
Widths = Annotated[
    list[PositiveNumber] | None,
    About(
        "Width of each bracket except for the last one, instead of limits", [11000, 33725], min_items=1, max_items=50
    ),
]


def brackets_of(
    brackets: Sequence[Bracket] | None,
    rates: Sequence[float] | None,
    limits: Sequence[float] | None,
    widths: Sequence[float] | None,
) -> list[Bracket]:
    """Return the brackets from any of the input forms."""
    if brackets and not rates:
        return list(brackets)
    above = [0.0, *(limits or accumulate(widths or ()))]
    all_rates = [0.0, *(rates or ())] if len(above) == len(rates or ()) + 1 else rates
    if brackets or not all_rates or (limits and widths) or len(above) != len(all_rates):
        raise ToolError(
            "Give brackets, or rates_percent with one limit or width less (the same number if the first bracket is "
            "free)."
        )
    return [{"above": start, "rate_percent": rate} for start, rate in zip(above, all_rates, strict=True)]


@tool(
    tags="income tax progressive brackets marginal effective rate tariff",
    use_when=(
        "How much tax on 50,000 with brackets 10% to 11,000, 12% to 44,725 and 22% above?",
        "What is my effective tax rate?",
        "Compute progressive tax with an allowance of 12,570",
    ),
    examples=(
        Example(
            {
                "amount": 50000,
                "brackets": [
                    {"above": 0, "rate_percent": 10},
                    {"above": 11000, "rate_percent": 12},
                    {"above": 44725, "rate_percent": 22},
                ],
            },
            {"due": 6307.5, "left": 43692.5, "marginal_percent": 22.0, "effective_percent": 12.615},
            source="United States tariff of 2023 for a single person: 5,147 plus 22 % above 44,725",
        ),
        Example(
            {"amount": 20000, "brackets": [{"above": 0, "rate_percent": 20}], "allowance": 12570},
            {"base": 7430.0, "due": 1486.0},
            source="by hand: 20 % of 7,430",
        ),
        Example(
            {"amount": 61500, "rates_percent": [0, 15, 28], "widths": [12000, 30000]},
            {"due": 9960.0},
            source="by hand: 15 % of 30,000 and 28 % of 19,500",
        ),
        Example(
            {"amount": 50000, "rates_percent": [10, 12, 22], "limits": [11000, 44725]},
            {"due": 6307.5},
            source="the tariff of 2023 above",
        ),
        Example(
            {"amount": 55000, "rates_percent": [15, 30], "limits": [12000, 40000]},
            {"due": 8700.0},
            source="by hand: the first step is free; 15 % of 28,000 and 30 % of 15,000",
        ),
        Refusal({"amount": 20000, "rates_percent": [10, 20, 30]}, "one limit or width less"),
        Refusal(
            {"amount": 20000, "brackets": [{"above": 5, "rate_percent": 20}, {"above": 5, "rate_percent": 1}]},
            "Two brackets begin at the same amount",
        ),
    ),
    reply=("The tax is {due}, or {effective_percent} % of the amount; the marginal rate is {marginal_percent} %."),
)
def tax_compute_brackets(
    amount: Cost,
    brackets: Brackets | None = None,
    allowance: Annotated[float, About("Tax-free amount deducted first", 12570, minimum=0, maximum=1e15)] = 0,
    rates_percent: Rates = None,
    limits: Limits = None,
    widths: Widths = None,
) -> BracketSum:
    """Compute a progressive tax from brackets that you give, with effective and marginal rate.

    Use it for income tax or any tariff in which each rate applies only to its slice. Give brackets, or rates_percent
    with limits ("up to 11,000, to 44,725") or widths ("the first 11,000, the next 33,725"). No country's law is built
    in.
    """
    steps = sorted(brackets_of(brackets, rates_percent, limits, widths), key=lambda step: step["above"])
    if len({step["above"] for step in steps}) < len(steps):
        raise ToolError("Two brackets begin at the same amount. Give each limit once.")
    base = max(Decimal(), dec(amount) - dec(allowance))
    starts = [dec(step["above"]) for step in steps]
    parts: list[BracketPart] = []
    for step, low, high in zip(steps, starts, [*starts[1:], None], strict=True):
        slice_ = max(Decimal(), (base if high is None else min(base, high)) - low)
        due = cents(slice_ * dec(step["rate_percent"]) / 100)
        parts.append({**step, "amount": money(slice_), "due": float(due)})
    total = sum((dec(part["due"]) for part in parts), Decimal())
    reached = [step["rate_percent"] for step, low in zip(steps, starts, strict=True) if base > low]
    return {
        "base": money(base),
        "due": float(total),
        "left": money(dec(amount) - total),
        "effective_percent": percent(total / dec(amount)) if amount else 0.0,
        "marginal_percent": float(reached[-1]) if reached else 0.0,
        "parts": parts,
    }


@tool(
    tags="sales commission tiers tiered bonus quota accelerator",
    use_when=(
        "What commission on 120,000 with 5% up to 50,000 and 8% above?",
        "Compute a tiered sales commission",
        "How much do I earn if the whole amount gets the rate of the reached tier?",
    ),
    examples=(
        Example(
            {"sales": 120000, "tiers": [{"above": 0, "rate_percent": 5}, {"above": 50000, "rate_percent": 8}]},
            {"due": 8100.0, "marginal_percent": 8.0, "base": 120000.0, "left": 111900.0},
            source="by hand: 2,500 and 5,600",
        ),
        Example(
            {
                "sales": 120000,
                "tiers": [{"above": 0, "rate_percent": 5}, {"above": 50000, "rate_percent": 8}],
                "scheme": "whole",
            },
            {"due": 9600.0, "effective_percent": 8.0},
            source="by hand: 8 % of all",
        ),
        Refusal({"sales": 1, "tiers": []}, "tiers"),
    ),
    reply="The commission is {due}, or {effective_percent} % of {base}.",
)
def commission_compute_tiers(
    sales: Cost,
    tiers: Brackets | None = None,
    scheme: Annotated[
        Literal["slices", "whole"], About("Each rate for its slice, or the highest reached rate for the whole")
    ] = "slices",
    rates_percent: Rates = None,
    limits: Limits = None,
    widths: Widths = None,
) -> BracketSum:
    """Compute a sales commission by tiers, with each rate for its slice or the reached rate for all sales.

    Use it for sales plans and quotas. Give tiers, or rates_percent with limits or widths. Returns the commission in
    `due`, the effective rate and the parts.
    """
    result = tax_compute_brackets(sales, brackets_of(tiers, rates_percent, limits, widths))
    if scheme == "slices":
        return result
    rate = result["marginal_percent"]
    due = cents(dec(sales) * dec(rate) / 100)
    return {
        **result,
        "due": float(due),
        "left": money(dec(sales) - due),
        "effective_percent": rate,
        "parts": [{"above": 0.0, "rate_percent": rate, "amount": money(dec(sales)), "due": float(due)}],
    }


_MOST = 1e12
_LEAST = 1e-9


class TariffStep(TypedDict):
    """Cost of one step."""

    units: float
    price: float
    cost: float


class Tariff(TypedDict):
    """Cost of a quantity."""

    total: float
    usage_cost: Annotated[float, About("Cost without the fixed charge")]
    average_price: Annotated[float | None, About("Total per unit")]
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
        Refusal({"quantity": 5, "limits": [10, 20], "prices": [1]}, "one more price"),
    ),
    reply={
        "average_price": "The total is {total}, on average {average_price} per unit: {steps}",
        "": "The total is {total}: {steps}",
    },
)
def tariff_compute_tiers(
    quantity: Annotated[float, About("Quantity used or bought", 44, minimum=0, maximum=_MOST)],
    prices: Annotated[
        list[BoundedNumber],
        About(
            "Unit price of each step; a free first one may be omitted",
            [0, 1.2, 2.1],
            min_items=1,
            max_items=51,
        ),
    ],
    limits: Annotated[
        list[BoundedNumber] | None,
        About("Upper limit of each step, counted from 0, except for the last", [10, 30], min_items=1, max_items=50),
    ] = None,
    widths: Annotated[
        list[BoundedNumber] | None,
        About(
            "Number of units in each step except for the last, instead of limits", [10, 20], min_items=1, max_items=50
        ),
    ] = None,
    fixed: Annotated[float, About("Fixed charge on top", 9, minimum=0, maximum=_MOST)] = 0,
) -> Tariff:
    """Compute what a quantity costs under a tariff with a price per unit that changes in steps, each unit at the price
    of its own step.

    Use it for water, electricity and graduated prices; for taxes in percent use tax_compute_brackets.
    """
    ends = _ends(limits, widths)
    if len(prices) == len(ends):
        prices = [0.0, *prices]
    if len(prices) != len(ends) + 1:
        raise ToolError("Give one more price than limits or widths, or the same number if the first step is free.")
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
    """Return the end of each step except for the last."""
    ends = limits or list(accumulate(widths or ()))
    if not ends or (limits and widths) or ends[0] <= 0 or sorted(set(ends)) != ends:
        raise ToolError("Give either ascending limits above 0, or widths above 0.")
    return ends
