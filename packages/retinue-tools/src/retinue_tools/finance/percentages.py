"""Percentages, discounts and tips in everyday calculations."""

from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, Decimal
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Alias, Example, Money, Refusal, ToolError, tool
from retinue_tools.finance._amounts import Cost, cents, dec, money, percent, shares_of

_PLACES = 10
_LARGEST = Decimal(10) ** 15

AnyNumber = Annotated[float, About("A number", 60, minimum=-1e15, maximum=1e15)]
Discount = Annotated[float, About("Discount in percent", 20, minimum=0, maximum=100)]
Discounts = Annotated[
    list[Discount],
    About("Discounts in percent, one after the other; usually one", [20], min_items=1, max_items=20),
]


class PercentRelation(TypedDict):
    """A part, its whole, and its percentage."""

    part: float
    whole: float
    percent: Annotated[float, About("Part divided by whole, in percent")]
    rest: Annotated[float, About("Whole minus part")]
    rest_percent: float


class PercentChange(TypedDict):
    """A value changed by percentages."""

    result: float
    change: Annotated[float, About("Result minus value")]
    total_percent: Annotated[float, About("All changes as a single percentage")]


class Discounted(TypedDict):
    """A price after discounts."""

    original_price: Annotated[float, About("Price before the discounts, rounded to cents")]
    final_price: Annotated[float, About("Price to pay, including tax if any, rounded to cents")]
    price_before_tax: float
    saved: Annotated[float, About("Price minus discounted price before tax")]
    tax: float
    total_discount_percent: Annotated[float, About("All discounts as a single percentage")]


class DiscountRate(TypedDict):
    """A discount between two prices."""

    discount_percent: float
    saved: float
    paid_percent: Annotated[float, About("New price in percent of the old price")]


class EvenBill(TypedDict):
    """A bill with a tip, split evenly."""

    tip: float
    total: Annotated[float, About("Bill plus tip")]
    each: Annotated[float, About("Share of one person, to the nearest cent")]
    tip_each: float
    shares: Annotated[list[float], About("Shares that add up to the total exactly; some are a cent higher")]
    each_rounded_up: Annotated[float, About("Share in whole units, rounded up")]


def _exact(value: Decimal) -> float:
    """Return a number for a result, without the last digits of a division. Raises `ToolError` beyond 10^15."""
    if abs(value) > _LARGEST:
        raise ToolError("The result exceeds 10^15. Give smaller numbers, or a larger percentage.")
    return float(round(value, _PLACES)) + 0.0


@tool(
    tags="percent percentage of what share part whole ratio out of how much is",
    use_when=(
        "What is x percent of y?",
        "15 is what percent of 60?",
        "What is 17.5% of 2480?",
        "45 is 30 percent of which number?",
        "18 out of 24 students passed: what percentage?",
    ),
    examples=(
        Example({"part": 15, "whole": 60}, {"percent": 25.0, "rest": 45.0}, source="by hand: a quarter"),
        Example({"percent": 17.5, "whole": 2480}, {"part": 434.0}, source="by hand: 248 + 124 + 62"),
        Example({"part": 45, "percent": 30}, {"whole": 150.0, "rest_percent": 70.0}, source="by hand: 45 / 0.3"),
        Refusal({"part": 15}, "exactly two"),
        Refusal({"part": 15, "whole": 0}, "zero"),
    ),
    reply="{part} is {percent} % of {whole}.",
)
def percent_solve_share(
    part: Annotated[AnyNumber | None, About("The part: 15 in '15 is what percent of 60'", 15)] = None,
    whole: Annotated[AnyNumber | None, About("The whole: 60 in '15 is what percent of 60'", 60)] = None,
    percent: Annotated[AnyNumber | None, About("The percentage: 20 for 20 %", 20)] = None,
) -> PercentRelation:
    """Find the part, the whole or the percentage from the other two.

    Use it for 'x % of y', 'x is what percent of y' and 'x is y % of what'. Give exactly two of the three.
    """
    if [part, whole, percent].count(None) != 1:
        raise ToolError("Give exactly two of part, whole and percent.")
    if part is None:
        return _relation(dec(whole or 0) * dec(percent or 0) / 100, dec(whole or 0), dec(percent or 0))
    divisor = percent if whole is None else whole
    if not divisor:
        raise ToolError("The whole or the percentage is zero, so there is no answer. Give another number.")
    if whole is None:
        return _relation(dec(part), dec(part) * 100 / dec(divisor), dec(divisor))
    return _relation(dec(part), dec(whole), dec(part) * 100 / dec(whole))


