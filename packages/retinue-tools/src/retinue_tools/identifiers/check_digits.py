"""Check digits: of any number, of medical codes, and of CAS numbers of chemical substances."""

import re
from collections.abc import Callable
from typing import Annotated, Literal

from stdnum import damm, luhn, verhoeff
from stdnum.iso7064 import mod_11_2, mod_37_2, mod_97_10
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.identifiers._standards import Problem

Scheme = Literal[
    "luhn", "verhoeff", "damm", "mod97_10", "mod11_2", "mod37_2", "gs1", "isbn10", "isbn13", "issn", "aba"
]  # fmt: skip


class CheckDigits(TypedDict):
    """A number and its check digits."""

    check_digits: Annotated[str, About("Check digits for the given number")]
    complete: Annotated[str, About("Number with check digits")]
    valid: Annotated[bool, About("Whether the given number is valid if treated as complete")]


@tool(
    tags="check digit compute luhn verhoeff damm mod97 iso7064 checksum number validate isbn routing",
    use_when=(
        "What is the Luhn check digit of 7992739871?",
        "Compute the Verhoeff digit of 236",
        "Add an ISO 7064 MOD 97-10 check to my customer number",
        "What is the missing check digit?",
        "What is the check digit of the ISBN-10 that begins 0-306-40615?",
        "Last digit of the routing number 02100002?",
    ),
    examples=(
        Example(
            {"number": "7992739871"},
            {"check_digits": "3", "complete": "79927398713", "valid": False},
            source="Wikipedia, Luhn algorithm (older worked example)",
        ),
        Example({"number": "236", "scheme": "verhoeff"}, {"check_digits": "3"}, source="Wikipedia, Verhoeff algorithm"),
        Example({"number": "572", "scheme": "damm"}, {"check_digits": "4"}, source="Wikipedia, Damm algorithm"),
        Example({"number": "5724", "scheme": "damm"}, {"valid": True}, source="Wikipedia, Damm algorithm"),
        Example(
            {"number": "794", "scheme": "mod97_10"}, {"check_digits": "44"}, source="ISO 7064, example of MOD 97-10"
        ),
        Example({"number": "0794", "scheme": "mod11_2"}, {"check_digits": "0"}, source="ISO 7064, example of MOD 11-2"),
        Example({"number": "400638133393", "scheme": "gs1"}, {"check_digits": "1"}, "Wikipedia, EAN"),
        Example(
            {"number": "0-306-40615", "scheme": "isbn10"},
            {"check_digits": "2", "complete": "0306406152"},
            source="Wikipedia, ISBN",
        ),
        Example({"number": "3-16-148410", "scheme": "isbn10"}, {"check_digits": "X"}, source="Wikipedia, ISBN"),
        Example({"number": "978-0-306-40615", "scheme": "isbn13"}, {"check_digits": "7"}, source="Wikipedia, ISBN"),
        Example({"number": "02100002", "scheme": "aba"}, {"check_digits": "1"}, source="JPMorgan Chase: 021000021"),
        Example(
            {"number": "7992 7398 71_"},
            {"check_digits": "3", "complete": "79927398713", "valid": False},
            source="Wikipedia, Luhn algorithm, with its digit left blank",
        ),
        Example(
            {"number": "572x", "scheme": "damm"},
            {"check_digits": "4", "complete": "5724"},
            source="Wikipedia, Damm algorithm, with its digit left blank",
        ),
        Example(
            {"number": "794??", "scheme": "mod97_10"},
            {"check_digits": "44", "complete": "79444"},
            source="ISO 7064, example of MOD 97-10, with its digits left blank",
        ),
        Example(
            {"number": "3-16-148410-?", "scheme": "isbn10"},
            {"check_digits": "X", "complete": "316148410X", "valid": False},
            source="Wikipedia, ISBN, with its digit left blank",
        ),
        Example(
            {"number": "3-16-148410-X", "scheme": "isbn10"},
            {"check_digits": "X", "valid": True},
            source="Wikipedia, ISBN: the X is a digit",
        ),
        Refusal({"number": "12A", "scheme": "luhn"}, "digits only"),
        Refusal({"number": "12345", "scheme": "isbn10"}, "9 digits"),
        Refusal({"number": "0-306-40615-2_", "scheme": "isbn10"}, "9 digits"),
        Refusal({"number": "7992739871__"}, "one blank"),
    ),
    reply={
        "valid": (
            "The check digit of {args.number} is {check_digits}, which gives "
            "{complete}; taken as complete, {args.number} is valid."
        ),
        "": "The check digit of {args.number} is {check_digits}, which gives {complete}.",
    },
)
def check_digit_compute(
    number: Annotated[
        str,
        About(
            "Number without check digits, or with _ or ? in their place",
            "7992739871",
            pattern="^[0-9A-Za-z -]+[_?]{0,2}$",
            min_length=1,
            max_length=100,
        ),
    ],
    scheme: Annotated[
        Scheme,
        About("Scheme; mod37_2 and mod97_10 accept letters too, gs1 is used by EAN, aba by routing numbers"),
    ] = "luhn",
) -> CheckDigits:
    """Compute the check digits of a number (Luhn, Damm, ISO 7064, GS1, ISBN, ABA), and check existing ones.

    Use it for your own customer, invoice or voucher numbers, or to test a number of a known scheme.
    """
    plain, blank = _without_blank(number.replace(" ", "").replace("-", "").upper(), scheme)
    letters = scheme in _LETTER_SCHEMES
    if not re.fullmatch("[0-9A-Z]+" if letters else "[0-9]+", plain) and not (
        scheme in _X_SCHEMES and plain[-1:] == "X" and not blank
    ):
        raise ToolError(f"{scheme} takes digits only." if not letters else f"{scheme} takes letters A to Z and digits.")
    if scheme in _BODIES:
        return _of_fixed_length(plain, scheme, blank)
    compute = _SCHEMES[scheme]
    digits = compute(plain.removesuffix("X") if scheme == "mod11_2" else plain)
    size = len(digits)
    valid = not blank and len(plain) > size and compute(plain[:-size]) == plain[-size:]
    return {"check_digits": digits, "complete": plain + digits, "valid": valid}


