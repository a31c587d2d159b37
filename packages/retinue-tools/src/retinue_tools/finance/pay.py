"""Taxes by brackets, sales tax, pay from hours, commissions and shared bills."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import accumulate
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Money, Positive, Refusal, ToolError, tool
from retinue_tools.finance._amounts import Cost, Label, cents, dec, money, percent, shares_of


class Bracket(TypedDict):
    """A step of a tariff."""

    above: Annotated[float, About("The rate holds for what is above this amount", 11000, minimum=0, maximum=1e15)]
    rate_percent: Annotated[float, About("Rate in percent", 12, minimum=0, maximum=100)]


class BracketPart(TypedDict):
    """What one step takes."""

    above: float
    rate_percent: float
    amount: Annotated[float, About("Part of the base in this step")]
    due: float


class BracketSum(TypedDict):
    """What a tariff takes from an amount."""

    base: Annotated[float, About("Amount that the steps apply to")]
    due: float
    left: Annotated[float, About("The amount less what is due")]
    effective_percent: Annotated[float, About("What is due, as a share of the whole amount")]
    marginal_percent: Annotated[float, About("Rate of the last unit")]
    parts: list[BracketPart]


Brackets = Annotated[
    list[Bracket],
    About(
        "Steps of the tariff, in any order",
        [{"above": 0, "rate_percent": 10}, {"above": 11000, "rate_percent": 12}],
        min_items=1,
        max_items=50,
    ),
]


Rates = Annotated[
    list[Annotated[float, About("Rate in percent", 12, minimum=0, maximum=1000)]] | None,
    About(
        "Rate of each step in percent, upwards; a free first step may be left out",
        [10, 12, 22],
        min_items=1,
        max_items=50,
    ),
]
Limits = Annotated[
    list[Positive] | None,
    About("Amounts up to which the rates hold, but for the last one", [11000, 44725], min_items=1, max_items=50),
]
Widths = Annotated[
    list[Positive] | None,
    About("How wide each step is, but for the last one, in place of limits", [11000, 33725], min_items=1, max_items=50),
]


def brackets_of(
    brackets: Sequence[Bracket] | None,
    rates: Sequence[float] | None,
    limits: Sequence[float] | None,
    widths: Sequence[float] | None,
) -> list[Bracket]:
    """The steps, however they were given."""
    if brackets and not rates:
        return list(brackets)
    above = [0.0, *(limits or accumulate(widths or ()))]
    all_rates = [0.0, *(rates or ())] if len(above) == len(rates or ()) + 1 else rates
    if brackets or not all_rates or (limits and widths) or len(above) != len(all_rates):
        raise ToolError(
            "Give brackets, or rates_percent with one limit or width less (as many if the first step is free)."
        )
    return [{"above": start, "rate_percent": rate} for start, rate in zip(above, all_rates, strict=True)]


@tool(
    tags="income tax progressive brackets marginal effective rate tariff",
    use_when=(
        "How much tax on 50,000 with brackets 10% to 11,000, 12% to 44,725 and 22% above?",
        "What is my effective tax rate?",
        "Compute progressive tax with an allowance of 12,570",
    ),
    examples=(
        Example(
            {
                "amount": 50000,
                "brackets": [
                    {"above": 0, "rate_percent": 10},
                    {"above": 11000, "rate_percent": 12},
                    {"above": 44725, "rate_percent": 22},
                ],
            },
            {"due": 6307.5, "left": 43692.5, "marginal_percent": 22.0, "effective_percent": 12.615},
            source="United States tariff of 2023 for a single person: 5,147 plus 22 % above 44,725",
        ),
        Example(
            {"amount": 20000, "brackets": [{"above": 0, "rate_percent": 20}], "allowance": 12570},
            {"base": 7430.0, "due": 1486.0},
            source="by hand: 20 % of 7,430",
        ),
        Example(
            {"amount": 61500, "rates_percent": [0, 15, 28], "widths": [12000, 30000]},
            {"due": 9960.0},
            source="by hand: 15 % of 30,000 and 28 % of 19,500",
        ),
        Example(
            {"amount": 50000, "rates_percent": [10, 12, 22], "limits": [11000, 44725]},
            {"due": 6307.5},
            source="the tariff of 2023 above",
        ),
        Example(
            {"amount": 55000, "rates_percent": [15, 30], "limits": [12000, 40000]},
            {"due": 8700.0},
            source="by hand: the first step is free; 15 % of 28,000 and 30 % of 15,000",
        ),
        Refusal({"amount": 20000, "rates_percent": [10, 20, 30]}, "one limit or width less"),
        Refusal(
            {"amount": 20000, "brackets": [{"above": 5, "rate_percent": 20}, {"above": 5, "rate_percent": 1}]}, "twice"
        ),
    ),
)
def tax_compute_brackets(
    amount: Cost,
    brackets: Brackets | None = None,
    allowance: Annotated[float, About("Tax-free amount taken off first", 12570, minimum=0, maximum=1e15)] = 0,
    rates_percent: Rates = None,
    limits: Limits = None,
    widths: Widths = None,
) -> BracketSum:
    """Compute a progressive tax from brackets that you give, with effective and marginal rate.

    Use it for income tax or any tariff in which each rate holds for its slice only. Give brackets, or rates_percent
    with limits ("up to 11,000, to 44,725") or widths ("the first 11,000, the next 33,725"). No country's law is known.
    """
    steps = sorted(brackets_of(brackets, rates_percent, limits, widths), key=lambda step: step["above"])
    if len({step["above"] for step in steps}) < len(steps):
        raise ToolError("A bracket begins twice at the same amount. Give each limit once.")
    base = max(Decimal(), dec(amount) - dec(allowance))
    starts = [dec(step["above"]) for step in steps]
    parts: list[BracketPart] = []
    for step, low, high in zip(steps, starts, [*starts[1:], None], strict=True):
        slice_ = max(Decimal(), (base if high is None else min(base, high)) - low)
        due = cents(slice_ * dec(step["rate_percent"]) / 100)
        parts.append({**step, "amount": money(slice_), "due": float(due)})
    total = sum((dec(part["due"]) for part in parts), Decimal())
    reached = [step["rate_percent"] for step, low in zip(steps, starts, strict=True) if base > low]
    return {
        "base": money(base),
        "due": float(total),
        "left": money(dec(amount) - total),
        "effective_percent": percent(total / dec(amount)) if amount else 0.0,
        "marginal_percent": float(reached[-1]) if reached else 0.0,
        "parts": parts,
    }


class SalesTax(TypedDict):
    """A price with and without tax."""

    net: float
    tax: float
    gross: float


@tool(
    tags="vat sales tax gst add extract net gross price include",
    use_when=(
        "How much VAT is in 119 euro at 19%?",
        "Add 20% VAT to 249.99",
        "What is the net price of 59.95 including 8.1% tax?",
        "Add VAT to a net price, or take it off a gross price",
        "What is the price with 19 % tax?",
    ),
    examples=(
        Example(
            {"amount": 119, "rate_percent": 19, "amount_is": "gross"},
            {"net": 100.0, "tax": 19.0, "gross": 119.0},
            source="by hand",
        ),
        Example(
            {"amount": 249.99, "rate_percent": 20, "amount_is": "net"}, {"tax": 50.0, "gross": 299.99}, source="by hand"
        ),
        Refusal({"amount": -1, "rate_percent": 20, "amount_is": "net"}, "amount"),
    ),
)
def sales_tax_convert_price(
    amount: Cost,
    rate_percent: Annotated[float, About("Tax rate in percent", 19, minimum=0, maximum=1000)],
    amount_is: Annotated[Literal["net", "gross"], About("Whether the amount is without or with the tax")],
) -> SalesTax:
    """Convert a price between without and with VAT, GST or sales tax, rounded half up to cents.

    Use it to add a tax to a price or to find the tax within one. Net and tax always add up to gross.
    """
    value, share = cents(dec(amount)), dec(rate_percent) / 100
    net = value if amount_is == "net" else cents(value / (1 + share))
    tax = cents(net * share) if amount_is == "net" else value - net
    return {"net": float(net), "tax": float(tax), "gross": float(net + tax)}


class Deduction(TypedDict):
    """What is taken off the pay."""

    name: Label
    percent: Annotated[float, About("Percent of the gross pay", 9.3, minimum=0, maximum=100)]
    fixed: Annotated[float, About("Fixed amount beside it", 0, minimum=0, maximum=1e9)]


class DeductedPart(TypedDict):
    """A deduction in money."""

    name: str
    amount: float


class Payslip(TypedDict):
    """Pay of a period."""

    regular_hours: float
    overtime_hours: float
    regular_pay: float
    overtime_pay: float
    gross_pay: float
    deductions: list[DeductedPart]
    net_pay: float


@tool(
    tags="payroll pay hours overtime wage salary payslip deductions gross net",
    use_when=(
        "What do I earn for 46 hours at 20 with time and a half above 40?",
        "Compute a payslip with 18.6% and 9.3% deductions",
        "How much is my overtime worth this week?",
    ),
    examples=(
        Example(
            {"hours": [46], "hourly_rate": 20},
            {"regular_pay": 800.0, "overtime_pay": 180.0, "gross_pay": 980.0, "net_pay": 980.0, "regular_hours": 40.0},
            source="by hand: 40 x 20 and 6 x 30",
        ),
        Example(
            {
                "hours": [8, 10],
                "hourly_rate": 10,
                "overtime_after": 8,
                "overtime_factor": 2,
                "deductions": [{"name": "Pension", "percent": 10, "fixed": 5}],
            },
            {
                "gross_pay": 200.0,
                "net_pay": 175.0,
                "overtime_hours": 2.0,
                "deductions": [{"name": "Pension", "amount": 25.0}],
            },
            source="by hand: 160 and 2 x 20, less 20 and 5",
        ),
        Refusal(
            {"hours": [1], "hourly_rate": 10, "deductions": [{"name": "x", "percent": 0, "fixed": 50}]}, "more than"
        ),
    ),
)
def payroll_compute_pay(
    hours: Annotated[
        list[Annotated[float, About("Hours", 46, minimum=0, maximum=744)]],
        About("Hours worked, one number per day or week", [40, 46], min_items=1, max_items=400),
    ],
    hourly_rate: Cost,
    overtime_after: Annotated[
        float, About("Hours of each entry paid at the plain rate: 40 for weeks, 8 for days", 40, minimum=0, maximum=744)
    ] = 40,
    overtime_factor: Annotated[float, About("Overtime rate as a multiple", 1.5, minimum=1, maximum=10)] = 1.5,
    deductions: Annotated[
        list[Deduction] | None,
        About("What is taken off", [{"name": "Pension", "percent": 9.3, "fixed": 0}], max_items=50),
    ] = None,
) -> Payslip:
    """Compute gross and net pay from hours with overtime and deductions.

    Use it for a payslip or an hourly job. Overtime counts in each entry of hours on its own. No country's law is
    built in: give the rates.
    """
    limit = dec(overtime_after)
    regular = sum((min(dec(part), limit) for part in hours), Decimal())
    overtime = sum((max(Decimal(), dec(part) - limit) for part in hours), Decimal())
    plain = cents(regular * dec(hourly_rate))
    extra = cents(overtime * dec(hourly_rate) * dec(overtime_factor))
    gross = plain + extra
    parts: list[DeductedPart] = [
        {"name": part["name"], "amount": money(gross * dec(part["percent"]) / 100 + dec(part["fixed"]))}
        for part in deductions or []
    ]
    net = gross - sum((dec(part["amount"]) for part in parts), Decimal())
    if net < 0:
        raise ToolError("The deductions are more than the pay. Lower them.")
    return {
        "regular_hours": float(regular),
        "overtime_hours": float(overtime),
        "regular_pay": float(plain),
        "overtime_pay": float(extra),
        "gross_pay": float(gross),
        "deductions": parts,
        "net_pay": float(net),
    }


@tool(
    tags="sales commission tiers tiered bonus quota accelerator",
    use_when=(
        "What commission on 120,000 with 5% up to 50,000 and 8% above?",
        "Compute a tiered sales commission",
        "How much do I earn if the whole amount gets the rate of the reached tier?",
    ),
    examples=(
        Example(
            {"sales": 120000, "tiers": [{"above": 0, "rate_percent": 5}, {"above": 50000, "rate_percent": 8}]},
            {"due": 8100.0, "marginal_percent": 8.0, "base": 120000.0, "left": 111900.0},
            source="by hand: 2,500 and 5,600",
        ),
        Example(
            {
                "sales": 120000,
                "tiers": [{"above": 0, "rate_percent": 5}, {"above": 50000, "rate_percent": 8}],
                "scheme": "whole",
            },
            {"due": 9600.0, "effective_percent": 8.0},
            source="by hand: 8 % of all",
        ),
        Refusal({"sales": 1, "tiers": []}, "tiers"),
    ),
)
def commission_compute_tiers(
    sales: Cost,
    tiers: Brackets | None = None,
    scheme: Annotated[
        Literal["slices", "whole"], About("Each rate for its slice, or the highest reached rate for the whole")
    ] = "slices",
    rates_percent: Rates = None,
    limits: Limits = None,
    widths: Widths = None,
) -> BracketSum:
    """Compute a sales commission by tiers, each rate for its slice or the reached rate for all sales.

    Use it for sales plans and quotas. Give tiers, or rates_percent with limits or widths. Returns the commission in
    `due`, the effective rate and the parts.
    """
    result = tax_compute_brackets(sales, brackets_of(tiers, rates_percent, limits, widths))
    if scheme == "slices":
        return result
    rate = result["marginal_percent"]
    due = cents(dec(sales) * dec(rate) / 100)
    return {
        **result,
        "due": float(due),
        "left": money(dec(sales) - due),
        "effective_percent": rate,
        "parts": [{"above": 0.0, "rate_percent": rate, "amount": money(dec(sales)), "due": float(due)}],
    }


class BillItem(TypedDict):
    """Something on a bill."""

    price: Money
    people: Annotated[list[Label], About("Who shares it; empty for everybody", ["Ann", "Bob"], max_items=50)]


class BillPart(TypedDict):
    """What one person pays."""

    name: str
    items: Annotated[float, About("Own share of the items")]
    extra: Annotated[float, About("Share of tip and tax")]
    total: float


class SplitBill(TypedDict):
    """A bill in parts that add up to the cent."""

    total: float
    parts: list[BillPart]


@tool(
    tags="split bill restaurant tip share friends expenses divide tab",
    use_when=(
        "Split a bill of 84.50 with 10% tip among three people",
        "Ann had the 30 steak, Bob and Cem shared wine for 25: who pays what?",
        "Divide 100 by three without losing a cent",
    ),
    examples=(
        Example(
            {"people": ["A", "B", "C"], "items": [{"price": 100, "people": []}]},
            {
                "total": 100.0,
                "parts": [{"name": "A", "total": 33.34}, {"name": "B", "total": 33.33}, {"name": "C", "total": 33.33}],
            },
            source="by hand",
        ),
        Example(
            {
                "people": ["A", "B"],
                "items": [{"price": 30, "people": ["A"]}, {"price": 20, "people": ["A", "B"]}],
                "tip_percent": 10,
            },
            {"total": 55.0, "parts": [{"items": 40.0, "extra": 4.0, "total": 44.0}, {"total": 11.0}]},
            source="by hand",
        ),
        Refusal({"people": ["A"], "items": [{"price": 30, "people": ["Z"]}]}, "Z is not among"),
    ),
)
def bill_split_items(
    people: Annotated[list[Label], About("Everybody at the table", ["Ann", "Bob", "Cem"], min_items=1, max_items=50)],
    items: Annotated[
        list[BillItem],
        About("What was ordered", [{"price": 84.5, "people": []}], min_items=1, max_items=200),
    ],
    tip_percent: Annotated[float, About("Tip or service in percent", 10, minimum=0, maximum=100)] = 0,
) -> SplitBill:
    """Split a bill by who had what, with the tip in proportion.

    Use it after a dinner or trip. Shared items are divided evenly, and the parts add up to the total exactly.
    """
    if unknown := sorted({name for item in items for name in item["people"]} - set(people)):
        raise ToolError(f"{unknown[0]} is not among the people. Write each name as in people.")
    if len(set(people)) < len(people):
        raise ToolError("A name occurs twice among the people. Give everybody a name of their own.")
    own = dict.fromkeys(people, Decimal())
    for item in items:
        sharing = list(dict.fromkeys(item["people"])) or people
        parts = shares_of(cents(dec(item["price"])), [Decimal(1)] * len(sharing))
        for name, part in zip(sharing, parts, strict=True):
            own[name] += part
    subtotal = sum(own.values(), Decimal())
    tip = cents(subtotal * dec(tip_percent) / 100)
    extras = shares_of(tip, list(own.values())) if subtotal else [Decimal()] * len(people)
    return {
        "total": float(subtotal + tip),
        "parts": [
            {"name": name, "items": float(part), "extra": float(extra), "total": float(part + extra)}
            for (name, part), extra in zip(own.items(), extras, strict=True)
        ],
    }
