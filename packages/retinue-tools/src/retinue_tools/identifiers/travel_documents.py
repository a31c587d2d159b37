"""Machine readable zones of passports and other travel documents (ICAO 9303)."""

import re
from datetime import date
from typing import Annotated, NamedTuple

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_PASSPORT = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10"
_CARD = "I<UTOD231458907<<<<<<<<<<<<<<<\n7408122F1204159UTO<<<<<<<<<<<6\nERIKSSON<<ANNA<MARIA<<<<<<<<<<"


class _Part(NamedTuple):
    line: int
    start: int
    end: int


class _Layout(NamedTuple):
    name: str
    number: _Part
    birth: _Part
    sex: int
    expiry: _Part
    nationality: _Part
    names: _Part
    optional: _Part
    composite: tuple[_Part, ...]
    final: _Part | None


def _passport(name: str, width: int, final: bool) -> _Layout:
    optional_end = {"TD3": 42, "TD2": 35, "MRV-A": 44, "MRV-B": 36}[name]
    return _Layout(
        name,
        _Part(1, 0, 9),
        _Part(1, 13, 19),
        20,
        _Part(1, 21, 27),
        _Part(1, 10, 13),
        _Part(0, 5, width),
        _Part(1, 28, optional_end),
        (_Part(1, 0, 10), _Part(1, 13, 20), _Part(1, 21, width - 1)),
        _Part(1, width - 1, width) if final else None,
    )


_TD1 = _Layout(
    "TD1",
    _Part(0, 5, 14),
    _Part(1, 0, 6),
    7,
    _Part(1, 8, 14),
    _Part(1, 15, 18),
    _Part(2, 0, 30),
    _Part(0, 15, 30),
    (_Part(0, 5, 30), _Part(1, 0, 7), _Part(1, 8, 15), _Part(1, 18, 29)),
    _Part(1, 29, 30),
)


class TravelDocument(TypedDict):
    """Content of a travel document's machine readable zone."""

    format: Annotated[str, About("TD1 card, TD2 card, TD3 passport, MRV-A or MRV-B visa")]
    document_code: Annotated[str, About("Kind of document, such as P for passport")]
    issuer: Annotated[str, About("Issuing state, three letters")]
    number: Annotated[str, About("Document number")]
    surname: Annotated[str, About("Surname")]
    given_names: Annotated[str, About("Given names")]
    nationality: Annotated[str, About("Nationality, three letters")]
    birth_date: Annotated[str, About("Date of birth as YYMMDD; the century is not encoded")]
    sex: Annotated[str, About("F, M, or X if not specified")]
    expiry_date: Annotated[str, About("Expiry as YYMMDD")]
    optional: Annotated[str, About("Personal number or other optional data")]
    valid: Annotated[bool, About("Whether all check digits and dates are valid")]
    wrong: Annotated[list[str], About("Fields with an invalid check digit or date")]


