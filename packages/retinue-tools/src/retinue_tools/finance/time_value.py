"""Time value of money: a sum, equal payments, a rate and a time, one of which is unknown; rates and payback."""

import math
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import accumulate
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Money, Refusal, ToolError, tool
from retinue_tools.finance._amounts import AnyAmount, Cost, SignedPercent, Years, dec, money
from retinue_tools.finance.cashflows import rate_of
from retinue_tools.finance.loans import PER_YEAR, Rhythm

_MOST_PERIODS = 36_500

Unknown = Literal["present_value", "future_value", "payment", "years", "rate"]
PerYear = Annotated[int, About("Payments and interest periods per year: 12 for months", 12, minimum=1, maximum=365)]
Timing = Annotated[Literal["end", "begin"], About("Payments at the end or the beginning of each period (annuity due)")]


@dataclass(frozen=True, slots=True)
class _Plan:
    """A plan over equal periods. `sign` is 1 if payments are added to the sum, and -1 if they are withdrawn."""

    present: float
    future: float
    payment: float
    periods: float
    rate: float
    sign: int
    begin: bool

    @property
    def growth(self) -> float:
        """Return the final value of one over the whole time."""
        return math.exp(self.periods * math.log1p(self.rate))

    @property
    def series(self) -> float:
        """Return the final value of payments of one, with their sign."""
        total = math.expm1(self.periods * math.log1p(self.rate)) / self.rate if self.rate else self.periods
        return self.sign * total * (1 + self.rate if self.begin else 1)

    @property
    def gap(self) -> float:
        """Return the final balance minus the future value; zero if the plan is consistent."""
        return self.present * self.growth + self.payment * self.series - self.future


class TimeValue(TypedDict):
    """All five values of a plan, including the solved one."""

    answer: Annotated[float, About("Solved value, money rounded to cents")]
    present_value: float
    future_value: float
    payment: Annotated[float, About("Payment per period")]
    years: float
    periods: Annotated[float, About("Number of payments")]
    annual_rate_percent: Annotated[float, About("Nominal rate per year")]
    effective_rate_percent: Annotated[float, About("Effective rate per year, with compounding")]
    all_payments: float


class FoundRate(TypedDict):
    """A solved interest rate."""

    annual_rate_percent: Annotated[float, About("Nominal rate per year")]
    effective_rate_percent: Annotated[float, About("Effective rate per year, with compounding")]
    rate_per_period_percent: float
    total_paid: Annotated[float, About("Sum of all payments, and of the initial savings")]
    interest: Annotated[float, About("Total interest")]


class Payback(TypedDict):
    """Payback of an investment."""

    payback_periods: Annotated[float | None, About("Periods, with a proportional last one; null for never")]
    full_periods: Annotated[int | None, About("Full periods until the cost is earned back; null for never")]
    balances: Annotated[list[float], About("Cumulative inflow minus the cost after each period")]
    total_gain: Annotated[float, About("Balance at the end of the given inflows")]


