"""Cash flows: present value, internal rate of return, dated flows, leasing."""

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from itertools import accumulate, pairwise
from typing import Annotated

from scipy.optimize import brentq
from typing_extensions import TypedDict

from retinue.sdk import About, Date, Example, Money, Percent, Refusal, ToolError, tool
from retinue_tools.finance._amounts import AnyAmount, Cost, SignedPercent, dec, money, percent

Flows = Annotated[
    list[AnyAmount],
    About(
        "Cash flows at equal intervals, the first one today, or after one period if there is an outlay; negative for "
        "payments",
        [-10000, 3000, 4200, 6800],
        min_items=1,
        max_items=1000,
    ),
]
Outlay = Annotated[
    float | None, About("Payment at the start, as a positive number", 10_000, minimum=0.01, maximum=1e15)
]
_NO_RATE = "No rate of return exists: the flows need money paid (negative) and money received (positive)."


class PresentValue(TypedDict):
    """Present value of an investment."""

    npv: Annotated[float, About("Net present value")]
    profitability_index: Annotated[
        float | None, About("Present value of receipts per unit paid; null without payments")
    ]
    payback_periods: Annotated[float | None, About("Periods until the flows are earned back; null for never")]
    discounted_payback_periods: Annotated[float | None, About("Payback period of the discounted flows")]
    discounted: Annotated[list[float], About("Present value of each flow")]


@tool(
    tags="npv net present value discount cash flow payback period investment profitability",
    use_when=(
        "What is the NPV of -10000, 3000, 4200, 6800 at 10%?",
        "When does an investment of 5,000 with 1,500 a year pay back?",
        "Is this project worth it at 8% cost of capital?",
    ),
    examples=(
        Example(
            {"flows": [-10000, 3000, 4200, 6800], "rate_percent": 10},
            {"npv": 1307.29, "discounted_payback_periods": 2.7441, "discounted": [-10000.0, 2727.27, 3471.07, 5108.94]},
            source="Excel's documentation of NPV gives 1,188.44 one period earlier: times 1.1",
        ),
        Example(
            {"flows": [-1000, 500, 1000], "rate_percent": 0},
            {"npv": 500.0, "payback_periods": 1.5, "profitability_index": 1.5},
            source="by hand",
        ),
        Example(
            {"outlay": 10000, "flows": [3000, 4200, 6800], "rate_percent": 10}, {"npv": 1307.29}, source="the same"
        ),
        Refusal({"flows": [5], "rate_percent": 0}, "flows"),
    ),
    reply={
        "discounted_payback_periods": (
            "The net present value is {npv}, and the investment "
            "pays back after {payback_periods} periods, or "
            "{discounted_payback_periods} with discounting."
        ),
        "payback_periods": (
            "The net present value is {npv}, and the investment pays back "
            "after {payback_periods} periods, but not with discounting."
        ),
        "": "The net present value is {npv}; the investment never pays back.",
    },
)
def cashflow_compute_npv(
    flows: Flows,
    rate_percent: Annotated[SignedPercent, About("Rate in percent per period, may be negative")],
    outlay: Outlay = None,
) -> PresentValue:
    """Compute the net present value of cash flows, with payback time and profitability index.

    Use it to judge an investment at a required rate per period. The outlay, or else the first flow, is not discounted.
    """
    growth = 1 + dec(rate_percent) / 100
    plain = [dec(flow) for flow in _with_outlay(flows, outlay)]
    discounted = [flow * growth**-place for place, flow in enumerate(plain)]
    paid = -sum((flow for flow in discounted if flow < 0), Decimal())
    received = sum((flow for flow in discounted if flow > 0), Decimal())
    return {
        "npv": money(sum(discounted, Decimal())),
        "profitability_index": round(float(received / paid), 6) if paid else None,
        "payback_periods": _payback(plain),
        "discounted_payback_periods": _payback(discounted),
        "discounted": [money(flow) for flow in discounted],
    }


def _with_outlay(flows: Sequence[float], outlay: float | None) -> Sequence[float]:
    """Return the flows from today on."""
    from_today = flows if outlay is None else [-outlay, *flows]
    if len(from_today) < 2:
        raise ToolError("Give at least two flows, or an outlay and flows.")
    return from_today


def _payback(flows: Sequence[Decimal]) -> float | None:
    """Return the periods until the sum stays at zero or above; the last one is proportional."""
    sums = list(accumulate(flows))
    if sums[-1] < 0:
        return None
    below = [place for place, total in enumerate(sums) if total < 0]
    if not below:
        return 0.0
    return round(below[-1] + float(-sums[below[-1]] / flows[below[-1] + 1]), 4)


class Return(TypedDict):
    """Rates of return per period."""

    irr_percent: Annotated[float, About("Internal rate of return: the one closest to zero if there are several")]
    mirr_percent: Annotated[float | None, About("Modified rate; null unless both rates are given")]
    several: Annotated[bool, About("Whether the flows change sign more than once, so that the IRR may be ambiguous")]


Rate = Annotated[float | None, About("Rate in percent per period", 10, minimum=-99, maximum=1000)]


