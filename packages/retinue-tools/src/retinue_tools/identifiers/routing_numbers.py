"""Routing numbers of banks in the United States."""

from typing import Annotated

from stdnum.us import rtn
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.identifiers._standards import Problem, Valid, judge

_DISTRICTS = (
    "Boston", "New York", "Philadelphia", "Cleveland", "Richmond", "Atlanta", "Chicago", "St. Louis", "Minneapolis",
    "Kansas City", "Dallas", "San Francisco",
)  # fmt: skip
_KINDS = {0: "bank", 2: "thrift institution", 6: "electronic transactions"}
"""By the tens by which the first two digits exceed the district."""


class Routing(TypedDict):
    """A routing number."""

    valid: Valid
    problem: Problem
    number: Annotated[str, About("Its nine digits")]
    check_digit: Annotated[str | None, About("What the ninth digit must be; null where there are not eight digits")]
    district: Annotated[str | None, About("Federal Reserve Bank of its first two digits")]
    kind: Annotated[str | None, About("What the first two digits stand for")]


@tool(
    tags="aba routing transit number rtn us bank validate check digit ach wire checksum federal reserve",
    use_when=(
        "Is the US bank routing number 021000021 valid?",
        "Check this ABA routing number for typing errors",
        "Which Federal Reserve district is routing number 121000358 of?",
    ),
    examples=(
        Example(
            {"number": "021000021"},
            {"valid": True, "problem": "", "check_digit": "1", "district": "New York", "kind": "bank"},
            source="JPMorgan Chase in New York",
        ),
        Example({"number": "1110-0002-5"}, {"valid": True, "district": "Dallas"}, source="python-stdnum"),
        Example({"number": "112000025"}, {"valid": False, "check_digit": "4"}, source="3 + 7 + 2 + 7 * 2 is 26"),
        Refusal({"number": "?"}, "number"),
    ),
)
def routing_validate_number(
    number: Annotated[
        str, About("Routing number, nine digits", "021000021", pattern="^[0-9 -]+$", min_length=1, max_length=20)
    ],
) -> Routing:
    """Validate a US bank routing number (ABA, RTN) by its check digit, and tell the Federal Reserve district.

    Use it before a transfer or a direct debit. Whether a bank uses the number is not looked up.
    """
    digits = number.replace(" ", "").replace("-", "")
    compact, problem = judge(rtn, digits)
    first = int(digits[:2] or 0)
    tens, district = (first - 1) // 20 * 2, (first - 1) % 20 + 1
    known = compact is not None and tens in _KINDS and 1 <= district <= len(_DISTRICTS)
    return {
        "valid": compact is not None,
        "problem": problem,
        "number": digits,
        "check_digit": rtn.calc_check_digit(digits[:8]) if len(digits) in (8, 9) else None,
        "district": _DISTRICTS[district - 1] if known else None,
        "kind": _KINDS[tens] if known else None,
    }
