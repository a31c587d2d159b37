"""Telephone numbers (ITU-T E.164) and postal codes."""

import re
from functools import cache
from typing import Annotated, Any, Literal, cast

import phonenumbers
from phonenumbers import PhoneNumberFormat, PhoneNumberType, carrier, geocoder, timezone
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.identifiers._standards import Country

Region = Annotated[
    str | None, About("Two-letter region code of a number without +", "GB", pattern="^[A-Za-z]{2}$", max_length=2)
]
Kind = Literal[
    "fixed_line",
    "mobile",
    "fixed_line_or_mobile",
    "toll_free",
    "premium_rate",
    "shared_cost",
    "voip",
    "personal_number",
    "pager",
    "uan",
    "voicemail",
    "unknown",
]


class Phone(TypedDict):
    """A telephone number."""

    valid: Annotated[bool, About("Whether it is in an assigned range")]
    possible: Annotated[bool, About("Whether it has a possible length")]
    e164: Annotated[str, About("E.164 format, such as +442079460958, for storage")]
    international: Annotated[str, About("International format")]
    national: Annotated[str, About("National format")]
    country_code: Annotated[int, About("Country calling code")]
    region: Annotated[str | None, About("Two-letter region code")]
    type: Annotated[Kind, About("Kind of line")]
    location: Annotated[str, About("Place of the area code in English; empty if unknown")]
    carrier: Annotated[str, About("Original carrier of the number range; empty if unknown")]
    time_zones: Annotated[list[str], About("IANA time zones of the number")]


@tool(
    tags="phone number telephone parse validate format e164 country carrier region time zone mobile landline",
    use_when=(
        "Is +44 20 7946 0958 a valid phone number?",
        "Format 030 1234567 from Germany as E.164",
        "Is this number a mobile or a landline, and in which time zone?",
        "Which country is this phone number from?",
    ),
    examples=(
        Example(
            {"number": "(650) 253-0000", "region": "US"},
            {
                "valid": True,
                "e164": "+16502530000",
                "national": "(650) 253-0000",
                "international": "+1 650-253-0000",
                "country_code": 1,
                "region": "US",
                "time_zones": ["America/Los_Angeles"],
            },
            source="the documentation of libphonenumber, with the number of Google's head office",
        ),
        Example(
            {"number": "+447700900123"},
            {"e164": "+447700900123", "national": "07700 900123", "country_code": 44},
            source="Ofcom: numbers for drama, 07700 900000 to 900999",
        ),
        Refusal({"number": "020 7946 0958"}, "region"),
        Refusal({"number": "call me", "region": "GB"}, "not a phone number"),
    ),
    reply={
        "valid, region": "{international} is a valid number in {region}; in the country it is written {national}.",
        "valid": "{international} is a valid number; in the country it is written {national}.",
        "possible": "{args.number} has a possible length, but is not in an assigned range.",
        "": "{args.number} is not a valid telephone number.",
    },
)
def phone_parse_number(
    number: Annotated[str, About("Telephone number", "+44 20 7946 0958", min_length=2, max_length=100)],
    region: Region = None,
) -> Phone:
    """Parse and validate a telephone number of any country, and return its formats, region, kind, carrier and time
    zone.

    Use it to check or store phone numbers. Numbers without + need the region in which they are dialled.
    """
    parsed = _parse(number, region)
    kind = phonenumbers.number_type(parsed)
    return {
        "valid": phonenumbers.is_valid_number(parsed),
        "possible": phonenumbers.is_possible_number(parsed),
        "e164": phonenumbers.format_number(parsed, PhoneNumberFormat.E164),
        "international": phonenumbers.format_number(parsed, PhoneNumberFormat.INTERNATIONAL),
        "national": phonenumbers.format_number(parsed, PhoneNumberFormat.NATIONAL),
        "country_code": parsed.country_code,
        "region": phonenumbers.region_code_for_number(parsed),
        "type": cast("Kind", "unknown" if kind == PhoneNumberType.UNKNOWN else PhoneNumberType.to_string(kind).lower()),
        "location": geocoder.description_for_number(parsed, "en"),
        "carrier": carrier.name_for_number(parsed, "en"),
        "time_zones": [zone for zone in timezone.time_zones_for_number(parsed) if zone != "Etc/Unknown"],
    }


def _parse(number: str, region: str | None) -> Any:
    _find_known(region)
    try:
        return phonenumbers.parse(number, region.upper() if region else None)
    except phonenumbers.NumberParseException as error:
        if error.error_type == phonenumbers.NumberParseException.INVALID_COUNTRY_CODE and not region:
            raise ToolError("Give the region of a number that does not begin with + and a country code.") from error
        raise ToolError(f"{number} is not a phone number.") from error


