"""Loans with equal instalments: payment and schedule."""

from decimal import Decimal, localcontext
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Money, Percent, Refusal, ToolError, tool
from retinue_tools.finance._amounts import annuity_factor, cents, dec, money

PER_YEAR = {"monthly": 12, "quarterly": 4, "yearly": 1, "biweekly": 26, "weekly": 52}

Term = Annotated[float, About("Years until the loan is paid off", 30, exclusive_minimum=0, maximum=100)]
Rhythm = Annotated[Literal["monthly", "quarterly", "yearly", "biweekly", "weekly"], About("Frequency of instalments")]


class Loan(TypedDict):
    """Cost of a loan in the currency of the principal, rounded to cents."""

    payment: Annotated[float, About("Instalment")]
    last_payment: Annotated[float, About("Last instalment, which settles rounding differences")]
    payments: Annotated[int, About("Number of instalments")]
    total_paid: Annotated[float, About("Sum of all instalments")]
    total_interest: Annotated[float, About("Total interest")]


@tool(
    tags="loan mortgage payment instalment interest annuity credit amortization monthly",
    use_when=(
        "What is the monthly payment on a 250,000 mortgage at 6.5% over 30 years?",
        "How much interest do I pay on a car loan?",
        "What instalment has a loan of 10,000 at 5% over 4 years?",
        "What do I pay each month for a house loan?",
        "Work out my mortgage",
        "What does a car loan cost me?",
    ),
    examples=(
        Example(
            {"principal": 100000, "annual_rate_percent": 8.125, "years": 30},
            {"payment": 742.50, "payments": 360, "last_payment": 738.15, "total_paid": 267295.65},
            source="Fabozzi, Bond Markets: the level-payment mortgage of $100,000 at 8.125 % over 360 months",
        ),
        Example(
            {"principal": 1200, "annual_rate_percent": 0, "years": 1},
            {"payment": 100.0, "total_interest": 0.0},
            source="by hand",
        ),
        Refusal({"principal": 1000, "annual_rate_percent": 5, "years": 0.01}, "shorter than one payment"),
    ),
    reply=("The payment is {payment} for {payments|instalment}; the interest is {total_interest} in total."),
)
def loan_compute_payment(
    principal: Money, annual_rate_percent: Percent, years: Term, rhythm: Rhythm = "monthly"
) -> Loan:
    """Compute the instalment of a loan or mortgage with equal payments at the end of each period.

    Use it for the cost of borrowing. Returns the instalment, their number, the total paid and the interest, computed in
    decimal cents.
    """
    count = round(years * PER_YEAR[rhythm])
    if count < 1:
        raise ToolError("The term is shorter than one payment. Make it longer, or pay more often.")
    with localcontext(prec=40):
        rate = dec(annual_rate_percent) / 100 / PER_YEAR[rhythm]
        amount = dec(principal)
        payment = cents(instalment(amount, rate, count))
        last = _last_payment(amount, rate, count, payment)
        total = payment * (count - 1) + last
    return {
        "payment": float(payment),
        "last_payment": float(last),
        "payments": count,
        "total_paid": float(total),
        "total_interest": money(total - amount),
    }


def instalment(amount: Decimal, rate: Decimal, count: int) -> Decimal:
    """Return the equal payment at the end of each of `count` periods, by the annuity formula; `rate` is the rate per
    period.
    """
    return amount / annuity_factor(rate, count)


def _last_payment(amount: Decimal, rate: Decimal, count: int, payment: Decimal) -> Decimal:
    """Return the last payment, after the others were made as rounded."""
    for _ in range(count - 1):
        amount += cents(amount * rate) - payment
    return cents(amount * (1 + rate))


_MOST_PAYMENTS = 2600

Extra = Annotated[float, About("Extra payment with every instalment", 100, minimum=0, maximum=1e15)]


