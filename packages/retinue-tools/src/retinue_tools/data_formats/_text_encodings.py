"""Character encodings of text files: decode by byte order mark, as UTF-8, or as the likeliest legacy encoding."""

import codecs
import re
import unicodedata
from dataclasses import dataclass

from retinue.sdk import ToolError

NAME_IT = "Convert it with csv_convert_dialect, which lets you name its encoding, and send the new file."
_NOT_TEXT = "The file is not a table. Send CSV, TSV, JSON, NDJSON, XLSX or Parquet."
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_CODECS = {
    "Shift_JIS": "cp932", "EUC-KR": "cp949", "GBK": "gb18030", "Big5": "big5hkscs", "windows-874": "cp874",
    "ISO-8859-8-I": "iso8859_8", "x-mac-cyrillic": "mac_cyrillic",
}  # fmt: skip
"""Python's codecs for labels of the WHATWG Encoding Standard that it has no codec for, or a narrower one."""
_START, _SAMPLE = 10_000, 1 << 18
_FROM_DOS_OR_MAC = re.compile(rb"[a-z][\x80-\x84\x86-\x91\x93-\x95\x98\x99\x9b\x9d\x9f]+[a-z]")
"""Letters of DOS and old Macs, whose bytes are symbols or capitals in Windows-1252."""


@dataclass(frozen=True)
class Decoded:
    """Text of a file. A note says which encoding was guessed, or what was lost."""

    text: str
    note: str | None = None


def decode(content: bytes) -> Decoded:
    """Decode a text file. Raises `ToolError` if it is binary or its encoding is unknown."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return Decoded(_strictly(content, encoding).removeprefix("\ufeff").replace("\0", ""))
    if b"\0" in content[:_START]:
        return Decoded(_unmarked_utf16(content))
    if b"\x1b$" in content[:_START] and content.isascii():
        return Decoded(_strictly(content, "iso2022_jp"))
    try:
        return Decoded(content.decode().replace("\0", ""))
    except UnicodeDecodeError as error:
        near = content[max(error.start - _SAMPLE, 0) : error.start + _SAMPLE]
        return _decode_damaged(content) if _mostly_utf8(near) else _legacy(content)


def _strictly(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise ToolError(f"The file is not valid {encoding}: it is damaged at byte {error.start}.") from error


def _unmarked_utf16(content: bytes) -> str:
    """Decode UTF-16 without a byte order mark, in which only every second byte is null. Raises `ToolError`."""
    start = content[:_START]
    encoding = "utf-16-le" if b"\0" not in start[::2] else "utf-16-be" if b"\0" not in start[1::2] else None
    if encoding is None:
        raise ToolError(_NOT_TEXT)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise ToolError(_NOT_TEXT) from error
    if any(unicodedata.category(sign) == "Cc" and not sign.isspace() for sign in text[:_START]):
        raise ToolError(_NOT_TEXT)
    return text


def _mostly_utf8(content: bytes) -> bool:
    """Check whether text is UTF-8 except for a few bytes."""
    text = content.decode(errors="replace")
    return len(content) - len(text) >= 20 * text.count("\ufffd")


def _decode_damaged(content: bytes) -> Decoded:
    text = content.decode(errors="replace")
    lost = text.count("\ufffd")
    return Decoded(text.replace("\0", ""), f"The file is damaged UTF-8: {lost} characters were replaced by \ufffd.")


def _legacy(content: bytes) -> Decoded:
    from chardetng_py import EncodingDetector  # noqa: PLC0415 - most files are UTF-8

    found = re.search(rb"[\x80-\xff]", content)
    start = found.start() if found else 0
    sample = content[max(start - 1000, 0) : start + _SAMPLE]
    detector = EncodingDetector()
    detector.feed(sample, last=True)
    name = detector.guess(tld=None, allow_utf8=False)
    try:
        text = content.decode(_CODECS.get(name, name))
    except UnicodeDecodeError as error:
        raise ToolError(f"The character encoding of the file is unknown. {NAME_IT}") from error
    odd = len(_FROM_DOS_OR_MAC.findall(sample)) if name == "windows-1252" else 0
    if 2 * odd > len(re.findall(rb"[\x80-\xff]+", sample)):
        raise ToolError(f"The character encoding of the file is unknown. {NAME_IT}")
    note = f"The file is not UTF-8 and was read as {name}, its likeliest encoding. If letters are wrong: {NAME_IT}"
    return Decoded(text.replace("\0", ""), note)
