"""Tools for dates and identifiers: answers of the standard library, of published tables and of standards."""

from datetime import UTC, date, datetime

from retinue.sdk import Example, Refusal

_LEAP_DAY = date(2024, 2, 29)
_STANDARD_OBJECT_ID = datetime.fromtimestamp(int("507f1f77", 16), UTC)

CALLS = [
    (
        "business_days_count",
        Example(
            {"start": "2026-12-21", "end": "2027-01-03", "country": "DE"},
            {"business_days": 8, "weekend_days": 4},
            source="a calendar; 25 December and 1 January are Fridays",
        ),
    ),
    (
        "business_days_count",
        Example(
            {"start": "2026-07-01", "end": "2026-07-31", "country": "US"},
            {"business_days": 22, "weekend_days": 8},
            source="a calendar; Independence Day is observed on Friday the 3rd",
        ),
    ),
    (
        "business_days_count",
        Example(
            {"start": "2026-07-04", "end": "2026-07-05"}, {"business_days": 0, "weekend_days": 2}, source="a weekend"
        ),
    ),
    (
        "date_describe_day",
        Example(
            {"date": "2024-02-29"},
            {
                "weekday": "Thursday",
                "day_of_year": _LEAP_DAY.timetuple().tm_yday,
                "days_left_in_year": (date(2024, 12, 31) - _LEAP_DAY).days,
                "leap_year": True,
                "days_in_month": 29,
                "weekday_number_in_month": 5,
                "star_sign": "Pisces",
                "quarter": 1,
            },
            source="datetime.date",
        ),
    ),
    (
        "date_describe_day",
        Example(
            {"date": "2021-01-03"}, {"iso_week_date": "2020-W53-7", "weekday": "Sunday"}, source="date.isocalendar"
        ),
    ),
    (
        "date_describe_day",
        Example({"date": "1900-02-28"}, {"leap_year": False, "last_of_month": "1900-02-28"}, source="calendar.isleap"),
    ),
    *(
        (
            "date_find_easter",
            Example({"year": year, "church": church}, {"easter": easter}, source="tables of Easter dates"),
        )
        for year, church, easter in (
            (2038, "western", "2038-04-25"),
            (1818, "western", "1818-03-22"),
            (2024, "orthodox", "2024-05-05"),
            (2025, "orthodox", "2025-04-20"),
        )
    ),
    *(
        ("moon_compute_phase", Example({"time": time}, wanted, source="USNO phases of 2024", tolerance=0.02))
        for time, wanted in (
            ("2024-04-23T23:49", {"phase": "full moon", "illuminated_percent": 100.0}),
            ("2024-04-15T19:13", {"phase": "first quarter", "illuminated_percent": 50.0, "waxing": True}),
            ("2024-04-08T18:21", {"phase": "new moon"}),
        )
    ),
    *(
        (
            "rrule_expand_times",
            Example({"rule": rule, "start": start, "timezone": zone}, {"times": times}, source="RFC 5545, by hand"),
        )
        for rule, start, zone, times in (
            (
                "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH;COUNT=3",
                "2024-11-28T12:00",
                "America/New_York",
                ["2024-11-28T12:00:00-05:00", "2025-11-27T12:00:00-05:00", "2026-11-26T12:00:00-05:00"],
            ),
            (
                "FREQ=MONTHLY;BYMONTHDAY=31;COUNT=3",
                "2026-01-31T09:00",
                "UTC",
                ["2026-01-31T09:00:00+00:00", "2026-03-31T09:00:00+00:00", "2026-05-31T09:00:00+00:00"],
            ),
            (
                "FREQ=DAILY;COUNT=2",
                "2026-03-28T08:00",
                "Europe/Berlin",
                ["2026-03-28T08:00:00+01:00", "2026-03-29T08:00:00+02:00"],
            ),
        )
    ),
    *(
        ("gtin_validate_number", Example({"number": number}, wanted, source="GS1 check digit by hand"))
        for number, wanted in (
            ("96385074", {"valid": True, "kind": "EAN-8"}),
            ("036000291452", {"valid": True, "kind": "UPC-A", "gtin14": "00036000291452"}),
            ("4006381333930", {"valid": False, "check_digit": "1"}),
        )
    ),
    *(
        (
            "iban_build_number",
            Example({"country": country, "account": account}, {"iban": iban}, source="the SWIFT registry's examples"),
        )
        for country, account, iban in (
            ("GB", "WEST12345698765432", "GB82WEST12345698765432"),
            ("FR", "20041010050500013M02606", "FR1420041010050500013M02606"),
            ("NL", "ABNA0417164300", "NL91ABNA0417164300"),
        )
    ),
    *(
        (
            "locale_translate_name",
            Example({"code": code, "kind": kind, "language": language}, {"name": name}, source="Unicode CLDR"),
        )
        for code, kind, language, name in (
            ("JP", "country", "de", "Japan"),
            ("de", "language", "en", "German"),
            ("Cyrl", "script", "en", "Cyrillic"),
            ("CHF", "currency", "it", "franco svizzero"),
        )
    ),
    (
        "phone_format_partial",
        Example({"typed": "02079460958", "region": "GB"}, {"formatted": "020 7946 0958"}, source="Ofcom"),
    ),
    (
        "phone_format_partial",
        Example({"typed": "+4930", "region": "US"}, {"formatted": "+49 30"}, source="ITU E.123"),
    ),
    (
        "snowflake_decode_identifier",
        Example(
            {"identifier": "1541815603606036480", "kind": "twitter"},
            {"unix_ms": 1656432460105, "worker": 378, "sequence": 0},
            source="Wikipedia, Snowflake ID",
        ),
    ),
    (
        "snowflake_decode_identifier",
        Example(
            {"identifier": "507f1f77bcf86cd799439011", "kind": "mongodb"},
            {"unix_ms": int(_STANDARD_OBJECT_ID.timestamp()) * 1000},
            source="the first four bytes are seconds",
        ),
    ),
    ("snowflake_decode_identifier", Refusal({"identifier": "xyz", "kind": "mongodb"}, "identifier")),
]