def _relation(part: Decimal, whole: Decimal, share: Decimal) -> PercentRelation:
    return {
        "part": _exact(part),
        "whole": _exact(whole),
        "percent": _exact(share),
        "rest": _exact(whole - part),
        "rest_percent": _exact(100 - share),
    }


@tool(
    tags="percent increase decrease raise by add subtract percent successive changes result value",
    use_when=(
        "Increase 52,400 by 3.5%",
        "Decrease 80 by 12 percent",
        "A share of 80 falls by 20 % and rises by 25 %: where does it end?",
        "What is my salary after a raise of 4 percent?",
    ),
    examples=(
        Example({"value": 52400, "percents": [3.5]}, {"result": 54234.0, "change": 1834.0}, source="by hand"),
        Example(
            {"value": 80, "percents": [-20, 25]}, {"result": 80.0, "total_percent": 0.0}, source="by hand: 64, then 80"
        ),
        Refusal({"value": 80, "percents": []}, "percents"),
    ),
    reply={
        "args.percents.1": "It comes to {result}, a change of {total_percent} % in all.",
        "": "It comes to {result}, a change of {change}.",
    },
)
def percent_apply_changes(
    value: AnyNumber,
    percents: Annotated[
        list[Annotated[float, About("Change in percent, negative for a decrease", -20, minimum=-1000, maximum=1e6)]],
        About("Changes in percent, one after the other; negative for a decrease", [3.5], min_items=1, max_items=100),
    ],
) -> PercentChange:
    """Increase or decrease a number by a percentage, or by several one after the other.

    Use it for raises, price rises, losses and gains. Returns the result and the change as a single percentage.
    """
    factor = _product(1 + dec(change) / 100 for change in percents)
    return {
        "result": _exact(dec(value) * factor),
        "change": _exact(dec(value) * (factor - 1)),
        "total_percent": _exact((factor - 1) * 100),
    }


def _product(factors: Iterable[Decimal]) -> Decimal:
    total = Decimal(1)
    for factor in factors:
        total *= factor
    return total


def _left(discounts: Sequence[float]) -> Decimal:
    """Return the share of the price that remains after all discounts."""
    return _product(1 - dec(discount) / 100 for discount in discounts)


@tool(
    tags="discount sale price percent off reduced stacked coupon markdown final to pay save tax original before "
    "reverse undo full price",
    use_when=(
        "A jacket of $80 is 25% off: what do I pay?",
        "20% off and then another 10% off a coat of 250",
        "How much do I save with 15 percent discount on 64 euro?",
        "Headphones at 199, 15% off, then 8% sales tax",
        "After a 30% discount a bag costs 63. What was the price before?",
        "Original price if I paid 51.20 after 36 percent off",
        "What did it cost before 20 % and then 10 % off, if it is 180 now?",
        "20 percent off",
        "Sale price",
    ),
    examples=(
        Example({"price": 80, "discounts_percent": [25]}, {"final_price": 60.0, "saved": 20.0}, source="by hand"),
        Example(
            {"price": 250, "discounts_percent": [20, 10]},
            {"final_price": 180.0, "total_discount_percent": 28.0},
            source="by hand: 200, then 180",
        ),
        Example(
            {"price": 199, "discounts_percent": [15], "tax_percent": 8},
            {"final_price": 182.68, "price_before_tax": 169.15, "tax": 13.53},
            source="by hand: 199 * 0.85 and 8 % of it",
        ),
        Example({"price": 1150, "discounts_percent": [12], "amount_off": 50}, {"final_price": 962.0}, source="by hand"),
        Example(
            {"sale_price": 63, "discounts_percent": [30]},
            {"original_price": 90.0, "saved": 27.0, "total_discount_percent": 30.0},
            source="by hand",
        ),
        Example(
            {"sale_price": 180, "discounts_percent": [20, 10]}, {"original_price": 250.0}, source="by hand: 180 / 0.72"
        ),
        Refusal({"price": 40, "discounts_percent": [50], "amount_off": 30}, "exceeds the remaining price"),
        Refusal({"sale_price": 63, "discounts_percent": [100]}, "below 100"),
        Refusal({"discounts_percent": [10]}, "Give price, or sale_price"),
    ),
    reply={
        "tax": "You pay {final_price}, with {tax} of tax; the discount saves {saved}.",
        "": "You pay {final_price}, which is {saved} less.",
    },
    aliases=(Alias("price_find_original"),),
)
def price_apply_discounts(
    discounts_percent: Discounts,
    price: Money | None = None,
    amount_off: Annotated[Cost, About("Voucher or coupon amount, deducted after the percentages", 10)] = 0,
    tax_percent: Annotated[float, About("Tax added at the end, in percent", 8, minimum=0, maximum=100)] = 0,
    sale_price: Annotated[Money | None, About("Price paid, to find the original price", 63)] = None,
) -> Discounted:
    """Compute the price after one or several discounts in percent, then a voucher, then a tax, if there are any.

    Use it for sales and coupons; with sale_price instead of price, it finds the original price. Returns both prices,
    the saving and the discounts as a single percentage.
    """
    left, taxed = _left(discounts_percent), 1 + dec(tax_percent) / 100
    if (price is None) == (sale_price is None):
        raise ToolError("Give price, or sale_price to find the original price.")
    if sale_price is not None and not left:
        raise ToolError("Nothing is left of a price after 100 % off. Give discounts below 100 %.")
    before = dec(price) if price is not None else (dec(sale_price or 0) / taxed + dec(amount_off)) / left
    net = before * left - dec(amount_off)
    if net < 0:
        raise ToolError("The voucher exceeds the remaining price. Give a smaller amount_off.")
    return {
        "original_price": money(before),
        "final_price": money(net * taxed),
        "price_before_tax": money(net),
        "saved": money(before - net),
        "tax": money(net * (taxed - 1)),
        "total_discount_percent": percent(1 - left),
    }


