"""Identifiers of books, journals, music, films, people and articles."""

import re
from typing import Annotated, Any, Literal

from stdnum import isan, isil, ismn, isni, isrc, issn
from stdnum import isbn as book_standard
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.identifiers._standards import Problem, Valid, format_number, judge

_DOI = re.compile(r"10\.\d{4,9}(?:\.\d+)*/[^\s\"<>]+")


class Isbn(TypedDict):
    """A book number."""

    valid: Valid
    problem: Problem
    isbn13: Annotated[str | None, About("ISBN-13 without hyphens")]
    isbn13_hyphenated: Annotated[str | None, About("ISBN-13 with hyphens")]
    isbn10: Annotated[str | None, About("ISBN-10; null if there is none, as with 979")]
    isbn10_hyphenated: Annotated[str | None, About("ISBN-10 with hyphens")]
    registration_group: Annotated[str | None, About("Language area or country, such as 0 for English")]
    registrant: Annotated[str | None, About("Publisher number")]
    publication: Annotated[str | None, About("Title number")]


@tool(
    tags="isbn book validate convert isbn10 isbn13 hyphenate publisher check digit",
    use_when=(
        "Is 978-0-306-40615-7 a valid ISBN?",
        "Convert the ISBN-10 0306406152 to ISBN-13",
        "Put the hyphens into 9783161484100",
    ),
    examples=(
        Example(
            {"isbn": "0306406152"},
            {
                "valid": True,
                "isbn13_hyphenated": "978-0-306-40615-7",
                "isbn10": "0306406152",
                "registration_group": "0",
                "registrant": "306",
                "publication": "40615",
                "problem": "",
            },
            source="Wikipedia, ISBN",
        ),
        Example(
            {"isbn": "9783161484100"},
            {"valid": True, "isbn13_hyphenated": "978-3-16-148410-0", "isbn10_hyphenated": "3-16-148410-X"},
            source="Wikipedia, ISBN",
        ),
        Example({"isbn": "978-0-306-40615-8"}, {"valid": False, "isbn13": None}, source="the same book ends in 7"),
        Refusal({"isbn": "1"}, "isbn"),
    ),
    reply={
        "valid, isbn10": "{args.isbn} is a valid ISBN: {isbn13_hyphenated}, or {isbn10_hyphenated} with ten digits.",
        "valid": "{args.isbn} is a valid ISBN: {isbn13_hyphenated}.",
        "problem": "{args.isbn} is not a valid ISBN: {problem}",
        "": "{args.isbn} is not a valid ISBN.",
    },
)
def isbn_validate_number(
    isbn: Annotated[
        str, About("ISBN-10 or ISBN-13", "978-0-306-40615-7", pattern="^[ -~]+$", min_length=9, max_length=40)
    ],
) -> Isbn:
    """Validate an ISBN, convert it between 10 and 13 digits, insert its hyphens, and split it into its parts.

    Use it for lists of books. Returns the problem of a mistyped number.
    """
    compact, problem = judge(book_standard, isbn.upper().removeprefix("ISBN").lstrip(": "))
    if compact is None:
        return {**_NO_BOOK, "valid": False, "problem": problem}
    longer = book_standard.to_isbn13(compact)
    shorter = book_standard.to_isbn10(compact) if longer.startswith("978") else None
    _, group, registrant, publication, _ = book_standard.split(longer)
    return {
        "valid": True,
        "problem": "",
        "isbn13": longer,
        "isbn13_hyphenated": book_standard.format(longer),
        "isbn10": shorter,
        "isbn10_hyphenated": book_standard.format(shorter) if shorter else None,
        "registration_group": group or None,
        "registrant": registrant or None,
        "publication": publication or None,
    }


_NO_BOOK: Isbn = {
    "valid": False,
    "problem": "",
    "isbn13": None,
    "isbn13_hyphenated": None,
    "isbn10": None,
    "isbn10_hyphenated": None,
    "registration_group": None,
    "registrant": None,
    "publication": None,
}


class WorkId(TypedDict):
    """An identifier of a work or person."""

    valid: Valid
    problem: Problem
    identifier: Annotated[str, About("Number without separators")]
    formatted: Annotated[str, About("Usual notation")]
    url: Annotated[str | None, About("Web address of the identifier, if there is one")]


_URLS = {
    "issn": "https://portal.issn.org/resource/ISSN/{}",
    "isni": "https://isni.org/isni/{}",
    "orcid": "https://orcid.org/{}",
}