def _without_blank(plain: str, scheme: str) -> tuple[str, bool]:
    """Return the number without placeholders of check digits, and whether there were any. Raises `ToolError`."""
    body = plain.rstrip("_?")
    if len(plain) - len(body) > (2 if scheme == "mod97_10" else 1):
        raise ToolError(f"{scheme} has one check digit. Leave one blank at the end, or none.")
    if body == plain and scheme not in _X_SCHEMES | _LETTER_SCHEMES:
        body = plain.removesuffix("X")
    return body, body != plain


def _of_fixed_length(plain: str, scheme: str, blank: bool) -> CheckDigits:
    """Return the check digit of a number whose length shows whether it already has one."""
    length = _BODIES[scheme]
    if len(plain) not in (length, length + (not blank)) or "X" in plain[:length]:
        raise ToolError(f"{scheme} needs {length} digits, or {length + 1} with the check digit.")
    digit = _SCHEMES[scheme](plain[:length])
    return {"check_digits": digit, "complete": plain[:length] + digit, "valid": plain[length:] == digit}


def _gs1(digits: str) -> str:
    total = sum(int(digit) * (3 if place % 2 == 0 else 1) for place, digit in enumerate(reversed(digits)))
    return str(-total % 10)


def _eleven(digits: str) -> str:
    """Return the digit of ISBN-10 (ISO 2108) and ISSN (ISO 3297): weights descending to 2, modulo 11, X for ten."""
    total = sum(int(digit) * weight for digit, weight in zip(digits, range(len(digits) + 1, 1, -1), strict=True))
    return "0123456789X"[-total % 11]


def _routing_digit(digits: str) -> str:
    """Return the digit of a routing number: weights 3, 7 and 1 in turn, modulo 10."""
    return str(-sum(int(digit) * (3, 7, 1)[place % 3] for place, digit in enumerate(digits)) % 10)


_BODIES = {"isbn10": 9, "isbn13": 12, "issn": 7, "aba": 8}
_X_SCHEMES = {"mod11_2", "isbn10", "issn"}
_LETTER_SCHEMES = {"mod37_2", "mod97_10"}
_SCHEMES: dict[str, Callable[[str], str]] = {
    "luhn": lambda text: str(luhn.calc_check_digit(text)),
    "verhoeff": lambda text: str(verhoeff.calc_check_digit(text)),
    "damm": lambda text: str(damm.calc_check_digit(text)),
    "mod97_10": lambda text: str(mod_97_10.calc_check_digits(text)),
    "mod11_2": lambda text: str(mod_11_2.calc_check_digit(text)),
    "mod37_2": lambda text: str(mod_37_2.calc_check_digit(text)),
    "gs1": _gs1,
    "isbn10": _eleven,
    "isbn13": _gs1,
    "issn": _eleven,
    "aba": _routing_digit,
}