@tool(
    tags="irr mirr internal rate of return yield investment cash flow",
    use_when=(
        "What is the IRR of -70000, 12000, 15000, 18000, 21000, 26000?",
        "Compute the modified internal rate of return at 10% and 12%",
        "What yearly return does paying 100 and getting 30 for five years give?",
    ),
    examples=(
        Example(
            {"flows": [-70000, 12000, 15000, 18000, 21000, 26000]},
            {"irr_percent": 8.6631, "several": False, "mirr_percent": None},
            source="Excel's documentation of IRR: 8.7 %",
            tolerance=1e-4,
        ),
        Example(
            {
                "flows": [-120000, 39000, 30000, 21000, 37000, 46000],
                "finance_rate_percent": 10,
                "reinvest_rate_percent": 12,
            },
            {"mirr_percent": 12.6094},
            source="Excel's documentation of MIRR: 12.61 %",
            tolerance=1e-5,
        ),
        Example({"outlay": 100, "flows": [110]}, {"irr_percent": 10.0}, source="by hand"),
        Refusal({"flows": [100, 200]}, "money paid"),
    ),
    reply={
        "mirr_percent": "The internal rate of return is {irr_percent} %, and the modified one {mirr_percent} %.",
        "several": (
            "The internal rate of return is {irr_percent} %, but there may be "
            "another one, as the flows change their sign more than once."
        ),
        "": "The internal rate of return is {irr_percent} % per period.",
    },
)
def cashflow_compute_irr(
    flows: Flows, finance_rate_percent: Rate = None, reinvest_rate_percent: Rate = None, outlay: Outlay = None
) -> Return:
    """Compute the internal rate of return of regular cash flows, and the modified one if both rates are given.

    Use it to compare investments with equally spaced flows; for flows on dates use cashflow_compute_xirr. Returns
    percent per period.
    """
    flows = list(_with_outlay(flows, outlay))
    signs = [flow > 0 for flow in flows if flow]
    if len(set(signs)) < 2:
        raise ToolError(_NO_RATE)
    rate = rate_of(lambda growth: sum(flow * growth**-place for place, flow in enumerate(flows)))
    mirr = None
    if finance_rate_percent is not None and reinvest_rate_percent is not None:
        mirr = _modify(flows, finance_rate_percent / 100, reinvest_rate_percent / 100)
    changes = sum(before != after for before, after in pairwise(signs))
    return {
        "irr_percent": percent(rate, 6),
        "mirr_percent": None if mirr is None else percent(mirr, 6),
        "several": changes > 1,
    }


def _modify(flows: Sequence[float], finance: float, reinvest: float) -> float:
    last = len(flows) - 1
    try:
        paid = -sum(flow * (1 + finance) ** -place for place, flow in enumerate(flows) if flow < 0)
        received = sum(flow * (1 + reinvest) ** (last - place) for place, flow in enumerate(flows) if flow > 0)
        return float((received / paid) ** (1 / last) - 1)
    except (OverflowError, ZeroDivisionError) as error:
        raise ToolError("The rates are too extreme for so many periods.") from error


def rate_of(value: Callable[[float], float]) -> float:
    """Return the root of a present value nearest to zero: `value` takes 1 + rate. Raises `ToolError` if none exists."""
    grid = sorted((10 ** (step / 40) for step in range(-80, 121)), key=lambda growth: abs(growth - 1))
    for growth in grid:
        following = growth * 10 ** (1 / 40)
        try:
            ends = value(growth), value(following)
        except OverflowError:
            continue
        if ends[0] == 0:
            return growth - 1
        if (ends[0] < 0) != (ends[1] < 0):
            return float(brentq(value, growth, following, xtol=1e-14)) - 1
    raise ToolError("No rate of return between -99 % and 100,000 % gives a present value of zero.")


class DatedFlow(TypedDict):
    """A dated cash flow."""

    date: Date
    amount: AnyAmount


class DatedReturn(TypedDict):
    """Return of dated flows."""

    xirr_percent: Annotated[float, About("Effective rate of return per year")]
    days: Annotated[int, About("Days from the first to the last flow")]
    total: Annotated[float, About("Sum of all flows: the gain in money")]
    xnpv: Annotated[float | None, About("Present value on the first day at the given rate; null without a rate")]


