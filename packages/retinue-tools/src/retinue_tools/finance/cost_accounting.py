"""Costs: stock valuation, allocation, break-even and depreciation."""

from collections import deque
from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Money, Refusal, ToolError, tool
from retinue_tools.finance._amounts import Cost, Label, cents, dec, money, percent, shares_of


class Movement(TypedDict):
    """A movement of goods."""

    kind: Annotated[Literal["buy", "sell"], About("Purchase or sale")]
    quantity: Annotated[float, About("Quantity", 10, exclusive_minimum=0, maximum=1e12)]
    unit_cost: Annotated[float, About("Unit purchase price; 0 for sales", 4.5, minimum=0, maximum=1e9)]


class Stock(TypedDict):
    """Goods sold and remaining."""

    cost_of_sales: float
    closing_quantity: float
    closing_value: float
    average_unit_cost: Annotated[float | None, About("Mean unit cost of the remaining goods; null if there are none")]


@tool(
    tags="inventory fifo lifo average cost of goods sold stock valuation cogs",
    use_when=(
        "What are the costs of goods sold by FIFO?",
        "Value my stock with LIFO after these purchases and sales",
        "Compare the average cost of inventory",
    ),
    examples=(
        Example(
            {
                "movements": [
                    {"kind": "buy", "quantity": 10, "unit_cost": 2},
                    {"kind": "buy", "quantity": 10, "unit_cost": 4},
                    {"kind": "sell", "quantity": 15, "unit_cost": 0},
                ],
                "method": "fifo",
            },
            {"cost_of_sales": 40.0, "closing_quantity": 5.0, "closing_value": 20.0, "average_unit_cost": 4.0},
            source="by hand: 10 x 2 and 5 x 4",
        ),
        Example(
            {
                "movements": [
                    {"kind": "buy", "quantity": 10, "unit_cost": 2},
                    {"kind": "buy", "quantity": 10, "unit_cost": 4},
                    {"kind": "sell", "quantity": 15, "unit_cost": 0},
                ],
                "method": "lifo",
            },
            {"cost_of_sales": 50.0, "closing_value": 10.0},
            source="by hand: 10 x 4 and 5 x 2",
        ),
        Refusal(
            {"movements": [{"kind": "sell", "quantity": 1, "unit_cost": 0}], "method": "average"}, "exceeds the stock"
        ),
    ),
    reply=("The cost of sales is {cost_of_sales}; {closing_quantity} in stock are worth {closing_value}."),
)
def inventory_value_stock(
    movements: Annotated[
        list[Movement],
        About(
            "Purchases and sales in chronological order",
            [{"kind": "buy", "quantity": 10, "unit_cost": 2}],
            min_items=1,
            max_items=10_000,
        ),
    ],
    method: Annotated[Literal["fifo", "lifo", "average"], About("Cost flow method; average is the moving average")],
) -> Stock:
    """Value stock and cost of sales by FIFO, LIFO or moving average from purchases and sales in order.

    Use it for accounts and margins. Returns cost of goods sold, closing quantity and value, rounded to cents.
    """
    layers: deque[tuple[Decimal, Decimal]] = deque()
    sold = Decimal()
    for line in movements:
        quantity = dec(line["quantity"])
        if line["kind"] == "buy":
            layers.append((quantity, dec(line["unit_cost"])))
            if method == "average":
                layers = deque([_pool(layers)])
        else:
            sold += _issue(layers, quantity, last=method == "lifo")
    left = sum((quantity for quantity, _ in layers), Decimal())
    value = sum((quantity * cost for quantity, cost in layers), Decimal())
    return {
        "cost_of_sales": money(sold),
        "closing_quantity": float(left),
        "closing_value": money(value),
        "average_unit_cost": round(float(value / left), 6) if left else None,
    }


def _pool(layers: deque[tuple[Decimal, Decimal]]) -> tuple[Decimal, Decimal]:
    total = sum((quantity for quantity, _ in layers), Decimal())
    return total, sum((quantity * cost for quantity, cost in layers), Decimal()) / total


