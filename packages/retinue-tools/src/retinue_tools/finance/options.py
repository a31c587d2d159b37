"""Options: Black-Scholes-Merton, implied volatility, binomial trees and strategies."""

import math
from itertools import pairwise
from statistics import NormalDist
from typing import Annotated, Literal

import numpy as np
from scipy.optimize import brentq
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_NORMAL = NormalDist()

Spot = Annotated[float, About("Price of the underlying today", 42, exclusive_minimum=0, maximum=1e9)]
Strike = Annotated[float, About("Strike price", 40, exclusive_minimum=0, maximum=1e9)]
Years = Annotated[float, About("Time to expiry in years", 0.5, minimum=0.0001, maximum=50)]
Volatility = Annotated[float, About("Volatility in percent per year", 20, minimum=0.1, maximum=500)]
Rate = Annotated[
    float, About("Risk-free rate in percent per year, continuously compounded", 5, minimum=-20, maximum=100)
]
Yield = Annotated[float, About("Dividend yield in percent per year, continuous", 1.5, minimum=0, maximum=100)]
Kind = Annotated[Literal["call", "put"], About("Right to buy (call) or to sell (put)")]


class Greeks(TypedDict):
    """Value and sensitivities of one European option."""

    price: float
    delta: Annotated[float, About("Change of the price per 1 of the underlying")]
    gamma: Annotated[float, About("Change of delta per 1 of the underlying")]
    vega: Annotated[float, About("Change of the price per percentage point of volatility")]
    theta_per_day: Annotated[float, About("Change of the price per calendar day")]
    rho: Annotated[float, About("Change of the price per percentage point of the rate")]
    intrinsic_value: float
    probability_in_the_money: Annotated[float, About("Risk-neutral probability, 0 to 1")]
    parity_price: Annotated[float, About("Price of the other kind (put or call) by put-call parity")]


@tool(
    tags="option black scholes call put price greeks delta gamma vega theta rho parity",
    use_when=(
        "What is a call worth at spot 42, strike 40, 10% rate, 20% volatility, half a year?",
        "Compute delta and gamma of a put",
        "Black-Scholes price of a European option with dividends",
    ),
    examples=(
        Example(
            {"kind": "call", "spot": 42, "strike": 40, "years": 0.5, "volatility_percent": 20, "rate_percent": 10},
            {"price": 4.7594, "parity_price": 0.8086},
            source="Hull, Options, Futures and Other Derivatives, example of Black-Scholes-Merton: 4.76 and 0.81",
            tolerance=1e-4,
        ),
        Example(
            {"kind": "call", "spot": 49, "strike": 50, "years": 0.3846, "volatility_percent": 20, "rate_percent": 5},
            {"delta": 0.522, "gamma": 0.066, "vega": 0.121},
            source="Hull, the Greek letters: delta 0.522, gamma 0.066, vega 12.1 per 100 %",
            tolerance=1e-2,
        ),
        Refusal(
            {"kind": "call", "spot": 0, "strike": 40, "years": 0.5, "volatility_percent": 20, "rate_percent": 10},
            "spot",
        ),
    ),
    reply="The option is worth {price}, with delta {delta}, gamma {gamma} and vega {vega}.",
)
def option_price_european(
    kind: Kind,
    spot: Spot,
    strike: Strike,
    years: Years,
    volatility_percent: Volatility,
    rate_percent: Rate,
    dividend_percent: Yield = 0,
) -> Greeks:
    """Price a European call or put by Black-Scholes-Merton, with its Greeks.

    Use it for options that are exercised at expiry. Vega and rho are per percentage point, theta per calendar day.
    """
    vol, rate, paid = volatility_percent / 100, rate_percent / 100, dividend_percent / 100
    sign = 1 if kind == "call" else -1
    spread = vol * math.sqrt(years)
    d1 = (math.log(spot / strike) + (rate - paid + vol**2 / 2) * years) / spread
    d2 = d1 - spread
    stock, cash = spot * math.exp(-paid * years), strike * math.exp(-rate * years)
    up, sure = _NORMAL.cdf(sign * d1), _NORMAL.cdf(sign * d2)
    density = _NORMAL.pdf(d1)
    price = sign * (stock * up - cash * sure)
    theta = -stock * density * vol / (2 * math.sqrt(years)) - sign * (rate * cash * sure - paid * stock * up)
    return {
        "price": round(price, 6),
        "delta": round(sign * math.exp(-paid * years) * up, 6),
        "gamma": round(math.exp(-paid * years) * density / (spot * spread), 6),
        "vega": round(stock * density * math.sqrt(years) / 100, 6),
        "theta_per_day": round(theta / 365, 6),
        "rho": round(sign * years * cash * sure / 100, 6),
        "intrinsic_value": round(max(0.0, sign * (spot - strike)), 6),
        "probability_in_the_money": round(sure, 6),
        "parity_price": round(price - sign * (stock - cash), 6),
    }


