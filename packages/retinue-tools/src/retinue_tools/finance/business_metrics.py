"""Business metrics: margins, subscriptions and stock ratios."""

from decimal import Decimal
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Money, Refusal, ToolError, tool
from retinue_tools.finance._amounts import Cost, dec, money, percent
from retinue_tools.tidy import tidy

_Head = Annotated[int, About("Number of customers", 20, minimum=0, maximum=10**9)]


class Customers(TypedDict):
    """Number of customers, and those gained and lost in the month."""

    start: Annotated[int, About("Customers at the start", 200, minimum=1, maximum=10**9)]
    lost: Annotated[_Head, About("Lost customers")]
    new: Annotated[_Head, About("New customers")]


class Revenue(TypedDict):
    """Monthly recurring revenue, and its changes."""

    start: Annotated[Money, About("At the start of the month", 20_000)]
    new: Annotated[Cost, About("From new customers", 2000)]
    expansion: Annotated[Cost, About("Expansion revenue from existing customers", 500)]
    lost: Annotated[Cost, About("Lost through cancellations and downgrades", 1000)]


class Margin(TypedDict):
    """Cost, price and profit of one piece."""

    cost: Annotated[float, About("Cost without tax")]
    price: Annotated[float, About("Price without tax")]
    profit: Annotated[float, About("Price minus cost")]
    margin_percent: Annotated[float, About("Profit as a share of the price")]
    markup_percent: Annotated[float | None, About("Profit as a share of the cost; null if the cost is zero")]


@tool(
    tags="margin markup gross profit price cost selling buying percent retail pricing earn",
    use_when=(
        "We buy for 8 and sell for 12: what margin is that, and which markup?",
        "Which price gives a margin of 40 % on a cost of 30?",
        "What may it cost if it sells at 50 and 35 % shall be left?",
        "Add a markup of 25 percent to my purchase price",
    ),
    examples=(
        Example(
            {"cost": 8, "price": 10},
            {"profit": 2.0, "margin_percent": 20.0, "markup_percent": 25.0},
            source="by hand: 2 / 10 and 2 / 8",
        ),
        Example(
            {"cost": 30, "margin_percent": 40},
            {"price": 50.0, "profit": 20.0, "markup_percent": 66.6667},
            source="by hand: 30 / (1 - 0.4), and 20 / 30",
        ),
        Example({"price": 60, "markup_percent": 50}, {"cost": 40.0, "profit": 20.0}, source="by hand: 60 / 1.5"),
        Refusal({"cost": 8}, "exactly two"),
        Refusal({"cost": 8, "margin_percent": 100}, "below 100"),
    ),
    reply={
        "markup_percent": (
            "The margin is {margin_percent} % and the markup {markup_percent} "
            "%: a profit of {profit} at a cost of {cost} and a price of "
            "{price}."
        ),
        "": "The margin is {margin_percent} %: a profit of {profit} at a price of {price}.",
    },
)
def price_compute_margin(
    cost: Annotated[float | None, About("Cost without tax", 8, minimum=0, maximum=1e15)] = None,
    price: Annotated[float | None, About("Price without tax", 12, exclusive_minimum=0, maximum=1e15)] = None,
    margin_percent: Annotated[
        float | None, About("Desired profit as a share of the price, in percent", 40, minimum=-1000, maximum=100)
    ] = None,
    markup_percent: Annotated[
        float | None, About("Desired profit as a share of the cost, in percent", 25, minimum=-99, maximum=100_000)
    ] = None,
) -> Margin:
    """Compute margin and markup of a sale from cost and price, or the price or cost for a wanted margin or markup.

    Use it for price calculations in trade. Give exactly two of the four; all amounts are without tax.
    """
    present = [value is not None for value in (cost, price, margin_percent, markup_percent)]
    if sum(present) != 2 or not any(present[:2]):
        raise ToolError("Give exactly two: cost and price, or one of them with a margin or a markup.")
    if cost is not None and price is not None:
        paid, earned = dec(cost), dec(price)
    else:
        if margin_percent is not None and margin_percent >= 100:
            raise ToolError("A margin is a share of the price, so it must be below 100 %. Did you mean a markup?")
        ratio = (
            1 + dec(markup_percent) / 100 if markup_percent is not None else 1 / (1 - dec(margin_percent or 0) / 100)
        )
        paid = dec(cost) if cost is not None else dec(price or 0) / ratio
        earned = paid * ratio
    if earned <= 0:
        raise ToolError("The price must be above zero. Give a cost above zero.")
    return {
        "cost": money(paid),
        "price": money(earned),
        "profit": money(earned - paid),
        "margin_percent": percent((earned - paid) / earned),
        "markup_percent": percent((earned - paid) / paid) if paid else None,
    }


