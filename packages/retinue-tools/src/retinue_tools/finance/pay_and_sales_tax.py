"""Pay from hours worked, and prices with and without sales tax."""

from decimal import Decimal
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.finance._amounts import Cost, Label, cents, dec, money


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
        "Add VAT to a price",
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
    reply="{net} without tax and {tax} of tax make {gross}.",
)
def sales_tax_convert_price(
    amount: Cost,
    rate_percent: Annotated[float, About("Tax rate in percent", 19, minimum=0, maximum=1000)],
    amount_is: Annotated[Literal["net", "gross"], About("Whether the amount excludes or includes the tax")],
) -> SalesTax:
    """Convert a price between without and with VAT, GST or sales tax, rounded half up to cents.

    Use it to add a tax to a price or to find the tax within one. Net and tax always add up to gross.
    """
    value, share = cents(dec(amount)), dec(rate_percent) / 100
    net = value if amount_is == "net" else cents(value / (1 + share))
    tax = cents(net * share) if amount_is == "net" else value - net
    return {"net": float(net), "tax": float(tax), "gross": float(net + tax)}


class Deduction(TypedDict):
    """A deduction from the pay."""

    name: Label
    percent: Annotated[float, About("Percent of the gross pay", 9.3, minimum=0, maximum=100)]
    fixed: Annotated[float, About("Additional fixed amount", 0, minimum=0, maximum=1e9)]


class DeductedPart(TypedDict):
    """Amount of a deduction."""

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
        "My take-home pay",
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
            {"hours": [1], "hourly_rate": 10, "deductions": [{"name": "x", "percent": 0, "fixed": 50}]},
            "exceed the pay",
        ),
    ),
    reply={
        "overtime_hours": "The net pay is {net_pay}, from {gross_pay} gross with {overtime_hours|hour} of overtime.",
        "": "The net pay is {net_pay}, from {gross_pay} gross.",
    },
)
def payroll_compute_pay(
    hours: Annotated[
        list[Annotated[float, About("Hours", 46, minimum=0, maximum=744)]],
        About("Hours worked, one number per day or week", [40, 46], min_items=1, max_items=400),
    ],
    hourly_rate: Cost,
    overtime_after: Annotated[
        float, About("Hours of each entry at the regular rate: 40 for weeks, 8 for days", 40, minimum=0, maximum=744)
    ] = 40,
    overtime_factor: Annotated[
        float, About("Overtime rate as a multiple of the regular rate", 1.5, minimum=1, maximum=10)
    ] = 1.5,
    deductions: Annotated[
        list[Deduction] | None,
        About("Deductions", [{"name": "Pension", "percent": 9.3, "fixed": 0}], max_items=50),
    ] = None,
) -> Payslip:
    """Compute gross and net pay from hours with overtime and deductions.

    Use it for a payslip or an hourly job. Overtime is computed separately for each entry of hours. No country's law is
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
        raise ToolError("The deductions exceed the pay. Lower them.")
    return {
        "regular_hours": float(regular),
        "overtime_hours": float(overtime),
        "regular_pay": float(plain),
        "overtime_pay": float(extra),
        "gross_pay": float(gross),
        "deductions": parts,
        "net_pay": float(net),
    }
