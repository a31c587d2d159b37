"""Amounts adjusted for inflation, with a rate or a price index."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Money, Refusal, tool
from retinue_tools.finance._amounts import SignedPercent, Years, dec, money, percent
from retinue_tools.tidy import tidy


class RealValue(TypedDict):
    """An amount in other years."""

    future_cost: Annotated[float, About("Future cost of what the amount buys today")]
    purchasing_power: Annotated[float, About("Future purchasing power of the amount, in today's money")]
    loss_percent: Annotated[float, About("Loss of purchasing power")]
    real_return_percent: Annotated[float | None, About("Yearly return after inflation (Fisher); null without a return")]


@tool(
    tags="inflation real value purchasing power adjust price future cost fisher",
    use_when=(
        "What will 1,000 be worth in 10 years at 3% inflation?",
        "How much will a 500 rent cost in 5 years with 4% inflation?",
        "What is my real return with 6% interest and 2.5% inflation?",
        "What were 100 pounds worth in the past?",
    ),
    examples=(
        Example(
            {"amount": 100, "inflation_percent": 10, "years": 2},
            {"future_cost": 121.0, "purchasing_power": 82.64, "loss_percent": 17.3554},
            source="by hand: 1.1^2 = 1.21",
        ),
        Example(
            {"amount": 100, "inflation_percent": 4, "years": 1, "nominal_return_percent": 9.2},
            {"real_return_percent": 5.0},
            source="Fisher: 1.092 / 1.04 = 1.05",
        ),
        Refusal({"amount": 100, "inflation_percent": 4, "years": 0}, "years"),
    ),
    reply={
        "real_return_percent": (
            "What costs {args.amount} today will cost {future_cost}; "
            "{args.amount} will then be worth {purchasing_power}. The "
            "real return is {real_return_percent} % a year."
        ),
        "": (
            "What costs {args.amount} today will cost {future_cost}; {args.amount} will "
            "then be worth {purchasing_power} in today's money."
        ),
    },
)
def inflation_adjust_amount(
    amount: Money,
    inflation_percent: SignedPercent,
    years: Years,
    nominal_return_percent: Annotated[
        float | None, About("Nominal return in percent per year, to adjust for inflation", 6, minimum=-99, maximum=1000)
    ] = None,
) -> RealValue:
    """Adjust an amount for steady inflation over some years.

    Use it for future prices, purchasing power and real returns. Returns the future cost, the purchasing power and the
    return after inflation.
    """
    inflation = 1 + dec(inflation_percent) / 100
    factor = inflation ** dec(years)
    real = None if nominal_return_percent is None else (1 + dec(nominal_return_percent) / 100) / inflation - 1
    return {
        "future_cost": money(dec(amount) * factor),
        "purchasing_power": money(dec(amount) / factor),
        "loss_percent": percent(1 - 1 / factor),
        "real_return_percent": None if real is None else percent(real),
    }


_MOST = 1e15


class IndexedAmount(TypedDict):
    """An amount at another time."""

    amount: float
    change_percent: Annotated[float, About("Increase of prices in percent")]
    yearly_percent: Annotated[float | None, About("Yearly inflation, if the years are given")]


@tool(
    tags="cpi price index inflation adjust amount rent indexation real value consumer prices from to",
    use_when=(
        "The index rose from 107.3 to 117.8. What does a rent of 850 become?",
        "CPI 218.1 then and 305.7 now: what are 1,000 dollars of then in today's money?",
    ),
    examples=(
        Example(
            {"amount": 850, "from_index": 100, "to_index": 112}, {"amount": 952.0, "change_percent": 12.0}, "by hand"
        ),
        Example(
            {"amount": 1, "from_index": 100, "to_index": 121, "years": 2}, {"yearly_percent": 10.0}, source="1.1^2"
        ),
        Refusal({"amount": 1, "from_index": 0, "to_index": 5}, "from_index"),
    ),
    reply={
        "yearly_percent": "It becomes {amount}, an increase of {change_percent} %, or {yearly_percent} % a year.",
        "": "It becomes {amount}, an increase of {change_percent} %.",
    },
)
def inflation_adjust_index(
    amount: Annotated[float, About("Amount at the time of the first index", 850, minimum=-_MOST, maximum=_MOST)],
    from_index: Annotated[float, About("Index at the first time", 107.3, minimum=1e-6, maximum=1e9)],
    to_index: Annotated[float, About("Index now", 117.8, minimum=1e-6, maximum=1e9)],
    years: Annotated[float | None, About("Years between them", 5, minimum=0.01, maximum=10_000)] = None,
) -> IndexedAmount:
    """Adjust an amount by a price index, such as rents and money of other years: amount times index now divided by
    index then.
    """
    growth = to_index / from_index
    return {
        "amount": tidy(amount * growth),
        "change_percent": tidy(100 * (growth - 1)),
        "yearly_percent": years and tidy(100 * (growth ** (1 / years) - 1)),
    }
