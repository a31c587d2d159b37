"""Tools for finance: answers of textbook formulas, in fractions and plain arithmetic."""

import base64
from datetime import date

from retinue.sdk import Example

_OFX = b"""OFXHEADER:100
DATA:OFXSGML
VERSION:102

<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>77<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><DTSTART>20260101<DTEND>20260131
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260105<TRNAMT>-12.50<FITID>a<NAME>Cafe</STMTTRN>
<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20260107<TRNAMT>100.00<FITID>b<NAME>Pay</STMTTRN>
</BANKTRANLIST><LEDGERBAL><BALAMT>87.50<DTASOF>20260131</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
"""
_ZERO_COUPON = 100 / 1.02**20
_PAR_DURATION = sum(n / 2 * (102.5 if n == 4 else 2.5) / 1.025**n for n in range(1, 5)) / 100
_LOAN = 1680 * (1 - 1.005**-360) / 0.005
_YEARS = [100_000.0]
for _ in range(5):
    _YEARS.append(_YEARS[-1] * 1.03 + 10_000)

CALLS = [
    (
        "accounting_check_trial_balance",
        Example(
            {
                "postings": [
                    {"entry": "1", "account": "Cash", "debit": 0.1, "credit": 0},
                    {"entry": "1", "account": "Bank", "debit": 0.2, "credit": 0},
                    {"entry": "1", "account": "Sales", "debit": 0, "credit": 0.3},
                ]
            },
            {"balanced": True, "unbalanced_entries": [], "total_debit": 0.3, "total_credit": 0.3},
            source="0.10 + 0.20 = 0.30 in cents",
        ),
    ),
    (
        "bond_compute_price",
        Example(
            {"settlement": "2026-01-15", "maturity": "2028-01-15", "coupon_percent": 5, "yield_percent": 5},
            {
                "clean_price": 100.0,
                "accrued_interest": 0.0,
                "coupons_left": 4,
                "macaulay_duration_years": _PAR_DURATION,
                "modified_duration": _PAR_DURATION / 1.025,
            },
            source="a bond at par; duration summed by hand",
            tolerance=1e-6,
        ),
    ),
    (
        "bond_compute_price",
        Example(
            {"settlement": "2026-01-15", "maturity": "2036-01-15", "coupon_percent": 0, "yield_percent": 4},
            {"clean_price": _ZERO_COUPON, "macaulay_duration_years": 10.0},
            source="100 / 1.02 ** 20",
            tolerance=1e-6,
        ),
    ),
    *(
        ("daycount_measure_period", Example(args, wanted, source="ISDA 2006, section 4.16", tolerance=1e-6))
        for args, wanted in (
            ({"start": "2026-01-31", "end": "2026-02-28", "convention": "30/360"}, {"days": 28, "actual_days": 28}),
            ({"start": "2026-01-31", "end": "2026-03-31", "convention": "30E/360"}, {"days": 60, "actual_days": 59}),
            (
                {"start": "2023-07-01", "end": "2024-07-01", "convention": "actual/actual"},
                {"year_fraction": 184 / 365 + 182 / 366, "actual_days": (date(2024, 7, 1) - date(2023, 7, 1)).days},
            ),
            (
                {
                    "start": "2026-01-01",
                    "end": "2026-07-01",
                    "convention": "actual/360",
                    "amount": 1000,
                    "rate_percent": 6,
                },
                {"days": 181, "interest": 30.17},
            ),
        )
    ),
    (
        "lease_compare_buying",
        Example(
            {
                "price": 20000,
                "resale_value": 8000,
                "monthly_lease": 300,
                "months": 36,
                "discount_rate_percent": 0,
                "down_payment": 2000,
            },
            {"lease_cost": 12800.0, "buy_cost": 12000.0, "cheaper": "buy", "difference": 800.0},
            source="2000 + 36 * 300; 20000 - 8000",
        ),
    ),
    *(
        ("money_format_text", Example(args, {"text": text}, source="Unicode CLDR"))
        for args, text in (
            ({"amount": 1500, "currency": "JPY", "locale": "en-US"}, "¥1,500"),
            ({"amount": 1234.5, "currency": "KWD", "locale": "en-US"}, "KWD\xa01,234.500"),
            ({"amount": 1234567.8, "currency": "INR", "locale": "en-IN"}, "₹12,34,567.80"),
            ({"amount": -5, "currency": "USD", "locale": "en-US", "style": "accounting"}, "($5.00)"),
            ({"amount": 1, "currency": "EUR", "locale": "en-US", "style": "name"}, "1.00 euros"),
        )
    ),
    (
        "mortgage_estimate_affordability",
        Example(
            {"monthly_income": 6000, "annual_rate_percent": 6, "years": 30, "own_money": 50000, "other_debts": 300},
            {
                "monthly_payment": 1680.0,
                "limited_by": "housing share",
                "largest_loan": _LOAN,
                "largest_price": _LOAN + 50000,
            },
            source="0.28 * 6000; the annuity formula",
            tolerance=1e-7,
        ),
    ),
    (
        "payroll_compute_pay",
        Example(
            {
                "hours": [38, 45],
                "hourly_rate": 20,
                "deductions": [
                    {"name": "tax", "percent": 10, "fixed": 0},
                    {"name": "union", "percent": 0, "fixed": 5},
                ],
            },
            {
                "regular_hours": 78.0,
                "overtime_hours": 5.0,
                "regular_pay": 1560.0,
                "overtime_pay": 150.0,
                "gross_pay": 1710.0,
                "net_pay": 1534.0,
            },
            source="78 * 20 + 5 * 30 - 171 - 5",
        ),
    ),
    (
        "retirement_project_balance",
        Example(
            {
                "age": 60,
                "retire_age": 65,
                "end_age": 70,
                "fortune": 100_000,
                "yearly_saving": 10_000,
                "yearly_spending": 20_000,
                "real_return_percent": 3,
            },
            {
                "at_retirement": round(_YEARS[-1], 2),
                "sustainable_income": round(_YEARS[-1] * 0.03 / (1 - 1.03**-5) / 1.03, 2),
            },
            source="saving at year ends; an annuity due of five years",
        ),
    ),
    (
        "statement_parse_file",
        Example(
            {"file": "file_01k9z4m2n8q6r5t3v7w1x0y2za"},
            {
                "account": "77",
                "currency": "EUR",
                "closing_balance": 87.5,
                "money_in": 100.0,
                "money_out": -12.5,
                "count": 2,
            },
            source="written by hand",
            files={"file_01k9z4m2n8q6r5t3v7w1x0y2za": base64.b64encode(_OFX).decode()},
        ),
    ),
]
