"""Betting odds."""

import re
from fractions import Fraction
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_FRACTION = re.compile(r"(\d{1,9})\s*(?:/|-|to)\s*(\d{1,9})")
_AMERICAN = re.compile(r"[+-]\d{3,9}")
_DECIMAL = re.compile(r"\d{1,6}(?:\.\d{1,9})?")
_EVENS = frozenset({"evens", "even", "even money"})


class Odds(TypedDict):
    """Odds in all notations."""

    decimal: float
    fractional: Annotated[str, About("Fractional odds, such as 5/2")]
    american: Annotated[str, About("American odds, such as +250 or -150")]
    probability_percent: Annotated[float, About("Implied probability")]
    profit: Annotated[float | None, About("Profit of a winning stake")]
    payout: Annotated[float | None, About("Stake and profit")]


@tool(
    tags="betting odds decimal fractional american moneyline implied probability stake payout winnings bookmaker",
    use_when=(
        "Fractional odds 5/2 in decimal, and the implied probability",
        "What does a stake of 20 at 7 to 4 pay?",
        "American odds -150 as decimal odds",
        "Implied probability of decimal odds of 3.2",
    ),
    examples=(
        Example(
            {"odds": "5/2", "stake": 20},
            {"decimal": 3.5, "american": "+250", "probability_percent": 28.5714285714, "payout": 70.0},
            source="by hand: 1 / 3.5",
        ),
        Example({"odds": "-150"}, {"decimal": 1.66666666667, "fractional": "2/3"}, source="by hand: 100 / 150"),
        Example({"odds": "3.2"}, {"probability_percent": 31.25, "fractional": "11/5"}, source="1 / 3.2"),
        Refusal({"odds": "good"}, "is not valid"),
    ),
    reply={
        "payout": (
            "The odds are {decimal} in decimal, {fractional} fractional and "
            "{american} American, a probability of {probability_percent} %; a winning "
            "stake pays {payout}."
        ),
        "": (
            "The odds are {decimal} in decimal, {fractional} fractional and {american} "
            "American, a probability of {probability_percent} %."
        ),
    },
)
def odds_convert_notation(
    odds: Annotated[
        str, About("Fractional (5/2, 7 to 4), decimal (3.50) or American (+250, -150) odds", "5/2", max_length=30)
    ],
    stake: Annotated[float | None, About("Stake, for the payout", 20, minimum=0, maximum=1e12)] = None,
) -> Odds:
    """Convert betting odds between fractional, decimal and American, with the probability and the payout they imply."""
    profit = _profit_per_stake(odds.strip().casefold())
    american = f"+{round(profit * 100)}" if profit >= 1 else f"-{round(100 / profit)}"
    return {
        "decimal": tidy(float(profit + 1)),
        "fractional": f"{profit.numerator}/{profit.denominator}",
        "american": american,
        "probability_percent": tidy(float(100 / (profit + 1))),
        "profit": None if stake is None else round(stake * float(profit), 2),
        "payout": None if stake is None else round(stake * float(profit + 1), 2),
    }


def _profit_per_stake(odds: str) -> Fraction:
    profit = _read(odds)
    if profit is None or profit <= 0:
        raise ToolError(f"{odds} is not valid. Write odds as 5/2, 3.50 or +250.")
    return profit


def _read(odds: str) -> Fraction | None:
    if odds in _EVENS:
        return Fraction(1)
    if match := _FRACTION.fullmatch(odds):
        return Fraction(int(match[1]), int(match[2])) if int(match[2]) else None
    if _AMERICAN.fullmatch(odds):
        value = int(odds)
        return Fraction(value, 100) if value > 0 else Fraction(100, -value)
    return Fraction(odds) - 1 if _DECIMAL.fullmatch(odds) else None
