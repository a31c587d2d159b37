"""National identification numbers of people and companies: tax, VAT and social insurance numbers."""

import re
from typing import Annotated, Any, Literal

from stdnum import get_cc_module
from stdnum.eu import vat as eu_vat
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.identifiers._standards import Country, Problem, Valid, format_number, judge

Number = Annotated[str, About("Number", "136695976", pattern="^[ -~]+$", min_length=2, max_length=60)]


class Vat(TypedDict):
    """A VAT number."""

    valid: Valid
    problem: Problem
    country: Annotated[str | None, About("Two-letter country code; Greece's EL is GR here")]
    number: Annotated[str, About("Number with the country prefix, without separators")]
    in_eu: Annotated[bool, About("Whether the country is in the EU VAT area, so that VIES contains the number")]


@tool(
    tags="vat number validate eu tax company ust-id tva vies check",
    use_when=(
        "Is DE136695976 a valid VAT number?",
        "Check the EU VAT ID ATU13585627",
        "Validate a British VAT number",
    ),
    examples=(
        Example(
            {"number": "DE 136,695 976"},
            {"valid": True, "country": "DE", "number": "DE136695976", "in_eu": True},
            source="the German Federal Central Tax Office's worked example of the check digit (ISO 7064, Mod 11, 10)",
        ),
        Example(
            {"number": "136695978", "country": "DE"},
            {"valid": False, "problem": "The check digit is wrong: a digit was mistyped."},
            source="the same with another check digit",
        ),
        Example(
            {"number": "ATU13585627"},
            {"valid": True, "country": "AT"},
            source="the Austrian finance ministry's example",
        ),
        Refusal({"number": "136695976"}, "country"),
        Refusal({"number": "XX136695976"}, "no format for VAT numbers"),
    ),
    reply={
        "valid": "{number} is a valid VAT number.",
        "problem": "{args.number} is not a valid VAT number: {problem}",
        "": "{args.number} is not a valid VAT number.",
    },
)
def vat_validate_number(number: Number, country: Country | None = None) -> Vat:
    """Validate a VAT number of the EU or of another country by its structure and check digits.

    Use it for invoices and shops. Only the tax office (VIES) knows whether it is registered.
    """
    plain = number.strip()
    prefix = plain[:2].upper()
    if country is None and not prefix.isalpha():
        raise ToolError("Give the country, or a number that begins with its two-letter code.")
    code = {"EL": "GR", "XI": "GB"}.get((country or prefix).upper(), (country or prefix).upper())
    standard = _standard(code, ("vat",), "VAT numbers")
    compact, problem = judge(standard, plain)
    vat_prefix = "EL" if code == "GR" else code
    bare = (compact or standard.compact(plain)).upper().removeprefix(vat_prefix)
    members = {"GR" if member == "el" else member.upper() for member in eu_vat.MEMBER_STATES}
    return {
        "valid": compact is not None,
        "problem": problem,
        "country": code,
        "number": vat_prefix + bare,
        "in_eu": code in members,
    }


def _standard(country: str, kinds: tuple[str, ...], what: str) -> Any:
    for kind in kinds:
        found = get_cc_module(country.lower(), kind)
        if found is not None:
            return found
    raise ToolError(f"There is no format for {what} of {country[:2]}. Check the two-letter country code.")


class National(TypedDict):
    """A national number."""

    valid: Valid
    problem: Problem
    scheme: Annotated[str, About("Name of the number")]
    number: Annotated[str, About("Number without separators")]
    formatted: Annotated[str, About("Usual notation")]
    birth_date: Annotated[str | None, About("Date of birth, if encoded in the number")]
    gender: Annotated[str | None, About("M or F, if encoded in the number")]


