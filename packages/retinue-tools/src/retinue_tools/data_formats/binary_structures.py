"""Structure of binary data without a schema: ASN.1 in DER (X.690) and Protocol Buffers."""

import struct
from collections.abc import Iterator
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.data_formats._byte_sources import Content, Hexed, bytes_of
from retinue_tools.data_formats._values import plain

_MOST_FIELDS = 20_000
DEEPEST = 60


class WireField(TypedDict):
    """A field of a message."""

    number: Annotated[int, About("Field number")]
    kind: Annotated[Literal["varint", "fixed64", "length_delimited", "group", "fixed32"], About("Wire type")]
    value: Annotated[Any, About("Most likely value: number, text, list of fields, or hexadecimal digits")]
    readings: Annotated[dict[str, Any], About("Values under other field types")]


class Wire(TypedDict):
    """A message decoded without its schema."""

    fields: Annotated[list[WireField], About("Fields in order; repeated fields occur again")]


@tool(
    tags="protobuf protocol buffers grpc wire decode raw message without schema",
    use_when=(
        "Decode this protobuf message without its .proto",
        "What fields has the gRPC payload 089601?",
        "What could the bytes 12 07 74 65 73 74 69 6e 67 mean in protobuf?",
    ),
    examples=(
        Example(
            {"hex_digits": "089601"},
            {"fields": [{"number": 1, "kind": "varint", "value": 150, "readings": {"sint": 75}}]},
            source="Protocol Buffers documentation, Encoding, a simple message",
        ),
        Example(
            {"hex_digits": "120774657374696e67"},
            {"fields": [{"number": 2, "kind": "length_delimited", "value": "testing"}]},
            source="Protocol Buffers documentation, Encoding, strings",
        ),
        Example(
            {"hex_digits": "1a03089601"},
            {"fields": [{"number": 3, "kind": "length_delimited", "value": [{"number": 1, "value": 150}]}]},
            source="Protocol Buffers documentation, Encoding, submessages",
        ),
        Example(
            {"base64_text": "DQAAgD8="},
            {"fields": [{"number": 1, "kind": "fixed32", "value": 1.0, "readings": {"fixed32": 0x3F800000}}]},
            source="IEEE 754: 3F800000 is 1.0",
        ),
        Refusal({"hex_digits": "0896"}, "not a Protocol Buffers message"),
    ),
    reply={
        "fields": "The fields of the message: {fields}",
        "": "The message is empty.",
    },
)
def protobuf_decode_wire(base64_text: Content = None, hex_digits: Hexed = None, file: File | None = None) -> Wire:
    """Decode a Protocol Buffers message without its schema, from the wire format alone.

    Use it to inspect gRPC payloads and stored messages. Returns the fields with numbers, the most likely values and
    their values under other types; nested messages are detected if possible.
    """
    fields = _message(bytes_of(base64_text, hex_digits, file), 0)
    if fields is None:
        raise ToolError("The bytes are not a Protocol Buffers message. Remove framing such as the 5 bytes of gRPC.")
    return {"fields": fields}


def _varint(content: bytes, place: int) -> tuple[int, int]:
    """Return the number at a position and its end. Raises `ValueError`."""
    number = 0
    for shift in range(0, 70, 7):
        if place >= len(content):
            break
        byte = content[place]
        number |= (byte & 127) << shift
        place += 1
        if byte < 128:
            return number & (2**64 - 1), place
    raise ValueError("a varint does not end")


def _message(content: bytes, depth: int) -> list[WireField] | None:
    """Return the fields of a message, or None if the bytes are not one."""
    fields: list[WireField] = []
    place = 0
    try:
        while place < len(content) and len(fields) < _MOST_FIELDS:
            key, place = _varint(content, place)
            field, place = _wire_field(content, place, key, depth)
            fields.append(field)
    except (ValueError, struct.error):
        return None
    return fields


