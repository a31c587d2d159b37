"""Numbers of bank accounts, banks and payment cards: IBAN, BIC, US routing numbers, card numbers."""

from typing import Annotated

from stdnum import bic as bic_standard
from stdnum import iban as iban_standard
from stdnum import luhn
from stdnum.us import rtn
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.identifiers._standards import Country, Problem, Valid, judge

_COUNTRIES = {"UK": "GB", "EL": "GR"}
"""Common country codes that differ from ISO 3166-1."""
_LONGEST_NATIONAL = 30
"""Maximum length of an IBAN without its country and check digits (ISO 13616)."""


class Iban(TypedDict):
    """An account number."""

    valid: Valid
    problem: Problem
    iban: Annotated[str, About("Number without spaces, in capitals")]
    formatted: Annotated[str, About("Number in groups of four")]
    country: Annotated[str, About("Two-letter country code")]
    check_digits: Annotated[str, About("The two check digits")]
    account: Annotated[str, About("National part: bank and account")]


@tool(
    tags="iban validate check bank account number mod97 country",
    use_when=(
        "Is DE89 3704 0044 0532 0130 00 a valid IBAN?",
        "Check this bank account number for typing errors",
        "Which country is the IBAN GB82WEST12345698765432 from?",
    ),
    examples=(
        Example(
            {"iban": "gb82 west 1234 5698 7654 32"},
            {
                "valid": True,
                "formatted": "GB82 WEST 1234 5698 7654 32",
                "country": "GB",
                "check_digits": "82",
                "iban": "GB82WEST12345698765432",
                "account": "WEST12345698765432",
            },
            source="Wikipedia, International Bank Account Number",
        ),
        Example(
            {"iban": "DE89370400440532013001"},
            {"valid": False, "problem": "The check digit is wrong: a digit was mistyped."},
            source="the SWIFT registry has DE89370400440532013000",
        ),
        Refusal({"iban": "x"}, "iban"),
    ),
    reply={
        "valid": "{formatted} is a valid IBAN.",
        "problem": "{args.iban} is not a valid IBAN: {problem}",
        "": "{args.iban} is not a valid IBAN.",
    },
)
def iban_validate_number(
    iban: Annotated[
        str,
        About("IBAN, spaces allowed", "DE89 3704 0044 0532 0130 00", pattern="^[ -~]+$", min_length=5, max_length=60),
    ],
) -> Iban:
    """Validate an IBAN: length and structure of its country, and check digits (ISO 13616, modulo 97).

    Use it before a payment. Returns problems, and the parts of the number.
    """
    compact, problem = judge(iban_standard, iban)
    plain = compact or iban_standard.compact(iban)
    return {
        "valid": compact is not None,
        "problem": problem,
        "iban": plain,
        "formatted": " ".join(plain[place : place + 4] for place in range(0, len(plain), 4)),
        "country": plain[:2],
        "check_digits": plain[2:4],
        "account": plain[4:],
    }


class BuiltIban(TypedDict):
    """A new IBAN."""

    iban: Annotated[str, About("Number without spaces")]
    formatted: Annotated[str, About("Number in groups of four")]


@tool(
    tags="iban build create compute check digits bank code account number",
    use_when=(
        "What is the IBAN of German bank 37040044, account 532013000?",
        "Compute the check digits of an IBAN",
        "Make the IBAN from sort code and account number",
    ),
    examples=(
        Example(
            {"country": "DE", "account": "370400440532013000"},
            {"iban": "DE89370400440532013000", "formatted": "DE89 3704 0044 0532 0130 00"},
            source="the SWIFT IBAN registry: Germany, bank code of 8 and account of 10 digits",
        ),
        Example(
            {"country": "uk", "account": "WEST 123456 98765432"}, {"iban": "GB82WEST12345698765432"}, source="Wikipedia"
        ),
        Example(
            {"country": "DE", "bank": "37040044", "account": "532013000"},
            {"iban": "DE89370400440532013000"},
            source="the same, the account filled to 10 digits",
        ),
        Refusal({"country": "DE", "account": "37040044532013000"}, "not a valid IBAN"),
    ),
    reply="The IBAN is {formatted}.",
)
def iban_build_number(
    country: Country,
    account: Annotated[
        str,
        About(
            "National part: bank, branch and account with leading zeros; only the account if bank is given",
            "370400440532013000",
            pattern="^[ -~]+$",
            max_length=50,
        ),
    ],
    bank: Annotated[
        str | None,
        About(
            "Bank code (Bankleitzahl) or bank and sort code; zeros are inserted between it and the account",
            "37040044",
            pattern="^[ -~]+$",
            max_length=30,
        ),
    ] = None,
) -> BuiltIban:
    """Build an IBAN from the country and the national account number, computing its check digits.

    Use it if bank code and account are known: combine them in the country's format, with leading zeros, or give them
    separately.
    """
    country = _COUNTRIES.get(country.upper(), country)
    if bank is not None:
        return _with_bank(country, _plain(bank), _plain(account))
    plain = _plain(account)
    try:
        digits = iban_standard.calc_check_digits(f"{country.upper()}00{plain}")
    except (ValueError, IndexError, KeyError) as error:
        raise ToolError("The account may contain only letters and digits.") from error
    iban, problem = judge(iban_standard, f"{country.upper()}{digits}{plain}")
    if iban is None:
        raise ToolError(f"This is not a valid IBAN of {country.upper()}. {problem}")
    return {"iban": iban, "formatted": " ".join(iban[place : place + 4] for place in range(0, len(iban), 4))}


