"""Small files for the examples of the tools, written with the standard library only."""

import base64
import io
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence

FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"
FILE_2 = "file_01k9z4m2n8q6r5t3v7w1x0y2zb"
FILE_3 = "file_01k9z4m2n8q6r5t3v7w1x0y2zc"

_HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
FIRST_PAGE = 4
"""Object number of the first page of `text_pdf`; each page takes two numbers, and `more` objects follow the last."""


def encode(content: bytes | str) -> str:
    """Encode files for examples in Base64."""
    return base64.b64encode(content.encode() if isinstance(content, str) else content).decode()


def pdf(objects: Sequence[str], trailer: str = "") -> bytes:
    """Build a PDF from objects numbered from 1, where object 1 is the catalogue (ISO 32000-1, section 7.5)."""
    content, offsets = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(content))
        content += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    end += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{len(content)}\n%%EOF\n"
    return content + end.encode()


def stream(content: str, entries: str = "") -> str:
    """Build a stream object."""
    return f"<< /Length {len(content)} {entries} >>\nstream\n{content}\nendstream"


def text_pdf(
    *pages: str,
    catalog: str = "",
    page: str = "",
    resources: str = "",
    graphics: str = "",
    trailer: str = "",
    more: Sequence[str] = (),
) -> bytes:
    """Build a PDF of Letter pages (612 by 792 points) with lines of Helvetica, 12 points, from (72, 720) down by 20
    points.

    `catalog`, `page`, `resources` and `trailer` are further entries of those dictionaries, `graphics` is additional
    content.
    """
    kids = " ".join(f"{FIRST_PAGE + 2 * index} 0 R" for index in range(len(pages)))
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        _HELVETICA,
    ]
    for index, text in enumerate(pages):
        lines = (
            f"BT /F1 12 Tf 72 {720 - 20 * row} Td ({_escape(line)}) Tj ET" for row, line in enumerate(text.split("\n"))
        )
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Resources << /Font << /F1 3 0 R >> {resources} >> "
            f"/Contents {FIRST_PAGE + 2 * index + 1} 0 R {page} >>"
        )
        objects.append(stream("\n".join([*lines, graphics])))
    return pdf([*objects, *more], trailer)


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def zip_archive(entries: Mapping[str, bytes | str]) -> bytes:
    """Build a ZIP archive with fixed dates."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 2, 3, 4, 6)), content)
    return target.getvalue()


def png(width: int, height: int, colour: tuple[int, int, int]) -> bytes:
    """Build a PNG of one colour (PNG specification, third edition)."""
    rows = zlib.compress((b"\0" + bytes(colour) * width) * height)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", rows) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
