"""Numbers of goods, devices and containers: GTIN, GS1, IMEI, MAC addresses, container numbers (ISO 6346)."""

import re
from datetime import date
from typing import Annotated

from netaddr import EUI
from netaddr.core import AddrFormatError, NotRegisteredError
from stdnum import ean, gs1_128, iso6346, luhn
from stdnum import imei as imei_standard
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.identifiers._standards import Problem, Valid, judge

_LENGTHS = {8: "EAN-8", 12: "UPC-A", 13: "EAN-13", 14: "GTIN-14"}


class Gtin(TypedDict):
    """A trade item number."""

    valid: Valid
    problem: Problem
    kind: Annotated[str | None, About("EAN-8, UPC-A, EAN-13 or GTIN-14, by length")]
    gtin14: Annotated[str | None, About("Number with leading zeros to 14 digits, for comparisons")]
    check_digit: Annotated[str, About("Expected last digit")]
    prefix: Annotated[
        str | None, About("First three digits of the EAN-13, which identify the issuer, not the country of origin")
    ]


@tool(
    tags="ean gtin upc barcode number validate check digit product article",
    use_when=(
        "Is 4006381333931 a valid EAN?",
        "What is the check digit of the UPC 03600029145?",
        "Check these barcode numbers",
        "Compute the last digit of an EAN barcode",
    ),
    examples=(
        Example(
            {"number": "4006381333931"},
            {"valid": True, "kind": "EAN-13", "gtin14": "04006381333931", "prefix": "400", "problem": ""},
            source="Wikipedia, International Article Number",
        ),
        Example(
            {"number": "0 36000 29145 2"}, {"valid": True, "kind": "UPC-A"}, source="Wikipedia, Universal Product Code"
        ),
        Example({"number": "4006381333932"}, {"valid": False, "check_digit": "1"}, source="the same article"),
        Refusal({"number": "123456"}, "8, 12, 13 or 14 digits"),
    ),
    reply={
        "valid, kind": "{args.number} is a valid {kind}.",
        "valid": "{args.number} is a valid number.",
        "problem, check_digit": "{args.number} is not valid: {problem} The check digit should be {check_digit}.",
        "problem": "{args.number} is not valid: {problem}",
        "": "{args.number} is not valid.",
    },
)
def gtin_validate_number(
    number: Annotated[str, About("EAN, UPC or GTIN", "4006381333931", pattern="^[0-9 -]+$", max_length=30)],
) -> Gtin:
    """Validate an EAN-8, EAN-13, UPC-A or GTIN-14 by its check digit (GS1), and return the expected digit.

    Use it for article lists. The prefix identifies the GS1 member that issued the number.
    """
    digits = number.replace(" ", "").replace("-", "")
    if len(digits) not in _LENGTHS:
        raise ToolError("An article number has 8, 12, 13 or 14 digits.")
    check_digit = str(ean.calc_check_digit(digits[:-1]))
    valid = check_digit == digits[-1]
    return {
        "valid": valid,
        "problem": "" if valid else f"The check digit must be {check_digit}.",
        "kind": _LENGTHS[len(digits)],
        "gtin14": digits.zfill(14) if valid else None,
        "check_digit": check_digit,
        "prefix": None if len(digits) == 8 else digits.zfill(14)[1:4],
    }


class Gs1(TypedDict):
    """Content of a GS1 barcode."""

    elements: Annotated[
        dict[str, str], About("Values by application identifier, such as 01 for the GTIN; dates in ISO 8601")
    ]
    names: Annotated[dict[str, str], About("Meanings of the identifiers, if known")]


_NEXT = re.compile(r"(?<=[^\x1d])\((?=\d{2,4}\))")
"""The bracket of an element other than the first one: it ends the previous value, like the separator."""

_AIS = {
    "00": "Serial shipping container code",
    "01": "GTIN",
    "02": "GTIN of the contained goods",
    "10": "Batch or lot",
    "11": "Production date",
    "13": "Packaging date",
    "15": "Best before",
    "17": "Expiry date",
    "21": "Serial number",
    "30": "Count",
    "37": "Count of the contained goods",
    "310": "Net weight in kg",
    "400": "Purchase order",
    "410": "Ship to location",
    "414": "Location",
    "421": "Ship to postal code with country",
    "422": "Country of origin",
}


