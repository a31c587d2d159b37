"""Cash: coins, notes and rounding; and prices by weight or volume."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, PositiveNumber, Refusal, ToolError, tool

_KINDS = {
    "EUR": (500, 200, 100, 50, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01),
    "USD": (100, 50, 20, 10, 5, 1, 0.25, 0.1, 0.05, 0.01),
    "GBP": (50, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01),
    "CHF": (1000, 200, 100, 50, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05),
    "CAD": (100, 50, 20, 10, 5, 2, 1, 0.25, 0.1, 0.05),
    "AUD": (100, 50, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05),
}
"""Notes and coins in circulation, from the central banks' lists; US notes of 2 and coins of 50 cents are rare."""
_MOST = 1e9


class Pieces(TypedDict):
    """Number of one note or coin."""

    value: float
    count: int


class Change(TypedDict):
    """An amount in notes and coins."""

    amount: Annotated[float, About("Amount paid out")]
    pieces: Annotated[list[Pieces], About("Notes and coins, largest first")]
    count: Annotated[int, About("Number of notes and coins")]
    text: Annotated[str, About("Such as 1 x 50, 2 x 1, 1 x 0.5")]


@tool(
    tags="change cash notes coins denominations fewest give back cashier euro dollar pound break down amount",
    use_when=(
        "I paid 47.35 with a hundred. Which notes and coins do I get back, as few as possible (euro)?",
        "Fewest US coins and notes for $3.91",
        "Break 86 down into notes of 50, 20, 5 and 1",
    ),
    examples=(
        Example(
            {"amount": 47.35, "paid": 100, "currency": "EUR"},
            {"amount": 52.65, "count": 5, "text": "1 x 50, 1 x 2, 1 x 0.5, 1 x 0.1, 1 x 0.05"},
            source="by hand",
        ),
        Example({"amount": 86, "kinds": [50, 20, 5, 1]}, {"text": "1 x 50, 1 x 20, 3 x 5, 1 x 1"}, source="by hand"),
        Example({"amount": 6, "kinds": [4, 3, 1]}, {"text": "2 x 3", "count": 2}, source="by hand: greedily it were 3"),
        Refusal({"amount": 50, "paid": 20, "currency": "EUR"}, "less than"),
        Refusal({"amount": 5, "kinds": [2]}, "cannot be paid"),
    ),
    reply="{amount} is paid out as {text}.",
)
def money_break_down(
    amount: Annotated[float, About("Amount, or price if paid is given", 47.35, minimum=1e-30, maximum=_MOST)],
    paid: Annotated[
        float | None,
        About("Amount handed over, to compute the change", 100, minimum=1e-30, maximum=_MOST),
    ] = None,
    currency: Annotated[str, About("EUR, USD, GBP, CHF, CAD or AUD", "EUR", max_length=3)] = "EUR",
    kinds: Annotated[
        list[PositiveNumber] | None,
        About("Available notes and coins, instead of those of a currency", [50, 20, 5, 1], max_items=100),
    ] = None,
) -> Change:
    """Break an amount down into as few notes and coins as possible, or the change that is due.

    Use it for tills and puzzles. Every kind is available without limit.
    """
    cents = _cents(amount if paid is None else paid) - (0 if paid is None else _cents(amount))
    if cents < 0:
        raise ToolError("The amount paid is less than the price.")
    counts = _fewest(cents, sorted({_cents(kind) for kind in kinds or _of_currency(currency)}, reverse=True))
    pieces: list[Pieces] = [{"value": kind / 100, "count": count} for kind, count in counts]
    return {
        "amount": cents / 100,
        "pieces": pieces,
        "count": sum(count for _, count in counts),
        "text": ", ".join(f"{one['count']} x {one['value']:g}" for one in pieces),
    }


def _cents(amount: float) -> int:
    return int((Decimal(str(amount)) * 100).to_integral_value(ROUND_HALF_UP))


def _of_currency(currency: str) -> Sequence[float]:
    kinds = _KINDS.get(currency.strip().upper())
    if kinds is None:
        raise ToolError(f"Give kinds, or one of the currencies {', '.join(_KINDS)}.")
    return kinds


_SEARCHED = 10_000
"""Up to this number of cents, the minimum is searched; above it, the largest kind is used first."""