class Subscriptions(TypedDict):
    """Metrics of a subscription business in one month."""

    mrr_end: Annotated[float, About("Monthly recurring revenue at the end of the month")]
    arr: Annotated[float, About("Twelve times the monthly recurring revenue")]
    customers_end: Annotated[int, About("Customers at the end of the month")]
    customer_churn_percent: Annotated[float, About("Lost customers, as a share of those at the start")]
    gross_revenue_churn_percent: Annotated[
        float, About("Cancelled or reduced revenue, as a share of that at the start")
    ]
    net_revenue_retention_percent: Annotated[
        float, About("Revenue at the end from customers of the start, in percent (NRR)")
    ]
    revenue_per_customer: Annotated[float, About("Monthly revenue per customer at the start (ARPA)")]
    lifetime_months: Annotated[float | None, About("Expected lifetime of a customer: one divided by the churn")]
    lifetime_value: Annotated[float | None, About("Gross profit per customer over that time (LTV)")]
    acquisition_cost: Annotated[float | None, About("Sales and marketing per new customer (CAC)")]
    value_to_cost: Annotated[float | None, About("LTV divided by CAC; 3 or more is considered healthy")]
    payback_months: Annotated[float | None, About("Months until a customer has repaid the acquisition cost")]
    quick_ratio: Annotated[float | None, About("Gained revenue divided by lost revenue; null if none was lost")]


@tool(
    tags="saas subscription metrics mrr arr churn retention nrr ltv cac arpu payback quick ratio recurring revenue",
    use_when=(
        "What is our churn and net revenue retention this month?",
        "Compute MRR, ARR, LTV and CAC of my SaaS",
        "We had 200 customers and lost 5: what is the lifetime value?",
        "How many months until a new subscriber has paid for the marketing?",
    ),
    examples=(
        Example(
            {
                "customers": {"start": 200, "lost": 10, "new": 20},
                "revenue": {"start": 20000, "new": 2000, "expansion": 500, "lost": 1000},
                "gross_margin_percent": 80,
                "acquisition_spend": 8000,
            },
            {
                "mrr_end": 21500.0,
                "arr": 258000.0,
                "customers_end": 210,
                "customer_churn_percent": 5.0,
                "gross_revenue_churn_percent": 5.0,
                "net_revenue_retention_percent": 97.5,
                "revenue_per_customer": 100.0,
                "lifetime_months": 20.0,
                "lifetime_value": 1600.0,
                "acquisition_cost": 400.0,
                "value_to_cost": 4.0,
                "payback_months": 5.0,
                "quick_ratio": 2.5,
            },
            source="by hand: churn 10/200; ARPA 20000/200; LTV 100 * 0.8 / 0.05; CAC 8000/20; payback 400/80",
        ),
        Example(
            {
                "customers": {"start": 10, "lost": 0, "new": 0},
                "revenue": {"start": 1000, "new": 0, "expansion": 0, "lost": 0},
            },
            {"customer_churn_percent": 0.0, "lifetime_value": None, "quick_ratio": None, "mrr_end": 1000.0},
            source="by hand: without churn there is no expected end",
        ),
        Refusal(
            {
                "customers": {"start": 10, "lost": 11, "new": 0},
                "revenue": {"start": 1000, "new": 0, "expansion": 0, "lost": 0},
            },
            "More customers",
        ),
    ),
    reply=(
        "MRR is {mrr_end} at the end of the month and ARR {arr}; {customer_churn_percent} % "
        "of the customers left, and net revenue retention is "
        "{net_revenue_retention_percent} %."
    ),
)
def saas_compute_metrics(
    customers: Annotated[Customers, About("Customers of the month", {"start": 200, "lost": 10, "new": 20})],
    revenue: Annotated[
        Revenue,
        About(
            "Monthly recurring revenue (MRR) of the month",
            {"start": 20000, "new": 2000, "expansion": 500, "lost": 1000},
        ),
    ],
    gross_margin_percent: Annotated[
        float, About("Share of revenue left after the cost of serving it", minimum=0, maximum=100)
    ] = 80,
    acquisition_spend: Annotated[Cost, About("Sales and marketing in the month")] = 0,
) -> Subscriptions:
    """Compute the metrics of a subscription business for one month: MRR, churn, retention, LTV, CAC and payback.

    Use it for reports to owners and investors. Lifetime value is the monthly gross profit divided by the customer
    churn.
    """
    if customers["lost"] > customers["start"]:
        raise ToolError("More customers are lost than existed at the start.")
    start, won = dec(revenue["start"]), dec(revenue["new"]) + dec(revenue["expansion"])
    lost = dec(revenue["lost"])
    if lost > start:
        raise ToolError("More revenue is lost than existed at the start. Count only customers of the start.")
    end = start + won - lost
    churn = Decimal(customers["lost"]) / customers["start"]
    profit = start / customers["start"] * dec(gross_margin_percent) / 100
    value = profit / churn if churn else None
    spent = dec(acquisition_spend) / customers["new"] if customers["new"] and acquisition_spend else None
    return {
        "mrr_end": money(end),
        "arr": money(end * 12),
        "customers_end": customers["start"] - customers["lost"] + customers["new"],
        "customer_churn_percent": percent(churn),
        "gross_revenue_churn_percent": percent(lost / start),
        "net_revenue_retention_percent": percent((start + dec(revenue["expansion"]) - lost) / start),
        "revenue_per_customer": money(start / customers["start"]),
        "lifetime_months": round(float(1 / churn), 2) if churn else None,
        "lifetime_value": None if value is None else money(value),
        "acquisition_cost": None if spent is None else money(spent),
        "value_to_cost": round(float(value / spent), 2) if value is not None and spent else None,
        "payback_months": round(float(spent / profit), 2) if spent is not None and profit else None,
        "quick_ratio": round(float(won / lost), 2) if lost else None,
    }


