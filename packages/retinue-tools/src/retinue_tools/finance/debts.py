"""Debts: comparison of loan offers, refinancing, affordable mortgages and payoff plans."""

from decimal import Decimal
from math import ceil
from typing import Annotated, Literal

from scipy.optimize import brentq
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Money, Percent, Refusal, ToolError, tool
from retinue_tools.finance._amounts import Cost, Label, annuity_factor, cents, dec, money
from retinue_tools.finance.loans import Term, instalment

_MOST_MONTHS = 1200


class Offer(TypedDict):
    """A loan offer."""

    name: Label
    annual_rate_percent: Percent
    years: Term
    fee: Cost


class OfferCost(TypedDict):
    """Cost of an offer."""

    name: str
    payment: Annotated[float, About("Monthly instalment")]
    total_cost: Annotated[float, About("Interest plus fee")]
    apr_percent: Annotated[float | None, About("Yearly rate including the fee, twelve times the monthly one")]


class OfferRanking(TypedDict):
    """Offers, lowest total cost first."""

    cheapest: str
    offers: list[OfferCost]


@tool(
    tags="loan compare offers apr fee cheapest mortgage bank total cost",
    use_when=(
        "Which loan is cheaper: 6% with a fee of 300 or 6.5% without?",
        "What is the APR of a 10,000 loan with 2% origination fee?",
        "Compare these three bank offers for a mortgage",
    ),
    examples=(
        Example(
            {
                "principal": 1200,
                "offers": [
                    {"name": "A", "annual_rate_percent": 12, "years": 1, "fee": 50},
                    {"name": "B", "annual_rate_percent": 12, "years": 1, "fee": 0},
                ],
            },
            {"cheapest": "B"},
            source="same loan, less fee",
        ),
        Example(
            {"principal": 1000, "offers": [{"name": "A", "annual_rate_percent": 12, "years": 3, "fee": 0}]},
            {"offers": [{"name": "A", "payment": 33.21, "apr_percent": 12.0, "total_cost": 195.56}]},
            source="without fee the APR is the nominal rate; 36 payments of 33.2143 by the annuity formula",
            tolerance=1e-3,
        ),
        Refusal({"principal": 1000, "offers": []}, "offers"),
    ),
    reply="{cheapest} is the cheapest: {offers}",
)
def loan_compare_offers(
    principal: Money,
    offers: Annotated[
        list[Offer],
        About(
            "Offers to compare; fees are paid at the start",
            [{"name": "Bank A", "annual_rate_percent": 6.2, "years": 5, "fee": 150}],
            min_items=1,
            max_items=50,
        ),
    ],
) -> OfferRanking:
    """Compare loan offers of the same amount by monthly payment, total cost and APR with fees.

    Use it to choose between banks. Returns the offers sorted by total cost; the APR treats the fee as money that the
    borrower did not get, and is null if the fee is as large as the loan.
    """
    costs = sorted((_offer_cost(dec(principal), offer) for offer in offers), key=lambda cost: cost["total_cost"])
    return {"cheapest": costs[0]["name"], "offers": costs}


def _offer_cost(amount: Decimal, offer: Offer) -> OfferCost:
    count = round(offer["years"] * 12)
    if count < 1:
        raise ToolError(f"The term of the offer {offer['name']} is less than one month. Make it longer.")
    payment = cents(instalment(amount, dec(offer["annual_rate_percent"]) / 1200, count))
    return {
        "name": offer["name"],
        "payment": float(payment),
        "total_cost": money(payment * count - amount + dec(offer["fee"])),
        "apr_percent": _apr_percent(float(amount) - offer["fee"], float(payment), count),
    }


def _apr_percent(received: float, payment: float, count: int) -> float | None:
    if received <= 0:
        return None

    def excess(rate: float) -> float:
        value = payment * count if rate == 0 else payment * (1 - (1 + rate) ** -count) / rate
        return value - received

    if excess(0) <= 0:
        return 0.0
    return round(float(brentq(excess, 0, 1 + 2 * payment / received)) * 1200, 4) + 0.0


class Refinance(TypedDict):
    """Result of refinancing."""

    old_payment: float
    new_payment: float
    monthly_saving: Annotated[float, About("Old minus new instalment")]
    breakeven_months: Annotated[int | None, About("Months until the savings cover the costs; null for never")]
    total_saving: Annotated[float, About("Saving over the full terms after costs; negative for a loss")]