def _plain(text: str) -> str:
    return "".join(text.split()).replace("-", "").upper()


def _with_bank(country: str, bank: str, account: str) -> BuiltIban:
    """Return the account padded with zeros to the only length in the country."""
    for length in range(len(account), _LONGEST_NATIONAL - len(bank) + 1):
        try:
            return iban_build_number(country, bank + account.zfill(length))
        except ToolError:
            continue
    raise ToolError(f"There is no account of {country.upper()} with this bank code and number. Check the digits.")


class Bic(TypedDict):
    """A bank identifier."""

    valid: Annotated[bool, About("Whether it is well formed; not whether the bank exists")]
    problem: Problem
    bank: Annotated[str, About("Bank code")]
    country: Annotated[str, About("Two-letter country code")]
    location: Annotated[str, About("Location code")]
    branch: Annotated[str, About("Branch code; XXX is the head office")]
    test: Annotated[bool, About("Whether it is a test identifier (0 at the end of the location)")]


@tool(
    tags="bic swift code validate bank identifier branch country iso 9362",
    use_when=(
        "Is DEUTDEFF a valid SWIFT code?",
        "Which country has the BIC NEDSZAJJXXX?",
        "Split this BIC in bank, country and branch",
    ),
    examples=(
        Example(
            {"bic": "DEUTDEFF500"},
            {"valid": True, "bank": "DEUT", "country": "DE", "location": "FF", "branch": "500", "test": False},
            source="Wikipedia, ISO 9362",
        ),
        Example({"bic": "NEDS ZAJJ"}, {"valid": True, "country": "ZA", "branch": "XXX"}, source="Wikipedia, ISO 9362"),
        Example({"bic": "AB12CDEF"}, {"valid": False}, source="ISO 9362: the country is of letters"),
        Refusal({"bic": "DEUT"}, "bic"),
    ),
    reply={
        "valid, test": "{args.bic} is well formed, but it is a test identifier: bank {bank}, country {country}.",
        "valid": "{args.bic} is a well-formed BIC of the bank {bank} in the country {country}.",
        "problem": "{args.bic} is not a valid BIC: {problem}",
        "": "{args.bic} is not a valid BIC.",
    },
)
def bic_validate_code(
    bic: Annotated[str, About("BIC or SWIFT code", "DEUTDEFF500", pattern="^[ -~]+$", min_length=8, max_length=20)],
) -> Bic:
    """Validate a BIC (SWIFT code, ISO 9362) and split it into bank, country, location and branch.

    Use it for international payments. It does not check whether the bank exists.
    """
    compact, problem = judge(bic_standard, bic)
    plain = compact or bic_standard.compact(bic)
    return {
        "valid": compact is not None,
        "problem": problem,
        "bank": plain[:4],
        "country": plain[4:6],
        "location": plain[6:8],
        "branch": plain[8:11] or "XXX",
        "test": plain[7:8] == "0",
    }


_BRANDS = (
    ("American Express", ((34, 34), (37, 37)), (15,), 4),
    ("Diners Club", ((300, 305), (3095, 3095), (36, 36), (38, 39)), (14, 16, 19), 3),
    ("JCB", ((3528, 3589),), (16, 17, 18, 19), 3),
    ("Mir", ((2200, 2204),), (16, 17, 18, 19), 3),
    ("Mastercard", ((51, 55), (2221, 2720)), (16,), 3),
    ("Visa", ((4, 4),), (13, 16, 19), 3),
    ("Discover", ((6011, 6011), (644, 649), (65, 65)), (16, 19), 3),
    ("UnionPay", ((62, 62), (81, 81)), (16, 17, 18, 19), 3),
    ("RuPay", ((60, 60), (82, 82), (508, 508)), (16,), 3),
    (
        "Maestro",
        ((5018, 5018), (5020, 5020), (5038, 5038), (5893, 5893), (6304, 6304), (6759, 6763)),
        tuple(range(12, 20)),
        3,
    ),
)