class ShareFigures(TypedDict):
    """Ratios of a stock; null if they cannot be computed."""

    price_earnings: Annotated[float | None, About("Price divided by earnings per share")]
    earnings_yield_percent: float | None
    dividend_yield_percent: float | None
    payout_percent: Annotated[float | None, About("Dividend in percent of earnings")]
    price_book: float | None
    yearly_dividends: Annotated[float | None, About("Yearly dividends of the held shares")]
    market_value: Annotated[float | None, About("Price times number of shares")]


@tool(
    tags="stock share price earnings p/e ratio dividend yield payout eps book value market capitalization figures",
    use_when=(
        "P/E ratio for a price of 84 and earnings per share of 5.60",
        "Dividend yield of a share at 42.50 that pays 1.70 a year",
        "Price 60, EPS 4, dividend 1.5: P/E, yield and payout ratio",
    ),
    examples=(
        Example({"price": 84, "earnings_per_share": 5.6}, {"price_earnings": 15.0}, source="arithmetic"),
        Example(
            {"price": 60, "earnings_per_share": 4, "dividend": 1.5, "shares": 200},
            {"dividend_yield_percent": 2.5, "payout_percent": 37.5, "yearly_dividends": 300.0},
            source="arithmetic",
        ),
        Example({"price": 50, "dividend": 0.5, "dividends_a_year": 4}, {"dividend_yield_percent": 4.0}, "2 / 50"),
        Refusal({"price": 0}, "price"),
    ),
    reply={
        "dividend_yield_percent": (
            "The price/earnings ratio is {price_earnings} and the dividend yield {dividend_yield_percent} %."
        ),
        "price_earnings, earnings_yield_percent": (
            "The price/earnings ratio is {price_earnings}, an earnings yield of {earnings_yield_percent} %."
        ),
        "dividend_yield_percent, not price_earnings": "The dividend yield is {dividend_yield_percent} %.",
        "payout_percent": "The payout ratio is {payout_percent} %.",
        "price_book": "The price/book ratio is {price_book}.",
        "yearly_dividends": "The yearly dividends are {yearly_dividends}.",
        "": "The shares are worth {market_value}.",
    },
)
def stock_compute_ratios(
    price: Annotated[float, About("Price per share", 60, minimum=1e-30, maximum=1e12)],
    earnings_per_share: Annotated[
        float | None, About("Earnings per share and year", 4, minimum=1e-30, maximum=1e12)
    ] = None,
    dividend: Annotated[float | None, About("Dividend per share and payment", 1.5, minimum=0, maximum=1e12)] = None,
    dividends_a_year: Annotated[int, About("Payments per year", 4, minimum=1, maximum=365)] = 1,
    book_value: Annotated[float | None, About("Book value per share", 30, minimum=1e-30, maximum=1e12)] = None,
    shares: Annotated[float | None, About("Number of shares held or issued", 200, minimum=0, maximum=1e15)] = None,
) -> ShareFigures:
    """Compute figures of a share: price/earnings, dividend yield, payout ratio, price/book, dividends and value."""
    yearly = None if dividend is None else dividend * dividends_a_year
    return {
        "price_earnings": _ratio(price, earnings_per_share),
        "earnings_yield_percent": _percent(earnings_per_share, price),
        "dividend_yield_percent": _percent(yearly, price),
        "payout_percent": _percent(yearly, earnings_per_share),
        "price_book": _ratio(price, book_value),
        "yearly_dividends": None if yearly is None or shares is None else tidy(yearly * shares),
        "market_value": None if shares is None else tidy(price * shares),
    }


def _ratio(part: float | None, whole: float | None) -> float | None:
    return None if part is None or whole is None else tidy(part / whole)


def _percent(part: float | None, whole: float | None) -> float | None:
    return None if part is None or whole is None else tidy(100 * part / whole)
