"""Rents and other amounts for parts of a period, and property yields."""

from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_MOST = 1e12
_PER_YEAR = {"day": 365.0, "week": 52.0, "fortnight": 26.0, "month": 12.0, "quarter": 4.0, "year": 1.0}
Period = Literal["day", "week", "fortnight", "month", "quarter", "year"]


class Prorated(TypedDict):
    """A part of an amount."""

    amount: Annotated[float, About("Amount for the days used")]
    rest: Annotated[float, About("Amount for the other days")]
    per_day: float


@tool(
    tags="pro rata prorate rent part month days used share amount salary subscription refund moving in",
    use_when=(
        "Rent is 930 for June and I move in for the last 12 of its 30 days. What do I owe?",
        "Pro rata share of a 365-day subscription of 120 after 146 days",
    ),
    examples=(
        Example(
            {"amount": 930, "days_used": 12, "days_total": 30},
            {"amount": 372.0, "rest": 558.0, "per_day": 31.0},
            "930 / 30 * 12",
        ),
        Example(
            {"amount": 120, "days_used": 146, "days_total": 365}, {"amount": 48.0, "rest": 72.0}, source="0.4 of 120"
        ),
        Refusal({"amount": 1, "days_used": 5, "days_total": 4}, "More days"),
    ),
    reply="The share for {args.days_used} of {args.days_total} days is {amount}, at {per_day} a day.",
)
def amount_prorate_days(
    amount: Annotated[float, About("Amount for the whole period", 930, minimum=0, maximum=_MOST)],
    days_used: Annotated[float, About("Days used", 12, minimum=0, maximum=1e6)],
    days_total: Annotated[float, About("Days of the whole period", 30, minimum=1e-6, maximum=1e6)],
) -> Prorated:
    """Compute (work out) the part of a rent, salary or fee that falls on some days of a month or year (pro rata)."""
    if days_used > days_total:
        raise ToolError("More days are used than the period has.")
    share = amount * days_used / days_total
    return {"amount": round(share, 2), "rest": round(amount - share, 2), "per_day": tidy(amount / days_total)}


class PeriodAmounts(TypedDict):
    """An amount by day, week, month and year."""

    per_day: float
    per_week: float
    per_fortnight: float
    per_month: float
    per_quarter: float
    per_year: float


@tool(
    tags="rent pcm weekly monthly yearly convert period salary wage per week per month annual amount",
    use_when=(
        "What is 1,250 pcm as a weekly rent?",
        "280 a week in rent per calendar month",
        "A yearly salary of 41,600 by month and week",
        "What is my salary per hour?",
        "Monthly wage to yearly",
    ),
    examples=(
        Example({"amount": 1300, "period": "month"}, {"per_week": 300.0, "per_year": 15600.0}, source="15600 / 52"),
        Example(
            {"amount": 52000, "period": "year"}, {"per_fortnight": 2000.0, "per_quarter": 13000.0}, source="52000 / 26"
        ),
        Refusal({"amount": -1, "period": "year"}, "amount"),
    ),
    reply="That is {per_day} a day, {per_week} a week, {per_month} a month and {per_year} a year.",
)
def amount_convert_period(
    amount: Annotated[float, About("Amount for the period", 1250, minimum=0, maximum=_MOST)],
    period: Annotated[Period, About("Period of the amount")],
) -> PeriodAmounts:
    """Convert a rent, wage or fee between day, week, fortnight, month, quarter and year.

    A year has 12 months, 52 weeks and 365 days.
    """
    yearly = amount * _PER_YEAR[period]
    each = {name: round(yearly / count, 4) for name, count in _PER_YEAR.items()}
    return {
        "per_day": each["day"],
        "per_week": each["week"],
        "per_fortnight": each["fortnight"],
        "per_month": each["month"],
        "per_quarter": each["quarter"],
        "per_year": each["year"],
    }


class RentalYield(TypedDict):
    """Yield of a property."""

    gross_percent: float
    net_percent: float
    yearly_rent: float
    yearly_net: float


@tool(
    tags="rental yield gross net property rent price costs landlord return buy to let",
    use_when=(
        "Gross and net rental yield: price 240,000, rent 1,150 a month, costs 2,900 a year",
        "A flat for 185000 rents at 780 pcm. Yield?",
    ),
    examples=(
        Example(
            {"price": 240000, "monthly_rent": 1000, "yearly_costs": 2400},
            {"gross_percent": 5.0, "net_percent": 4.0},
            source="12000 and 9600 of 240000",
        ),
        Example(
            {"price": 100000, "monthly_rent": 500}, {"gross_percent": 6.0, "yearly_rent": 6000.0}, source="by hand"
        ),
        Refusal({"price": 0, "monthly_rent": 5}, "price"),
    ),
    reply="The gross yield is {gross_percent} % and the net yield {net_percent} %.",
)
def property_compute_yield(
    price: Annotated[float, About("Price of the property", 240_000, minimum=0.01, maximum=_MOST)],
    monthly_rent: Annotated[float, About("Rent per month", 1150, minimum=0, maximum=_MOST)],
    yearly_costs: Annotated[float, About("Costs per year", 2900, minimum=0, maximum=_MOST)] = 0,
) -> RentalYield:
    """Compute the gross and net rental yield of a property."""
    rent = 12 * monthly_rent
    net = rent - yearly_costs
    return {
        "gross_percent": tidy(100 * rent / price),
        "net_percent": tidy(100 * net / price),
        "yearly_rent": tidy(rent),
        "yearly_net": tidy(net),
    }