@tool(
    tags="annuity time value of money tvm present value future value payment periods rate solve pv fv pmt lump sum "
    "annuity-due sinking fund how long compound",
    use_when=(
        "Present value of an annuity of 1,000 a year for 10 years at 6%",
        "Future value of 2,500 at the end of every year for 12 years at 5%",
        "How many years until 10,000 at 5% has become 20,000?",
        "How many months do 300,000 last if I withdraw 2,000 a month at 4%?",
        "What must I invest today to have 20,000 in 8 years at 5%?",
        "Which yearly rate turns 2,000 into 3,000 in 6 years?",
    ),
    examples=(
        Example(
            {"solve_for": "present_value", "payment": 500, "years": 20, "annual_rate_percent": 8,
             "periods_per_year": 12},
            {"answer": 59777.15, "periods": 240.0, "present_value": 59777.15, "payment": 500.0, "years": 20.0,
             "annual_rate_percent": 8.0, "effective_rate_percent": 8.299951, "all_payments": 120000.0},
            source="Excel's documentation of PV: PV(0.08/12, 12*20, 500)",
        ),
        Example(
            {"solve_for": "future_value", "present_value": 500, "payment": 200, "years": 10, "annual_rate_percent": 0.5,
             "timing": "begin"},
            {"answer": 2581.40, "future_value": 2581.4},
            source="Excel's documentation of FV: FV(6%/12, 10, -200, -500, 1)",
        ),
        Example(
            {"solve_for": "years", "present_value": 1000, "payment": 100, "future_value": 10000,
             "annual_rate_percent": 12, "periods_per_year": 12, "timing": "begin"},
            {"periods": 59.673866},
            source="Excel's documentation of NPER: NPER(12%/12, -100, -1000, 10000, 1)",
            tolerance=1e-6,
        ),
        Example(
            {"solve_for": "rate", "present_value": 8000, "payment": 200, "years": 4, "periods_per_year": 12},
            {"answer": 9.2417},
            source="Excel's documentation of RATE: 9.24 % a year",
            tolerance=1e-5,
        ),
        Example(
            {"solve_for": "payment", "future_value": 50000, "years": 18, "annual_rate_percent": 6,
             "periods_per_year": 12},
            {"answer": 129.08},
            source="Excel's documentation of PMT(6%/12, 18*12, 0, 50000)",
        ),
        Refusal({"solve_for": "years", "present_value": 1000, "payment": 1, "annual_rate_percent": 12}, "never"),
        Refusal({"solve_for": "payment", "future_value": 1000, "years": 5}, "annual_rate_percent"),
    ),
    reply="The answer is {answer}, for {periods|payment} over {years|year} at {annual_rate_percent} % a year.",
    memory_mb=1024,
)  # fmt: skip
def annuity_solve_value(
    solve_for: Annotated[Unknown, About("Value to solve for")],
    present_value: Annotated[Cost, About("Sum at the start: deposit or loan", 10_000)] = 0,
    future_value: Annotated[Cost, About("Sum at the end: goal or remaining debt", 20_000)] = 0,
    payment: Annotated[Cost, About("Payment per period", 500)] = 0,
    years: Annotated[float | None, About("Time in years", 10, exclusive_minimum=0, maximum=1000)] = None,
    annual_rate_percent: SignedPercent | None = None,
    periods_per_year: PerYear = 1,
    timing: Timing = "end",
) -> TimeValue:
    """Solve the time value of money: present value, future value, payment, years or rate from the others.

    Use it for annuities, lump sums, withdrawals, sinking funds and loans. All amounts are positive. Payments are
    withdrawals if you solve for a present value or if the end is lower than the start, and otherwise deposits.
    """
    _check_given(solve_for, years, annual_rate_percent)
    drawn = future_value <= present_value if solve_for in {"payment", "years", "rate"} else solve_for == "present_value"
    plan = _Plan(
        present_value, future_value, payment, (years or 0) * periods_per_year,
        (annual_rate_percent or 0) / 100 / periods_per_year, -1 if drawn else 1, timing == "begin",
    )  # fmt: skip
    return _time_value(_solve(plan, solve_for), solve_for, periods_per_year)


def _check_given(solve_for: str, years: float | None, rate: float | None) -> None:
    """Raise `ToolError` if a value without a default is missing."""
    if solve_for != "years" and years is None:
        raise ToolError("Give years, the duration of the plan.")
    if solve_for != "rate" and rate is None:
        raise ToolError("Give annual_rate_percent, the interest rate per year.")


def _solve(plan: _Plan, solve_for: str) -> _Plan:
    """Return the plan with the unknown value filled in."""
    if plan.periods > _MOST_PERIODS:
        raise ToolError("There are more than 36,500 periods. Give fewer years or fewer periods per year.")
    try:
        if solve_for == "present_value":
            return replace(plan, present=(plan.future - plan.payment * plan.series) / plan.growth)
        if solve_for == "future_value":
            return replace(plan, future=plan.present * plan.growth + plan.payment * plan.series)
        if solve_for == "payment":
            return replace(plan, payment=(plan.future - plan.present * plan.growth) / plan.series)
        return replace(plan, periods=_periods(plan)) if solve_for == "years" else replace(plan, rate=_rate(plan))
    except (OverflowError, ZeroDivisionError, ValueError) as error:
        raise ToolError("The amounts are too large. Give a lower rate or a shorter time.") from error


def _periods(plan: _Plan) -> float:
    """Return the time at which the plan is consistent, from the closed formula. Raises `ToolError` if it never is."""
    payment = plan.sign * plan.payment * (1 + plan.rate if plan.begin else 1)
    if plan.rate:
        level = payment / plan.rate
        ratio = (plan.future + level) / (plan.present + level) if plan.present + level else 0.0
        periods = math.log(ratio) / math.log1p(plan.rate) if ratio > 0 else -1.0
    else:
        periods = (plan.future - plan.present) / payment if payment else -1.0
    if periods < 0:
        raise ToolError("With these payments and this rate, the sum is never reached. Increase the payment.")
    return periods