@tool(
    tags="mrz passport id card machine readable zone parse icao 9303 td1 td3 visa check digit",
    use_when=(
        "Read the two lines at the bottom of this passport",
        "Are the check digits of the MRZ right?",
        "Parse P<UTOERIKSSON<<ANNA<MARIA…",
    ),
    examples=(
        Example(
            {"mrz": _PASSPORT},
            {
                "format": "TD3",
                "issuer": "UTO",
                "number": "L898902C3",
                "surname": "ERIKSSON",
                "given_names": "ANNA MARIA",
                "birth_date": "740812",
                "sex": "F",
                "expiry_date": "120415",
                "optional": "ZE184226B",
                "valid": True,
                "wrong": [],
            },
            source="ICAO 9303, part 4, appendix B",
        ),
        Example(
            {"mrz": _CARD},
            {"format": "TD1", "number": "D23145890", "surname": "ERIKSSON", "valid": True},
            source="ICAO 9303, part 5, appendix B",
        ),
        Example(
            {"mrz": _PASSPORT.replace("7408122", "7408132")},
            {"valid": False, "wrong": ["birth_date", "composite"]},
            source="a changed digit in ICAO's example",
        ),
        Example(
            {"mrz": _PASSPORT.replace("1204159", "3002290").replace("<<<<<10", "<<<<<16")},
            {"valid": False, "expiry_date": "300229", "wrong": ["expiry_date"]},
            source="by hand: 2030 is no leap year, and the check digits are right",
        ),
        Refusal({"mrz": "P<UTO"}, "lines of"),
    ),
    reply={
        "valid": "The document {number} of {issuer} belongs to {given_names} {surname}; its check digits are right.",
        "wrong": "The document {number} belongs to {given_names} {surname}, but these fields are wrong: {wrong}",
        "": "The document {number} belongs to {given_names} {surname}, but its check digits are wrong.",
    },
)
def mrz_parse_document(
    mrz: Annotated[str, About("Lines of the zone, with line breaks", _PASSPORT, max_length=200)],
) -> TravelDocument:
    """Parse the machine readable zone of a passport, identity card or visa, and verify its check digits (ICAO 9303).

    Use it for scanned documents. Returns the fields that were misread or altered.
    """
    lines = [line.replace(" ", "").upper() for line in mrz.strip().splitlines() if line.strip()]
    layout = _layout(lines)
    surname, _, given = _take(lines, layout.names).partition("<<")
    wrong = _wrong(lines, layout)
    return {
        "format": layout.name,
        "document_code": lines[0][:2].rstrip("<"),
        "issuer": lines[0][2:5].rstrip("<"),
        "number": _take(lines, layout.number).rstrip("<"),
        "surname": _space(surname),
        "given_names": _space(given),
        "nationality": _take(lines, layout.nationality).rstrip("<"),
        "birth_date": _take(lines, layout.birth),
        "sex": lines[1][layout.sex].replace("<", "X"),
        "expiry_date": _take(lines, layout.expiry),
        "optional": _take(lines, layout.optional).strip("<").replace("<", " "),
        "valid": not wrong,
        "wrong": wrong,
    }


def _layout(lines: list[str]) -> _Layout:
    shape = [len(line) for line in lines]
    if any(not re.fullmatch("[A-Z0-9<]+", line) for line in lines):
        raise ToolError("A zone contains only the letters A to Z, digits and <.")
    if shape == [30, 30, 30]:
        return _TD1
    visa = lines[0].startswith("V") if lines else False
    if shape == [44, 44]:
        return _passport("MRV-A" if visa else "TD3", 44, not visa)
    if shape == [36, 36]:
        return _passport("MRV-B" if visa else "TD2", 36, not visa)
    raise ToolError("A zone has two lines of 44 or 36 characters, or three lines of 30. Give each on a separate line.")


def _wrong(lines: list[str], layout: _Layout) -> list[str]:
    fields = {"number": layout.number, "birth_date": layout.birth, "expiry_date": layout.expiry}
    wrong = [name for name, part in fields.items() if not _fits(_take(lines, part), lines[part.line][part.end])]
    if layout.name == "TD3" and not _fits(lines[1][28:42], lines[1][42]):
        wrong.append("optional")
    if layout.final:
        whole = "".join(_take(lines, part) for part in layout.composite)
        if not _fits(whole, lines[layout.final.line][layout.final.start]):
            wrong.append("composite")
    dates = {"birth_date": (layout.birth, ("19", "20")), "expiry_date": (layout.expiry, ("20",))}
    return wrong + [
        name
        for name, (part, centuries) in dates.items()
        if name not in wrong and not _is_date(_take(lines, part), centuries)
    ]


def _is_date(text: str, centuries: tuple[str, ...]) -> bool:
    """Check whether YYMMDD is a valid date in one of the centuries; unknown parts are < (part 3, section 4.8)."""
    if "<" in text:
        return bool(re.fullmatch("[0-9<]{6}", text))
    for century in centuries:
        try:
            date.fromisoformat(f"{century}{text[:2]}-{text[2:4]}-{text[4:]}")
        except ValueError:
            continue
        return True
    return False


def _fits(field: str, digit: str) -> bool:
    """Check a digit with the weights 7, 3, 1; letters count from 10; < is 0, also as the digit of an empty field (part
    3, section 4.9).
    """
    values = (0 if sign == "<" else int(sign, 36) for sign in field)
    return str(sum(value * (7, 3, 1)[place % 3] for place, value in enumerate(values)) % 10) == digit.replace("<", "0")


def _take(lines: list[str], part: _Part) -> str:
    return lines[part.line][part.start : part.end]


def _space(name: str) -> str:
    return " ".join(name.replace("<", " ").split())