_KINDS = {
    "personal": (
        "personalid",
        "pnr",
        "ssn",
        "nino",
        "bsn",
        "pesel",
        "cpf",
        "aadhaar",
        "hetu",
        "nn",
        "nir",
        "rc",
        "ssn",
    ),
    "company": ("businessid", "cnpj", "regon", "siren", "utr"),
    "tax": ("taxid", "tin", "idnr", "stnr", "pan", "ird", "tfn", "vat"),
}
_OWN: dict[tuple[str, str], str] = {
    ("US", "personal"): "ssn",
    ("US", "company"): "ein",
    ("US", "tax"): "tin",
    ("GB", "personal"): "nhs",
    ("GB", "tax"): "utr",
    ("DE", "tax"): "idnr",
    ("DE", "personal"): "idnr",
    ("DE", "company"): "handelsregisternummer",
    ("FR", "personal"): "nir",
    ("FR", "company"): "siren",
    ("CH", "personal"): "ssn",
    ("CH", "company"): "uid",
    ("IT", "personal"): "codicefiscale",
    ("ES", "personal"): "dni",
    ("ES", "company"): "cif",
    ("NL", "personal"): "bsn",
    ("BE", "personal"): "nn",
    ("PL", "personal"): "pesel",
    ("PL", "company"): "regon",
    ("BR", "personal"): "cpf",
    ("BR", "company"): "cnpj",
    ("IN", "personal"): "aadhaar",
    ("IN", "tax"): "pan",
    ("CA", "personal"): "sin",
    ("CA", "company"): "bn",
    ("AU", "tax"): "tfn",
    ("AU", "company"): "abn",
    ("MX", "personal"): "curp",
    ("MX", "tax"): "rfc",
    ("AT", "personal"): "vnr",
    ("AT", "tax"): "tin",
    ("SE", "company"): "orgnr",
    ("NO", "company"): "orgnr",
    ("NO", "personal"): "fodselsnummer",
    ("ZA", "personal"): "idnr",
    ("CN", "personal"): "ric",
    ("CN", "company"): "uscc",
    ("RU", "tax"): "inn",
    ("RU", "company"): "ogrn",
    ("PT", "personal"): "cc",
    ("IE", "personal"): "pps",
}


@tool(
    tags="national id personal number company registry tax number ssn validate cpf pesel siren nhs country",
    use_when=(
        "Is 46 34 63 a valid US social security number?",
        "Check the Brazilian CPF 390.533.447-05",
        "Validate the French SIREN 552 008 443",
    ),
    examples=(
        Example(
            {"country": "BR", "kind": "personal", "number": "390.533.447-05"},
            {"valid": True, "scheme": "br.cpf", "number": "39053344705", "formatted": "390.533.447-05", "problem": ""},
            source="Wikipedia, Cadastro de Pessoas Físicas; check digits by hand",
        ),
        Example(
            {"country": "PL", "kind": "personal", "number": "44051401359"},
            {"valid": True, "scheme": "pl.pesel", "birth_date": "1944-05-14", "gender": "M"},
            source="Wikipedia, PESEL",
        ),
        Example(
            {"country": "FR", "kind": "company", "number": "732 829 321"},
            {"valid": False, "scheme": "fr.siren"},
            source="Wikipedia, SIREN: 732 829 320 is right",
        ),
        Refusal({"country": "ZZ", "kind": "tax", "number": "123"}, "There is no"),
    ),
    reply={
        "valid, birth_date": "{formatted} is valid; the date of birth is {birth_date}.",
        "valid": "{formatted} is valid.",
        "problem": "{args.number} is not valid: {problem}",
        "": "{args.number} is not valid.",
    },
)
def national_validate_number(
    country: Country,
    kind: Annotated[
        Literal["personal", "company", "tax"], About("Kind of number: of a person, of a company, or for taxes")
    ],
    number: Number,
) -> National:
    """Validate a personal, company or tax number of a country: structure, check digits, and the birth date in it.

    Use it to detect typing errors, for about 80 countries. It does not check whether the number was assigned.
    """
    code = country.upper()
    own = _OWN.get((code, kind))
    kinds = (own, *_KINDS[kind]) if own else _KINDS[kind]
    standard = _standard(code, kinds, f"{kind} numbers")
    compact, problem = judge(standard, number)
    birth, gender = (
        (_describe(standard, "get_birth_date", number), _describe(standard, "get_gender", number))
        if compact
        else (None, None)
    )
    return {
        "valid": compact is not None,
        "problem": problem,
        "scheme": standard.__name__.removeprefix("stdnum.").replace("_.", "."),
        "number": compact or number.strip(),
        "formatted": format_number(standard, compact) if compact else number.strip(),
        "birth_date": birth,
        "gender": gender,
    }


def _describe(standard: Any, question: str, number: str) -> str | None:
    try:
        answer = getattr(standard, question)(number)
    except (AttributeError, ValueError, TypeError):
        return None
    return str(answer) if answer else None


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
    reply={
        "valid": "{formatted} could be a National Insurance number.",
        "problem": "{args.number} is not a National Insurance number: {problem}",
        "": "{args.number} is not a National Insurance number.",
    },
)
def nino_validate_number(
    number: Annotated[str, About("National Insurance number", "AB 12 34 56 C", min_length=1, max_length=30)],
) -> InsuranceNumber:
    """Validate a National Insurance number of the United Kingdom by its prefix, digits (figures) and suffix."""
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