class Card(TypedDict):
    """A payment card number."""

    valid: Annotated[bool, About("Whether check digit and length are valid; not whether the card exists")]
    luhn_valid: Annotated[bool, About("Whether the check digit is valid")]
    brand: Annotated[str | None, About("Brand, from the first digits")]
    length_valid: Annotated[bool | None, About("Whether the brand uses this length")]
    security_code_digits: Annotated[int | None, About("Number of digits of the brand's security code")]
    masked: Annotated[str, About("First six and last four digits, for display")]


@tool(
    tags="credit card payment card number validate luhn brand visa mastercard amex check",
    use_when=(
        "Is 4111 1111 1111 1111 a valid card number?",
        "Which brand is a card that begins with 3782?",
        "Mask this credit card number",
        "Is this credit card number real?",
    ),
    examples=(
        Example(
            {"number": "4111 1111 1111 1111"},
            {"valid": True, "brand": "Visa", "masked": "411111******1111", "security_code_digits": 3},
            source="the usual test number of Visa",
        ),
        Example(
            {"number": "378282246310005"},
            {"valid": True, "brand": "American Express", "security_code_digits": 4},
            source="the usual test number of American Express",
        ),
        Example(
            {"number": "5555-5555-5555-4445"},
            {"valid": False, "brand": "Mastercard", "luhn_valid": False, "length_valid": True},
            source="the usual test number ends in 4444",
        ),
        Refusal({"number": "4111 1111"}, "12 to 19 digits"),
    ),
    reply={
        "valid, brand": "This is a valid {brand} card number, {masked}; whether the card exists is not known.",
        "valid": "{masked} is a valid card number; whether the card exists is not known.",
        "not luhn_valid, brand": "This {brand} card number is not valid: its check digit is wrong.",
        "not luhn_valid": "This card number is not valid: its check digit is wrong.",
        "not valid, brand": "This {brand} card number is not valid: its length is wrong.",
        "": "This card number is not valid.",
    },
)
def card_validate_number(
    number: Annotated[str, About("Card number, spaces allowed", "4111 1111 1111 1111", min_length=8, max_length=40)],
) -> Card:
    """Check a payment card number by Luhn's algorithm (ISO/IEC 7812), detect its brand, and mask it.

    Use it to detect typing errors. It cannot check whether the card exists; avoid sending real numbers.
    """
    digits = number.replace(" ", "").replace("-", "")
    if not digits.isascii() or not digits.isdigit() or not 12 <= len(digits) <= 19:
        raise ToolError("A card number has 12 to 19 digits, with spaces or hyphens between.")
    brand = next((brand for brand in _BRANDS if _begins(digits, brand[1])), None)
    checked = bool(luhn.is_valid(digits))
    fits = len(digits) in brand[2] if brand else None
    return {
        "valid": checked and fits is not False,
        "luhn_valid": checked,
        "brand": brand[0] if brand else None,
        "length_valid": fits,
        "security_code_digits": brand[3] if brand else None,
        "masked": digits[:6] + "*" * (len(digits) - 10) + digits[-4:],
    }


def _begins(digits: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= int(digits[: len(str(low))]) <= high for low, high in ranges)


_DISTRICTS = (
    "Boston", "New York", "Philadelphia", "Cleveland", "Richmond", "Atlanta", "Chicago", "St. Louis", "Minneapolis",
    "Kansas City", "Dallas", "San Francisco",
)  # fmt: skip
_KINDS = {0: "bank", 2: "thrift institution", 6: "electronic transactions"}
"""Keyed by the tens by which the first two digits exceed the district."""


class Routing(TypedDict):
    """A routing number."""

    valid: Valid
    problem: Problem
    number: Annotated[str, About("Nine digits")]
    check_digit: Annotated[str | None, About("Expected ninth digit; null if there are not eight digits")]
    district: Annotated[str | None, About("Federal Reserve Bank of the first two digits")]
    kind: Annotated[str | None, About("Meaning of the first two digits")]


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
    reply={
        "valid, district": "{args.number} is a valid routing number of the district {district}.",
        "valid": "{args.number} is a valid routing number.",
        "problem": "{args.number} is not a valid routing number: {problem}",
        "": "{args.number} is not a valid routing number.",
    },
)
def routing_validate_number(
    number: Annotated[
        str, About("Routing number, nine digits", "021000021", pattern="^[0-9 -]+$", min_length=1, max_length=20)
    ],
) -> Routing:
    """Validate a US bank routing number (ABA, RTN) by its check digit, and find the Federal Reserve district.

    Use it before a transfer or a direct debit. It does not check whether a bank uses the number.
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