def _issue(layers: deque[tuple[Decimal, Decimal]], quantity: Decimal, *, last: bool) -> Decimal:
    """Remove goods from the layers. Returns their cost."""
    cost = Decimal()
    while quantity:
        if not layers:
            raise ToolError("A sale exceeds the stock. Check quantities and order.")
        there, price = layers.pop() if last else layers.popleft()
        issued = min(there, quantity)
        cost += issued * price
        quantity -= issued
        if there > issued:
            (layers.append if last else layers.appendleft)((there - issued, price))
    return cost


class Part(TypedDict):
    """A recipient of a part."""

    name: Label
    weight: Annotated[float, About("Share, area, hours or any other key", 3, minimum=0, maximum=1e12)]


class PartAmount(TypedDict):
    """A part of the amount."""

    name: str
    amount: float
    share_percent: float


class Allocation(TypedDict):
    """An amount divided into parts."""

    parts: list[PartAmount]


@tool(
    tags="allocate cost distribute split shares weights rounding proportional",
    use_when=(
        "Split 1,000 of heating costs by 70, 85 and 45 square metres",
        "Divide an amount 3:2:1 so that the cents add up",
        "Allocate overhead to departments by hours",
    ),
    examples=(
        Example(
            {"amount": 100, "parts": [{"name": n, "weight": 1} for n in ("A", "B", "C")]},
            {"parts": [{"name": "A", "amount": 33.34}, {"amount": 33.33}, {"amount": 33.33}]},
            source="by hand",
        ),
        Example(
            {
                "amount": 600,
                "parts": [{"name": "A", "weight": 3}, {"name": "B", "weight": 2}, {"name": "C", "weight": 1}],
            },
            {"parts": [{"amount": 300.0, "share_percent": 50.0}, {"amount": 200.0}, {"amount": 100.0}]},
            source="by hand",
        ),
        Refusal({"amount": 600, "parts": [{"name": "A", "weight": 0}]}, "add up to zero"),
    ),
    reply={
        "args.amount": "{args.amount} is shared like this: {parts}",
        "": "The shares: {parts}",
    },
)
def cost_allocate_shares(
    amount: Money,
    parts: Annotated[
        list[Part], About("Recipients and their weights", [{"name": "A", "weight": 3}], min_items=1, max_items=1000)
    ],
) -> Allocation:
    """Allocate an amount by weights to the cent, so that the parts add up exactly.

    Use it for shared costs, dividends or budgets. Left-over cents go to the largest remainders.
    """
    weights = [dec(part["weight"]) for part in parts]
    shares = shares_of(cents(dec(amount)), weights)
    total = sum(weights, Decimal())
    return {
        "parts": [
            {"name": part["name"], "amount": float(share), "share_percent": percent(weight / total)}
            for part, share, weight in zip(parts, shares, weights, strict=True)
        ]
    }


class BreakEven(TypedDict):
    """Break-even point."""

    units: Annotated[int, About("Whole units to sell")]
    revenue: float
    contribution_per_unit: float
    contribution_percent: float
    profit: Annotated[float | None, About("At the planned units; null without a plan")]
    margin_of_safety_percent: Annotated[float | None, About("Possible decrease from the plan; null without a plan")]


