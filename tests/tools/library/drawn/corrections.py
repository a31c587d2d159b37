"""Calls that once gave a wrong answer, with the right one."""

from retinue.sdk import Example, Refusal

_BASE = "2026-11-24T10:00"

CALLS = [
    *(
        (
            "time_parse_natural",
            Example({"text": text, "base": _BASE}, {"time": f"{time}:00+00:00"}, source="a calendar"),
        )
        for text, time in (
            ("3 weeks from today", "2026-12-15T10:00"),
            ("6 months from today", "2027-05-24T10:00"),
            ("45 days from today", "2027-01-08T10:00"),
            ("a week from tomorrow", "2026-12-02T10:00"),
            ("2 weeks and 3 days after tomorrow", "2026-12-12T10:00"),
            ("1 week before 2026-12-24", "2026-12-17T00:00"),
            ("30 minutes before midnight", "2026-11-24T23:30"),
            ("tonight at 8", "2026-11-24T20:00"),
            ("tonight at half past eight", "2026-11-24T20:30"),
            ("tomorrow afternoon at 3", "2026-11-25T15:00"),
            ("last night at 11", "2026-11-23T23:00"),
            ("tonight at 2", "2026-11-24T02:00"),
        )
    ),
    (
        "time_parse_natural",
        Example(
            {"text": "3 hours after 2026-10-25T00:30", "base": _BASE, "timezone": "Europe/Berlin"},
            {"time": "2026-10-25T02:30:00+01:00"},
            source="Directive 2000/84/EC: clocks go back at 03:00",
        ),
    ),
    (
        "rrule_expand_times",
        Example(
            {"rule": "FREQ=DAILY;UNTIL=20260103", "start": "2026-01-01T09:00"},
            {"count": 3, "times": [f"2026-01-0{day}T09:00:00+00:00" for day in (1, 2, 3)]},
            source="the last date of rrule_build_rule is the last day of the event",
        ),
    ),
    *(
        ("cron_explain_expression", Example({"expression": expression}, {"words": words, **more}, source="croniter"))
        for expression, words, more in (
            ("0 9 * * 5#2", "at 09:00, on the second Friday of the month", {"weekdays": "second Friday"}),
            ("0 9 * * 0#1,5#3,5#1", "at 09:00, on the first Friday, third Friday and first Sunday of the month", {}),
            ("0 9 * * L5", "at 09:00, on the last Friday of the month", {"weekdays": "last Friday"}),
            ("0 9 L * *", "at 09:00, on the last day of the month", {"days_of_month": "last"}),
            ("0 9 1,L * *", "at 09:00, on day 1 and the last day of the month", {"days_of_month": "1, last"}),
        )
    ),
    *(
        ("money_parse_text", Example({"text": text, **locale}, {"amount": amount}, source="by hand"))
        for text, locale, amount in (
            ("$2B", {}, 2e9),
            ("$1.5T", {}, 1.5e12),
            ("$5MM", {}, 5e6),
            ("$3 tn", {}, 3e12),
            ("10 lakhs", {}, 1e6),
            ("5 crores INR", {}, 5e7),
            ("₹ 2.5 Cr", {}, 2.5e7),
            ("$500.00 CR", {}, 500.0),
            ("5 mil USD", {"locale": "en-US"}, 5e6),
            ("5 mil euros", {"locale": "es-ES"}, 5e3),
            ("R$ 5 mil", {}, 5e3),
            ("$.99", {}, 0.99),
            ("Rs.500", {}, 500.0),
            ("$12 - Coffee", {}, 12.0),
            ("45.10- EUR", {}, -45.1),
            ("12Fr.", {}, 12.0),
        )
    ),
    ("money_parse_text", Refusal({"text": "5 mil USD"}, "mil is ambiguous")),
    ("money_parse_text", Refusal({"text": "$5zillion"}, "zillion after 5")),
    ("money_parse_text", Refusal({"text": "12 T€"}, "T after 12")),
    *(
        (
            "bond_compute_price",
            Example(
                {
                    "settlement": settlement,
                    "maturity": maturity,
                    "coupon_percent": 3.6,
                    "yield_percent": 4,
                    "coupons_per_year": 2,
                },
                {"accrued_interest": days / 100, "next_coupon": next_coupon},
                source="by hand: a hundredth for each of 360 days",
            ),
        )
        for settlement, maturity, days, next_coupon in (
            ("2024-02-29", "2030-08-31", 0.0, "2024-08-31"),
            ("2023-02-28", "2030-08-31", 0.0, "2023-08-31"),
            ("2023-02-28", "2030-08-29", 0.0, "2023-08-29"),
            ("2023-12-15", "2030-08-31", 105.0, "2024-02-29"),
            ("2024-02-29", "2030-02-28", 0.0, "2024-08-31"),
            ("2024-03-15", "2030-08-31", 15.0, "2024-08-31"),
            ("2024-05-15", "2030-11-15", 0.0, "2024-11-15"),
        )
    ),
    *(
        (
            "loan_find_rate",
            Example(
                {"principal": principal, "payment": payment, "years": 1},
                {"annual_rate_percent": 0.0, "interest": 0.0, "total_paid": principal},
                source="by hand",
            ),
        )
        for principal, payment in ((1201.2, 100.1), (1200.0, 100.0), (3.6, 0.3))
    ),
    ("loan_find_rate", Refusal({"principal": 1201.21, "payment": 100.1, "years": 1}, "less than the loan")),
    *(
        ("text_spell_number", Example({"number": number, **more}, {"words": words}, source="by hand"))
        for number, more, words in (
            ("-0.5", {}, "minus zero point five"),
            ("-0.0", {}, "zero"),
            ("12.05", {"language": "ru"}, "двенадцать запятая ноль пять"),
            ("-2.5", {"language": "pl"}, "minus dwa przecinek pięć"),
            ("-1", {"language": "tr"}, "eksi bir"),
            ("12.05", {"language": "de"}, "zwölf Komma null fünf"),
            (
                "1000000000000000001.5",
                {},
                "one quintillion and one point five",
            ),
            ("1.999", {"form": "currency", "currency": "USD"}, "two dollars, zero cents"),
            ("0.005", {"form": "currency", "currency": "USD"}, "zero dollars, one cent"),
            ("-1", {"form": "currency", "currency": "USD"}, "minus one dollar, zero cents"),
            ("12.50", {"form": "currency", "language": "pl"}, "dwanaście euro, pięćdziesiąt centów"),
            ("-44", {"form": "year"}, "forty-four BC"),
            ("-1905", {"form": "year"}, "nineteen oh five BC"),
            ("-44", {"form": "year", "language": "de"}, "vierundvierzig vor Christus"),
        )
    ),
    (
        "text_spell_number",
        Refusal({"number": "12.50", "form": "currency", "language": "de"}, "only in en, en_IN, lt, lv, pl, ru, uk"),
    ),
]
