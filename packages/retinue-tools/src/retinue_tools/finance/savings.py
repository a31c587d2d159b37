"""Savings: growth, goals, interest rates and retirement."""

import math
from decimal import Decimal
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Money, Percent, Refusal, ToolError, tool
from retinue_tools.finance._amounts import Cost, SignedPercent, annuity_factor, cents, dec, money, percent

Timing = Annotated[
    Literal["end", "begin"], About("Whether payments are made at the end or the beginning of each month")
]
Contribution = Annotated[float, About("Monthly payment", 200, minimum=0, maximum=1e12)]


_MONTHS_OF = {"monthly": 1, "quarterly": 3, "half_yearly": 6, "yearly": 12}
"""Months per compounding period; each month has a proportional part of the factor, so that a whole period has all of
it.
"""


class YearBalance(TypedDict):
    """Savings at the end of a year."""

    year: int
    paid_in: Annotated[float, About("Total paid in until then")]
    balance: float


class Growth(TypedDict):
    """Growth of savings."""

    balance: Annotated[float, About("Balance at the end")]
    paid_in: float
    interest: float
    yearly: list[YearBalance]


@tool(
    tags="savings compound interest growth future value monthly contribution invest",
    use_when=(
        "What becomes of 10,000 at 5% in 20 years with 200 a month?",
        "How much will I have if I save 300 monthly at 4% for 15 years?",
        "Show compound interest year by year",
        "What do I end up with if I put away 200 every month for ten years at 5 percent?",
        "Future value of a regular deposit",
        "How much will my savings be in ten years?",
    ),
    examples=(
        Example(
            {"start": 500, "monthly": 200, "annual_rate_percent": 6, "months": 10, "timing": "begin"},
            {"balance": 2581.40, "paid_in": 2500.0},
            source="Excel's documentation of FV: FV(6%/12, 10, -200, -500, 1)",
        ),
        Example(
            {"start": 100, "monthly": 0, "annual_rate_percent": 0, "months": 12},
            {"balance": 100.0, "interest": 0.0, "yearly": [{"year": 1, "paid_in": 100.0, "balance": 100.0}]},
            source="by hand",
        ),
        Example(
            {"start": 5000, "annual_rate_percent": 3.2, "months": 96, "compounding": "yearly"},
            {"balance": 6432.91, "paid_in": 5000.0},
            source="by hand: 5000 * 1.032 ** 8",
        ),
        Refusal({"start": 500, "monthly": 200, "annual_rate_percent": 6, "months": 0}, "months"),
    ),
    reply="You will have {balance}: {paid_in} paid in and {interest} of interest.",
)
def savings_project_growth(
    annual_rate_percent: SignedPercent,
    months: Annotated[int, About("Number of months", 120, minimum=1, maximum=1200)],
    start: Cost = 0,
    monthly: Contribution = 0,
    timing: Timing = "end",
    compounding: Annotated[
        Literal["monthly", "quarterly", "half_yearly", "yearly"], About("Compounding frequency")
    ] = "monthly",
) -> Growth:
    """Project savings with a starting sum and monthly contributions, at a nominal yearly rate with a compounding
    frequency.

    Use it for saving plans and compound interest. Returns the final balance, the total paid in, the interest and the
    balance after each year; only results are rounded to cents.
    """
    span = _MONTHS_OF[compounding]
    factor = (1 + dec(annual_rate_percent) * span / 1200) ** (dec(1) / span)
    balance, part = dec(start), dec(monthly)
    yearly: list[YearBalance] = []
    for month in range(1, months + 1):
        balance = (balance + part) * factor if timing == "begin" else balance * factor + part
        if month % 12 == 0 or month == months:
            paid = money(dec(start) + part * month)
            yearly.append({"year": math.ceil(month / 12), "paid_in": paid, "balance": money(balance)})
    paid_in = cents(dec(start) + part * months)
    return {
        "balance": money(balance),
        "paid_in": float(paid_in),
        "interest": money(cents(balance) - paid_in),
        "yearly": yearly,
    }


class GoalPlan(TypedDict):
    """Savings plan for a goal."""

    monthly: Annotated[float, About("Monthly payment; 0 if the start alone grows enough")]
    paid_in: Annotated[float, About("Start plus all payments")]
    interest: Annotated[float, About("Total interest")]