@tool(
    tags="gs1 128 datamatrix element string application identifier parse gtin lot expiry sscc",
    use_when=(
        "What does (01)38425876095074(17)181119(37)1 mean?",
        "Read lot and expiry date of a GS1-128 barcode",
        "Parse the GS1 DataMatrix of a medicine",
    ),
    examples=(
        Example(
            {"text": "(01)38425876095074(17)181119(37)1"},
            {"elements": {"01": "38425876095074", "17": "2018-11-19", "37": "1"}},
            source="the documentation of python-stdnum; GS1 General Specifications, section 3",
        ),
        Example(
            {"text": "(01)04012345123456(10)L447(17)280131"},
            {"elements": {"01": "04012345123456", "10": "L447", "17": "2028-01-31"}},
            source="GS1 General Specifications, section 7.8.4: a bracket ends the value before",
        ),
        Refusal({"text": "(01)38425876095075"}, "GTIN"),
    ),
    reply="The barcode contains these values by application identifier: {elements}",
)
def gs1_parse_elements(
    text: Annotated[
        str,
        About(
            "Element string with brackets, or as scanned, with <GS> or \\u001d between elements",
            "(01)38425876095074(17)181119(37)1",
            max_length=500,
        ),
    ],
) -> Gs1:
    """Parse a GS1 element string from a barcode: article number, lot, expiry date, weights and more.

    Use it for scanned GS1-128 or GS1 DataMatrix codes. The parts are validated by their rules.
    """
    marked = _NEXT.sub("\x1d(", text.replace("<GS>", "\x1d").strip())
    plain = marked.removeprefix("]C1").removeprefix("]d2").removeprefix("]Q3")
    try:
        found = gs1_128.info(plain, "\x1d")
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise ToolError(
            "This is not a GS1 element string, or a part such as the GTIN has a wrong check digit."
        ) from error
    elements = {str(key): value.isoformat() if isinstance(value, date) else str(value) for key, value in found.items()}
    names = {key: _AIS.get(key, _AIS.get(key[:3], "")) for key in elements}
    return {"elements": elements, "names": {key: name for key, name in names.items() if name}}


class Imei(TypedDict):
    """Identifier of a mobile device."""

    valid: Valid
    problem: Problem
    kind: Annotated[str | None, About("IMEI, or IMEISV with a software version")]
    type_code: Annotated[str, About("TAC: maker and model, the first eight digits")]
    serial: Annotated[str, About("Serial number of the device")]
    check_digit: Annotated[str | None, About("Expected check digit for the first 14 digits (Luhn); null for an IMEISV")]
    formatted: Annotated[str, About("Usual notation")]


@tool(
    tags="imei mobile phone device number validate tac luhn imeisv",
    use_when=(
        "Is 49-015420-323751-8 a valid IMEI?",
        "What is the type allocation code of this IMEI?",
        "Check the serial number of a phone",
    ),
    examples=(
        Example(
            {"imei": "490154203237518"},
            {"valid": True, "kind": "IMEI", "type_code": "49015420", "serial": "323751", "check_digit": "8"},
            source="Wikipedia, International Mobile Equipment Identity",
        ),
        Example({"imei": "490154203237517"}, {"valid": False, "check_digit": "8"}, source="the check digit is 8"),
        Example({"imei": "49015420323751"}, {"check_digit": "8", "formatted": "49-015420-323751-8"}, source="the same"),
        Refusal({"imei": "49a"}, "imei"),
    ),
    reply={
        "valid": "{formatted} is a valid {kind} with the type code {type_code}.",
        "valid, type_code": "{args.imei} is a valid IMEI with the type code {type_code}.",
        "problem": "{args.imei} is not a valid IMEI: {problem}",
        "": "{args.imei} is not a valid IMEI.",
    },
)
def imei_validate_number(
    imei: Annotated[
        str, About("IMEI or IMEISV", "490154203237518", pattern="^[0-9 /-]+$", min_length=14, max_length=30)
    ],
) -> Imei:
    """Validate the IMEI of a mobile device by its check digit, and split it into type code and serial number.

    Use it to detect typing errors, or with 14 digits to compute the check digit. It does not check whether the device
    is stolen.
    """
    digits = imei.replace("/", "")
    compact, problem = judge(imei_standard, digits)
    plain = compact or imei_standard.compact(digits)
    return {
        "valid": compact is not None,
        "problem": problem,
        "kind": imei_standard.imei_type(plain) if compact else None,
        "type_code": plain[:8],
        "serial": plain[8:14],
        "check_digit": luhn.calc_check_digit(plain[:14]) if len(plain) <= 15 else None,
        "formatted": imei_standard.format(plain, add_check_digit=True) if compact else plain,
    }


class Mac(TypedDict):
    """A network card address."""

    mac: Annotated[str, About("Address with colons, in lower case")]
    vendor: Annotated[str | None, About("Registered owner of the block (IEEE); null for unknown or local addresses")]
    vendor_address: Annotated[list[str], About("Postal address of the owner in the register")]
    locally_administered: Annotated[bool, About("Whether it is locally administered, like random addresses of phones")]
    multicast: Annotated[bool, About("Whether it is a group address")]
    eui64: Annotated[str, About("Modified EUI-64 of IPv6 (RFC 4291, appendix A)")]
    link_local: Annotated[str, About("IPv6 link-local address derived from it")]