class Medical(TypedDict):
    """A code of US health care."""

    valid: Annotated[bool, About("Whether form and check digit are valid; not whether it was issued")]
    problem: Problem
    normalized: Annotated[str, About("Code without separators; an NDC in its 11 digits for billing")]


@tool(
    tags="npi ndc dea medical provider drug code validate check digit health",
    use_when=(
        "Is 1234567893 a valid NPI?",
        "Convert the NDC 0002-1433-80 to 11 digits",
        "Check the DEA number of a prescriber",
    ),
    examples=(
        Example(
            {"kind": "npi", "code": "1234567893"},
            {"valid": True, "normalized": "1234567893"},
            source="CMS, Requirements for National Provider Identifier and NPI check digit",
        ),
        Example(
            {"kind": "ndc", "code": "0002-1433-80"},
            {"valid": True, "normalized": "00002143380"},
            source="FDA, National Drug Code formats: 4-4-2 takes a zero in front",
        ),
        Example({"kind": "dea", "code": "F91234563"}, {"valid": True}, source="Wikipedia, DEA number"),
        Example({"kind": "npi", "code": "1234567890"}, {"valid": False}, source="the check digit is 3"),
        Refusal({"kind": "npi", "code": "?"}, "code"),
    ),
    reply={
        "valid": "{args.code} is a valid code; without separators it is {normalized}.",
        "problem": "{args.code} is not valid: {problem}",
        "": "{args.code} is not valid.",
    },
)
def medical_validate_code(
    kind: Annotated[Literal["npi", "ndc", "dea"], About("npi provider, ndc drug with hyphens, dea prescriber")],
    code: Annotated[str, About("The code", "1234567893", pattern="^[0-9A-Za-z -]+$", min_length=4, max_length=30)],
) -> Medical:
    """Validate a US provider identifier (NPI), drug code (NDC) or prescriber number (DEA), by form and check digit.

    Use it for claims and prescriptions. An NDC is converted to the 11 digits for billing.
    """
    plain = code.strip().upper()
    match kind:
        case "npi":
            digits = plain.replace("-", "").replace(" ", "")
            # The prefix 80840 means health care in the United States (ISO/IEC 7812).
            fits = re.fullmatch("[12][0-9]{9}", digits) is not None
            valid, problem = (
                fits and bool(luhn.is_valid("80840" + digits)),
                "It must be ten digits that pass Luhn's check.",
            )
        case "ndc":
            valid, digits = _drug(plain)
            problem = "It must have the form 4-4-2, 5-3-2, 5-4-1 or 5-4-2."
        case _:
            digits = plain.replace("-", "").replace(" ", "")
            valid, problem = _prescriber(digits), "It must be a letter, a letter or 9, and seven digits that fit."
    return {"valid": valid, "problem": "" if valid else problem, "normalized": digits}


def _drug(code: str) -> tuple[bool, str]:
    parts = code.split("-")
    sizes = tuple(map(len, parts))
    if sizes not in ((4, 4, 2), (5, 3, 2), (5, 4, 1), (5, 4, 2)) or not "".join(parts).isdigit():
        return False, code
    return True, parts[0].zfill(5) + parts[1].zfill(4) + parts[2].zfill(2)


def _prescriber(code: str) -> bool:
    if not re.fullmatch("[A-Z][A-Z9][0-9]{7}", code):
        return False
    odd, even = (sum(map(int, code[start:8:2])) for start in (2, 3))
    return (odd + 2 * even) % 10 == int(code[8])


_NUMBER = re.compile(r"(\d{2,7})-?(\d{2})-?(\d)?")


class SubstanceNumber(TypedDict):
    """A registry number."""

    valid: Annotated[bool | None, About("Whether its check digit is valid; null if it has none")]
    check_digit: Annotated[int, About("Expected check digit")]
    formatted: Annotated[str, About("Number with the expected check digit and hyphens")]


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
    reply={
        "valid": "{args.number} is a valid CAS number.",
        "": "With the check digit {check_digit} it is {formatted}.",
    },
)
def cas_validate_number(
    number: Annotated[str, About("CAS number, or without its last digit", "7732-18-5", min_length=4, max_length=20)],
) -> SubstanceNumber:
    """Validate the check digit of a CAS registry number of a chemical substance, or compute it."""
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
