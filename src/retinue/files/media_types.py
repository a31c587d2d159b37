"""Guess the media type of an upload that was sent without one: from the file's name, else from its first bytes."""

import codecs
import mimetypes

from retinue.files.file_metadata import UNTYPED, FileMetadata

HEAD = 512
"""Bytes at the beginning of a file that are enough to guess its type."""

_OFFICE = "application/vnd.openxmlformats-officedocument"
_TYPES = mimetypes.MimeTypes()
"""The types of the standard library without those of the machine, and more types."""

for _ending, _type in {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".log": "text/plain",
    ".rst": "text/x-rst",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".toml": "application/toml",
    ".jsonl": "application/jsonl",
    ".docx": f"{_OFFICE}.wordprocessingml.document",
    ".xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    ".pptx": f"{_OFFICE}.presentationml.presentation",
    ".epub": "application/epub+zip",
    ".webp": "image/webp",
    ".wav": "audio/wav",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".flac": "audio/flac",
    ".m4a": "audio/mp4",
}.items():
    _TYPES.add_type(_type, _ending)

_EXECUTED = frozenset(
    {
        "text/html",
        "application/xhtml+xml",
        "image/svg+xml",
        "text/xml",
        "application/xml",
        "application/javascript",
        "text/javascript",
        "application/wasm",
        "application/x-shockwave-flash",
    }
)
"""Types of which browsers execute something. A guess never results in one."""

_SIGNATURES = (
    (0, b"%PDF-", "application/pdf"),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBPVP8", "image/webp"),
    (8, b"WAVEfmt ", "audio/wav"),
    (0, b"ID3\x03", "audio/mpeg"),
    (0, b"ID3\x04", "audio/mpeg"),
    (0, b"OggS", "audio/ogg"),
    (0, b"fLaC", "audio/flac"),
    (4, b"ftypM4A ", "audio/mp4"),
    (4, b"ftyp", "video/mp4"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"\x1f\x8b\x08", "application/gzip"),
)
"""Offset, bytes and media type. The first match wins."""

_TEXT_CONTROLS = frozenset(b"\t\n\f\r\x1b")


def with_media_type(label: FileMetadata, head: bytes) -> FileMetadata:
    """Return the label, with a guessed media type if it has none. `head` are the first `HEAD` bytes of the file."""
    if label.media_type != UNTYPED:
        return label
    return FileMetadata(label.name, _type_of_name(label.name) or _type_of_content(head))


def _type_of_name(name: str) -> str | None:
    kind, encoding = _TYPES.guess_type(f"./{name}")
    if encoding:
        return "application/gzip" if encoding == "gzip" else None
    return None if kind in _EXECUTED else kind


def _type_of_content(head: bytes) -> str:
    found = (kind for offset, signature, kind in _SIGNATURES if head.startswith(signature, offset))
    return next(found, "text/plain" if _is_text(head) else UNTYPED)


def _is_text(head: bytes) -> bool:
    """Whether the beginning of a file is UTF-8 without control characters. It may end in the middle of a character."""
    if not head or any(byte < 32 and byte not in _TEXT_CONTROLS for byte in head):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True