@tool(
    tags="break-even units contribution margin fixed variable cost safety",
    use_when=(
        "How many units at 25 with 15 variable cost cover 10,000 of fixed costs?",
        "What is our margin of safety when we sell 1,500?",
        "From which revenue on do we make a profit of 5,000?",
    ),
    examples=(
        Example(
            {"fixed_costs": 10000, "price": 25, "variable_cost": 15, "planned_units": 1250},
            {
                "units": 1000,
                "revenue": 25000.0,
                "profit": 2500.0,
                "margin_of_safety_percent": 20.0,
                "contribution_per_unit": 10.0,
                "contribution_percent": 40.0,
            },
            source="by hand",
        ),
        Example(
            {"fixed_costs": 10000, "price": 25, "variable_cost": 15, "target_profit": 5},
            {"units": 1001, "profit": None},
            source="by hand: 10,005 / 10, rounded up",
        ),
        Refusal({"fixed_costs": 10000, "price": 15, "variable_cost": 15}, "above the variable cost"),
    ),
    reply={
        "profit, margin_of_safety_percent": (
            "You break even at {units|unit}, that is "
            "{revenue} of revenue. The plan makes a profit "
            "of {profit}, with a margin of safety of "
            "{margin_of_safety_percent} %."
        ),
        "args.target_profit": (
            "You need to sell {units|unit}, that is {revenue} of revenue, for a profit of {args.target_profit}."
        ),
        "": "You break even at {units|unit}, that is {revenue} of revenue.",
    },
)
def breakeven_compute_units(
    fixed_costs: Cost,
    price: Money,
    variable_cost: Cost,
    target_profit: Annotated[float, About("Target profit", 5000, minimum=0, maximum=1e15)] = 0,
    planned_units: Annotated[float | None, About("Planned sales", 1500, exclusive_minimum=0, maximum=1e12)] = None,
) -> BreakEven:
    """Compute the units and revenue at which costs, or costs and a target profit, are covered.

    Use it for prices and plans. With planned units, it also returns the profit and the margin of safety.
    """
    gain = dec(price) - dec(variable_cost)
    if gain <= 0:
        raise ToolError("The price must be above the variable cost; otherwise no volume covers the fixed costs.")
    needed = (dec(fixed_costs) + dec(target_profit)) / gain
    units = int(needed.to_integral_value("ROUND_CEILING"))
    plan = None if planned_units is None else dec(planned_units)
    return {
        "units": units,
        "revenue": money(units * dec(price)),
        "contribution_per_unit": float(gain),
        "contribution_percent": percent(gain / dec(price)),
        "profit": None if plan is None else money(plan * gain - dec(fixed_costs)),
        "margin_of_safety_percent": None if plan is None else percent((plan - dec(fixed_costs) / gain) / plan),
    }


Method = Annotated[
    Literal["straight_line", "declining_balance", "sum_of_years", "units"],
    About("Depreciation method: equal parts, declining rate, sum of the years' digits, or units produced"),
]


class AssetYear(TypedDict):
    """One year of depreciation."""

    year: int
    depreciation: float
    accumulated: float
    book_value: Annotated[float, About("At the end of the year")]


class Depreciation(TypedDict):
    """Depreciation of an asset."""

    depreciable: Annotated[float, About("Cost minus salvage value")]
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
    reply="In all {depreciable} is written off. The schedule: {years}",
)
def asset_schedule_depreciation(
    cost: Money,
    salvage: Cost,
    life_years: Annotated[int, About("Useful life in years", 10, minimum=1, maximum=100)],
    method: Method = "straight_line",
    factor: Annotated[
        float,
        About(
            "For declining_balance: rate as a multiple of the straight-line rate, 2 for double", 2, minimum=1, maximum=5
        ),
    ] = 2,
    units_per_year: Annotated[
        list[Annotated[float, About("Units produced", 1000, minimum=0, maximum=1e12)]] | None,
        About("For units: production in each year", [10000, 12000, 8000], min_items=1, max_items=100),
    ] = None,
) -> Depreciation:
    """Schedule the depreciation of an asset year by year, from its cost to its salvage value.

    Use it for accounts and budgets. The declining balance method switches to straight-line depreciation of the rest as
    soon as that is larger. Returns depreciation, accumulated depreciation and book value of each year.
    """
    price, rest = cents(dec(cost)), cents(dec(salvage))
    if rest > price:
        raise ToolError("The salvage value is higher than the cost. Lower salvage.")
    if method == "declining_balance":
        values = list(_declining_balance(price, rest, life_years, dec(factor)))
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
    """Return book values at the year ends; rounding errors do not accumulate."""
    total, spent = sum(weights, Decimal()), Decimal()
    for weight in weights:
        spent += weight
        yield cents(price - (price - rest) * spent / total)


def _declining_balance(price: Decimal, rest: Decimal, life: int, factor: Decimal) -> Iterator[Decimal]:
    value = price
    for year in range(life):
        falling = value * factor / life
        straight = (value - rest) / (life - year)
        value = max(rest, cents(value - max(falling, straight)))
        yield value