@tool(
    tags="savings goal monthly amount target plan deposit future",
    use_when=(
        "How much must I save a month to have 50,000 in 18 years at 6%?",
        "What monthly deposit reaches 10,000 in 3 years?",
        "How much to put aside for a car in 24 months?",
        "Save up for a holiday",
    ),
    examples=(
        Example(
            {"goal": 50000, "months": 216, "annual_rate_percent": 6},
            {"monthly": 129.09},
            source="Excel's documentation of PMT(6%/12, 18*12, 0, 50000): 129.08, rounded up to reach the goal",
        ),
        Example(
            {"goal": 1200, "months": 10, "annual_rate_percent": 0, "start": 200},
            {"monthly": 100.0, "interest": 0.0},
            source="by hand",
        ),
        Example(
            {"goal": 1200, "months": 12, "annual_rate_percent": 1e-30},
            {"monthly": 100.0, "paid_in": 1200.0, "interest": 0.0},
            source="as without interest, which comes to less than a cent",
        ),
        Refusal({"goal": 1200, "months": 0, "annual_rate_percent": 0}, "months"),
    ),
    reply="You must save {monthly} a month; {interest} comes from interest.",
)
def savings_plan_goal(
    goal: Money,
    months: Annotated[int, About("Months until the goal", 36, minimum=1, maximum=1200)],
    annual_rate_percent: Percent,
    start: Annotated[float, About("Initial savings", 500, minimum=0, maximum=1e15)] = 0,
) -> GoalPlan:
    """Plan the monthly saving that reaches a sum, with interest compounded monthly and payments at month ends.

    Use it for a purchase, education or a reserve. The payment is rounded up to the cent so that the goal is reached.
    """
    rate = dec(annual_rate_percent) / 1200
    growth = (1 + rate) ** months
    factor = annuity_factor(rate, months) * growth
    gap = max(Decimal(), dec(goal) - dec(start) * growth)
    monthly = (gap / factor).quantize(Decimal("0.01"), "ROUND_CEILING")
    paid_in = dec(start) + monthly * months
    reached = dec(start) * growth + monthly * factor
    return {"monthly": float(monthly), "paid_in": money(paid_in), "interest": money(reached - paid_in)}


class Rates(TypedDict):
    """An interest rate in several measures, in percent per year."""

    effective_percent: Annotated[float, About("Effective growth per year")]
    nominal_percent: Annotated[float, About("Nominal rate for the given compounding")]
    continuous_percent: Annotated[float, About("Rate compounded continuously")]
    per_period_percent: Annotated[float, About("Rate per compounding period")]
    doubling_years: Annotated[float | None, About("Years until money doubles; null if it does not grow")]


@tool(
    tags="interest rate nominal effective apr apy continuous convert compounding doubling",
    use_when=(
        "What is the effective annual rate of 5.25% compounded quarterly?",
        "Convert an APY of 4% to a monthly nominal rate",
        "How long until money doubles at 7%?",
    ),
    examples=(
        Example(
            {"rate_percent": 5.25, "kind": "nominal", "periods_per_year": 4},
            {
                "effective_percent": 5.354267,
                "continuous_percent": 5.215845,
                "per_period_percent": 1.3125,
                "doubling_years": 13.2893,
            },
            source="Excel's documentation of EFFECT(5.25%, 4): 0.0535427",
            tolerance=1e-6,
        ),
        Example(
            {"rate_percent": 5.354267, "kind": "effective", "periods_per_year": 4},
            {"nominal_percent": 5.25},
            source="Excel's documentation of NOMINAL(5.3543%, 4)",
            tolerance=1e-6,
        ),
        Refusal({"rate_percent": -100, "kind": "nominal"}, "rate_percent"),
    ),
    reply={
        "doubling_years": (
            "The effective rate is {effective_percent} % a year and the "
            "nominal rate {nominal_percent} %; money doubles in "
            "{doubling_years} years."
        ),
        "": "The effective rate is {effective_percent} % a year and the nominal rate {nominal_percent} %.",
    },
)
def interest_convert_rate(
    rate_percent: SignedPercent,
    kind: Annotated[Literal["nominal", "effective", "continuous"], About("Kind of the given rate")],
    periods_per_year: Annotated[int, About("Compounding periods per year", 12, minimum=1, maximum=366)] = 12,
) -> Rates:
    """Convert an interest rate between nominal, effective (APY) and continuously compounded.

    Use it to compare rates that are quoted differently. Returns all measures and the doubling time.
    """
    rate, count = rate_percent / 100, periods_per_year
    growth = {
        "nominal": lambda: count * math.log1p(rate / count),
        "effective": lambda: math.log1p(rate),
        "continuous": lambda: rate,
    }[kind]()
    period = math.expm1(growth / count)
    return {
        "effective_percent": percent(math.expm1(growth), 6),
        "nominal_percent": percent(period * count, 6),
        "continuous_percent": percent(growth, 6),
        "per_period_percent": percent(period, 6),
        "doubling_years": round(math.log(2) / growth, 4) if growth > 1e-12 else None,
    }


