"""Calls that tell faults in formulas and tables from what they should be, which the tools' own examples did not."""

import math
from typing import Any

from retinue.sdk import Example, Refusal

_MOVEMENTS = [
    {"kind": "buy", "quantity": 10, "unit_cost": 2},
    {"kind": "buy", "quantity": 10, "unit_cost": 4},
    {"kind": "sell", "quantity": 15, "unit_cost": 0},
]
_SHARES: list[tuple[str, list[float], float, float]] = [
    ("uniform", [2, 6], 3, 1 / 4),
    ("exponential", [2], 1, 1 - math.exp(-2)),
    ("gamma", [1, 2], 2, 1 - math.exp(-1)),
    ("beta", [2, 1], 0.5, 1 / 4),
    ("lognormal", [0, 1], 1, 1 / 2),
    ("weibull", [2, 1], 0.5, 1 - math.exp(-1 / 4)),
    ("pareto", [1, 3], 2, 7 / 8),
    ("logistic", [1, 2], 3, 1 / (1 + math.exp(-1))),
    ("laplace", [1, 2], 3, 1 - math.exp(-1) / 2),
    ("cauchy", [1, 2], 3, 3 / 4),
    ("gumbel", [1, 2], 1, math.exp(-1)),
    ("triangular", [0, 1, 4], 1, 1 / 4),
    ("chi_square", [2], 2, 1 - math.exp(-1)),
    ("f", [2, 2], 3, 3 / 4),
    ("t", [1], 1, 3 / 4),
    ("normal", [3, 2], 3, 1 / 2),
    ("binomial", [2, 0.5], 1, 3 / 4),
    ("poisson", [1], 1, 2 * math.exp(-1)),
    ("geometric", [0.25], 3, 1 - 0.75**3),
    ("discrete_uniform", [1, 6], 2, 1 / 3),
]
"""A distribution with its parameters, a value, and the share below it by the formula of its cumulative function."""
_DISTRICTS = {
    "01": ("Boston", "bank"),
    "12": ("San Francisco", "bank"),
    "21": ("Boston", "thrift institution"),
    "32": ("San Francisco", "thrift institution"),
    "61": ("Boston", "electronic transactions"),
    "72": ("San Francisco", "electronic transactions"),
}
_MILLIONS = (
    *("2 million", "2 Mio", "2 millones", "2 Millionen", "2 milioni", "2 milhões", "2 millions"),
    *("2000 k", "2000 thousand", "0.002 bn", "20 lakh", "0.2 crore"),
    *("2 mn", "2 Million", "2 millón", "2 milione", "2 milhão"),
)


def _routing_number(prefix: str) -> str:
    """Return a routing number with these two digits, zeros and a check digit."""
    return f"{prefix}000000{-(3 * int(prefix[0]) + 7 * int(prefix[1])) % 10}"


def _commit(characters: int) -> dict[str, Any]:
    return {"message": "feat: " + "a" * (characters - 6)}


