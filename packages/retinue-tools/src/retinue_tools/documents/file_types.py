"""File type detection by content."""

import codecs
import json
import zipfile
import zlib
from pathlib import Path
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool

_HEAD = 4096
_SIGNATURES: tuple[tuple[int, bytes, str, str, str], ...] = (
    (0, b"%PDF-", "application/pdf", "pdf", "PDF document"),
    (0, b"\x89PNG\r\n\x1a\n", "image/png", "png", "PNG image"),
    (0, b"\xff\xd8\xff", "image/jpeg", "jpg", "JPEG image"),
    (0, b"GIF87a", "image/gif", "gif", "GIF image"),
    (0, b"GIF89a", "image/gif", "gif", "GIF image"),
    (8, b"WEBPVP8", "image/webp", "webp", "WebP image"),
    (0, b"II*\0", "image/tiff", "tif", "TIFF image, little-endian"),
    (0, b"MM\0*", "image/tiff", "tif", "TIFF image, big-endian"),
    (0, b"\0\0\1\0", "image/vnd.microsoft.icon", "ico", "Windows icon"),
    (4, b"ftypavif", "image/avif", "avif", "AVIF image"),
    (4, b"ftypheic", "image/heic", "heic", "HEIC image"),
    (4, b"ftypqt  ", "video/quicktime", "mov", "QuickTime video"),
    (4, b"ftypM4A ", "audio/mp4", "m4a", "MPEG-4 audio"),
    (4, b"ftyp", "video/mp4", "mp4", "MPEG-4 video"),
    (0, b"\x1aE\xdf\xa3", "video/matroska", "mkv", "Matroska or WebM video"),
    (8, b"AVI LIST", "video/vnd.avi", "avi", "AVI video"),
    (8, b"WAVEfmt ", "audio/vnd.wave", "wav", "WAVE audio"),
    (0, b"ID3\x02", "audio/mpeg", "mp3", "MPEG audio with an ID3 tag"),
    (0, b"ID3\x03", "audio/mpeg", "mp3", "MPEG audio with an ID3 tag"),
    (0, b"ID3\x04", "audio/mpeg", "mp3", "MPEG audio with an ID3 tag"),
    (0, b"fLaC", "audio/flac", "flac", "FLAC audio"),
    (0, b"OggS", "application/ogg", "ogg", "Ogg media"),
    (0, b"\x1f\x8b\x08", "application/gzip", "gz", "gzip compressed data"),
    (4, b"1AY&SY", "application/x-bzip2", "bz2", "bzip2 compressed data"),
    (0, b"\xfd7zXZ\0", "application/x-xz", "xz", "xz compressed data"),
    (0, b"\x28\xb5\x2f\xfd", "application/zstd", "zst", "Zstandard compressed data"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed", "7z", "7-Zip archive"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar", "rar", "RAR archive"),
    (257, b"ustar", "application/x-tar", "tar", "tar archive"),
    (0, b"SQLite format 3\0", "application/vnd.sqlite3", "sqlite", "SQLite database"),
    (0, b"PAR1", "application/vnd.apache.parquet", "parquet", "Apache Parquet table"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage", "ole", "Older Microsoft Office document"),
    (0, b"{\\rtf", "application/rtf", "rtf", "RTF document"),
    (0, b"\x7fELF", "application/x-elf", "elf", "ELF program or library"),
    (0, b"MZ\x90\0", "application/vnd.microsoft.portable-executable", "exe", "Windows program or library"),
    (0, b"\0asm", "application/wasm", "wasm", "WebAssembly module"),
    (0, b"wOFF", "font/woff", "woff", "WOFF font"),
    (0, b"wOF2", "font/woff2", "woff2", "WOFF 2 font"),
    (0, b"OTTO", "font/otf", "otf", "OpenType font"),
)
"""Signatures: offset, bytes, media type, usual extension and name. The first match wins."""

_PARTS = {
    "word/": ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx", "Word document"),
    "xl/": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx", "Excel workbook"),
    "ppt/": ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx", "PowerPoint slides"),
    "META-INF/MANIFEST.MF": ("application/java-archive", "jar", "Java archive"),
}
_DECLARED = {
    "application/epub+zip": ("epub", "EPUB book"),
    "application/vnd.oasis.opendocument.text": ("odt", "OpenDocument text"),
    "application/vnd.oasis.opendocument.spreadsheet": ("ods", "OpenDocument spreadsheet"),
    "application/vnd.oasis.opendocument.presentation": ("odp", "OpenDocument slides"),
}
_ZIP = ("application/zip", "zip", "ZIP archive")
_STARTS = (
    ("<?xml", ("application/xml", "xml", "XML document")),
    ("<svg", ("image/svg+xml", "svg", "SVG image")),
    ("<!doctype html", ("text/html", "html", "HTML document")),
    ("<html", ("text/html", "html", "HTML document")),
    ("-----begin ", ("application/x-pem-file", "pem", "PEM encoded data")),
    ("begin:vcalendar", ("text/calendar", "ics", "iCalendar data")),
    ("begin:vcard", ("text/vcard", "vcf", "vCard contact")),
    ("#!", ("text/x-script", "sh", "Script")),
)
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


class FileType(TypedDict):
    """Type of a file."""

    media_type: Annotated[str, About("Media type")]
    extension: Annotated[str, About("Usual extension, without a dot")]
    kind: Annotated[str, About("Description of the type")]
    encoding: Annotated[str | None, About("Encoding of a text file")]
    size: Annotated[int, About("Size in bytes")]


@tool(
    tags="file type format detect identify magic signature mime media extension attachment upload",
    use_when=(
        "What kind of file is this attachment?",
        "Detect the format of an uploaded file",
        "Is this upload really a PDF?",
    ),
    examples=(
        Example(
            {"file": "file_01k9z4m2n8q6r5t3v7w1x0y2za"},
            {"media_type": "image/png", "extension": "png", "encoding": None, "size": 24},
            source="PNG specification, third edition, section 5.2",
            files={"file_01k9z4m2n8q6r5t3v7w1x0y2za": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB"},
        ),
        Example(
            {"file": "file_01k9z4m2n8q6r5t3v7w1x0y2zb"},
            {"media_type": "application/gzip", "kind": "gzip compressed data", "size": 4},
            source="RFC 1952, section 2.3.1",
            files={"file_01k9z4m2n8q6r5t3v7w1x0y2zb": "H4sIAA=="},
        ),
        Example(
            {"file": "file_01k9z4m2n8q6r5t3v7w1x0y2zc"},
            {"media_type": "text/plain", "encoding": "utf-8", "size": 6},
            source="RFC 3629, section 3: é is C3 A9",
            files={"file_01k9z4m2n8q6r5t3v7w1x0y2zc": "Y2Fmw6kK"},
        ),
        Refusal({"file": "file_01k9z4m2n8q6r5t3v7w1x0y2zd"}, "is empty", files={"file_01k9z4m2n8q6r5t3v7w1x0y2zd": ""}),
    ),
    reply={
        "encoding": "The file is of the type {kind} ({media_type}), in {encoding}.",
        "": "The file is of the type {kind} ({media_type}).",
    },
)
def file_detect_type(file: File) -> FileType:
    """Detect what kind of file an uploaded file is by its content, regardless of its name and declared type.

    Use it before reading a file of unknown origin. Returns media type, usual extension, a description and the encoding
    of text.
    """
    path = Path(file)
    size = path.stat().st_size
    if not size:
        raise ToolError("The file is empty, so its type cannot be detected. Upload one with content.")
    with path.open("rb") as content:
        head = content.read(_HEAD)
    (media_type, extension, kind), encoding = _binary(path, head) or _text(head, whole=size <= _HEAD)
    return {"media_type": media_type, "extension": extension, "kind": kind, "encoding": encoding, "size": size}


def _binary(path: Path, head: bytes) -> tuple[tuple[str, str, str], None] | None:
    if head.startswith(b"PK\x03\x04"):
        return _zip(path), None
    for offset, signature, *found in _SIGNATURES:
        if head.startswith(signature, offset):
            return (found[0], found[1], found[2]), None
    return None


def _zip(path: Path) -> tuple[str, str, str]:
    """Distinguish the document formats that are ZIP archives by their content."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            declared = _declare(archive) if "mimetype" in names else ""
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError):
        return _ZIP
    if declared in _DECLARED:
        return declared, *_DECLARED[declared]
    return next((found for start, found in _PARTS.items() if any(name.startswith(start) for name in names)), _ZIP)


def _declare(archive: zipfile.ZipFile) -> str:
    """Return the media type in the entry `mimetype` (EPUB OCF, section 4.3; OpenDocument 1.3, part 2, section 3.3)."""
    with archive.open("mimetype") as entry:
        return entry.read(100).decode("ascii", "replace").strip()


def _text(head: bytes, *, whole: bool) -> tuple[tuple[str, str, str], str | None]:
    encoding = next((name for mark, name in _MARKS if head.startswith(mark)), "utf-8")
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head, final=whole)
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        return ("application/octet-stream", "bin", "Binary data of an unknown kind"), None
    start = text.removeprefix("\ufeff").lstrip().lower()
    known = next((found for beginning, found in _STARTS if start.startswith(beginning)), None)
    if known is None and whole and _is_json(text):
        known = ("application/json", "json", "JSON document")
    return known or ("text/plain", "txt", "Plain text"), encoding


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False