@tool(
    tags="issn ismn isrc isni orcid isan isil identifier validate journal music recording author researcher",
    use_when=(
        "Is 0378-5955 a valid ISSN?",
        "Check the ORCID 0000-0002-1825-0097",
        "Validate the ISRC of a recording",
    ),
    examples=(
        Example(
            {"kind": "issn", "identifier": "03785955"},
            {
                "valid": True,
                "formatted": "0378-5955",
                "url": "https://portal.issn.org/resource/ISSN/0378-5955",
                "problem": "",
            },
            source="Wikipedia, ISSN",
        ),
        Example(
            {"kind": "orcid", "identifier": "https://orcid.org/0000-0002-1825-0097"},
            {"valid": True, "formatted": "0000-0002-1825-0097", "url": "https://orcid.org/0000-0002-1825-0097"},
            source="ORCID, structure of the identifier",
        ),
        Example(
            {"kind": "isrc", "identifier": "US-SKG-19-12345"},
            {"valid": True, "identifier": "USSKG1912345"},
            "python-stdnum",
        ),
        Example({"kind": "ismn", "identifier": "979-0-2600-0043-8"}, {"valid": True}, source="Wikipedia, ISMN"),
        Example({"kind": "issn", "identifier": "0378-5956"}, {"valid": False}, source="the check digit is 5"),
        Refusal({"kind": "orcid", "identifier": "?"}, "identifier"),
    ),
    reply={
        "valid, url": "{formatted} is valid: {url}",
        "valid": "{formatted} is valid.",
        "problem": "{args.identifier} is not valid: {problem}",
        "": "{args.identifier} is not valid.",
    },
)
def publication_validate_identifier(
    kind: Annotated[
        Literal["issn", "ismn", "isrc", "isni", "orcid", "isan", "isil"],
        About("issn journal, ismn printed music, isrc recording, isni and orcid people, isan film, isil library"),
    ],
    identifier: Annotated[str, About("The identifier", "0378-5955", pattern="^[ -~]+$", min_length=4, max_length=80)],
) -> WorkId:
    """Validate an identifier of a journal (ISSN), of music (ISMN, ISRC), a film, a library or a person (ORCID, ISNI).

    Use it for catalogues and references. Returns the usual notation and the web address.
    """
    standards: dict[str, Any] = {"issn": issn, "ismn": ismn, "isrc": isrc, "isni": isni, "orcid": isni}
    standard = (standards | {"isan": isan, "isil": isil})[kind]
    plain = identifier.strip().rstrip("/").rpartition("/")[2] if "://" in identifier else identifier.strip()
    compact, problem = judge(standard, plain)
    formatted = format_number(standard, compact) if compact else plain
    if kind == "orcid" and compact:
        formatted = formatted.replace(" ", "-")
    address = _URLS.get(kind)
    return {
        "valid": compact is not None,
        "problem": problem,
        "identifier": compact or plain,
        "formatted": formatted,
        "url": address.format(compact if kind == "isni" else formatted) if address and compact else None,
    }


class Doi(TypedDict):
    """An identifier of an article or data set."""

    doi: Annotated[str, About("DOI in lower case, because DOIs are case-insensitive")]
    url: Annotated[str, About("URL of the DOI")]
    prefix: Annotated[str, About("Registrant, such as 10.1038")]
    suffix: Annotated[str, About("Name of the work under this registrant")]


@tool(
    tags="doi digital object identifier parse normalize extract citation url article",
    use_when=(
        "Normalise https://dx.doi.org/10.1038/NPHYS1170",
        "Find the DOI in this reference",
        "What is the link of doi:10.1000/182?",
    ),
    examples=(
        Example(
            {"text": "See https://dx.doi.org/10.1000/182."},
            {"doi": "10.1000/182", "url": "https://doi.org/10.1000/182", "prefix": "10.1000", "suffix": "182"},
            source="the DOI Handbook, whose own DOI it is",
        ),
        Example(
            {"text": "(doi:10.1038/NPHYS1170)"},
            {"doi": "10.1038/nphys1170"},
            source="Wikipedia, Digital object identifier",
        ),
        Example(
            {"text": "https://doi.org/10.1000/182?ref=pdf"}, {"doi": "10.1000/182"}, source="the query is the link's"
        ),
        Refusal({"text": "no identifier here"}, "no DOI"),
    ),
    reply="The DOI is {doi}, with the link {url}.",
)
def doi_normalize_reference(
    text: Annotated[str, About("DOI, its URL, or a reference that contains one", "doi:10.1000/182", max_length=5000)],
) -> Doi:
    """Find the DOI in a text or address, and return its plain form and its link.

    Use it to clean references. It uses the first DOI, without surrounding punctuation.
    """
    found = _DOI.search(text.replace("%2F", "/").replace("%2f", "/"))
    if not found:
        raise ToolError("There is no DOI in the text. A DOI begins with 10. and contains a slash, such as 10.1000/182.")
    doi = found[0].partition("?")[0].rstrip(".,;:'!")
    for left, right in ("()", "[]", "{}"):
        while doi.endswith(right) and doi.count(right) > doi.count(left):
            doi = doi[:-1].rstrip(".,;:'!?")
    prefix, _, suffix = doi.lower().partition("/")
    if not suffix:
        raise ToolError("The DOI has no name after its slash.")
    return {"doi": doi.lower(), "url": f"https://doi.org/{doi.lower()}", "prefix": prefix, "suffix": suffix}
