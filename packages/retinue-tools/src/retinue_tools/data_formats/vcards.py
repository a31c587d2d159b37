"""Contacts in vCard format."""

import quopri
import re
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._values import Written, plain
from retinue_tools.data_formats.edi_messages import split_released

_KINDS = ("cell", "mobile", "home", "work", "fax", "pager", "voice", "pref")
_SOFT_BREAKS = re.compile(
    r"^(?>[^:\n]*?;(?:ENCODING=)?QUOTED-PRINTABLE(?=[;:]))[^:\n]*+:(?:.*=\n)++", re.MULTILINE | re.IGNORECASE
)
"""A property of vCard 2.1 in quoted-printable encoding, up to its last line, without it."""
Multiple = list[Annotated[str, About("An item", "kim@example.com", max_length=200)]]


class CardField(TypedDict):
    """A property of a vCard."""

    name: Annotated[str, About("Name in upper case, such as TEL")]
    types: Annotated[list[str], About("Types, such as work")]
    value: Annotated[Any, About("Text, or a list for values with several components")]


class Card(TypedDict):
    """A contact."""

    name: Annotated[str, About("Formatted name")]
    emails: Annotated[list[str], About("E-mail addresses")]
    phones: Annotated[list[str], About("Telephone numbers")]
    organization: Annotated[str, About("Organisation and its units, separated by commas")]
    fields: Annotated[list[CardField], About("All properties in order")]


class Cards(TypedDict):
    """Contacts of a file."""

    cards: Annotated[list[Card], About("Contacts")]
    count: Annotated[int, About("Number of contacts")]


@tool(
    tags="vcard vcf contact parse address book read",
    use_when=(
        "Read the contacts of this .vcf file",
        "Which phone numbers are in this vCard?",
        "Convert my exported address book to JSON",
    ),
    examples=(
        Example(
            {
                "text": "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Simon Perreault\r\nN:Perreault;Simon;;;ing. jr,M.Sc.\r\n"
                "EMAIL;TYPE=work:simon.perreault@via\r\n genie.ca\r\n"
                'item1.TEL;VALUE=uri;TYPE="work,voice":tel:+1-418-656-9254\r\n'
                "NOTE:a\\, b\\nc\r\nEND:VCARD\r\n"
            },
            {
                "count": 1,
                "cards": [
                    {
                        "name": "Simon Perreault",
                        "emails": ["simon.perreault@viagenie.ca"],
                        "phones": ["+1-418-656-9254"],
                        "organization": "",
                        "fields": [
                            {"name": "FN", "types": [], "value": "Simon Perreault"},
                            {"name": "N", "types": [], "value": ["Perreault", "Simon", "", "", "ing. jr,M.Sc."]},
                            {"name": "EMAIL", "types": ["work"], "value": "simon.perreault@viagenie.ca"},
                            {"name": "TEL", "types": ["work", "voice"], "value": "tel:+1-418-656-9254"},
                            {"name": "NOTE", "types": [], "value": "a, b\nc"},
                        ],
                    }
                ],
            },
            source="RFC 6350, section 8, the card of its author, shortened; folding by section 3.2",
        ),
        Refusal({"text": "FN:x"}, "BEGIN:VCARD"),
    ),
    reply={
        "cards": "I found {count|contact}: {cards}",
        "": "There are no contacts in the file.",
    },
)
def vcard_parse_contacts(
    text: Annotated[
        str,
        About("Text of the file", "BEGIN:VCARD\nVERSION:4.0\nFN:Kim\nEND:VCARD", min_length=1, max_length=900_000),
    ],
) -> Cards:
    """Parse vCards of version 2.1, 3 or 4 (RFC 6350) to contacts with names, addresses, numbers and all properties.

    Use it to read address books. Returns the contacts, with lines unfolded and escapes decoded.
    """
    lines = re.sub(r"\r\n?", "\n", text.removeprefix("\ufeff"))
    joined = _SOFT_BREAKS.sub(lambda found: found[0].replace("=\n", ""), lines)
    unfolded = re.sub(r"\n[ \t]", "", joined)
    bodies = re.findall(r"^BEGIN:VCARD[ \t]*$(.*?)^END:VCARD[ \t]*$", unfolded, re.M | re.S | re.I)
    if not bodies:
        raise ToolError("The text has no vCard from BEGIN:VCARD to END:VCARD.")
    cards = [_card(body) for body in bodies]
    return {"cards": plain(cards), "count": len(cards)}