class Instalment(TypedDict):
    """One payment of a loan."""

    number: int
    payment: float
    interest: float
    principal: Annotated[float, About("Repaid principal")]
    balance: Annotated[float, About("Debt after the payment")]


class Schedule(TypedDict):
    """An amortisation table."""

    instalment: Annotated[float, About("Regular payment without the extra")]
    payments: Annotated[int, About("Number of payments until the debt is repaid")]
    total_paid: float
    total_interest: float
    interest_saved: Annotated[float, About("Interest saved by the extra payments")]
    rows: list[Instalment]


@tool(
    tags="loan amortization amortisation schedule table extra payment mortgage interest principal",
    use_when=(
        "Show the repayment table of a 20,000 loan at 6% over 5 years",
        "How much sooner is my mortgage paid off with 200 extra a month?",
        "How much of my 12th instalment is interest?",
        "Show interest and principal of every month of a loan",
    ),
    examples=(
        Example(
            {"principal": 1200, "annual_rate_percent": 12, "years": 1},
            {"instalment": 106.62, "payments": 12, "interest_saved": 0.0},
            source="annuity formula by hand: 1200 * 0.01 / (1 - 1.01^-12) = 106.6185",
        ),
        Example(
            {"principal": 1200, "annual_rate_percent": 0, "years": 1, "extra_payment": 100},
            {"payments": 6, "total_interest": 0.0, "total_paid": 1200.0},
            source="by hand: 200 a month",
        ),
        Refusal({"principal": 1000, "annual_rate_percent": 5, "years": 0.01}, "shorter than one payment"),
    ),
    reply={
        "interest_saved": (
            "The instalment is {instalment} and the loan is repaid after "
            "{payments|payment}, which saves {interest_saved} of interest: "
            "{rows}"
        ),
        "": "The instalment is {instalment}, with {total_interest} of interest in {payments|payment}: {rows}",
    },
)
def loan_build_schedule(
    principal: Money,
    annual_rate_percent: Percent,
    years: Term,
    rhythm: Rhythm = "monthly",
    extra_payment: Extra = 0,
) -> Schedule:
    """Build the amortisation table of a loan with equal instalments and optional extra payments.

    Use it to see interest, principal and balance of every payment, or the savings of extra payments. Interest is
    rounded to cents in every period and the last payment settles the rest. At most 2,600 payments.
    """
    count = round(years * PER_YEAR[rhythm])
    if count < 1:
        raise ToolError("The term is shorter than one payment. Make it longer, or pay more often.")
    if count > _MOST_PAYMENTS:
        raise ToolError(f"The table would have {count} rows; {_MOST_PAYMENTS} is the limit. Shorten the term.")
    with localcontext(prec=40):
        rate = dec(annual_rate_percent) / 100 / PER_YEAR[rhythm]
        payment = cents(instalment(dec(principal), rate, count))
        plain = _rows(cents(dec(principal)), rate, payment, count)
        rows = _rows(cents(dec(principal)), rate, payment + cents(dec(extra_payment)), count)
    interest = sum((dec(row["interest"]) for row in rows), Decimal())
    return {
        "instalment": float(payment),
        "payments": len(rows),
        "total_paid": money(sum((dec(row["payment"]) for row in rows), Decimal())),
        "total_interest": money(interest),
        "interest_saved": money(sum((dec(row["interest"]) for row in plain), Decimal()) - interest),
        "rows": rows,
    }


def _rows(balance: Decimal, rate: Decimal, payment: Decimal, count: int) -> list[Instalment]:
    rows: list[Instalment] = []
    while balance > 0 and len(rows) < count:
        interest = cents(balance * rate)
        paid = min(payment, balance + interest) if len(rows) < count - 1 else balance + interest
        balance += interest - paid
        rows.append(
            {
                "number": len(rows) + 1,
                "payment": float(paid),
                "interest": float(interest),
                "principal": float(paid - interest),
                "balance": float(balance),
            }
        )
    return rows