@tool(
    tags="refinance mortgage loan break-even closing costs switch rate lower",
    use_when=(
        "Is refinancing 200,000 from 7% to 5.5% worth 4,000 of closing costs?",
        "After how many months does refinancing pay off?",
        "How much do I save by switching my mortgage to 4%?",
    ),
    examples=(
        Example(
            {
                "balance": 1200,
                "old_rate_percent": 0,
                "old_years": 1,
                "new_rate_percent": 0,
                "new_years": 2,
                "costs": 120,
            },
            {"old_payment": 100.0, "new_payment": 50.0, "breakeven_months": 3, "total_saving": -120.0},
            source="by hand",
        ),
        Refusal(
            {
                "balance": 1200,
                "old_rate_percent": 0,
                "old_years": 0.01,
                "new_rate_percent": 0,
                "new_years": 2,
                "costs": 120,
            },
            "less than one month",
        ),
    ),
    reply={
        "breakeven_months, total_saving": (
            "The payment changes from {old_payment} to "
            "{new_payment}; the costs are earned back after "
            "{breakeven_months|month}, and the total saving "
            "is {total_saving}."
        ),
        "": "The payment changes from {old_payment} to {new_payment}; the costs are never earned back.",
    },
)
def loan_evaluate_refinance(
    balance: Money, old_rate_percent: Percent, old_years: Term, new_rate_percent: Percent, new_years: Term, costs: Cost
) -> Refinance:
    """Evaluate replacing a running loan with a new one of the same balance.

    Use it for mortgages and car loans. Returns both instalments, months until the costs are earned back, and the
    saving over the full remaining terms.
    """
    counts = round(old_years * 12), round(new_years * 12)
    if min(counts) < 1:
        raise ToolError("A term is less than one month. Give the remaining years of both loans.")
    rates = dec(old_rate_percent) / 1200, dec(new_rate_percent) / 1200
    old, new = (cents(instalment(dec(balance), rate, count)) for rate, count in zip(rates, counts, strict=True))
    saving = old - new
    months = ceil(dec(costs) / saving) if saving > 0 else None
    return {
        "old_payment": float(old),
        "new_payment": float(new),
        "monthly_saving": float(saving),
        "breakeven_months": months if months is None or months <= min(counts) else None,
        "total_saving": money(old * counts[0] - new * counts[1] - dec(costs)),
    }


class Affordability(TypedDict):
    """Amount that a household can borrow."""

    largest_loan: float
    largest_price: Annotated[float, About("Loan plus down payment")]
    monthly_payment: Annotated[float, About("Instalment of the largest loan")]
    limited_by: Annotated[Literal["housing share", "debt share"], About("Limit that applies")]


Share = Annotated[float, About("Share of the gross income in percent", 28, exclusive_minimum=0, maximum=100)]


@tool(
    tags="mortgage affordability house price income debt-to-income borrow afford",
    use_when=(
        "How big a mortgage can I afford with 6,000 a month?",
        "What house price fits an income of 80,000 a year at 6%?",
        "How much can we borrow with 500 of other debt payments?",
        "Can I afford this house?",
    ),
    examples=(
        Example(
            {"monthly_income": 1000, "annual_rate_percent": 0, "years": 10, "own_money": 5000},
            {
                "largest_loan": 33600.0,
                "largest_price": 38600.0,
                "monthly_payment": 280.0,
                "limited_by": "housing share",
            },
            source="by hand: 28 % of 1,000 over 120 months",
        ),
        Example(
            {"monthly_income": 1000, "annual_rate_percent": 1e-30, "years": 10, "own_money": 0},
            {"largest_loan": 33600.0, "monthly_payment": 280.0},
            source="as without interest, which comes to less than a cent",
        ),
        Example(
            {"monthly_income": 1000, "annual_rate_percent": 0, "years": 10, "own_money": 0, "other_debts": 200},
            {"largest_loan": 19200.0, "limited_by": "debt share"},
            source="by hand: 36 % of 1,000 less 200, over 120 months",
        ),
        Refusal(
            {"monthly_income": 1000, "annual_rate_percent": 5, "years": 30, "own_money": 0, "other_debts": 400},
            "No payment is possible",
        ),
    ),
    reply=("The largest mortgage is {largest_loan}, for a price of {largest_price}, at {monthly_payment} a month."),
)
def mortgage_estimate_affordability(
    monthly_income: Money,
    annual_rate_percent: Percent,
    years: Term,
    own_money: Cost,
    other_debts: Annotated[float, About("Other debt payments per month", 300, minimum=0, maximum=1e12)] = 0,
    housing_share_percent: Share = 28,
    debt_share_percent: Share = 36,
) -> Affordability:
    """Estimate the largest mortgage and house price that an income supports, by the 28/36 rule or other shares.

    Use it before looking for a home. Housing costs stay below one share of the gross income, and all debts together
    below the other; taxes and insurance are not included.
    """
    income = dec(monthly_income)
    housing = income * dec(housing_share_percent) / 100
    room = income * dec(debt_share_percent) / 100 - dec(other_debts)
    payment = min(housing, room)
    count = round(years * 12)
    if payment <= 0 or count < 1:
        raise ToolError("No payment is possible: lower the other debts, or increase income, shares or term.")
    loan = payment * annuity_factor(dec(annual_rate_percent) / 1200, count)
    return {
        "largest_loan": money(loan),
        "largest_price": money(loan + dec(own_money)),
        "monthly_payment": money(payment),
        "limited_by": "housing share" if housing <= room else "debt share",
    }