def _fewest(cents: int, kinds: Sequence[int]) -> list[tuple[int, int]]:
    if not kinds or kinds[-1] <= 0:
        raise ToolError("Notes and coins must be worth a hundredth or more.")
    large = max(0, (cents - max(_SEARCHED, kinds[0])) // kinds[0])
    best: list[tuple[int, int] | None] = [(0, 0)] + [None] * (cents - large * kinds[0])
    for sum_ in range(1, len(best)):
        ways = [(found[0] + 1, kind) for kind in kinds if kind <= sum_ and (found := best[sum_ - kind])]
        best[sum_] = min(ways, key=lambda way: way[0]) if ways else None
    if best[-1] is None:
        raise ToolError("The amount cannot be paid with these notes and coins.")
    return _collect(best, kinds, large)


def _collect(best: Sequence[tuple[int, int] | None], kinds: Sequence[int], large: int) -> list[tuple[int, int]]:
    counts = dict.fromkeys(kinds, 0)
    counts[kinds[0]] = large
    rest = len(best) - 1
    while rest and (step := best[rest]):
        counts[step[1]] += 1
        rest -= step[1]
    return [(kind, count) for kind, count in counts.items() if count]


class CashRounding(TypedDict):
    """An amount rounded for payment in cash."""

    rounded: float
    difference: Annotated[float, About("Rounding difference, negative if the amount decreased")]


@tool(
    tags="cash rounding nearest five rappen cents ore swedish rounding price coins till",
    use_when=(
        "What does a customer pay in cash in Switzerland for 18.97, rounded to 5 rappen?",
        "Round $4.98 to the nearest 5 cents for cash",
        "Cash rounding of 12.43 to the nearest 0.10",
    ),
    examples=(
        Example({"amount": 18.97, "step": 0.05}, {"rounded": 18.95, "difference": -0.02}, source="by hand"),
        Example({"amount": 18.975, "step": 0.05}, {"rounded": 19.0}, source="by hand: half is rounded away from 0"),
        Example({"amount": -2.025, "step": 0.05}, {"rounded": -2.05}, source="by hand: half is rounded away from 0"),
        Refusal({"amount": 5, "step": 0}, "step"),
    ),
    reply="{args.amount} is rounded to {rounded} in cash.",
)
def money_round_cash(
    amount: Annotated[float, About("Amount to pay", 18.97, minimum=-_MOST, maximum=_MOST)],
    step: Annotated[float, About("Smallest coin", 0.05, minimum=1e-30, maximum=1e6)] = 0.05,
) -> CashRounding:
    """Round an amount to the smallest coin for payment in cash; halves are rounded away from zero.

    Use it for cash registers.
    """
    exact, coin = Decimal(str(amount)), Decimal(str(step))
    rounded = (exact / coin).to_integral_value(ROUND_HALF_UP) * coin
    return {"rounded": float(rounded), "difference": float(rounded - exact)}


class UnitPrice(TypedDict):
    """Unit price of an offer."""

    price: float
    amount: float
    price_per_unit: float
    price_per_100: float
    price_per_1000: Annotated[float, About("Price of 1000 units: a kilo or a litre if amounts are in g or ml")]


class UnitPrices(TypedDict):
    """Offers with their unit prices."""

    cheapest: Annotated[int, About("Position of the cheapest offer in the given order, from 1")]
    cheapest_per_1000: Annotated[
        float, About("Price of 1000 units of the cheapest offer: of a kilo or a litre if amounts are in g or ml")
    ]
    offers: list[UnitPrice]
    saving_percent: Annotated[
        float, About("Difference in percent between the cheapest and the most expensive offer, by unit")
    ]


@tool(
    tags="unit price compare cheaper per 100 g kilo litre piece best buy value packs supermarket offer deal",
    use_when=(
        "Which is cheapest per 100 g: 250 g for 2.19, 400 g for 3.29 or 1000 g for 8.49?",
        "24 nappies cost 8.99 and 64 cost 21.50: which is the better deal per piece?",
        "Compare 750 ml at 4.20 with 500 ml at 3.10",
        "Which is cheaper per kilo, 400 g for 5.49 or 650 g for 8.29, and what does a kilo cost?",
        "Which pack of coffee is cheaper?",
        "Which is the better deal?",
    ),
    examples=(
        Example(
            {"prices": [2.19, 3.29, 8.49], "amounts": [250, 400, 1000]},
            {
                "cheapest": 2,
                "cheapest_per_1000": 8.225,
                "offers": [
                    {
                        "price": 2.19,
                        "amount": 250,
                        "price_per_unit": 0.00876,
                        "price_per_100": 0.876,
                        "price_per_1000": 8.76,
                    },
                    {"price_per_100": 0.8225, "price_per_1000": 8.225},
                    {"price_per_100": 0.849, "price_per_1000": 8.49},
                ],
            },
            source="by hand: 0.876, 0.8225 and 0.849 for 100 g",
        ),
        Example(
            {"prices": [3, 5], "amounts": [10, 20]}, {"cheapest": 2, "saving_percent": 16.6666666667}, "0.25 of 0.30"
        ),
        Refusal({"prices": [1, 2], "amounts": [3]}, "the same number"),
    ),
    reply=("Offer {cheapest} is the cheapest, by {saving_percent} % against the most expensive: {offers}"),
)
def price_compare_units(
    prices: Annotated[
        list[PositiveNumber], About("Price of each offer", [2.19, 3.29, 8.49], min_items=1, max_items=100)
    ],
    amounts: Annotated[
        list[PositiveNumber],
        About("Amount in each offer, all in the same unit", [250, 400, 1000], min_items=1, max_items=100),
    ],
) -> UnitPrices:
    """Compare offers by price per unit, such as 100 g, kilo, litre or piece, and find the cheapest.

    Use it for packs of different sizes. Amounts must be in the same unit. Returns the prices of 1, 100 and 1000 units.
    """
    if len(prices) != len(amounts):
        raise ToolError("Give the same number of amounts and prices.")
    per_unit = [price / amount for price, amount in zip(prices, amounts, strict=True)]
    low, high = min(per_unit), max(per_unit)
    return {
        "cheapest": per_unit.index(low) + 1,
        "cheapest_per_1000": round(low * 1000, 5),
        "offers": [
            {
                "price": price,
                "amount": amount,
                "price_per_unit": round(each, 8),
                "price_per_100": round(each * 100, 6),
                "price_per_1000": round(each * 1000, 5),
            }
            for price, amount, each in zip(prices, amounts, per_unit, strict=True)
        ],
        "saving_percent": float(f"{(high - low) / high * 100:.12g}"),
    }
