"""Read the names and media types of files from requests, and write them into responses."""

import re
import unicodedata
from dataclasses import dataclass
from email.message import Message
from urllib.parse import quote

UNNAMED = "file"
UNTYPED = "application/octet-stream"

_NAME_CHARACTERS = 255
_HEADER_CHARACTERS = 4096
"""Enough for an escaped name. The standard library takes seconds for a header of 64,000 semicolons."""

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105 - a token as RFC 9110 has it
_VALUE = rf"({_TOKEN}|\"[\x20\x21\x23-\x5b\x5d-\x7e]*\")"
_MEDIA_TYPE = re.compile(rf"{_TOKEN}/{_TOKEN}([ \t]*;[ \t]*{_TOKEN}={_VALUE})*")
_FORM_ESCAPES = {"%22": '"', "%0D": "", "%0A": ""}
_CONTROL = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories not allowed in names: control and formatting characters, surrogates, line separators."""

_JOINERS = "\u200c\u200d"
"""Formatting characters that names may have: they join emoji, and letters of Persian and of Indian scripts."""

_PLAIN = re.compile(r"[^A-Za-z0-9 !#$&'()+,.;=@\[\]^_`{}~-]")
_UNRESERVED = "!#$&+-.^_`|~"
"""With letters and digits, the characters that need no escape (RFC 8187, section 3.2.1)."""


@dataclass(frozen=True, slots=True)
class FileMetadata:
    """Name and media type of a file."""

    name: str
    media_type: str


def clean_name(text: str | None) -> str:
    """Return the last part of a path, on one line, of at most 255 characters."""
    base = (text or "").replace("\\", "/").rpartition("/")[2]
    cleaned = "".join(
        character for character in base if character in _JOINERS or unicodedata.category(character) not in _CONTROL
    )
    name = cleaned.strip()[-_NAME_CHARACTERS:]
    return UNNAMED if name in {"", ".", ".."} else name


def clean_media_type(text: str | None) -> str:
    """Return a media type with its parameters (RFC 9110, section 8.3.1), or application/octet-stream if it is
    invalid.
    """
    kind = (text or "").strip()
    return kind if len(kind) <= _NAME_CHARACTERS and _MEDIA_TYPE.fullmatch(kind) else UNTYPED


def disposition_filename(disposition: str) -> str | None:
    """Return the file name in the `Content-Disposition` of a message (RFC 6266, section 4.3); None in a very long
    one.
    """
    return _parse(disposition).get_filename() if len(disposition) <= _HEADER_CHARACTERS else None


def form_field(disposition: str) -> tuple[str, str | None]:
    """Return the field name and file name of a form part (RFC 7578, section 4.2), with browsers' escapes undone (WHATWG
    HTML, multipart form data).
    """
    header = _parse(disposition)
    name = header.get_filename()
    for escape, character in _FORM_ESCAPES.items():
        name = name.replace(escape, character) if name else name
    return str(header.get_param("name", "", "content-disposition")), name


def attachment(name: str) -> str:
    """Return the `Content-Disposition` that saves a file under that name (RFC 6266, section 4.1)."""
    plain = _PLAIN.sub("_", name)
    extended = "" if plain == name else f"; filename*=UTF-8''{quote(name, safe=_UNRESERVED)}"
    return f'attachment; filename="{plain}"{extended}'


def _parse(disposition: str) -> Message:
    header = Message()
    header["Content-Disposition"] = disposition
    return header