class Debt(TypedDict):
    """A debt with its conditions."""

    name: Label
    balance: Money
    annual_rate_percent: Percent
    minimum_payment: Cost


class PaidDebt(TypedDict):
    """A paid-off debt."""

    name: str
    month: Annotated[int, About("Month in which it is paid off, 1 is the first")]
    interest: float


class PayoffPlan(TypedDict):
    """Payoff plan of several debts."""

    months: int
    total_interest: float
    total_paid: float
    debts: Annotated[list[PaidDebt], About("Debts in the order of payoff")]


@tool(
    tags="debt payoff snowball avalanche credit card plan months interest free",
    use_when=(
        "How long until my credit card of 5,000 at 20% is paid with 200 a month?",
        "Should I pay off my debts by snowball or avalanche?",
        "In which order should I repay three loans with 800 a month?",
        "Get out of credit card debt",
    ),
    examples=(
        Example(
            {
                "debts": [
                    {"name": "big", "balance": 300, "annual_rate_percent": 0, "minimum_payment": 10},
                    {"name": "small", "balance": 100, "annual_rate_percent": 0, "minimum_payment": 10},
                ],
                "monthly_budget": 100,
                "method": "snowball",
            },
            {"months": 4, "total_paid": 400.0, "total_interest": 0.0},
            source="by hand: 400 owed, 100 a month",
        ),
        Example(
            {
                "debts": [{"name": "card", "balance": 100, "annual_rate_percent": 12, "minimum_payment": 0}],
                "monthly_budget": 60,
            },
            {"months": 2, "total_interest": 1.41, "debts": [{"name": "card", "month": 2, "interest": 1.41}]},
            source="by hand: 1.00 on 100, then 0.41 on 41",
        ),
        Refusal(
            {
                "debts": [{"name": "card", "balance": 1000, "annual_rate_percent": 24, "minimum_payment": 0}],
                "monthly_budget": 20,
            },
            "does not pay",
        ),
    ),
    reply="The debts are paid off after {months|month}, with {total_interest} of interest: {debts}",
)
def debt_plan_payoff(
    debts: Annotated[
        list[Debt],
        About(
            "Debts to pay off",
            [{"name": "Card", "balance": 5000, "annual_rate_percent": 19.9, "minimum_payment": 100}],
            min_items=1,
            max_items=50,
        ),
    ],
    monthly_budget: Money,
    method: Annotated[
        Literal["avalanche", "snowball"], About("Avalanche pays the highest rate first, snowball the smallest balance")
    ] = "avalanche",
) -> PayoffPlan:
    """Plan the payoff of one or several debts with a fixed monthly budget.

    Use it for credit cards and consumer loans. Each month adds interest, pays every minimum and uses the rest for the
    first debt of the method. Returns months, interest and the order of payoff; at most 1,200 months.
    """
    if sum(debt["minimum_payment"] for debt in debts) > monthly_budget:
        raise ToolError("The budget does not cover the minimum payments. Increase monthly_budget.")
    queue = sorted(debts, key=lambda debt: debt["balance"] if method == "snowball" else -debt["annual_rate_percent"])
    balances = [cents(dec(debt["balance"])) for debt in queue]
    interests = [Decimal()] * len(queue)
    done: list[PaidDebt] = []
    month = 0
    while any(balances):
        month += 1
        if month > _MOST_MONTHS:
            raise ToolError("The budget does not pay the debts off within 100 years. Increase monthly_budget.")
        before = balances.copy()
        for place, debt in enumerate(queue):
            interest = cents(balances[place] * dec(debt["annual_rate_percent"]) / 1200)
            interests[place] += interest
            balances[place] += interest
        _pay(balances, queue, cents(dec(monthly_budget)))
        done += [
            {"name": debt["name"], "month": month, "interest": float(interests[place])}
            for place, debt in enumerate(queue)
            if before[place] and not balances[place]
        ]
    interest = sum(interests, Decimal())
    owed = sum((cents(dec(debt["balance"])) for debt in debts), Decimal())
    return {"months": month, "total_interest": money(interest), "total_paid": money(owed + interest), "debts": done}


def _pay(balances: list[Decimal], debts: list[Debt], budget: Decimal) -> None:
    """Deduct a month's budget from the balances: all minimum payments first, then the rest in order."""
    for place, debt in enumerate(debts):
        paid = min(balances[place], cents(dec(debt["minimum_payment"])), budget)
        balances[place] -= paid
        budget -= paid
    for place, balance in enumerate(balances):
        paid = min(balance, budget)
        balances[place] -= paid
        budget -= paid