class RetirementYear(TypedDict):
    """One year of the projection."""

    age: int
    balance: Annotated[float, About("Balance at the end of the year, in today's money")]


class Retirement(TypedDict):
    """Saving for and living from retirement savings."""

    at_retirement: Annotated[float, About("Savings at retirement, in today's money")]
    lasts_until_age: Annotated[
        int | None, About("Age at which the savings are used up; null if they last beyond the end age")
    ]
    at_end: Annotated[float, About("Balance at the end age")]
    sustainable_income: Annotated[float, About("Yearly income that lasts exactly until the end age")]
    years: list[RetirementYear]


Age = Annotated[int, About("Age in years", 40, minimum=0, maximum=120)]


@tool(
    tags="retirement pension projection withdrawal savings last income annuity",
    use_when=(
        "Will 400,000 last if I retire at 65 and spend 30,000 a year?",
        "How much do I have at 67 if I save 6,000 a year from 35?",
        "What yearly income can 500,000 pay for 25 years?",
        "How much money will I have when I retire?",
    ),
    examples=(
        Example(
            {"age": 60, "retire_age": 62, "end_age": 65, "fortune": 100, "yearly_saving": 10, "yearly_spending": 40},
            {"at_retirement": 120.0, "lasts_until_age": None, "at_end": 0.0, "sustainable_income": 40.0},
            source="by hand, at a real return of zero",
        ),
        Example(
            {
                "age": 65,
                "retire_age": 65,
                "end_age": 67,
                "fortune": 100,
                "yearly_saving": 0,
                "yearly_spending": 80,
                "real_return_percent": 10,
            },
            {"at_retirement": 100.0, "lasts_until_age": 66, "sustainable_income": 52.38},
            source="by hand: (100 - 80) * 1.1 = 22 < 80; annuity due 100 / (1 + 1/1.1)",
        ),
        Refusal(
            {"age": 65, "retire_age": 60, "end_age": 90, "fortune": 1, "yearly_saving": 0, "yearly_spending": 1},
            "ages",
        ),
    ),
    reply={
        "lasts_until_age": (
            "You have {at_retirement} at retirement, which lasts until the "
            "age of {lasts_until_age}; {sustainable_income} a year would "
            "last until the end."
        ),
        "": (
            "You have {at_retirement} at retirement, which lasts to the end with {at_end} "
            "left; {sustainable_income} a year would use it up."
        ),
    },
)
def retirement_project_balance(
    age: Age,
    retire_age: Age,
    end_age: Age,
    fortune: Cost,
    yearly_saving: Cost,
    yearly_spending: Cost,
    real_return_percent: Annotated[
        float, About("Return after inflation in percent per year", 3, minimum=-50, maximum=50)
    ] = 0,
) -> Retirement:
    """Project a retirement fortune (savings) in today's money: yearly saving until work ends, then yearly withdrawals.

    Use it to see whether savings last. Savings are added at year ends, withdrawals are made at year starts, and the
    real return is the same every year.
    """
    if not age <= retire_age < end_age:
        raise ToolError("The ages must be in order: age, then retire_age (the same or later), then a later end_age.")
    growth = 1 + dec(real_return_percent) / 100
    balance, spent_at = dec(fortune), None
    years: list[RetirementYear] = []
    at_retirement = balance
    for year in range(age, end_age):
        if year < retire_age:
            balance = at_retirement = balance * growth + dec(yearly_saving)
        else:
            if spent_at is None and balance < dec(yearly_spending):
                spent_at = year
            balance = max(Decimal(), balance - dec(yearly_spending)) * growth
        years.append({"age": year + 1, "balance": money(balance)})
    factor = sum((growth**-place for place in range(end_age - retire_age)), Decimal())
    return {
        "at_retirement": money(at_retirement),
        "lasts_until_age": spent_at,
        "at_end": money(balance),
        "sustainable_income": money(at_retirement / factor),
        "years": years,
    }
