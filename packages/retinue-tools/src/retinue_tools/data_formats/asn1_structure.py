"""ASN.1 in DER (X.690)."""

from collections.abc import Iterator
from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.data_formats._byte_sources import Content, Hexed, bytes_of
from retinue_tools.data_formats._values import plain
from retinue_tools.data_formats.protobuf_wire import DEEPEST

_CLASSES = ("universal", "application", "context", "private")
_TAGS = {
    1: "BOOLEAN", 2: "INTEGER", 3: "BIT STRING", 4: "OCTET STRING", 5: "NULL", 6: "OBJECT IDENTIFIER", 10: "ENUMERATED",
    12: "UTF8String", 13: "RELATIVE-OID", 16: "SEQUENCE", 17: "SET", 18: "NumericString", 19: "PrintableString",
    20: "T61String", 22: "IA5String", 23: "UTCTime", 24: "GeneralizedTime", 26: "VisibleString", 27: "GeneralString",
    28: "UniversalString", 30: "BMPString",
}  # fmt: skip
_TEXTS = {12: "utf-8", 18: "ascii", 19: "ascii", 20: "latin-1", 22: "ascii", 23: "ascii", 24: "ascii", 26: "ascii",
          27: "latin-1", 28: "utf-32-be", 30: "utf-16-be"}  # fmt: skip
_OIDS = {
    "1.2.840.113549.1.1.1": "rsaEncryption", "1.2.840.113549.1.1.11": "sha256WithRSAEncryption",
    "1.2.840.10045.2.1": "ecPublicKey", "1.2.840.10045.3.1.7": "prime256v1", "1.2.840.10045.4.3.2": "ecdsaWithSHA256",
    "1.3.101.112": "Ed25519", "2.5.4.3": "commonName", "2.5.4.6": "countryName", "2.5.4.7": "localityName",
    "2.5.4.8": "stateOrProvinceName", "2.5.4.10": "organizationName", "2.5.4.11": "organizationalUnitName",
    "2.5.29.14": "subjectKeyIdentifier", "2.5.29.15": "keyUsage", "2.5.29.17": "subjectAltName",
    "2.5.29.19": "basicConstraints", "2.5.29.35": "authorityKeyIdentifier", "2.5.29.37": "extKeyUsage",
    "2.16.840.1.101.3.4.2.1": "sha256",
}  # fmt: skip


class Node(TypedDict):
    """An element of ASN.1."""

    offset: Annotated[int, About("Where it begins, in bytes")]
    depth: Annotated[int, About("How deep it is nested, the outermost 0")]
    tag: Annotated[str, About("Its type, such as SEQUENCE, or its tag, such as [context 0]")]
    length: Annotated[int, About("Length of its content in bytes")]
    value: NotRequired[Annotated[Any, About("Its value; absent for elements that hold others")]]


class Dump(TypedDict):
    """The elements of a structure."""

    nodes: Annotated[list[Node], About("The elements in their order, the inner ones after the outer")]


