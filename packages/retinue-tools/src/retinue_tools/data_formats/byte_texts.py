"""Bytes as text: hex dumps and character encodings."""

import base64
import binascii
import codecs
import quopri
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from pathlib import Path
from typing import Annotated, Literal

import charset_normalizer
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.data_formats._byte_sources import FILE, MOST_BYTES, Hexed, Plain, content_of
from retinue_tools.data_formats._values import Written, plain
from retinue_tools.data_formats.byte_codes import Encoded

_BOMS = {
    codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF32_LE: "utf-32-le", codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be",
}  # fmt: skip


class Guess(TypedDict):
    """Detected encoding of a file."""

    encoding: Annotated[str | None, About("Most likely encoding; null if the file does not seem to be text")]
    bom: Annotated[bool, About("Whether the file begins with a byte order mark, which determines the encoding")]
    alternatives: Annotated[list[str], About("Other possible encodings, most likely first")]
    language: Annotated[str | None, About("Likely language")]
    line_ending: Annotated[Literal["lf", "crlf", "cr", "mixed", "none"], About("Line ends")]
    sample: Annotated[str, About("First 200 characters in that encoding")]


@tool(
    tags="hexdump hex dump bytes binary offset ascii xxd view",
    use_when=(
        "Show the first bytes of this file as a hex dump",
        "Hexdump the text Hello",
        "What is at offset 0x100 of this file?",
    ),
    examples=(
        Example(
            {"text": "Hello, world!\nxyz"},
            {
                "text": "00000000  48 65 6c 6c 6f 2c 20 77  6f 72 6c 64 21 0a 78 79  |Hello, world!.xy|\n"
                "00000010  7a                                                |z|\n",
                "size_bytes": 17,
            },
            source="the layout of hexdump -C",
        ),
        Example(
            {"hex_digits": "00ff41", "offset": 2},
            {"text": "00000002  41" + " " * 48 + "|A|\n"},
            "the layout of hexdump -C",
        ),
        Refusal({"text": "abc", "offset": 3}, "has 3 bytes"),
    ),
    reply="The hex dump: {text}",
)
def bytes_dump_hex(
    text: Plain = None,
    hex_digits: Hexed = None,
    file: File | None = None,
    offset: Annotated[int, About("Offset of the first byte", 0, minimum=0)] = 0,
    length: Annotated[int, About("Maximum number of bytes", 512, minimum=1, maximum=65536)] = 512,
) -> Encoded:
    """Show bytes of a file or text as a dump of offsets, hexadecimal digits and ASCII characters.

    Use it to inspect binary files, magic numbers and odd characters. Returns the dump, 16 bytes in a line, and the
    total size.
    """
    content = content_of(text, hex_digits, file)
    if offset >= len(content):
        raise ToolError(f"The content has {len(content)} bytes, so offset {offset} does not exist.")
    end = min(offset + length, len(content))
    lines = [_dump_line(content[place : min(place + 16, end)], place) for place in range(offset, end, 16)]
    return {"text": "".join(lines), "size_bytes": len(content)}


@tool(
    tags="charset encoding detect guess bom utf-8 utf-16 latin1 windows-1252 mojibake",
    use_when=(
        "Which character encoding has this file?",
        "Does this file begin with a BOM?",
        "Why are the umlauts of this text file broken?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"encoding": "utf-16-le", "bom": True, "sample": "A\n", "line_ending": "lf"},
            source="Unicode Standard, section 23.8: FF FE marks UTF-16 little-endian",
            files={FILE: base64.b64encode(codecs.BOM_UTF16_LE + "A\n".encode("utf-16-le")).decode()},
        ),
        Example(
            {"file": FILE},
            {"encoding": "utf-8", "bom": False, "line_ending": "crlf", "sample": "Grüße\r\n"},
            source="RFC 3629: the bytes are valid UTF-8",
            files={FILE: base64.b64encode("Grüße\r\n".encode()).decode()},
        ),
        Refusal({"file": FILE}, "empty", files={FILE: ""}),
    ),
    pace="normal",
)
def file_detect_charset(file: File) -> Guess:
    """Detect the character encoding of a text file by its byte order mark or its content.

    Use it if characters are displayed wrongly. Returns the most likely encoding with alternatives, the language, the
    line ends and a sample. Without a byte order mark, encodings other than UTF-8 are guesses.
    """
    content = Path(file).read_bytes()[:MOST_BYTES]
    if not content:
        raise ToolError("The file is empty, so it has no encoding.")
    bom = next((mark for mark in _BOMS if content.startswith(mark)), b"")
    guesses = [_BOMS[bom]] if bom else _guesses(content)
    best = guesses[0] if guesses else None
    text = content[len(bom) :].decode(best, "replace") if best else ""
    found = charset_normalizer.from_bytes(content[:65536]).best() if best else None
    language = found.language if found and found.language != "Unknown" else None
    return {
        "encoding": best,
        "bom": bool(bom),
        "alternatives": guesses[1:6],
        "language": language,
        "line_ending": _line_ending(text),
        "sample": plain(text[:200]),
    }


