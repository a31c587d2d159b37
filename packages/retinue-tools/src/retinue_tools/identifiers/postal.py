"""Postal codes."""

import re
from functools import cache
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.identifiers._standards import Country

_DIGITS = {
    3: "FO IS",
    4: "AT AU BE BG CH CY DK GL HU LI LU NO NZ PH SI TN ZA GE AM",
    5: "DE ES FI FR HR EE EG ID IT LT MC ME MX MY RS SA SM TH TR UA UY VA MA KE LK PK",
    6: "CN CO IN RO RU SG KZ VN BY KG",
    7: "IL CL",
}
_OTHERS = {
    "AD": (r"AD[1-7]00", "AD500"),
    "AR": (r"[A-Z]\d{4}[A-Z]{3}|\d{4}", "C1070AAM"),
    "BR": (r"(\d{5})-?(\d{3})", "01310-100"),
    "CA": (r"([ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z]) ?(\d[ABCEGHJ-NPRSTV-Z]\d)", "K1A 0B1"),
    "CZ": (r"([1-7]\d{2}) ?(\d{2})", "110 00"),
    "GB": (
        r"(GIR|[A-PR-UWYZ](?:\d{1,2}|[A-HK-Y]\d|[A-HK-Y]\d\d|\d[A-HJKPSTUW]|[A-HK-Y]\d[ABEHMNPRV-Y]))"
        r" ?(\d[ABD-HJLNP-UW-Z]{2}|0AA)",
        "SW1A 1AA",
    ),
    "GR": (r"(\d{3}) ?(\d{2})", "105 57"),
    "IE": (r"([AC-FHKNPRTV-Y]\d[0-9W]) ?([0-9AC-FHKNPRTV-Y]{4})", "D02 AF30"),
    "JP": (r"(\d{3})-?(\d{4})", "100-0001"),
    "KR": (r"\d{5}", "03187"),
    "LV": (r"LV-?(\d{4})", "LV-1010"),
    "MT": (r"([A-Z]{3}) ?(\d{4})", "VLT 1117"),
    "NL": (r"([1-9]\d{3}) ?(?!SA|SD|SS)([A-Z]{2})", "1012 AB"),
    "PL": (r"(\d{2})-?(\d{3})", "00-001"),
    "PT": (r"([1-9]\d{3})-?(\d{3})", "1000-205"),
    "SE": (r"([1-9]\d{2}) ?(\d{2})", "111 22"),
    "SK": (r"([089]\d{2}) ?(\d{2})", "811 01"),
    "TW": (r"\d{3}(?:\d{2,3})?", "10617"),
    "US": (r"(\d{5})(?:-(\d{4}))?", "20500-0003"),
}
_JOINTS = {"BR": "-", "JP": "-", "PL": "-", "PT": "-", "US": "-"}
_WITHOUT = "AE AO BO BS CI CM GH HK JM MO PA QA UG YE ZW"


class PostalCode(TypedDict):
    """A postal code."""

    valid: Annotated[bool, About("Whether it has the form of the country; not whether a place has it")]
    normalized: Annotated[str, About("As the post writes it")]
    expected: Annotated[str, About("What codes of the country look like")]


@tool(
    tags="postal code zip postcode validate format country address eircode plz",
    use_when=(
        "Is SW1A 1AA a valid British postcode?",
        "Check the ZIP code 20500-0003",
        "Which form have Dutch postal codes?",
    ),
    examples=(
        Example(
            {"country": "GB", "code": "sw1a1aa"},
            {"valid": True, "normalized": "SW1A 1AA"},
            source="Wikipedia, Postcodes in the United Kingdom",
        ),
        Example({"country": "CA", "code": "K1A 0B1"}, {"valid": True, "normalized": "K1A 0B1"}, source="Canada Post"),
        Example({"country": "CA", "code": "D1A 0B1"}, {"valid": False}, source="Canada Post: no code begins with D"),
        Example({"country": "DE", "code": "1011"}, {"valid": False, "expected": "5 digits"}, source="Deutsche Post"),
        Refusal({"country": "HK", "code": "999077"}, "no postal codes"),
        Refusal({"country": "ZZ", "code": "1"}, "do not know"),
    ),
)
def postal_code_validate(
    country: Country,
    code: Annotated[str, About("Postal code", "SW1A 1AA", min_length=1, max_length=20)],
) -> PostalCode:
    """Check whether a postal code has the form of its country, and write it as the post does.

    Use it in address forms, for about 80 countries. Whether the code exists is not looked up.
    """
    name = country.upper()
    if name in _WITHOUT.split():
        raise ToolError(f"{name} has no postal codes. Leave the code out.")
    if name not in _forms():
        raise ToolError(f"I do not know the postal codes of {name}. Check the two-letter country.")
    pattern, expected = _forms()[name]
    plain = " ".join(code.upper().split())
    found = re.fullmatch(pattern, plain, re.ASCII)
    parts = [part for part in found.groups() if part] if found else []
    joined = _JOINTS.get(name, " ").join(parts) if parts else plain
    return {
        "valid": found is not None,
        "normalized": f"LV-{joined}" if name == "LV" and found else joined,
        "expected": expected,
    }


@cache
def _forms() -> dict[str, tuple[str, str]]:
    plain = {name: (rf"\d{{{size}}}", f"{size} digits") for size, names in _DIGITS.items() for name in names.split()}
    return plain | {name: (pattern, f"as {sample}") for name, (pattern, sample) in _OTHERS.items()}
