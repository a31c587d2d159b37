"""Tools for tables and data formats: answers of the standard library, of RFCs, or worked out by hand."""

import plistlib
import statistics

from retinue.sdk import Example, Refusal

_VALUES = [*range(1, 10), 50]
_LOW, _, _HIGH = statistics.quantiles(_VALUES, n=4, method="inclusive")
_TOP = _HIGH + 1.5 * (_HIGH - _LOW)
_RFC_6901 = {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "m~n": 8}
_RELAX = (
    '<element name="a" xmlns="http://relaxng.org/ns/structure/1.0"><oneOrMore><element name="b"><text/></element>'
    "</oneOrMore></element>"
)

CALLS: list[tuple[str, Example | Refusal]] = [
    *(
        (
            "binary_decode_document",
            Example({"form": "bencode", "hex_digits": content.hex()}, {"value": value}, source="BEP 3"),
        )
        for content, value in (
            (b"4:spam", "spam"),
            (b"l4:spami3ee", ["spam", 3]),
            (b"d3:cow3:moo4:spaml1:aee", {"cow": "moo", "spam": ["a"]}),
        )
    ),
    *(
        ("binary_decode_document", Refusal({"form": "bencode", "hex_digits": content.hex()}, "not BENCODE"))
        for content in (b"5:spam", b"l4:spam", b"d3:cow3:mo", b"-1:a", b"i3")
    ),
    (
        "chart_draw_bars",
        Example(
            {"names": ["a", "b", "c"], "series": [{"name": "s", "values": [1, 2, -5.5]}]},
            {"totals": [1.0, 2.0, -5.5], "total": -2.5, "largest": "b"},
            source="1 + 2 - 5.5",
        ),
    ),
    (
        "table_clip_outliers",
        Example(
            {"column": "x", "rows": [{"x": value} for value in _VALUES]},
            {"outliers": 1, "lower": _LOW - 1.5 * (_HIGH - _LOW), "upper": _TOP, "row_count": 10},
            source="statistics.quantiles",
        ),
    ),
    (
        "table_diff",
        Example(
            {
                "key": ["a", "b"],
                "rows": [{"a": 1, "b": 1, "v": 1}, {"a": 1, "b": 2, "v": 2}, {"a": 2, "b": 1, "v": 3}],
                "other_rows": [{"a": 1, "b": 1, "v": 1}, {"a": 1, "b": 2, "v": 9}, {"a": 3, "b": 1, "v": 3}],
            },
            {"added": 1, "removed": 1, "changed": 1, "same": 1},
            source="compared by hand",
        ),
    ),
    (
        "table_group_similar",
        Example(
            {"column": "c", "rows": [{"c": "Munich"}, {"c": "munich"}, {"c": "Munich"}, {"c": "Oslo"}]},
            {
                "groups": 1,
                "rows": [
                    {"value": "Munich", "rows": 2, "group": "Munich"},
                    {"value": "munich", "rows": 1, "group": "Munich"},
                    {"value": "Oslo", "rows": 1, "group": "Oslo"},
                ],
            },
            source="counted by hand",
        ),
    ),
    (
        "table_join_asof",
        Example(
            {
                "time": "t",
                "by": ["k"],
                "rows": [{"t": "2026-03-02", "k": "a"}, {"t": "2026-03-02", "k": "b"}],
                "other_rows": [
                    {"t": "2026-03-02", "k": "a", "p": 1},
                    {"t": "2026-03-03", "k": "a", "p": 2},
                    {"t": "2026-02-01", "k": "b", "p": 3},
                ],
            },
            {"rows": [{"k": "a", "p": 1}, {"k": "b", "p": 3}]},
            source="the latest row that is not later, by hand",
        ),
    ),
    (
        "table_resample_time",
        Example(
            {
                "time": "d",
                "every": "week",
                "figure": "mean",
                "rows": [{"d": "2026-01-01", "v": 2}, {"d": "2026-01-04", "v": 4}, {"d": "2026-01-05", "v": 9}],
            },
            {"rows": [{"d": "2025-12-29", "rows": 2, "v": 3.0}, {"d": "2026-01-05", "rows": 1, "v": 9.0}]},
            source="date.isocalendar: 1 January 2026 is a Thursday",
        ),
    ),
    (
        "table_rfm_segments",
        Example(
            {
                "customer": "c",
                "time": "d",
                "amount": "a",
                "reference_date": "2026-03-01",
                "groups": 2,
                "rows": [{"c": "x", "d": "2026-02-28", "a": 5}, {"c": "x", "d": "2026-02-01", "a": 7}],
            },
            {"rows": [{"customer": "x", "recency_days": 1, "frequency": 2, "monetary": 12}]},
            source="1 March - 28 February; 5 + 7",
        ),
    ),
    (
        "table_sample_rows",
        Example({"count": 5, "rows": [{"n": 1}, {"n": 2}]}, {"rows": [{"n": 1}, {"n": 2}]}, source="all there are"),
    ),
    (
        "table_sample_rows",
        Example(
            {"count": 1, "by": "g", "rows": [{"g": g} for g in "aab"]}, {"row_count": 2}, source="one of each group"
        ),
    ),
    (
        "bytes_convert_size",
        Example({"size": "1 TB"}, {"bytes": 10**12, "binary": "931.32 GiB"}, source=f"{10**12 / 2**30:.2f}"),
    ),
    (
        "bytes_convert_size",
        Example(
            {"size": "1536 KiB"},
            {"bytes": 1536 * 1024, "binary": "1.50 MiB", "decimal": "1.57 MB"},
            source="1536 / 1024; 1.572864",
        ),
    ),
    (
        "bytes_convert_size",
        Example({"size": "2 GB", "plain_prefixes": "binary"}, {"bytes": 2**31}, source="2 * 1024 ** 3"),
    ),
    (
        "json_group_records",
        Example(
            {
                "records": [{"k": "a", "x": 1}, {"k": "b", "x": 5}, {"k": "a", "x": 4}],
                "by": ["k"],
                "figures": [{"function": name, "field": "x"} for name in ("mean", "min", "max", "first", "list")],
            },
            {
                "count": 2,
                "records": [
                    {"k": "a", "mean_x": 2.5, "min_x": 1, "max_x": 4, "first_x": 1, "list_x": [1, 4]},
                    {"k": "b", "min_x": 5, "max_x": 5, "first_x": 5, "list_x": [5]},
                ],
            },
            source="by hand",
        ),
    ),
    (
        "json_merge_deep",
        Example(
            {"base": {"l": [1, 2]}, "overlay": {"l": [2, 3], "n": None}, "lists": "union"},
            {"value": {"l": [1, 2, 3], "n": None}},
            source="the union of 1, 2 and 2, 3",
        ),
    ),
    (
        "json_merge_deep",
        Example(
            {"base": [{"a": 1}, 2], "overlay": [{"b": 3}], "lists": "by_position"},
            {"value": [{"a": 1, "b": 3}, 2]},
            source="merged place by place",
        ),
    ),
    *(
        (
            "json_resolve_pointer",
            Example({"document": _RFC_6901, "pointer": pointer}, {"value": value}, source="RFC 6901"),
        )
        for pointer, value in (("/foo/1", "baz"), ("/m~0n", 8), ("#/c%25d", 2), ("/", 0), ("#/a~1b", 1))
    ),
    *(
        ("number_parse_locale", Example({"text": text, "locale": locale}, {"decimal": value}, source="Unicode CLDR"))
        for text, locale, value in (
            ("1\u202f234,5", "fr-FR", "1234.5"),
            ("1\u2019234.50", "de-CH", "1234.50"),
            ("12,34,567.89", "en-IN", "1234567.89"),
            ("-5,5 %", "sv-SE", "-5.5"),
            ("(1,234.56)", "en-US", "-1234.56"),
            ("($5)", "en-US", "-5"),
            ("-US$ 1,234.50", "en-US", "-1234.50"),
            ("EUR 12", "en-US", "12"),
            ("1\u00a0234 kr", "sv-SE", "1234"),
        )
    ),
    *(
        (
            "number_format_locale",
            Example({"number": number, "locale": locale, "style": "compact"}, {"text": text}, source="Unicode CLDR"),
        )
        for number, locale, text in (
            (1_500_000, "en-US", "1.5M"),
            (2_500_000, "en-US", "2.5M"),
            (999_999, "en-US", "1M"),
            (123_456, "en-US", "123K"),
            (-1_500_000, "en-US", "-1.5M"),
            (12_345_678, "ja-JP", "1235万"),
            (123_456, "de-DE", "123456"),
        )
    ),
    *(
        ("number_parse_locale", Refusal({"text": text, "locale": "en-US"}, "not a number"))
        for text in ("1.5e3", "1.5 million", "1/2", "(5", "(-5)", "5k")
    ),
    (
        "plist_convert_to_json",
        Example(
            {"text": plistlib.dumps({"On": True, "List": [1, 2.5, "x"], "Nested": {"b": b"\x00\xff"}}).decode()},
            {"value": {"On": True, "List": [1, 2.5, "x"], "Nested": {"b": "00ff"}}},
            source="plistlib",
        ),
    ),
    (
        "vcard_create_contact",
        Example(
            {"given_name": "Ada", "version": "3.0", "phones": ["+43 1 23"]},
            {"text": "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nN:;Ada;;;\r\nTEL:+43 1 23\r\nEND:VCARD\r\n"},
            source="RFC 2426",
        ),
    ),
    *(
        (
            "xml_validate_schema",
            Example({"text": text, "schema_text": _RELAX, "language": "relax_ng"}, {"valid": valid}, source="RELAX NG"),
        )
        for text, valid in (("<a><b/><b>x</b></a>", True), ("<a/>", False))
    ),
]