def _rate(plan: _Plan) -> float:
    """Return the rate per period at which the plan is consistent."""
    return rate_of(lambda growth: replace(plan, rate=growth - 1).gap / max(growth**plan.periods, 1e-300))


def _effective(rate: float, per_year: int) -> float:
    """Convert a rate per period to the effective one per year, in percent."""
    return round(((1 + rate) ** per_year - 1) * 100, 6)


def _time_value(plan: _Plan, solve_for: str, per_year: int) -> TimeValue:
    amounts = {name: money(dec(value)) for name, value in (
        ("present_value", plan.present), ("future_value", plan.future), ("payment", plan.payment),
    )}  # fmt: skip
    years, rate = round(plan.periods / per_year, 6), round(plan.rate * per_year * 100, 6)
    return {
        "answer": (amounts | {"years": years, "rate": rate})[solve_for],
        "present_value": amounts["present_value"],
        "future_value": amounts["future_value"],
        "payment": amounts["payment"],
        "years": years,
        "periods": round(plan.periods, 6),
        "annual_rate_percent": rate,
        "effective_rate_percent": _effective(plan.rate, per_year),
        "all_payments": money(dec(plan.payment * plan.periods)),
    }


_HALF_A_CENT = 0.005
"""A smaller difference between the instalments and the loan is one of rounding: 12 * 100.1 is less than 1201.2."""


@tool(
    tags="loan interest rate find from instalment apr payment implied credit which rate",
    use_when=(
        "My loan of 18,000 over 5 years costs 352.20 a month. Which interest rate is that?",
        "A car for 20,000 in 48 instalments of 470: what is the APR?",
        "What rate do I pay if I borrow 1,000 and return 12 times 90?",
    ),
    examples=(
        Example(
            {"principal": 8000, "payment": 200, "years": 4},
            {"annual_rate_percent": 9.2417, "interest": 1600.0},
            source="Excel's documentation of RATE: RATE(4*12, -200, 8000) * 12 is 9.24 %",
            tolerance=1e-5,
        ),
        Example(
            {"principal": 1000, "payment": 1100, "years": 1, "rhythm": "yearly"},
            {"annual_rate_percent": 10.0, "total_paid": 1100.0},
            source="by hand",
        ),
        Refusal({"principal": 8000, "payment": 100, "years": 4}, "less than the loan"),
    ),
    reply=(
        "The interest rate is {annual_rate_percent} % a year, or {effective_rate_percent} % "
        "with compounding; the interest is {interest} in total."
    ),
    memory_mb=1024,
)
def loan_find_rate(
    principal: Annotated[Money, About("Amount borrowed", 18_000)],
    payment: Annotated[Money, About("Instalment", 352.2)],
    years: Annotated[Years, About("Years until the loan is paid off: 48 months are 4", 5)],
    rhythm: Rhythm = "monthly",
) -> FoundRate:
    """Find the interest rate of a loan from its amount, its equal instalments and its time.

    Use it to compare offers that only state the instalment.
    """
    per_year = PER_YEAR[rhythm]
    count = round(years * per_year)
    interest = payment * count - principal
    if abs(interest) < _HALF_A_CENT:
        return _find(0.0, per_year, principal, 0.0)
    if interest < 0:
        raise ToolError("The sum of all instalments is less than the loan. Correct the payment or the years.")
    plan = _Plan(principal, 0, payment, count, 0, -1, begin=False)
    return _find(_rate(plan), per_year, payment * count, interest)


def _find(rate: float, per_year: int, paid: float, interest: float) -> FoundRate:
    return {
        "annual_rate_percent": round(rate * per_year * 100, 6),
        "effective_rate_percent": _effective(rate, per_year),
        "rate_per_period_percent": round(rate * 100, 8),
        "total_paid": money(dec(paid)),
        "interest": money(dec(interest)),
    }


