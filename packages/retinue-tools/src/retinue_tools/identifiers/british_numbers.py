"""National Insurance numbers of the United Kingdom."""

import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool

_SHAPE = re.compile(r"([A-Z]{2})(\d{2})(\d{2})(\d{2})([A-Z])?")
_NEVER_FIRST, _NEVER_SECOND = frozenset("DFIQUV"), frozenset("DFIQUVO")
_UNUSED = frozenset({"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"})
_SUFFIXES = frozenset("ABCD")


class InsuranceNumber(TypedDict):
    """A National Insurance number."""

    valid: Annotated[bool, About("Whether it could be issued; it has no check digit")]
    problem: str
    formatted: str | None


@tool(
    tags="national insurance number nino uk britain hmrc validate format prefix employee",
    use_when=(
        "Could AB 12 34 56 C be a UK National Insurance number?",
        "check the national insurance number QQ123456C",
    ),
    examples=(
        Example({"number": "ab123456c"}, {"valid": True, "formatted": "AB 12 34 56 C"}, source="HMRC manual NIM39110"),
        Example({"number": "QQ 12 34 56 C"}, {"valid": False}, source="the same: Q is never used"),
        Refusal({"number": ""}, "number"),
    ),
)
def nino_validate_number(
    number: Annotated[str, About("National Insurance number", "AB 12 34 56 C", min_length=1, max_length=30)],
) -> InsuranceNumber:
    """Validate a National Insurance number of the United Kingdom by its prefix, figures and suffix."""
    match = _SHAPE.fullmatch(re.sub(r"[\s-]", "", number).upper())
    problem = "It has two letters, six figures and a letter from A to D." if match is None else _problem(match)
    return {
        "valid": not problem,
        "problem": problem,
        "formatted": match and " ".join(part for part in match.groups() if part),
    }


def _problem(match: re.Match[str]) -> str:
    prefix, suffix = match[1], match[5]
    if prefix[0] in _NEVER_FIRST or prefix[1] in _NEVER_SECOND:
        return "D, F, I, Q, U and V are not used in the prefix, nor O as its second letter."
    if prefix in _UNUSED:
        return f"The prefix {prefix} is not issued."
    return "" if suffix is None or suffix in _SUFFIXES else "The last letter is A, B, C or D."
