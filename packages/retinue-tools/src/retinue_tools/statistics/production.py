"""Production metrics: defects, capability, equipment and order planning."""

from math import sqrt
from statistics import NormalDist
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_MOST_UNITS = 1e12


class OrderPlan(TypedDict):
    """An order policy."""

    order_quantity: Annotated[float, About("Economic order quantity (EOQ)")]
    orders_per_year: float
    yearly_cost: Annotated[float, About("Yearly cost of ordering and holding")]
    safety_stock: float
    reorder_point: Annotated[float | None, About("Reorder point, if a lead time is given")]


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
    reply={
        "reorder_point, safety_stock": (
            "Order {order_quantity} at a time, as soon as {reorder_point} are left; the safety stock is {safety_stock}."
        ),
        "": "Order {order_quantity} at a time, {orders_per_year} times a year.",
    },
)
def inventory_plan_order(
    yearly_demand: Annotated[float, About("Demand in units per year", 12000, minimum=1e-6, maximum=_MOST_UNITS)],
    order_cost: Annotated[float, About("Cost per order", 50, minimum=1e-6, maximum=_MOST_UNITS)],
    holding_cost: Annotated[float, About("Holding cost per unit and year", 2.4, minimum=1e-6, maximum=_MOST_UNITS)],
    lead_days: Annotated[float | None, About("Lead time in days", 9, minimum=0, maximum=10_000)] = None,
    daily_deviation: Annotated[
        float, About("Standard deviation of the daily demand", 6, minimum=0, maximum=_MOST_UNITS)
    ] = 0,
    service_percent: Annotated[
        float, About("Service level: share of cycles without shortage", 95, minimum=50, maximum=99.9999)
    ] = 95,
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


_MILLION = 1e6
_SHIFT = 1.5
_LEAST = 1e-15
"""Below such a share, the level cannot be distinguished from infinity."""
_MOST = 1e15


class Defects(TypedDict):
    """Quality of a process."""

    dpmo: Annotated[float, About("Defects per million opportunities")]
    defect_percent: float
    yield_percent: float
    defects_per_unit: float
    sigma: Annotated[float | None, About("Sigma level with the usual shift of 1.5; null without defects")]
    sigma_unshifted: float | None


@tool(
    tags="dpmo six sigma level defects per million opportunities yield quality rate process dpu",
    use_when=(
        "38 defects in 5,000 units with 4 opportunities each: DPMO and sigma level?",
        "Which yield and sigma level have 12 faulty parts of 2500?",
    ),
    examples=(
        Example(
            {"defects": 38, "units": 5000, "opportunities": 4},
            {"dpmo": 1900.0, "defects_per_unit": 0.0076, "yield_percent": 99.81},
            source="arithmetic: 38 / 20000",
        ),
        Example(
            {"defects": 34, "units": 10000000},
            {"dpmo": 3.4, "sigma": 6.0},
            source="the definition of six sigma",
            tolerance=1e-3,
        ),
        Refusal({"defects": 5, "units": 2}, "more defects"),
    ),
    reply={
        "sigma": (
            "There are {dpmo} defects per million opportunities, a yield of "
            "{yield_percent} % and a sigma level of {sigma}."
        ),
        "": "There are {dpmo} defects per million opportunities, a yield of {yield_percent} %.",
    },
)
def process_measure_defects(
    defects: Annotated[float, About("Number of defects", 38, minimum=0, maximum=_MOST)],
    units: Annotated[float, About("Number of inspected units", 5000, minimum=1e-30, maximum=_MOST)],
    opportunities: Annotated[float, About("Defect opportunities per unit", 4, minimum=1e-30, maximum=_MOST)] = 1,
) -> Defects:
    """Measure the defects of a process: DPMO, yield and sigma level (six sigma, with the shift of 1.5)."""
    share = defects / (units * opportunities)
    if share > 1:
        raise ToolError("There are more defects than opportunities.")
    level = NormalDist().inv_cdf(1 - share) if _LEAST < share < 1 - _LEAST else None
    return {
        "dpmo": tidy(share * _MILLION),
        "defect_percent": tidy(100 * share),
        "yield_percent": tidy(100 * (1 - share)),
        "defects_per_unit": tidy(defects / units),
        "sigma": None if level is None else tidy(level + _SHIFT),
        "sigma_unshifted": None if level is None else tidy(level),
    }


class Effectiveness(TypedDict):
    """Overall equipment effectiveness."""

    oee_percent: float
    availability_percent: float
    performance_percent: float
    quality_percent: float


@tool(
    tags="oee overall equipment effectiveness availability performance quality machine production shift downtime lean",
    use_when=(
        "OEE of a shift of 480 min with 47 min down, 1 second a part ideally, 19,271 parts of which 423 bad",
        "Overall equipment effectiveness: planned 420 minutes, run 373, cycle 1 s, 19271 made, 18848 good",
    ),
    examples=(
        Example(
            {"planned_minutes": 420, "down_minutes": 47, "cycle_s": 1, "made": 19271, "bad": 423},
            {"oee_percent": 74.7936507937, "availability_percent": 88.8095238095},
            source="373 / 420; 19271 / 22380; 18848 / 19271",
            tolerance=1e-6,
        ),
        Example(
            {"planned_minutes": 100, "down_minutes": 0, "cycle_s": 60, "made": 50},
            {"oee_percent": 50.0, "quality_percent": 100.0},
            source="50 of 100 minutes",
        ),
        Refusal({"planned_minutes": 100, "down_minutes": 100, "cycle_s": 1, "made": 5, "bad": 0}, "never ran"),
    ),
    reply=(
        "The OEE is {oee_percent} %: {availability_percent} % availability, "
        "{performance_percent} % performance and {quality_percent} % quality."
    ),
)
def process_compute_oee(
    planned_minutes: Annotated[float, About("Planned production time in minutes", 420, minimum=1e-30, maximum=1e9)],
    down_minutes: Annotated[float, About("Downtime in minutes", 47, minimum=0, maximum=1e9)],
    cycle_s: Annotated[float, About("Ideal cycle time per part in seconds", 1, minimum=1e-30, maximum=1e9)],
    made: Annotated[float, About("Number of parts produced", 19271, minimum=1e-30, maximum=1e12)],
    bad: Annotated[float, About("Number of bad parts", 423, minimum=0, maximum=1e12)] = 0,
) -> Effectiveness:
    """Compute the overall equipment effectiveness (OEE): availability times performance times quality."""
    run = planned_minutes - down_minutes
    if run <= 0 or bad > made:
        raise ToolError("The machine never ran, or there are more bad parts than parts produced.")
    shares = (run / planned_minutes, cycle_s * made / 60 / run, (made - bad) / made)
    return {
        "oee_percent": tidy(100 * shares[0] * shares[1] * shares[2]),
        "availability_percent": tidy(100 * shares[0]),
        "performance_percent": tidy(100 * shares[1]),
        "quality_percent": tidy(100 * shares[2]),
    }
