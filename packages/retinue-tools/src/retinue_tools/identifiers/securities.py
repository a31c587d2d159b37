"""Identifiers of securities and of legal entities."""

from typing import Annotated, Any, Literal

from stdnum import cusip, figi, isin, lei
from stdnum.gb import sedol
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.identifiers._standards import Country, Problem, Valid, judge

Kind = Literal["isin", "cusip", "sedol", "figi", "lei"]


class SecurityId(TypedDict):
    """An identifier of a security or entity."""

    valid: Valid
    problem: Problem
    kind: Annotated[Kind | None, About("Kind of identifier; null if it matches none")]
    identifier: Annotated[str, About("Identifier without separators, in capitals")]
    country: Annotated[str | None, About("Two-letter prefix of an ISIN")]
    isin: Annotated[str | None, About("ISIN of a valid CUSIP in the USA or a valid SEDOL in the United Kingdom")]


@tool(
    tags="isin cusip sedol figi lei securities identifier validate stock bond legal entity",
    use_when=(
        "Is US0378331005 a valid ISIN?",
        "What kind of identifier is 037833100?",
        "Check the LEI of a company",
    ),
    examples=(
        Example(
            {"identifier": "US0378331005"},
            {"valid": True, "kind": "isin", "country": "US"},
            source="Wikipedia, International Securities Identification Number (Apple)",
        ),
        Example(
            {"identifier": "037833100", "kind": "cusip"},
            {"valid": True, "isin": "US0378331005"},
            source="Wikipedia, CUSIP and ISIN (Apple)",
        ),
        Example(
            {"identifier": "0263494"},
            {"valid": True, "kind": "sedol", "isin": "GB0002634946"},
            "Wikipedia, SEDOL; ISIN",
        ),
        Example({"identifier": "BBG000BLNQ16"}, {"valid": True, "kind": "figi"}, source="the FIGI standard (IBM)"),
        Example(
            {"identifier": "213800KUD8LAJWSQ9D15", "kind": "lei"},
            {"valid": True, "kind": "lei"},
            source="the documentation of python-stdnum",
        ),
        Example({"identifier": "US0378331006"}, {"valid": False, "kind": None}, source="Apple's ends in 5"),
        Refusal({"identifier": "a"}, "identifier"),
    ),
    reply={
        "valid, isin": "{args.identifier} is a valid identifier of the kind {kind}, with the ISIN {isin}.",
        "valid": "{args.identifier} is a valid identifier of the kind {kind}.",
        "problem": "{args.identifier} is not valid: {problem}",
        "": "{args.identifier} is not valid.",
    },
)
def security_validate_identifier(
    identifier: Annotated[
        str, About("The identifier", "US0378331005", pattern="^[ -~]+$", min_length=6, max_length=40)
    ],
    kind: Annotated[Literal["any", "isin", "cusip", "sedol", "figi", "lei"], About("Expected kind")] = "any",
) -> SecurityId:
    """Validate an ISIN, CUSIP, SEDOL, FIGI or LEI by its check digits, and detect which one it is.

    Use it for lists of securities. Also returns the ISIN of a CUSIP or SEDOL.
    """
    standards: dict[Kind, Any] = {"isin": isin, "lei": lei, "figi": figi, "cusip": cusip, "sedol": sedol}
    problem = "It is no ISIN, CUSIP, SEDOL, FIGI or LEI."
    for name, standard in standards.items():
        if kind not in ("any", name):
            continue
        compact, found = judge(standard, identifier)
        if compact:
            made = standard.to_isin(compact) if name in ("cusip", "sedol") else None
            return _result(name, compact, made)
        problem = found if kind == name else problem
    return {
        "valid": False,
        "problem": problem,
        "kind": None,
        "identifier": "".join(identifier.split()).upper(),
        "country": None,
        "isin": None,
    }


def _result(kind: Kind, compact: str, made: str | None) -> SecurityId:
    return {
        "valid": True,
        "problem": "",
        "kind": kind,
        "identifier": compact,
        "country": compact[:2] if kind == "isin" else None,
        "isin": made,
    }


class BuiltIsin(TypedDict):
    """A new ISIN."""

    isin: Annotated[str, About("The ISIN with its check digit")]


@tool(
    tags="isin build compute check digit wkn cusip valoren nsin country",
    use_when=(
        "What is the ISIN of the German WKN 716460?",
        "Compute the check digit of an ISIN",
        "Turn a Swiss valor number into an ISIN",
    ),
    examples=(
        Example({"country": "DE", "number": "716460"}, {"isin": "DE0007164600"}, source="the ISIN of SAP's share"),
        Example({"country": "US", "number": "037833100"}, {"isin": "US0378331005"}, source="Wikipedia, ISIN (Apple)"),
        Refusal({"country": "ZZ", "number": "716460"}, "is not a valid ISIN. A part of it, such as the country"),
    ),
    reply="The ISIN is {isin}.",
)
def isin_build_code(
    country: Country,
    number: Annotated[
        str, About("National number: WKN, CUSIP, SEDOL, valor", "716460", pattern="^[0-9A-Za-z]+$", max_length=9)
    ],
) -> BuiltIsin:
    """Build an ISIN from a country and a national securities number, with leading zeros and check digit (ISO 6166).

    Use it if only the national number is known.
    """
    made, problem = judge(isin, str(isin.from_natid(country.upper(), number.upper())))
    if made is None:
        raise ToolError(f"This is not a valid ISIN. {problem}")
    return {"isin": made}
