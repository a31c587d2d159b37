"""Protocol Buffers without a schema."""

import struct
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.data_formats._byte_sources import Content, Hexed, bytes_of
from retinue_tools.data_formats._values import plain

_MOST_FIELDS = 20_000
DEEPEST = 60


class WireField(TypedDict):
    """A field of a message."""

    number: Annotated[int, About("Number of the field")]
    kind: Annotated[Literal["varint", "fixed64", "length_delimited", "group", "fixed32"], About("How it is encoded")]
    value: Annotated[Any, About("The likeliest value: number, text, list of fields, or hexadecimal digits")]
    readings: Annotated[dict[str, Any], About("What it is by other types of the field")]


class Wire(TypedDict):
    """A message without its schema."""

    fields: Annotated[list[WireField], About("The fields in their order; repeated ones occur again")]


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
)
def protobuf_decode_wire(base64_text: Content = None, hex_digits: Hexed = None, file: File | None = None) -> Wire:
    """Decode a Protocol Buffers message without its schema, by the wire format alone.

    Use it to look into gRPC payloads and stored messages. Returns the fields with numbers, the likeliest values and
    what they are by other types; nested messages are recognised where the bytes allow it.
    """
    fields = _message(bytes_of(base64_text, hex_digits, file), 0)
    if fields is None:
        raise ToolError("The bytes are not a Protocol Buffers message. Cut off framing such as the 5 bytes of gRPC.")
    return {"fields": fields}


def _varint(content: bytes, place: int) -> tuple[int, int]:
    """The number at a place and where it ends. Raises `ValueError`."""
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
    """The fields of a message; None if the bytes are none."""
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
    """A field after its key, and where it ends. Groups, which nobody writes any more, are refused."""
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
        shown: WireField = {
            "number": number,
            "kind": "fixed64" if kind == 1 else "fixed32",
            "value": plain(floating),
            "readings": readings,
        }
        return shown, place + size
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
    """Printable text, else a message, else hexadecimal digits."""
    try:
        text = part.decode()
        if all(char.isprintable() or char in "\r\n\t" for char in text):
            return text
    except UnicodeDecodeError:
        pass
    inner = _message(part, depth + 1) if depth < DEEPEST else None
    return part.hex() if inner is None else inner