CALLS: list[tuple[str, Example | Refusal]] = [
    (
        "inventory_value_stock",
        Example(
            {"movements": _MOVEMENTS, "method": "average"},
            {"cost_of_sales": 45.0, "closing_quantity": 5.0, "closing_value": 15.0, "average_unit_cost": 3.0},
            source="60 for 20 pieces is 3 each",
        ),
    ),
    *(
        (
            "stats_compute_probability",
            Example(
                {"distribution": name, "parameters": parameters, "value": value},
                {"below": share},
                source="the formula of its cumulative distribution function",
            ),
        )
        for name, parameters, value, share in _SHARES
    ),
    (
        "text_score_readability",
        Example(
            {"text": "The banana fell. The tomato fell."},
            {"smog_grade": 8.84, "gunning_fog": 14.53, "coleman_liau": -0.19, "automated_readability": 0.48},
            source="the published formulas, for 2 sentences of 6 words, 26 letters and 2 words of three syllables",
        ),
    ),
    *(
        (
            "routing_validate_number",
            Example(
                {"number": _routing_number(prefix)},
                {"valid": True, "district": district, "kind": kind},
                source="the ABA's policy: 01-12, 21-32 and 61-72 are the twelve districts",
            ),
        )
        for prefix, (district, kind) in _DISTRICTS.items()
    ),
    *(
        (
            "money_parse_text",
            Example({"text": f"{text} EUR"}, {"amount": 2e6, "currency": "EUR"}, source="a dictionary"),
        )
        for text in _MILLIONS
    ),
    (
        "python_explain_wheel",
        Example(
            {"filename": "numpy-2.1.0-cp312-cp312-macosx_11_0_arm64.whl"},
            {"explanation": "CPython 3.12 on macosx_11_0_arm64"},
            source="PEP 425",
        ),
    ),
    ("text_inspect_unicode", Refusal({"text": "U+110000"}, "must be U+0000 to U+10FFFF")),
    ("commit_check_message", Example(_commit(72), {"valid": True}, source="the length that git's tutorials advise")),
    ("commit_check_message", Example(_commit(73), {"valid": False}, source="the length that git's tutorials advise")),
    ("national_validate_number", Refusal({"country": "ZZ", "kind": "tax", "number": "123"}, "tax numbers of ZZ")),
    (
        "payroll_compute_pay",
        Example(
            {"hours": [40], "hourly_rate": 10, "deductions": [{"name": "Pension", "percent": 10, "fixed": 0}]},
            {"gross_pay": 400.0, "net_pay": 360.0},
            source="a tenth of 400",
        ),
    ),
    ("text_slice_positions", Refusal({"text": "abcdef", "start": 4, "end": 2}, "ends before it starts")),
    ("print_count_sheets", Example({"pages": 5, "copies": 3}, {"sheets": 15, "blank_sides": 0}, source="a page each")),
    *(
        (
            "timecode_convert_frames",
            Example({"value": "120000", "frame_rate": rate}, {"seconds": seconds}, source="SMPTE ST 12-1"),
        )
        for rate, seconds in ((23.976, 5005.0), (29.97, 4004.0), (47.952, 2502.5), (59.94, 2002.0), (119.88, 1001.0))
    ),
    (
        "subtitle_shift_times",
        Example(
            {"subtitles": "1\n00:00:10,000 --> 00:00:20,000\nA\n", "seconds": -12},
            {"result": "1\n00:00:00,000 --> 00:00:08,000\nA\n"},
            source="12 s earlier, and not before the beginning",
        ),
    ),
    (
        "merge_three_versions",
        Example(
            {"base": "a\n", "ours": "x\n", "theirs": "y\n", "on_conflict": "markers"},
            {"text": "<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n", "clean": False},
            source="documentation of git merge",
        ),
    ),
    *(
        (
            "stats_compute_effect_sizes",
            Example({"first": first, "second": second}, {"glass_delta": delta}, source="3 less 6, by the control's"),
        )
        for first, second, delta in (([1, 3, 5], [5, 6, 7], -3.0), ([1, 3, 5], [6, 6, 6], None))
    ),
    *(
        (
            "text_find_anagrams",
            Example({"words": ["star", "sat", "stair"], "letters": letters}, {"of_letters": fitting}, source="by hand"),
        )
        for letters, fitting in (("rats", ["star"]), ("rat?s", ["stair"]))
    ),
    *(
        (
            "number_calculate_in_base",
            Example({"expression": f"101 {sign} 11", "notation": "binary"}, {"decimal": result}, source="5 and 3"),
        )
        for sign, result in {"+": "8", "-": "2", "*": "15", "/": "1", "%": "2", "**": "125"}.items()
    ),
    (
        "number_calculate_in_base",
        Refusal({"expression": "10 ** (0 - 1)", "notation": "binary"}, "must not be negative"),
    ),
]