@tool(
    tags="quoted printable mime encode decode email header encoded-word rfc2047",
    use_when=(
        "Decode this quoted-printable text: Gr=C3=BC=C3=9Fe",
        "What does =?ISO-8859-1?Q?Keld_J=F8rn_Simonsen?= say?",
        "Encode this text as quoted-printable",
    ),
    examples=(
        Example(
            {"text": "If you believe that truth=3Dbeauty, =\nthen", "to": "decoded"},
            {"text": "If you believe that truth=beauty, then"},
            source="RFC 2045, section 6.7, shortened",
        ),
        Example(
            {"text": "=?ISO-8859-1?Q?Keld_J=F8rn_Simonsen?=", "to": "decoded_header"},
            {"text": "Keld Jørn Simonsen"},
            source="RFC 2047, section 8",
        ),
        Example(
            {"text": "a=ü ", "to": "encoded"}, {"text": "a=3D=C3=BC=20"}, source="RFC 2045, section 6.7, rules 1 and 3"
        ),
        Refusal({"text": "=FF", "to": "decoded"}, "not utf-8"),
    ),
    reply={
        "text": "{text}",
        "": "The text: {text}",
    },
)
def quoted_printable_convert(
    text: Annotated[str, About("Text to convert", "Gr=C3=BC=C3=9Fe", max_length=500_000)],
    to: Annotated[
        Literal["decoded", "encoded", "decoded_header"],
        About("Operation; decoded_header is for encoded words in mail headers (RFC 2047)"),
    ] = "decoded",
    encoding: Annotated[
        Literal["utf-8", "iso-8859-1", "windows-1252"], About("Character encoding of the bytes")
    ] = "utf-8",
) -> Written:
    """Decode or encode quoted-printable text (RFC 2045), or decode the encoded words of a mail header (RFC 2047).

    Use it to read raw mail. Returns the text.
    """
    try:
        if to == "decoded_header":
            return {"text": plain(str(make_header(decode_header(text))))}
        if to == "decoded":
            return {"text": quopri.decodestring(text.encode(encoding)).decode(encoding)}
        return {"text": quopri.encodestring(text.encode(encoding)).decode("ascii")}
    except UnicodeError as error:
        raise ToolError(f"The text is not {encoding}. Choose another encoding.") from error
    except (HeaderParseError, LookupError, binascii.Error) as error:
        raise ToolError(f"The header has an encoded word that cannot be decoded: {str(error)[:150]}") from error


def _dump_line(part: bytes, place: int) -> str:
    pairs = f"{part[:8].hex(' '):<23}  {part[8:].hex(' '):<23}"
    characters = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
    return f"{place:08x}  {pairs}  |{characters}|\n"


def _guesses(content: bytes) -> list[str]:
    """Return possible encodings, most likely first."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        if error.start < len(content) - 3 or len(content) < MOST_BYTES:
            found = [match.encoding.replace("_", "-") for match in charset_normalizer.from_bytes(content[:262_144])]
            return list(dict.fromkeys(found))
    return ["ascii", "utf-8"] if content.isascii() else ["utf-8"]


def _line_ending(text: str) -> Literal["lf", "crlf", "cr", "mixed", "none"]:
    pairs = text.count("\r\n")
    counts: dict[Literal["lf", "crlf", "cr"], int] = {
        "crlf": pairs,
        "lf": text.count("\n") - pairs,
        "cr": text.count("\r") - pairs,
    }
    used = [name for name, count in counts.items() if count]
    return "mixed" if len(used) > 1 else used[0] if used else "none"
