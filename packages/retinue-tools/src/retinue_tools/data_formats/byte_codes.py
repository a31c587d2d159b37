"""Base64 and similar encodings."""

import base64
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.data_formats._byte_sources import FILE, Hexed, Plain, content_of
from retinue_tools.data_formats._values import Written

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RFC_4648 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_PADDED = ("base64", "base64url", "base32", "base32hex")
"""Encodings with = as padding; in others it is a digit."""
Notation = Annotated[
    Literal["base64", "base64url", "base32", "base32hex", "crockford32", "base58", "ascii85", "base85", "z85", "hex"],
    About("Encoding; base32 to base64url are those of RFC 4648, base85 is that of git, base58 that of Bitcoin"),
]


class Encoded(Written):
    """Encoded bytes."""

    size_bytes: Annotated[int, About("Number of encoded bytes")]


class Decoded(TypedDict):
    """Decoded bytes."""

    text: NotRequired[Annotated[str, About("The bytes as text, if they are valid UTF-8")]]
    hex: Annotated[str, About("First 4096 bytes as hexadecimal digits")]
    size_bytes: Annotated[int, About("Number of bytes")]
    file: NotRequired[OutputFile]


@tool(
    tags="base64 base32 base58 base85 ascii85 hex encode bytes binary text base64url",
    use_when=(
        "Encode 'foobar' in Base64",
        "Give me this file as Base64",
        "Encode these bytes in URL-safe Base64 without padding",
        "Write hello in hexadecimal",
        "The ASCII bytes of a word as hex",
    ),
    examples=(
        Example({"text": "fooba"}, {"text": "Zm9vYmE="}, source="RFC 4648, section 10"),
        Example({"text": "fooba", "notation": "base32"}, {"text": "MZXW6YTB"}, source="RFC 4648, section 10"),
        Example({"text": "foob", "notation": "base32hex"}, {"text": "CPNMUOG="}, source="RFC 4648, section 10"),
        Example({"text": "foobar", "notation": "hex"}, {"text": "666f6f626172"}, source="RFC 4648, section 10"),
        Example(
            {"hex_digits": "864FD26FB559F75B", "notation": "z85"},
            {"text": "HelloWorld"},
            source="ZeroMQ RFC 32, test case",
        ),
        Example(
            {"text": "Hello World!", "notation": "base58"},
            {"text": "2NEpo7TZRRrLZSi2U"},
            "draft-msporny-base58, section 5",
        ),
        Example(
            {"hex_digits": "0000287fb4cd", "notation": "base58"},
            {"text": "11233QC4"},
            source="draft-msporny-base58, section 5",
        ),
        Example(
            {"file": FILE, "notation": "base64url", "padding": False},
            {"text": "-_8", "size_bytes": 2},
            source="RFC 4648, section 5: - and _ stand for 62 and 63",
            files={FILE: "+/8="},
        ),
        Refusal({}, "exactly one"),
        Refusal({"hex_digits": "abc"}, "must be even"),
    ),
    reply={
        "args.notation": "The {size_bytes|byte} in {args.notation}: {text}",
        "": "The {size_bytes|byte} in Base64: {text}",
    },
)
def bytes_encode_text(
    text: Plain = None,
    hex_digits: Hexed = None,
    file: File | None = None,
    notation: Notation = "base64",
    padding: Annotated[bool, About("Whether to pad Base64 and Base32 with =")] = True,
) -> Encoded:
    """Encode a text, hexadecimal bytes or a file in Base64, Base32, Base58, Base85, Ascii85 or hexadecimal digits.

    Use it to put bytes into JSON, URLs or mail. Returns the encoded text and the number of bytes.
    """
    content = content_of(text, hex_digits, file)
    if notation == "base58" and len(content) > 10_000:
        raise ToolError("Base58 supports up to 10,000 bytes. Choose base64 for more.")
    if notation == "z85" and len(content) % 4:
        raise ToolError("Z85 requires a length that is divisible by 4. Choose base85 instead.")
    encoded = _ENCODERS[notation](content)
    return {"text": encoded if padding or notation not in _PADDED else encoded.rstrip("="), "size_bytes": len(content)}