def _wire_field(content: bytes, place: int, key: int, depth: int) -> tuple[WireField, int]:
    """Return a field after its key, and its end. Groups, which are obsolete, are rejected."""
    number, kind = key >> 3, key & 7
    if not 1 <= number < 2**29:
        raise ValueError("a field has no number")
    if kind == 0:
        value, place = _varint(content, place)
        readings = {"sint": (value >> 1) ^ -(value & 1)} | ({"int64": value - 2**64} if value >= 2**63 else {})
        return {"number": number, "kind": "varint", "value": plain(value), "readings": readings}, place
    if kind in (1, 5):
        size, letters = (8, "<d<Q<q") if kind == 1 else (4, "<f<I<i")
        floating, unsigned, signed = (struct.unpack_from(letters[at : at + 2], content, place)[0] for at in (0, 2, 4))
        name = f"fixed{size * 8}"
        readings = {name: plain(unsigned), f"s{name}": signed}
        field: WireField = {
            "number": number,
            "kind": "fixed64" if kind == 1 else "fixed32",
            "value": plain(floating),
            "readings": readings,
        }
        return field, place + size
    if kind != 2:
        raise ValueError("groups are not read")
    size, place = _varint(content, place)
    part = content[place : place + size]
    if len(part) < size:
        raise ValueError("a field is cut off")
    return {
        "number": number,
        "kind": "length_delimited",
        "value": _likeliest(part, depth),
        "readings": {"hex": part[:1024].hex()},
    }, place + size


def _likeliest(part: bytes, depth: int) -> Any:
    """Return printable text, or else a message, or else hexadecimal digits."""
    try:
        text = part.decode()
        if all(char.isprintable() or char in "\r\n\t" for char in text):
            return text
    except UnicodeDecodeError:
        pass
    inner = _message(part, depth + 1) if depth < DEEPEST else None
    return part.hex() if inner is None else inner


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

    offset: Annotated[int, About("Offset in bytes")]
    depth: Annotated[int, About("Nesting depth, 0 for the outermost element")]
    tag: Annotated[str, About("Type, such as SEQUENCE, or tag, such as [context 0]")]
    length: Annotated[int, About("Length of its content in bytes")]
    value: NotRequired[Annotated[Any, About("Value; absent for constructed elements")]]


class Dump(TypedDict):
    """Elements of a structure."""

    nodes: Annotated[list[Node], About("Elements in order, inner elements after the outer one")]


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
    reply="The structure of the ASN.1 data: {nodes}",
)
def asn1_dump_structure(base64_text: Content = None, hex_digits: Hexed = None, file: File | None = None) -> Dump:
    """Dump the structure of ASN.1 data in DER, such as certificates, keys and signatures, also from PEM.

    Use it to inspect binary cryptographic files. Returns the elements with offset, depth, type, length and value;
    well-known object identifiers are named.
    """
    content = bytes_of(base64_text, hex_digits, file)
    nodes = list(_elements(content, 0, len(content), 0))
    if not nodes:
        raise ToolError("There are no bytes to decode.")
    return {"nodes": nodes}


def _elements(content: bytes, place: int, end: int, depth: int) -> Iterator[Node]:
    """Yield the elements between two positions, each followed by its inner elements (X.690)."""
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
    """Return the length at a position, and the start of the content. Raises `ToolError` if it exceeds the end."""
    first = content[place] if place < end else 128
    count = first & 127 if first > 128 else 0
    length = int.from_bytes(content[place + 1 : place + 1 + count], "big") if count else first
    begin = place + 1 + count
    if first == 128 or begin + length > end:
        raise ToolError(f"This is not DER: the element at offset {start} exceeds its end or has no definite length.")
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
    """Format an object identifier as dotted numbers (X.690, section 8.19)."""
    numbers, value = [], 0
    for byte in part[:200]:
        value = value << 7 | byte & 127
        if byte < 128:
            numbers.append(value)
            value = 0
    first = numbers[0] if numbers else 0
    root = min(first // 40, 2)
    return ".".join(map(str, [root, first - 40 * root, *numbers[1:]]))