@tool(
    tags="asn1 der ber dump parse certificate key pem oid structure",
    use_when=(
        "Dump the ASN.1 structure of this certificate",
        "What is in this DER file?",
        "Show the OIDs of this public key",
    ),
    examples=(
        Example(
            {"hex_digits": "300d06092a864886f70d0101010500"},
            {
                "nodes": [
                    {"offset": 0, "depth": 0, "tag": "SEQUENCE", "length": 13},
                    {
                        "offset": 2,
                        "depth": 1,
                        "tag": "OBJECT IDENTIFIER",
                        "length": 9,
                        "value": "1.2.840.113549.1.1.1 (rsaEncryption)",
                    },
                    {"offset": 13, "depth": 1, "tag": "NULL", "length": 0, "value": None},
                ]
            },
            source="RFC 8017, appendix A.1, AlgorithmIdentifier of rsaEncryption",
        ),
        Example(
            {"base64_text": "-----BEGIN X-----\nMAoCAf8BAf+gAgUA\n-----END X-----"},
            {
                "nodes": [
                    {"offset": 0, "depth": 0, "tag": "SEQUENCE", "length": 10},
                    {"offset": 2, "depth": 1, "tag": "INTEGER", "length": 1, "value": -1},
                    {"offset": 5, "depth": 1, "tag": "BOOLEAN", "length": 1, "value": True},
                    {"offset": 8, "depth": 1, "tag": "[context 0]", "length": 2},
                    {"offset": 10, "depth": 2, "tag": "NULL", "length": 0, "value": None},
                ]
            },
            source="by hand, by X.690, sections 8.1 to 8.3",
        ),
        Refusal({"hex_digits": "3005020101"}, "offset 0"),
    ),
)
def asn1_dump_structure(base64_text: Content = None, hex_digits: Hexed = None, file: File | None = None) -> Dump:
    """Dump the structure of ASN.1 data in DER, such as certificates, keys and signatures, also from PEM.

    Use it to look into binary files of cryptography. Returns the elements with offset, depth, type, length and value;
    object identifiers are named where they are well known.
    """
    content = bytes_of(base64_text, hex_digits, file)
    nodes = list(_elements(content, 0, len(content), 0))
    if not nodes:
        raise ToolError("There are no bytes to look into.")
    return {"nodes": nodes}


def _elements(content: bytes, place: int, end: int, depth: int) -> Iterator[Node]:
    """The elements between two places, each followed by those in it (X.690)."""
    while place < end:
        start = place
        first = content[place]
        number, place = _tag_number(content, place, end)
        length, place = _length(content, place, end, start)
        kind, constructed = first >> 6, bool(first & 0x20)
        tag = _TAGS.get(number, f"[universal {number}]") if kind == 0 else f"[{_CLASSES[kind]} {number}]"
        node: Node = {"offset": start, "depth": depth, "tag": tag, "length": length}
        if constructed:
            yield node
            if depth > DEEPEST:
                raise ToolError("The structure is nested too deeply.")
            yield from _elements(content, place, place + length, depth + 1)
        else:
            yield {**node, "value": _asn1_value(kind, number, content[place : place + length])}
        place += length


def _tag_number(content: bytes, place: int, end: int) -> tuple[int, int]:
    number, place = content[place] & 31, place + 1
    if number < 31:
        return number, place
    number = 0
    while place < end and place < len(content):
        byte, place = content[place], place + 1
        number = number << 7 | byte & 127
        if byte < 128:
            break
    return number, place


def _length(content: bytes, place: int, end: int, start: int) -> tuple[int, int]:
    """The length at a place, and where the content begins. Raises `ToolError` where it goes beyond the end."""
    first = content[place] if place < end else 128
    count = first & 127 if first > 128 else 0
    length = int.from_bytes(content[place + 1 : place + 1 + count], "big") if count else first
    begin = place + 1 + count
    if first == 128 or begin + length > end:
        raise ToolError(
            f"This is not DER: the element at offset {start} goes beyond its end or has no definite length."
        )
    return length, begin


def _asn1_value(kind: int, number: int, part: bytes) -> Any:
    if kind == 0:
        if number == 5:
            return None
        if number == 1:
            return any(part)
        if number in (2, 10):
            value = int.from_bytes(part, "big", signed=True)
            return value if -(2**63) <= value < 2**63 else f"0x{part.hex()}"
        if number == 6 and part:
            oid = _object_identifier(part)
            return f"{oid} ({_OIDS[oid]})" if oid in _OIDS else oid
        if number in _TEXTS:
            return plain(part.decode(_TEXTS[number], "replace"))
    return part[:2048].hex()


def _object_identifier(part: bytes) -> str:
    """Dotted numbers (X.690, section 8.19)."""
    numbers, value = [], 0
    for byte in part[:200]:
        value = value << 7 | byte & 127
        if byte < 128:
            numbers.append(value)
            value = 0
    first = numbers[0] if numbers else 0
    root = min(first // 40, 2)
    return ".".join(map(str, [root, first - 40 * root, *numbers[1:]]))