class Implied(TypedDict):
    """Implied volatility of a price."""

    volatility_percent: Annotated[float, About("Implied volatility per year")]
    lowest_price: Annotated[float, About("Price at zero volatility; lower prices allow arbitrage")]


@tool(
    tags="implied volatility option price iv black scholes call put",
    use_when=(
        "What volatility does a call price of 1.875 imply?",
        "Implied volatility of a put at 3.20 with strike 100",
        "IV from an option quote",
    ),
    examples=(
        Example(
            {"kind": "call", "price": 1.875, "spot": 21, "strike": 20, "years": 0.25, "rate_percent": 10},
            {"volatility_percent": 23.45},
            source="Hull, implied volatilities: 23.5 % (0.2345)",
            tolerance=1e-3,
        ),
        Example(
            {"kind": "put", "price": 0.8086, "spot": 42, "strike": 40, "years": 0.5, "rate_percent": 10},
            {"volatility_percent": 20.0},
            source="Hull, example of Black-Scholes-Merton: put of 0.81 at 20 %",
            tolerance=1e-4,
        ),
        Refusal(
            {"kind": "call", "price": 30, "spot": 21, "strike": 20, "years": 0.25, "rate_percent": 10}, "No volatility"
        ),
    ),
    reply="The implied volatility is {volatility_percent} % a year.",
)
def option_compute_implied_volatility(
    kind: Kind,
    price: Annotated[float, About("Price of the option", 1.875, exclusive_minimum=0, maximum=1e9)],
    spot: Spot,
    strike: Strike,
    years: Years,
    rate_percent: Rate,
    dividend_percent: Yield = 0,
) -> Implied:
    """Compute the volatility at which Black-Scholes-Merton gives the quoted price of a European option.

    Use it to derive the market's expectation from a quote. The price must correspond to a volatility between 0.1 % and
    500 %.
    """

    def excess(volatility: float) -> float:
        return option_price_european(kind, spot, strike, years, volatility, rate_percent, dividend_percent)["price"]

    lowest, highest = excess(0.1), excess(500)
    if not lowest < price < highest:
        raise ToolError(f"No volatility gives this price: it must be between {lowest:.4f} and {highest:.4f}.")
    found = float(brentq(lambda volatility: excess(volatility) - price, 0.1, 500, xtol=1e-9))
    return {"volatility_percent": round(found, 4), "lowest_price": lowest}


class TreePrice(TypedDict):
    """Value in a binomial tree."""

    price: float
    european_price: Annotated[float, About("Value without early exercise, in the same tree")]
    early_exercise_premium: float
    delta: float


