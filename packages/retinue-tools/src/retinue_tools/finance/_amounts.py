"""Money in decimals, and argument types shared by the finance tools."""

from collections.abc import Sequence
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Annotated

from retinue.sdk import About, ToolError

CENT = Decimal("0.01")
_LARGEST = Decimal(10) ** 20

AnyAmount = Annotated[float, About("Amount of money, may be negative", 1250.5, minimum=-1e15, maximum=1e15)]
Cost = Annotated[float, About("Amount of money, zero or more", 1250.5, minimum=0, maximum=1e15)]
Label = Annotated[str, About("Name", "Rent", min_length=1, max_length=120)]
Years = Annotated[float, About("Time in years", 10, exclusive_minimum=0, maximum=100)]
SignedPercent = Annotated[float, About("Rate in percent a year, may be negative", 5.0, minimum=-99, maximum=1000)]
Currency = Annotated[str, About("ISO 4217 currency code", "EUR", pattern="^[A-Z]{3}$", max_length=3)]


def dec(value: float) -> Decimal:
    """Return the decimal number of a JSON number as written."""
    return Decimal(repr(value))


def cents(amount: Decimal) -> Decimal:
    """Round half up to two places. Raises `ToolError` beyond 10^20."""
    if abs(amount) >= _LARGEST:
        raise ToolError("The amounts exceed 10^20. Use a lower rate, a shorter time or smaller amounts.")
    return amount.quantize(CENT, ROUND_HALF_UP) + 0


def money(amount: Decimal) -> float:
    """Format an amount for a result: rounded half up to cents."""
    return float(cents(amount))


def percent(share: float | Decimal, places: int = 4) -> float:
    """Convert a share of one to a percentage for a result."""
    return round(float(share) * 100, places) + 0.0


def annuity_factor(rate: Decimal, count: int) -> Decimal:
    """Return the present value of payments of one at the end of each of `count` periods; `rate` is the rate per period.

    Computed as a sum, because the closed formula, (1 - (1 + rate)^-count) / rate, loses precision for tiny rates.
    """
    discount = value = 1 / (1 + rate)
    total = value
    for _ in range(count - 1):
        value *= discount
        total += value
    return total


def shares_of(amount: Decimal, weights: Sequence[Decimal], step: Decimal = CENT) -> list[Decimal]:
    """Divide an amount by weights into parts that add up exactly, by largest remainders; the amount is a multiple of
    `step`.

    Raises `ToolError` if the weights add up to zero.
    """
    total = sum(weights, Decimal())
    if total <= 0:
        raise ToolError("The weights add up to zero. Give at least one of them a positive value.")
    units = amount / step
    exact = [units * weight / total for weight in weights]
    parts = [share.to_integral_value(ROUND_FLOOR) for share in exact]
    left = int(units - sum(parts, Decimal()))
    by_remainder = sorted(range(len(parts)), key=lambda place: parts[place] - exact[place])
    for place in by_remainder[:left]:
        parts[place] += 1
    return [part * step for part in parts]
