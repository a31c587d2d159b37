"""Numbers of chemical substances."""

import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_NUMBER = re.compile(r"(\d{2,7})-?(\d{2})-?(\d)?")


class SubstanceNumber(TypedDict):
    """A registry number."""

    valid: Annotated[bool | None, About("Whether its check digit is right; null where it has none")]
    check_digit: Annotated[int, About("The check digit that is right")]
    formatted: Annotated[str, About("With the right check digit and hyphens")]


@tool(
    tags="cas registry number chemical substance check digit validate chemistry",
    use_when=("Is the CAS number 7732-18-5 right?", "Check digit of CAS 50-00-?", "validate CAS 64-17-5"),
    examples=(
        Example(
            {"number": "7732-18-5"},
            {"valid": True, "check_digit": 5},
            source="water: 8·1 + 1·2 + 2·3 + 3·4 + 7·5 + 7·6 = 105",
        ),
        Example({"number": "64-17-4"}, {"valid": False, "check_digit": 5, "formatted": "64-17-5"}, source="ethanol"),
        Example({"number": "50-00"}, {"valid": None, "formatted": "50-00-0"}, source="formaldehyde"),
        Refusal({"number": "water"}, "not a CAS number"),
    ),
)
def cas_validate_number(
    number: Annotated[str, About("CAS number, or without its last digit", "7732-18-5", min_length=4, max_length=20)],
) -> SubstanceNumber:
    """Validate the check digit of a CAS registry number of a chemical substance, or work it out."""
    match = _NUMBER.fullmatch(number.strip().rstrip("-?xX"))
    if match is None:
        raise ToolError(f"{number} is not a CAS number. Write it as 7732-18-5, or 7732-18 for its check digit.")
    body = match[1] + match[2]
    digit = sum(place * int(one) for place, one in enumerate(reversed(body), start=1)) % 10
    return {
        "valid": None if match[3] is None else int(match[3]) == digit,
        "check_digit": digit,
        "formatted": f"{match[1]}-{match[2]}-{digit}",
    }