@tool(
    tags="american option binomial tree cox ross rubinstein early exercise put call",
    use_when=(
        "What is an American put with strike 50 worth at 40% volatility?",
        "How much is early exercise of this option worth?",
        "Price an option by a Cox-Ross-Rubinstein tree",
    ),
    examples=(
        Example(
            {
                "kind": "put",
                "spot": 50,
                "strike": 50,
                "years": 0.4167,
                "volatility_percent": 40,
                "rate_percent": 10,
                "steps": 5,
            },
            {"price": 4.488},
            source="Hull, binomial tree of an American put with five steps: 4.49",
            tolerance=1e-3,
        ),
        Example(
            {"kind": "put", "spot": 50, "strike": 50, "years": 0.4167, "volatility_percent": 40, "rate_percent": 10},
            {"price": 4.283},
            source="Hull: the value of the American put with very many steps is 4.283",
            tolerance=1e-3,
        ),
        Refusal(
            {
                "kind": "put",
                "spot": 50,
                "strike": 50,
                "years": 50,
                "volatility_percent": 1,
                "rate_percent": 50,
                "steps": 2,
            },
            "more steps",
        ),
    ),
    reply=("The option is worth {price}, of which {early_exercise_premium} is for early exercise; delta is {delta}."),
)
def option_price_american(
    kind: Kind,
    spot: Spot,
    strike: Strike,
    years: Years,
    volatility_percent: Volatility,
    rate_percent: Rate,
    dividend_percent: Yield = 0,
    steps: Annotated[int, About("Time steps of the tree", 500, minimum=2, maximum=2000)] = 500,
) -> TreePrice:
    """Price an American call or put in a Cox-Ross-Rubinstein binomial tree.

    Use it for options that may be exercised early. Returns the value, that of the European option in the same tree, the
    early exercise premium, and delta.
    """
    sign, step = (1 if kind == "call" else -1), years / steps
    up = math.exp(volatility_percent / 100 * math.sqrt(step))
    grow = math.exp((rate_percent - dividend_percent) / 100 * step)
    chance = (grow - 1 / up) / (up - 1 / up)
    if not 0 <= chance <= 1:
        raise ToolError("The tree is too coarse for this rate and volatility. Use more steps.")
    discount = math.exp(-rate_percent / 100 * step)
    exponents = np.arange(steps, -steps - 1, -2)
    with np.errstate(over="ignore"):
        american = european = np.maximum(sign * (spot * np.power(up, exponents) - strike), 0.0)
        delta = 0.0
        for level in range(steps - 1, -1, -1):
            if level == 0:
                delta = (american[0] - american[1]) / (spot * (up - 1 / up))
            prices = spot * np.power(up, np.arange(level, -level - 1, -2))
            european = discount * (chance * european[:-1] + (1 - chance) * european[1:])
            continuation = discount * (chance * american[:-1] + (1 - chance) * american[1:])
            american = np.maximum(continuation, sign * (prices - strike))
    if not (np.isfinite(american).all() and np.isfinite(european).all() and math.isfinite(delta)):
        raise ToolError("The volatility and time are too large for this tree. Use fewer steps or a shorter time.")
    return {
        "price": round(float(american[0]), 6),
        "european_price": round(float(european[0]), 6),
        "early_exercise_premium": round(float(american[0] - european[0]), 6),
        "delta": round(float(delta), 6),
    }


class Leg(TypedDict):
    """A position of a strategy."""

    kind: Annotated[Literal["call", "put", "stock"], About("Instrument")]
    quantity: Annotated[float, About("Quantity: positive for bought, negative for sold", 1, minimum=-1e6, maximum=1e6)]
    strike: Annotated[float, About("Strike price; for stock the price of purchase", 100, minimum=0, maximum=1e9)]
    premium: Annotated[
        float, About("Option premium per unit, paid or received; 0 for stock", 4.5, minimum=0, maximum=1e9)
    ]


class PayoffPoint(TypedDict):
    """Profit at a price."""

    price: float
    profit: float


class Strategy(TypedDict):
    """Profit of a strategy at expiry."""

    net_premium: Annotated[float, About("Net premium at the start, negative if paid; options only")]
    break_even_prices: list[float]
    max_profit: Annotated[float | None, About("Maximum profit; null if unlimited")]
    max_loss: Annotated[float | None, About("Maximum loss as a negative profit; null if unlimited")]
    points: Annotated[list[PayoffPoint], About("Profit at zero, at each strike and beyond the highest")]