@tool(
    tags="discount percent rate reduced from to how much off cheaper sale compare old new price",
    use_when=(
        "Shoes reduced from $120 to $90: what percent discount is this?",
        "I paid 51 instead of 60. How many percent off?",
        "How many percent do I save at 4 for the price of 3?",
    ),
    examples=(
        Example(
            {"original_price": 120, "sale_price": 90},
            {"discount_percent": 25.0, "saved": 30.0, "paid_percent": 75.0},
            source="by hand",
        ),
        Example({"original_price": 4, "sale_price": 3}, {"discount_percent": 25.0}, source="by hand"),
        Refusal({"original_price": 0, "sale_price": 90}, "original_price"),
    ),
    reply="That is {discount_percent} % off, a saving of {saved}.",
)
def price_measure_discount(
    original_price: Annotated[float, About("Old price", 120, minimum=0.0001, maximum=1e15)],
    sale_price: Annotated[Cost, About("New price", 90)],
) -> DiscountRate:
    """Measure how many percent off a sale price is, from the price before and the price now.

    Use it for reductions and special offers; a higher price gives a negative discount.
    """
    paid = dec(sale_price) / dec(original_price)
    return {
        "discount_percent": percent(1 - paid),
        "saved": money(dec(original_price) - dec(sale_price)),
        "paid_percent": percent(paid),
    }


@tool(
    tags="tip bill split equally evenly people per person restaurant gratuity service share each",
    use_when=(
        "Restaurant bill of 138.60 plus 20% tip split between 4 people: what does each pay?",
        "What is a 20% tip on $64.50?",
        "Split 156.75 three ways",
        "Tip 18% on 87.25 and give the total",
        "How much should I tip?",
        "Split the restaurant bill with friends",
        "Split a bill of 120 among 5 people",
    ),
    examples=(
        Example(
            {"bill": 138.60, "people": 4, "tip_percent": 20},
            {"tip": 27.72, "total": 166.32, "each": 41.58, "tip_each": 6.93},
            source="by hand",
        ),
        Example(
            {"bill": 100, "people": 3},
            {"each": 33.33, "shares": [33.34, 33.33, 33.33], "each_rounded_up": 34.0},
            source="by hand",
        ),
        Example({"bill": 64.5, "tip_percent": 20}, {"tip": 12.9, "total": 77.4}, source="by hand"),
        Refusal({"bill": 100, "people": 0}, "people"),
    ),
    reply={
        "tip": "Each pays {each}: the total is {total} with a tip of {tip}.",
        "": "Each pays {each} of {total}.",
    },
)
def bill_split_equally(
    bill: Annotated[Money, About("The bill", 138.6)],
    people: Annotated[int, About("Number of people", 4, minimum=1, maximum=1000)] = 1,
    tip_percent: Annotated[float, About("Tip or service in percent of the bill", 20, minimum=0, maximum=100)] = 0,
) -> EvenBill:
    """Split a bill equally among a number of people, with a tip, or compute the tip alone.

    Use it for restaurants, taxis and shared costs; bill_split_items splits by the items that each person had.
    """
    tip = cents(dec(bill) * dec(tip_percent) / 100)
    total = cents(dec(bill)) + tip
    each = total / people
    return {
        "tip": float(tip),
        "total": float(total),
        "each": money(each),
        "tip_each": money(tip / people),
        "shares": [float(share) for share in shares_of(total, [Decimal(1)] * people)],
        "each_rounded_up": float(each.to_integral_value(ROUND_CEILING)),
    }