@tool(
    tags="vcard vcf contact create write address book export",
    use_when=(
        "Make a vCard for Kim Lee, kim@example.com",
        "Create a .vcf contact with phone and company",
        "Turn this mail signature into an address book entry",
        "Business card for my phone",
    ),
    examples=(
        Example(
            {
                "family_name": "Lee",
                "given_name": "Kim",
                "emails": ["kim@example.com"],
                "organization": "Tea; Rice, Ltd",
            },
            {
                "text": "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Kim Lee\r\nN:Lee;Kim;;;\r\nORG:Tea\\; Rice\\, Ltd\r\n"
                "EMAIL:kim@example.com\r\nEND:VCARD\r\n"
            },
            source="RFC 6350, sections 3.4 and 6.2",
        ),
        Example(
            {"family_name": "Lee", "given_name": "Kim", "phones": ["+49 30 1"], "version": "3.0", "title": "x" * 80},
            {
                "text": "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Kim Lee\r\nN:Lee;Kim;;;\r\nTITLE:"
                + "x" * 69
                + "\r\n "
                + "x" * 11
                + "\r\nTEL:+49 30 1\r\nEND:VCARD\r\n"
            },
            source="RFC 2426; lines are folded at 75 bytes (RFC 6350, section 3.2)",
        ),
        Refusal({"given_name": ""}, "at least 1 character"),
    ),
    reply="The vCard: {text}",
)
def vcard_create_contact(
    given_name: Annotated[str, About("Given name", "Kim", min_length=1, max_length=200)],
    family_name: Annotated[str, About("Family name", "Lee", max_length=200)] = "",
    emails: Annotated[Multiple | None, About("E-mail addresses", ["kim@example.com"], max_items=20)] = None,
    phones: Annotated[Multiple | None, About("Telephone numbers", ["+49 30 1234567"], max_items=20)] = None,
    organization: Annotated[str, About("Organisation", "Example Ltd", max_length=300)] = "",
    title: Annotated[str, About("Job title", "Engineer", max_length=200)] = "",
    url: Annotated[str, About("Web site", "https://example.com", max_length=500)] = "",
    version: Annotated[Literal["4.0", "3.0"], About("Version of vCard; older phones require 3.0")] = "4.0",
) -> Written:
    """Create a vCard of version 4 (RFC 6350) or 3 for a person.

    Use it to share a contact as a .vcf file. Returns the text with escaped characters and folded lines.
    """
    name = ";".join([_escape(family_name), _escape(given_name), "", "", ""])
    full = _escape(f"{given_name} {family_name}".strip())
    lines = ["BEGIN:VCARD", f"VERSION:{version}", f"FN:{full}", f"N:{name}"]
    single = {"ORG": organization, "TITLE": title, "URL": url}
    lines += [f"{key}:{_escape(value)}" for key, value in single.items() if value]
    lines += [f"EMAIL:{_escape(value)}" for value in emails or []] + [f"TEL:{_escape(value)}" for value in phones or []]
    return {"text": "".join(map(_fold, [*lines, "END:VCARD"]))}


def _card(body: str) -> Card:
    fields = [field for line in body.split("\n") if (field := _card_field(line)) and field["name"] != "VERSION"]

    def texts(name: str) -> list[str]:
        found = [field["value"] for field in fields if field["name"] == name]
        return [", ".join(filter(None, value)) if isinstance(value, list) else value for value in found]

    phones = [text.removeprefix("tel:") for text in texts("TEL")]
    names = texts("FN") or texts("N")
    organization = (texts("ORG") or [""])[0]
    return {
        "name": (names or [""])[0],
        "emails": texts("EMAIL"),
        "phones": phones,
        "organization": organization,
        "fields": fields,
    }


def _card_field(line: str) -> CardField | None:
    found = re.fullmatch(r'(?:[\w-]+\.)?([\w-]+)((?:;(?:"[^"]*"|[^":;])*)*):(.*)', line.strip())
    if not found:
        return None
    name, parameters, value = found[1].upper(), found[2], found[3]
    types: list[str] = []
    charset, quoted = "utf-8", False
    for parameter in re.findall(r';((?:"[^"]*"|[^";])*)', parameters):
        key, equals, text = parameter.partition("=")
        quoted |= (text if key.upper() == "ENCODING" else parameter).upper() == "QUOTED-PRINTABLE"
        charset = text.strip('"') if key.upper() == "CHARSET" else charset
        if key.upper() == "TYPE" or (not equals and key.lower() in _KINDS):
            types += (text if equals else key).replace('"', "").lower().split(",")
    pieces = split_released(value, ";", "\\") if name in ("N", "ADR", "ORG", "GENDER") else [value]
    parts = [_interpret(_decode_quoted(piece, charset) if quoted else piece) for piece in pieces]
    return {"name": name, "types": types, "value": parts if len(parts) > 1 else parts[0]}


def _decode_quoted(text: str, charset: str) -> str:
    """Decode quoted-printable text of vCard 2.1, as UTF-8 if the character set is unknown."""
    try:
        decoded = quopri.decodestring(text.encode(charset, "replace")).decode(charset, "replace")
    except (LookupError, ValueError):
        decoded = quopri.decodestring(text.encode("utf-8", "replace")).decode("utf-8", "replace")
    return decoded.replace("\r\n", "\n")


def _interpret(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] in "nN" else found[1], text)


def _escape(text: str) -> str:
    return re.sub(r"([\\;,])", r"\\\1", text).replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\\n")


def _fold(line: str) -> str:
    """Fold the line, with its end, so that no part has more than 75 bytes."""
    parts, room = [""], 75
    for char in line:
        size = len(char.encode(errors="replace"))
        if room < size:
            parts.append("")
            room = 74
        parts[-1] += char
        room -= size
    return "\r\n ".join(parts) + "\r\n"