@tool(
    tags="mac address vendor oui lookup manufacturer network card ieee random",
    use_when=(
        "Which company made the device 00-1B-63-84-45-E6?",
        "Is this MAC address random?",
        "What is the IPv6 link-local address of 00:1b:63:84:45:e6?",
    ),
    examples=(
        Example(
            {"mac": "00-1B-63-84-45-E6"},
            {
                "mac": "00:1b:63:84:45:e6",
                "vendor": "Apple, Inc.",
                "locally_administered": False,
                "multicast": False,
                "link_local": "fe80::21b:63ff:fe84:45e6",
            },
            source="Wikipedia, MAC address; RFC 4291, appendix A",
        ),
        Example(
            {"mac": "0200.5e10.0001"},
            {"vendor": None, "locally_administered": True},
            source="IEEE 802: the second lowest bit",
        ),
        Refusal({"mac": "00:1b:63"}, "12 hexadecimal digits"),
    ),
    reply={
        "vendor": "{vendor} is the vendor of {mac}.",
        "locally_administered": "{mac} is a locally administered address, often a random one, so it has no vendor.",
        "multicast": "{mac} is a group address.",
        "": "The vendor of {mac} is not known.",
    },
)
def mac_lookup_vendor(
    mac: Annotated[str, About("MAC address in any notation", "00-1B-63-84-45-E6", min_length=6, max_length=40)],
) -> Mac:
    """Look up the vendor of a MAC address in the IEEE register, and detect random and group addresses.

    Use it to identify devices in a network. Also returns the IPv6 address derived from it.
    """
    try:
        # The library also accepts shortened forms, which are unlikely to be intended.
        address = EUI(mac.strip() if len(re.sub("[^0-9A-Fa-f]", "", mac)) == 12 else "", version=48)
    except (AddrFormatError, ValueError, TypeError) as error:
        raise ToolError(f"{mac} is not a MAC address: 12 hexadecimal digits, such as 00:1b:63:84:45:e6.") from error
    content = int(address).to_bytes(6, "big")
    local = bool(content[0] & 2)
    try:
        registered = None if local else address.oui.registration()
    except NotRegisteredError:
        registered = None
    return {
        "mac": content.hex(":"),
        "vendor": registered.org if registered else None,
        "vendor_address": [line for line in registered.address if line] if registered else [],
        "locally_administered": local,
        "multicast": bool(content[0] & 1),
        "eui64": (bytes([content[0] ^ 2]) + content[1:3] + b"\xff\xfe" + content[3:]).hex(":"),
        "link_local": str(address.ipv6_link_local()),
    }


class Container(TypedDict):
    """A freight container number."""

    valid: Valid
    problem: Problem
    owner: Annotated[str, About("Owner code")]
    category: Annotated[str, About("U container, J equipment, Z trailer")]
    serial: Annotated[str, About("Serial number")]
    check_digit: Annotated[str, About("Check digit")]


@tool(
    tags="container number iso 6346 bic shipping freight validate check digit",
    use_when=(
        "Is CSQU3054383 a valid container number?",
        "Check the shipping container TASU117000 0",
        "Which owner code has this container?",
    ),
    examples=(
        Example(
            {"number": "CSQU 305438 3"},
            {"valid": True, "owner": "CSQ", "category": "U", "serial": "305438", "check_digit": "3"},
            source="Wikipedia, ISO 6346",
        ),
        Example({"number": "CSQU3054384"}, {"valid": False}, source="the check digit is 3"),
        Refusal({"number": "CSQU"}, "number"),
    ),
    reply={
        "valid": "{args.number} is a valid container number of the owner {owner}.",
        "problem": "{args.number} is not a valid container number: {problem}",
        "": "{args.number} is not a valid container number.",
    },
)
def container_validate_number(
    number: Annotated[
        str, About("Container number", "CSQU3054383", pattern="^[A-Za-z0-9 -]+$", min_length=11, max_length=20)
    ],
) -> Container:
    """Validate the number of a shipping container by its check digit (ISO 6346), and split it into its parts.

    Use it for bills of lading. Returns the problem of a mistyped number.
    """
    compact, problem = judge(iso6346, number.replace("-", ""))
    plain = compact or number.replace("-", "").replace(" ", "").upper()
    return {
        "valid": compact is not None,
        "problem": problem,
        "owner": plain[:3],
        "category": plain[3:4],
        "serial": plain[4:10],
        "check_digit": plain[10:],
    }