@tool(
    tags="option strategy payoff break-even spread straddle iron condor covered call profit",
    use_when=(
        "Where does a straddle at 100 for 4 and 3 break even?",
        "What is the maximal loss of a bull call spread 95/105?",
        "Profit diagram of a covered call",
    ),
    examples=(
        Example(
            {
                "legs": [
                    {"kind": "call", "quantity": 1, "strike": 100, "premium": 4},
                    {"kind": "put", "quantity": 1, "strike": 100, "premium": 3},
                ]
            },
            {"net_premium": -7.0, "break_even_prices": [93.0, 107.0], "max_profit": None, "max_loss": -7.0},
            source="long straddle by hand: strike plus and minus 7",
        ),
        Example(
            {
                "legs": [
                    {"kind": "call", "quantity": 1, "strike": 95, "premium": 6},
                    {"kind": "call", "quantity": -1, "strike": 105, "premium": 2},
                ]
            },
            {"break_even_prices": [99.0], "max_profit": 6.0, "max_loss": -4.0},
            source="bull call spread by hand",
        ),
        Refusal({"legs": []}, "legs"),
    ),
    reply={
        "break_even_prices, max_profit, max_loss": (
            "It breaks even at {break_even_prices}; the largest profit is {max_profit} and the largest loss {max_loss}."
        ),
        "break_even_prices, max_loss": (
            "It breaks even at {break_even_prices}; the largest loss is {max_loss}, and the profit is unlimited."
        ),
        "break_even_prices, max_profit": "It breaks even at {break_even_prices}; the largest profit is {max_profit}.",
        "break_even_prices": "It breaks even at {break_even_prices}.",
        "": "It does not break even at any price.",
    },
)
def option_evaluate_strategy(
    legs: Annotated[
        list[Leg],
        About(
            "Positions of the strategy",
            [{"kind": "call", "quantity": 1, "strike": 100, "premium": 4}],
            min_items=1,
            max_items=20,
        ),
    ],
) -> Strategy:
    """Evaluate an option strategy at expiry: break-even prices, largest profit and loss, and the payoff line.

    Use it for spreads, straddles, condors, covered calls or any mix of options and stock with one expiry. All results
    are for the quantities given, without contract multipliers.
    """
    kinks = sorted({0.0, *(float(leg["strike"]) for leg in legs)})
    prices = [*kinks, kinks[-1] * 2 + 1]
    points = [(price, sum(_profit(leg, price) for leg in legs)) for price in prices]
    slope = sum(leg["quantity"] for leg in legs if leg["kind"] != "put")
    profits = [profit for _, profit in points[:-1]]
    premium = sum(-leg["quantity"] * leg["premium"] for leg in legs if leg["kind"] != "stock")
    return {
        "net_premium": round(premium, 6) + 0.0,
        "break_even_prices": _zeros(points, slope),
        "max_profit": None if slope > 0 else round(max(profits), 6),
        "max_loss": None if slope < 0 else round(min(profits), 6),
        "points": [{"price": price, "profit": round(profit, 6)} for price, profit in points],
    }


def _profit(leg: Leg, price: float) -> float:
    if leg["kind"] == "stock":
        return leg["quantity"] * (price - leg["strike"])
    worth = max(0.0, price - leg["strike"] if leg["kind"] == "call" else leg["strike"] - price)
    return leg["quantity"] * (worth - leg["premium"])


def _zeros(points: list[tuple[float, float]], slope: float) -> list[float]:
    """Return the points at which the payoff line crosses or touches zero; beyond the highest strike by its slope."""
    found = {round(price, 6) for price, profit in points[:-1] if profit == 0}
    for (left, low), (right, high) in pairwise(points[:-1]):
        if low * high < 0:
            found.add(round(left + (right - left) * low / (low - high), 6))
    price, profit = points[-2]
    if slope and profit and -profit / slope > 0:
        found.add(round(price - profit / slope, 6))
    return sorted(found)