def _find_known(region: str | None) -> None:
    if region and region.upper() not in phonenumbers.SUPPORTED_REGIONS:
        raise ToolError(f"{region} is not a region. Give a two-letter code, such as GB.")


class Typed(TypedDict):
    """A partial number."""

    formatted: Annotated[str, About("Number so far, as displayed by a phone")]


@tool(
    tags="phone number format as you type partial input mask",
    use_when=(
        "How should 650253 be shown while a user types a US number?",
        "Format the phone number as you type",
        "Show +4420794 with the right spaces",
    ),
    examples=(
        Example(
            {"typed": "6502532", "region": "US"},
            {"formatted": "650-2532"},
            source="the documentation of libphonenumber, AsYouTypeFormatter",
        ),
        Example({"typed": "6502532222", "region": "US"}, {"formatted": "(650) 253-2222"}, source="the same"),
        Refusal({"typed": "650", "region": "ZZ"}, "not a region"),
    ),
    reply="{formatted}",
)
def phone_format_partial(
    typed: Annotated[str, About("Digits typed so far", "6502532", pattern="^[0-9+*# ().-]+$", max_length=30)],
    region: Annotated[str, About("Two-letter region code of the phone", "US", pattern="^[A-Za-z]{2}$", max_length=2)],
) -> Typed:
    """Format a telephone number that is not complete yet, as a phone does during input.

    Use it for input fields. Returns the digits so far with the country's separators.
    """
    _find_known(region)
    formatter = phonenumbers.AsYouTypeFormatter(region.upper())
    formatted = ""
    for sign in typed:
        if sign in "0123456789+*#":
            formatted = formatter.input_digit(sign)
    return {"formatted": formatted}


class ExamplePhone(TypedDict):
    """An example number."""

    e164: Annotated[str, About("E.164 format, such as +441212345678")]
    national: Annotated[str, About("National format")]
    international: Annotated[str, About("International format")]


@tool(
    tags="phone number example sample placeholder test country mobile",
    use_when=(
        "What does a French mobile number look like?",
        "Give me an example phone number of Japan",
        "Which placeholder should a Swiss phone field have?",
    ),
    examples=(
        Example(
            {"region": "GB", "line_type": "mobile"},
            {"e164": "+447400123456", "national": "07400 123456"},
            source="the metadata of libphonenumber",
        ),
        Example({"region": "CH"}, {"international": "+41 21 234 56 78"}, source="the metadata of libphonenumber"),
        Refusal({"region": "ZZ"}, "not a region"),
    ),
    reply="An example is {international}, in the country {national}.",
)
def phone_example_number(
    region: Annotated[str, About("Two-letter region code", "GB", pattern="^[A-Za-z]{2}$", max_length=2)],
    line_type: Annotated[Literal["fixed_line", "mobile", "toll_free"], About("Kind of line")] = "fixed_line",
) -> ExamplePhone:
    """Give an example telephone number of a country and kind of line, for placeholders and tests.

    Use it to show the format. The number may be assigned to somebody: do not call it.
    """
    _find_known(region)
    number = phonenumbers.example_number_for_type(region.upper(), getattr(PhoneNumberType, line_type.upper()))
    if number is None:
        raise ToolError(f"There are no numbers of the type {line_type} in {region.upper()}. Choose another.")
    return {
        "e164": phonenumbers.format_number(number, PhoneNumberFormat.E164),
        "national": phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL),
        "international": phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL),
    }


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

    valid: Annotated[bool, About("Whether it has the format of the country; not whether it exists")]
    normalized: Annotated[str, About("Code in the postal service's notation")]
    expected: Annotated[str, About("Format of the country's codes")]


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
        Refusal({"country": "ZZ", "code": "1"}, "are unknown"),
    ),
    reply={
        "valid": "{normalized} has the form of a postal code there.",
        "expected": "{args.code} is not valid; the form is {expected}.",
        "": "{args.code} is not a valid postal code.",
    },
)
def postal_code_validate(
    country: Country,
    code: Annotated[str, About("Postal code", "SW1A 1AA", min_length=1, max_length=20)],
) -> PostalCode:
    """Check whether a postal code has the form of its country, and write it in the postal service's notation.

    Use it for address forms, for about 80 countries. It does not check whether the code exists.
    """
    name = country.upper()
    if name in _WITHOUT.split():
        raise ToolError(f"{name} has no postal codes. Omit the code.")
    if name not in _forms():
        raise ToolError(f"The postal codes of {name} are unknown. Check the two-letter country code.")
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
