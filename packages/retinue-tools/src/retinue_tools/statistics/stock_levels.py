"""How much to order, and when."""

from math import sqrt
from statistics import NormalDist
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.tidy import tidy

_MOST = 1e12


class OrderPlan(TypedDict):
    """An order policy."""

    order_quantity: Annotated[float, About("Economic order quantity (EOQ)")]
    orders_per_year: float
    yearly_cost: Annotated[float, About("Of ordering and of holding")]
    safety_stock: float
    reorder_point: Annotated[float | None, About("Stock at which to order, where a lead time was given")]


@tool(
    tags="eoq economic order quantity reorder point safety stock lead time demand inventory holding cost ordering",
    use_when=(
        "Demand 12,000 a year, 50 per order, holding 2.40 a unit and year: economic order quantity?",
        "Reorder point with 40 a day, lead time 9 days, deviation 6 a day, 95 % service",
    ),
    examples=(
        Example(
            {"yearly_demand": 12000, "order_cost": 50, "holding_cost": 3},
            {"order_quantity": 632.455532034, "yearly_cost": 1897.3665961},
            source="sqrt(2 * 12000 * 50 / 3) and sqrt(2 * 12000 * 50 * 3)",
        ),
        Example(
            {
                "yearly_demand": 14600,
                "order_cost": 50,
                "holding_cost": 3,
                "lead_days": 9,
                "daily_deviation": 6,
                "service_percent": 97.72498680518208,
            },
            {"safety_stock": 36.0, "reorder_point": 396.0},
            source="2 * 6 * sqrt(9) and 40 * 9 + 36",
            tolerance=1e-6,
        ),
        Refusal({"yearly_demand": 0, "order_cost": 5, "holding_cost": 1}, "yearly_demand"),
    ),
)
def inventory_plan_order(
    yearly_demand: Annotated[float, About("Units a year", 12000, minimum=1e-6, maximum=_MOST)],
    order_cost: Annotated[float, About("Cost of an order", 50, minimum=1e-6, maximum=_MOST)],
    holding_cost: Annotated[float, About("Cost of holding a unit for a year", 2.4, minimum=1e-6, maximum=_MOST)],
    lead_days: Annotated[float | None, About("Days from order to delivery", 9, minimum=0, maximum=10_000)] = None,
    daily_deviation: Annotated[float, About("Standard deviation of a day's demand", 6, minimum=0, maximum=_MOST)] = 0,
    service_percent: Annotated[float, About("Share of cycles without shortage", 95, minimum=50, maximum=99.9999)] = 95,
) -> OrderPlan:
    """Plan orders of stock: economic order quantity, safety stock and reorder point, for a steady demand."""
    quantity = sqrt(2 * yearly_demand * order_cost / holding_cost)
    safety = NormalDist().inv_cdf(service_percent / 100) * daily_deviation * sqrt(lead_days or 0)
    return {
        "order_quantity": tidy(quantity),
        "orders_per_year": tidy(yearly_demand / quantity),
        "yearly_cost": tidy(sqrt(2 * yearly_demand * order_cost * holding_cost)),
        "safety_stock": tidy(safety),
        "reorder_point": None if lead_days is None else tidy(yearly_demand / 365 * lead_days + safety),
    }


class Smoothed(TypedDict):
    """Values that were smoothed."""

    smoothed: list[float]
    forecast: Annotated[float, About("For the next value: the last smoothed one")]


@tool(
    tags="exponential smoothing alpha forecast moving average ema weighted series demand next value",
    use_when=(
        "Simple exponential smoothing with alpha 0.3 of 100, 120, 90, 130: next forecast?",
        "Exponential moving average (alpha 0.5) of 10, 12, 11, 15",
    ),
    examples=(
        Example({"values": [10, 20], "alpha": 0.5}, {"smoothed": [10.0, 15.0], "forecast": 15.0}, source="by hand"),
        Example(
            {"values": [100, 120, 90], "alpha": 0.3}, {"forecast": 101.2}, source="by hand: 106, then 0.7 * 106 + 27"
        ),
        Refusal({"values": [1], "alpha": 2}, "alpha"),
    ),
)
def timeseries_smooth_exponentially(
    values: Annotated[
        list[Annotated[float, About("Value", 100, minimum=-1e15, maximum=1e15)]],
        About("Values in order of time", [100, 120, 90, 130], min_items=1, max_items=100_000),
    ],
    alpha: Annotated[float, About("Weight of the newest value", 0.3, minimum=0, maximum=1)],
) -> Smoothed:
    """Smooth a series exponentially with a given alpha, beginning with its first value, and forecast the next one."""
    smoothed = [values[0]]
    for value in values[1:]:
        smoothed.append(alpha * value + (1 - alpha) * smoothed[-1])
    return {"smoothed": [tidy(one) for one in smoothed], "forecast": tidy(smoothed[-1])}