@tool(
    tags="xirr xnpv irr irregular dated cash flows annual return money-weighted",
    use_when=(
        "What yearly return did my deposits on these dates make?",
        "XIRR of -10000 on 2008-01-01 and 2750 on 2008-03-01 and others",
        "What is the money-weighted return of my fund?",
    ),
    examples=(
        Example(
            {
                "flows": [
                    {"date": "2008-01-01", "amount": -10000},
                    {"date": "2008-03-01", "amount": 2750},
                    {"date": "2008-10-30", "amount": 4250},
                    {"date": "2009-02-15", "amount": 3250},
                    {"date": "2009-04-01", "amount": 2750},
                ],
                "rate_percent": 9,
            },
            {"xirr_percent": 37.3362535, "xnpv": 2086.65, "total": 3000.0},
            source="Excel's documentation of XIRR (0.373362535) and XNPV (2,086.65)",
            tolerance=1e-7,
        ),
        Example(
            {"flows": [{"date": "2025-01-01", "amount": -100}, {"date": "2026-01-01", "amount": 110}]},
            {"xirr_percent": 10.0, "days": 365},
            source="by hand: 10 % in 365 days",
            tolerance=1e-7,
        ),
        Refusal(
            {"flows": [{"date": "2025-01-01", "amount": -1}, {"date": "2025-02-30", "amount": 2}]}, "not a valid date"
        ),
    ),
    reply={
        "xnpv": "The yearly return (XIRR) is {xirr_percent} %, and the present value at the given rate {xnpv}.",
        "": "The yearly return (XIRR) is {xirr_percent} %, a gain of {total} over {days|day}.",
    },
)
def cashflow_compute_xirr(
    flows: Annotated[
        list[DatedFlow],
        About(
            "Dated cash flows, negative for payments",
            [{"date": "2025-01-01", "amount": -1000}, {"date": "2026-01-01", "amount": 1080}],
            min_items=2,
            max_items=1000,
        ),
    ],
    rate_percent: Annotated[Rate, About("Rate in percent a year, for the present value")] = None,
) -> DatedReturn:
    """Compute the yearly return (XIRR) of payments on irregular dates, and their present value at a given rate.

    Use it for funds, deposits and withdrawals. A year has 365 days, as in spreadsheets.
    """
    days = [_day(flow["date"]) for flow in flows]
    amounts = [flow["amount"] for flow in flows]
    first = min(days)
    times = [(day - first).days / 365 for day in days]
    if min(amounts) >= 0 or max(amounts) <= 0 or max(times) == 0:
        raise ToolError(_NO_RATE + " They must not all be on one day.")

    def value(growth: float) -> float:
        return float(sum(amount * growth**-time for amount, time in zip(amounts, times, strict=True)))

    return {
        "xirr_percent": percent(rate_of(value), 7),
        "days": (max(days) - first).days,
        "total": money(sum((dec(amount) for amount in amounts), Decimal())),
        "xnpv": None if rate_percent is None else _present(value, 1 + rate_percent / 100),
    }


def _present(value: Callable[[float], float], growth: float) -> float:
    try:
        return money(dec(value(growth)))
    except OverflowError as error:
        raise ToolError("The rate is too low for flows that are so far apart.") from error


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ToolError(f"{text} is not a valid date. Write it as YYYY-MM-DD.") from error


class LeaseChoice(TypedDict):
    """Comparison of leasing and buying by present value."""

    lease_cost: Annotated[float, About("Present value of the lease")]
    buy_cost: Annotated[float, About("Present value of buying minus the resale")]
    cheaper: Annotated[str, About("lease or buy")]
    difference: float


@tool(
    tags="lease buy compare car equipment leasing residual present value",
    use_when=(
        "Is leasing a car at 299 a month cheaper than buying it for 24,000?",
        "Lease or buy a machine with resale value 5,000 after 4 years?",
        "Compare leasing 36 months with a down payment of 2,000 to buying",
    ),
    examples=(
        Example(
            {"price": 1000, "resale_value": 400, "monthly_lease": 60, "months": 12, "discount_rate_percent": 0},
            {"lease_cost": 720.0, "buy_cost": 600.0, "cheaper": "buy", "difference": 120.0},
            source="by hand",
        ),
        Example(
            {
                "price": 1000,
                "resale_value": 0,
                "monthly_lease": 60,
                "months": 12,
                "discount_rate_percent": 0,
                "down_payment": 100,
            },
            {"lease_cost": 820.0, "cheaper": "lease"},
            source="by hand",
        ),
        Refusal(
            {"price": 1000, "resale_value": 0, "monthly_lease": 60, "months": 0, "discount_rate_percent": 0}, "months"
        ),
    ),
    reply=(
        "It is cheaper to {cheaper}, by {difference}: the lease costs {lease_cost} and "
        "buying {buy_cost} in today's money."
    ),
)
def lease_compare_buying(
    price: Money,
    resale_value: Cost,
    monthly_lease: Cost,
    months: Annotated[int, About("Months of the lease, and until the resale", 48, minimum=1, maximum=600)],
    discount_rate_percent: Percent,
    down_payment: Annotated[float, About("Payment at the start of the lease", 1000, minimum=0, maximum=1e15)] = 0,
) -> LeaseChoice:
    """Compare leasing with buying by present value: lease payments at month starts against price minus resale.

    Use it for cars and equipment. Returns both present values and the cheaper option.
    """
    growth = 1 + dec(discount_rate_percent) / 1200
    lease = dec(down_payment) + sum((dec(monthly_lease) * growth**-month for month in range(months)), Decimal())
    buy = dec(price) - dec(resale_value) * growth**-months
    return {
        "lease_cost": money(lease),
        "buy_cost": money(buy),
        "cheaper": "lease" if lease < buy else "buy",
        "difference": money(abs(lease - buy)),
    }
