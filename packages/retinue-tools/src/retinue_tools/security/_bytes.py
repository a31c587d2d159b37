"""Encodings of bytes in arguments and results."""

import base64
import re
from pathlib import Path
from typing import Annotated, Literal

from retinue.sdk import About, ToolError

Encoding = Annotated[Literal["utf8", "hex", "base64"], About("Encoding of the bytes in the text")]
Hexadecimal = Annotated[str, About("Bytes in hexadecimal", "00112233445566778899aabbccddeeff", max_length=200_000)]


def bytes_of(text: str, encoding: str, what: str = "text") -> bytes:
    """Decode the bytes of a text; Base64 may be URL-safe and lack padding (RFC 4648)."""
    try:
        match encoding:
            case "hex":
                return bytes.fromhex(text)
            case "base64":
                plain = re.sub(r"\s", "", text).translate(str.maketrans("-_", "+/")).rstrip("=")
                return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
            case _:
                return text.encode()
    except ValueError as error:
        kind = {"hex": "hexadecimal", "base64": "Base64"}.get(encoding, "text that has UTF-8")
        raise ToolError(f"The {what} is not {kind}.") from error


def base64_of(content: bytes) -> str:
    """Encode as Base64 with padding."""
    return base64.b64encode(content).decode()


def urlsafe_of(content: bytes) -> str:
    """Encode as URL-safe Base64 without padding, as in JOSE (RFC 7515, section 2)."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def text_or_none(content: bytes) -> str | None:
    """Return the bytes as UTF-8 text, or None if they are not valid."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def content_of(text: str | None, encoding: str, file: str | None) -> bytes:
    """Return the bytes of a text or of a file, exactly one of which must be given."""
    if (text is None) == (file is None):
        raise ToolError("Give either text or file.")
    return Path(file).read_bytes() if file is not None else bytes_of(text or "", encoding)