@tool(
    tags="base64 base32 base58 base85 ascii85 hex decode bytes binary data uri base64url",
    use_when=(
        "Decode Zm9vYmFy",
        "What does this Base64 string say?",
        "Save this data URI as a file",
        "Decode 48656c6c6f from hex",
        "Decode a Base64 string to readable text",
    ),
    examples=(
        Example({"encoded": "Zm9vYmE="}, {"text": "fooba", "size_bytes": 5}, source="RFC 4648, section 10"),
        Example({"encoded": "MZXW6YTB oi", "notation": "base32"}, {"text": "foobar"}, source="RFC 4648, section 10"),
        Example({"encoded": "HelloWorld", "notation": "z85"}, {"hex": "864fd26fb559f75b"}, "ZeroMQ RFC 32, test case"),
        Example(
            {"encoded": "11233QC4", "notation": "base58"},
            {"hex": "0000287fb4cd"},
            "draft-msporny-base58, section 5",
        ),
        Example(
            {"encoded": "data:text/plain;base64,Zm9v", "save_as": "foo.txt"},
            {"text": "foo", "file": "foo.txt"},
            "RFC 2397, RFC 4648",
        ),
        Refusal({"encoded": "Zm9v*"}, "not base64"),
        Refusal({"encoded": "0OIl", "notation": "base58"}, "not base58"),
    ),
    reply={
        "text": "The decoded text: {text}",
        "file": "The bytes are not text, so I saved the {size_bytes|byte} as a file: {file}",
        "hex": "The bytes are not text; in hexadecimal: {hex}",
    },
)
def bytes_decode_text(
    encoded: Annotated[str, About("Encoded text, or a data URI", "Zm9vYmFy", min_length=1, max_length=2_000_000)],
    notation: Notation = "base64",
    save_as: Annotated[
        str | None, About("File name; if given, the bytes are saved to a file", "logo.png", max_length=100)
    ] = None,
) -> Decoded:
    """Decode Base64, Base32, Base58, Base85, Ascii85 or hexadecimal digits to text or to a file.

    Use it for tokens, data URIs and attachments. Spaces and missing padding are ignored. Returns the bytes as text if
    they are valid UTF-8, as hexadecimal digits, and as a file on request.
    """
    head, comma, body = encoded.partition(",")
    bare = body if comma and head.startswith("data:") and head.endswith(";base64") else encoded
    try:
        content = _DECODERS[notation]("".join(bare.split()))
    except ValueError as error:
        raise ToolError(f"The text is not {notation}: {str(error)[:150]}. Check it for invalid characters.") from error
    result: Decoded = {"hex": content[:4096].hex(), "size_bytes": len(content)}
    with suppress(UnicodeDecodeError):
        result = {"text": content.decode(), **result}
    if save_as:
        result["file"] = save(save_as, content)
    return result


def _base58(content: bytes) -> str:
    number, digits = int.from_bytes(content, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        digits = _BASE58[digit] + digits
    return "1" * (len(content) - len(content.lstrip(b"\0"))) + digits


def _from_base58(text: str) -> bytes:
    if len(text) > 20_000:
        raise ValueError("it has more than 20,000 characters")
    number = 0
    for char in text:
        number = number * 58 + _BASE58.index(char)
    zeros = len(text) - len(text.lstrip("1"))
    return b"\0" * zeros + number.to_bytes((number.bit_length() + 7) // 8, "big")


def _pad(text: str, block: int) -> str:
    bare = text.rstrip("=")
    return bare + "=" * (-len(bare) % block)


def _from_crockford(text: str) -> bytes:
    """Crockford's Base32: o is 0, i and l are 1, hyphens are ignored."""
    plain_text = text.upper().replace("-", "").translate(str.maketrans("OIL", "011"))
    if set(plain_text) - set(_CROCKFORD):
        raise ValueError("it has a character outside the alphabet")
    return base64.b32decode(_pad(plain_text.translate(str.maketrans(_CROCKFORD, _RFC_4648)), 8))


def _from_z85(text: str) -> bytes:
    if len(text) % 5:
        raise ValueError("its length is not a multiple of 5")
    return base64.b85decode(text.translate(_FROM_Z85))


_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_GIT85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_TO_Z85, _FROM_Z85 = str.maketrans(_GIT85, _Z85), str.maketrans(_Z85, _GIT85)
_ENCODERS: Mapping[str, Callable[[bytes], str]] = {
    "base64": lambda content: base64.b64encode(content).decode(),
    "base64url": lambda content: base64.urlsafe_b64encode(content).decode(),
    "base32": lambda content: base64.b32encode(content).decode(),
    "base32hex": lambda content: base64.b32hexencode(content).decode(),
    "crockford32": lambda content: (
        base64.b32encode(content).decode().rstrip("=").translate(str.maketrans(_RFC_4648, _CROCKFORD))
    ),
    "base58": _base58,
    "ascii85": lambda content: base64.a85encode(content).decode(),
    "base85": lambda content: base64.b85encode(content).decode(),
    "z85": lambda content: base64.b85encode(content).decode().translate(_TO_Z85),
    "hex": bytes.hex,
}
_DECODERS: Mapping[str, Callable[[str], bytes]] = {
    "base64": lambda text: base64.b64decode(_pad(text.translate(str.maketrans("-_", "+/")), 4), validate=True),
    "base64url": lambda text: base64.b64decode(_pad(text.translate(str.maketrans("-_", "+/")), 4), validate=True),
    "base32": lambda text: base64.b32decode(_pad(text, 8), casefold=True),
    "base32hex": lambda text: base64.b32hexdecode(_pad(text, 8), casefold=True),
    "crockford32": _from_crockford,
    "base58": _from_base58,
    "ascii85": lambda text: base64.a85decode(text.removeprefix("<~").removesuffix("~>")),
    "base85": base64.b85decode,
    "z85": _from_z85,
    "hex": lambda text: bytes.fromhex(text.replace(":", "").removeprefix("0x")),
}
