"""Binary formats: CBOR, MessagePack, Bencode, Protocol Buffers, ASN.1."""

import base64
import struct
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import cbor2
import msgpack
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.data_formats._byte_sources import Content, Hexed, bytes_of
from retinue_tools.data_formats._values import Document, Value, plain, read


class Binary(TypedDict):
    """Encoded bytes."""

    hex: Annotated[str, About("Bytes as hexadecimal digits")]
    base64: Annotated[str, About("Bytes in Base64")]
    size_bytes: Annotated[int, About("Number of bytes")]


@tool(
    tags="cbor messagepack msgpack bencode torrent binary decode json",
    use_when=(
        "Decode the CBOR bytes 83010203",
        "What does this MessagePack payload say?",
        "Show what is in this .torrent file",
    ),
    examples=(
        Example(
            {"hex_digits": "a26161016162820203", "form": "cbor"},
            {"value": {"a": 1, "b": [2, 3]}},
            "RFC 8949, appendix A",
        ),
        Example(
            {"hex_digits": "c249010000000000000000", "form": "cbor"},
            {"value": "18446744073709551616"},
            "RFC 8949, appendix A",
        ),
        Example(
            {"base64_text": "g0IBAvb5fAA=", "form": "cbor"},
            {"value": ["0102", None, "inf"]},
            "RFC 8949, appendix A, three values in a list",
        ),
        Example(
            {"hex_digits": "82a7636f6d70616374c3a6736368656d6100", "form": "msgpack"},
            {"value": {"compact": True, "schema": 0}},
            source="the example on the home page of MessagePack",
        ),
        Example(
            {"base64_text": "ZDM6Y293Mzptb280OnNwYW1sMTphaS0zZWVl", "form": "bencode"},
            {"value": {"cow": "moo", "spam": ["a", -3]}},
            "BEP 3, bencoding: d3:cow3:moo4:spaml1:ai-3eee",
        ),
        Refusal({"hex_digits": "83", "form": "cbor"}, "not CBOR"),
        Refusal({"hex_digits": "830102", "form": "msgpack"}, "not MSGPACK"),
        Refusal({"hex_digits": "6469316565", "form": "bencode"}, "not BENCODE"),
    ),
    reply="The decoded value: {value}",
)
def binary_decode_document(
    form: Annotated[Literal["cbor", "msgpack", "bencode"], About("Format of the bytes")],
    base64_text: Content = None,
    hex_digits: Hexed = None,
    file: File | None = None,
) -> Value:
    """Decode CBOR (RFC 8949), MessagePack or Bencode to a JSON value.

    Use it to read payloads of devices, caches and torrents. Returns the value; byte strings become hexadecimal digits,
    or in Bencode text if they are UTF-8, and integers beyond 64 bits become text.
    """
    content = bytes_of(base64_text, hex_digits, file)
    try:
        return {"value": plain(_DECODERS[form](content))}
    except (
        ValueError,
        EOFError,
        TypeError,
        LookupError,
        OverflowError,
        struct.error,
        msgpack.UnpackException,
        cbor2.CBORError,
    ) as error:
        raise ToolError(
            f"The bytes are not {form.upper()}: {plain(str(error))[:200] or 'they are truncated'}."
        ) from error


@tool(
    tags="cbor messagepack msgpack binary encode json",
    use_when=(
        "Encode this JSON as CBOR",
        "How large is this object in MessagePack?",
        "Give me the canonical CBOR of this map",
    ),
    examples=(
        Example(
            {"document": {"a": 1, "b": [2, 3]}, "form": "cbor"},
            {"hex": "a26161016162820203", "size_bytes": 9},
            "RFC 8949, appendix A",
        ),
        Example(
            {"document": [1.5, 100000.0], "form": "cbor", "canonical": True},
            {"hex": "82f93e00fa47c35000"},
            "RFC 8949, appendix A, with the shortest floats of its section 4.2.1",
        ),
        Example(
            {"document": {"compact": True, "schema": 0}, "form": "msgpack"},
            {"hex": "82a7636f6d70616374c3a6736368656d6100", "size_bytes": 18},
            "the example on the home page of MessagePack",
        ),
        Refusal({"document": "[1", "form": "cbor"}, "not JSON"),
    ),
    reply={
        "size_bytes": "The {size_bytes|byte} are {hex} in hexadecimal.",
        "": "The {size_bytes|byte} in hexadecimal: {hex}",
    },
)
def json_encode_binary(
    document: Document,
    form: Annotated[Literal["cbor", "msgpack"], About("Output format")],
    canonical: Annotated[bool, About("Whether to write canonical CBOR, with sorted keys")] = False,
) -> Binary:
    """Encode a JSON document as CBOR (RFC 8949) or MessagePack.

    Use it to make payloads for devices or to compare sizes. Returns the bytes as hexadecimal digits and Base64.
    """
    value = read(document)
    try:
        content: bytes = cbor2.dumps(value, canonical=canonical) if form == "cbor" else msgpack.packb(value)
    except (ValueError, TypeError, OverflowError, cbor2.CBORError) as error:
        raise ToolError(f"The document cannot be represented in that format: {str(error)[:200]}") from error
    return {"hex": content.hex(), "base64": base64.b64encode(content).decode(), "size_bytes": len(content)}


def _to_bencode(content: bytes) -> Any:
    value, end = _bencode(content, 0)
    if end != len(content):
        raise ValueError("there are bytes after the value")
    return value


def _bencode(content: bytes, place: int) -> tuple[Any, int]:
    """Return the value at a position and its end (BEP 3)."""
    mark = content[place : place + 1]
    if mark == b"i":
        end = content.index(b"e", place)
        return int(content[place + 1 : end]), end + 1
    if mark in (b"l", b"d"):
        items, place = [], place + 1
        while content[place : place + 1] != b"e":
            item, place = _bencode(content, place)
            items.append(item)
        return (items if mark == b"l" else _dictionary(items)), place + 1
    colon = content.index(b":", place)
    end = colon + 1 + int(content[place:colon])
    if end > len(content) or end <= colon:
        raise ValueError("a string is cut off")
    part = content[colon + 1 : end]
    try:
        return part.decode(), end
    except UnicodeDecodeError:
        return part, end


def _dictionary(items: list[Any]) -> dict[Any, Any]:
    if len(items) % 2 or any(not isinstance(key, str | bytes) for key in items[::2]):
        raise ValueError("a dictionary has no pairs of text and value")
    return dict(zip(items[::2], items[1::2], strict=True))


_DECODERS: Mapping[str, Callable[[bytes], Any]] = {
    "cbor": cbor2.loads,
    "msgpack": lambda content: msgpack.unpackb(content, strict_map_key=False, timestamp=3),
    "bencode": _to_bencode,
}