@tool(
    tags="savings rate needed return required goal monthly deposit which interest to reach",
    use_when=(
        "What annual rate do I need so that 300 a month for 10 years becomes 50,000?",
        "I put in 5,000 and 100 a month: which return brings 20,000 in 8 years?",
        "Which interest rate doubles 4,000 in 9 years?",
    ),
    examples=(
        Example(
            {"goal": 50000, "years": 18, "monthly": 129.08},
            {"annual_rate_percent": 6.0},
            source="Excel's documentation of PMT: 129.08 a month at 6 % reach 50,000",
            tolerance=1e-4,
        ),
        Example(
            {"goal": 121, "years": 2, "start": 100},
            {"effective_rate_percent": 10.0, "interest": 21.0},
            source="by hand: 1.1 squared",
            tolerance=1e-6,
        ),
        Refusal({"goal": 50000, "years": 18}, "monthly payment or a start"),
    ),
    reply="You need {annual_rate_percent} % a year, or {effective_rate_percent} % with compounding.",
    memory_mb=1024,
)
def savings_find_rate(
    goal: Annotated[Money, About("Sum at the end", 50_000)],
    years: Annotated[Years, About("Years of saving", 10)],
    monthly: Annotated[Cost, About("Monthly payment at month ends", 300)] = 0,
    start: Annotated[Cost, About("Initial savings", 5000)] = 0,
) -> FoundRate:
    """Find the interest rate that savings need to reach a goal, compounded monthly; effective_rate_percent is yearly.

    Use it for savings plans with a start, monthly payments, or both.
    """
    if not monthly and not start:
        raise ToolError("Give a monthly payment or a start; otherwise there is nothing to grow.")
    months = round(years * 12)
    paid = start + monthly * months
    plan = _Plan(start, goal, monthly, months, 0, 1, begin=False)
    return _find(_rate(plan), 12, paid, goal - paid)


@tool(
    tags="payback period undiscounted investment cost inflows savings break even recover years months simple",
    use_when=(
        "Payback period without discounting: cost 1,000, then 250, 350, 450, 200",
        "A heat pump costs 9,600 and saves 1,200 a year. After how many years is it paid back?",
        "How many months until 84 euros more are saved at 3.50 a month?",
    ),
    examples=(
        Example(
            {"cost": 1000, "inflows": [250, 350, 450, 200]},
            {
                "payback_periods": 2.8889,
                "full_periods": 3,
                "total_gain": 250.0,
                "balances": [-750.0, -400.0, 50.0, 250.0],
            },
            source="by hand: 400 of 450 are wanting after two years",
        ),
        Example({"cost": 9600, "inflows": [1200]}, {"payback_periods": 8.0, "full_periods": 8}, source="by hand"),
        Example({"cost": 1000, "inflows": [100, 100]}, {"payback_periods": None}, source="by hand: never"),
        Refusal({"cost": 1000, "inflows": [0]}, "above zero"),
    ),
    reply={
        "payback_periods": (
            "The investment is paid back after {payback_periods} periods; the gain is {total_gain} in the end."
        ),
        "": "The investment is not paid back; {total_gain} remains in the end.",
    },
)
def investment_compute_payback(
    cost: Annotated[Money, About("Initial cost", 1000)],
    inflows: Annotated[
        list[AnyAmount],
        About("Inflow of each period; a single one is repeated", [250, 350, 450, 200], min_items=1, max_items=1000),
    ],
) -> Payback:
    """Compute after how many periods an investment is paid back, without discounting.

    Use it for machines, solar panels and energy savings; for a rate of interest use cashflow_compute_npv. A single
    inflow repeats every year or month.
    """
    if len(inflows) == 1:
        return _steady_payback(dec(cost), dec(inflows[0]))
    sums = list(accumulate((dec(flow) for flow in inflows), initial=-dec(cost)))
    place = next((number for number, total in enumerate(sums) if total >= 0), None)
    periods = None if place is None else place - 1 + float(-sums[place - 1] / dec(inflows[place - 1]))
    return {
        "payback_periods": None if periods is None else round(periods, 4),
        "full_periods": place,
        "balances": [money(total) for total in sums[1:]],
        "total_gain": money(sums[-1]),
    }


def _steady_payback(cost: Decimal, inflow: Decimal) -> Payback:
    """Return the payback for a constant inflow."""
    if inflow <= 0:
        raise ToolError("A constant inflow must be above zero.")
    periods = cost / inflow
    if periods > _MOST_PERIODS:
        raise ToolError("The payback takes more than 36,500 periods. Give a larger inflow.")
    count = math.ceil(periods)
    return {
        "payback_periods": round(float(periods), 4),
        "full_periods": count,
        "balances": [money(inflow * number - cost) for number in range(1, min(count, 1000) + 1)],
        "total_gain": money(inflow * count - cost),
    }
