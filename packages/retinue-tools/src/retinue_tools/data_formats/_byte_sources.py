"""Byte arguments: text, hexadecimal digits, Base64 or a file."""

import base64
from pathlib import Path
from typing import Annotated

from retinue.sdk import About, ToolError

MOST_BYTES = 4_000_000
FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"
"""File ID in examples."""
Plain = Annotated[str | None, About("Text, encoded as UTF-8", "foobar", max_length=1_000_000)]
Hexed = Annotated[
    str | None,
    About("Bytes as hexadecimal digits", "48 65 6c 6c 6f", pattern="^[0-9a-fA-F\\s:]*$", max_length=2_000_000),
]


def content_of(text: str | None, hex_digits: str | None, file: str | None) -> bytes:
    """Return the bytes that a caller gives as text, hexadecimal digits or a file. Raises `ToolError`."""
    if sum(part is not None for part in (text, hex_digits, file)) != 1:
        raise ToolError("Give exactly one of text, hex_digits and file.")
    if file is not None:
        with Path(file).open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ToolError(f"The file has more than {MOST_BYTES} bytes.")
        return content
    if hex_digits is not None:
        return _from_hex(hex_digits)
    return (text or "").encode(errors="replace")


def _from_hex(digits: str) -> bytes:
    bare = "".join(digits.replace(":", "").split())
    if len(bare) % 2:
        raise ToolError("The number of hexadecimal digits must be even.")
    return bytes.fromhex(bare)


Content = Annotated[
    str | None,
    About("Bytes in Base64 or as PEM text, instead of hex_digits or file", "gwECAw==", max_length=2_000_000),
]


def bytes_of(base64_text: str | None, hex_digits: str | None, file: str | None) -> bytes:
    """Return the bytes that the caller gave; files may contain PEM text."""
    content = content_of(base64_text, hex_digits, file)
    if base64_text is None and not content.startswith(b"-----BEGIN"):
        return content
    lines = [line for line in content.split(b"\n") if not line.startswith(b"-----") and b": " not in line]
    try:
        return base64.b64decode(
            b"".join(b"".join(lines).split()).translate(bytes.maketrans(b"-_", b"+/")), validate=True
        )
    except ValueError as error:
        raise ToolError("The text is not Base64. Use hex_digits for hexadecimal digits.") from error
