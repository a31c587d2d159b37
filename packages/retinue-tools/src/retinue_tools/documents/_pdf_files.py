"""Opening of untrusted PDF files, page ranges, and saving of results."""

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Annotated

import pypdfium2 as pdfium
from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.errors import PyPdfError
from typing_extensions import TypedDict

from retinue.sdk import About, OutputFile, ToolError, save

MAX_PAGES = 2000
POINTS_PER_MM = 72 / 25.4
PAPERS_MM = {
    "A3": (297.0, 420.0),
    "A4": (210.0, 297.0),
    "A5": (148.0, 210.0),
    "Letter": (215.9, 279.4),
    "Legal": (215.9, 355.6),
}
"""Width and height of paper sizes in portrait orientation (ISO 216, ANSI/ASME Y14.1)."""

Pages = Annotated[
    str,
    About(
        "Pages counted from 1, such as 1-3,5,9- where 9- extends to the last page; empty for all",
        "1-3,5",
        max_length=500,
        pattern=r"^[0-9, -]*$",
    ),
]
Page = Annotated[int, About("Page, counted from 1", 1, minimum=1, maximum=MAX_PAGES)]


class MadePdf(TypedDict):
    """A created PDF."""

    file: OutputFile
    pages: Annotated[int, About("Number of pages")]


@contextmanager
def refusing_damage() -> Iterator[None]:
    """Convert library errors about malformed PDFs to `ToolError`. Also usable as a decorator of tools.

    Names and types of a PDF's objects are checked only when they are needed, so any of these errors may occur anywhere.
    """
    damage = (
        PyPdfError, pdfium.PdfiumError, LookupError, ValueError, TypeError, AttributeError, AssertionError,
        ArithmeticError, NotImplementedError, EOFError, struct.error, zlib.error,
    )  # fmt: skip
    try:
        yield
    except damage as error:
        raise ToolError("The PDF is damaged, or uses unsupported features. Save it again.") from error


def reader_of(file: str, password: str = "") -> PdfReader:
    """Open a PDF of at most `MAX_PAGES` pages. Raises `ToolError`."""
    _check_head(file)
    with refusing_damage():
        reader = PdfReader(file)
        if reader.is_encrypted and not reader.decrypt(password):
            raise ToolError("The PDF is protected by a password. Remove it with pdf_decrypt first.")
        _check_count(len(reader.pages))
    return reader


def writer_of(file: str) -> PdfWriter:
    """Return a modifiable copy of a PDF, with its outline, forms and metadata."""
    return PdfWriter(clone_from=reader_of(file))


@contextmanager
def rendering(file: str) -> Iterator[pdfium.PdfDocument]:
    """Open the PDF in PDFium, which renders it like a browser."""
    _check_head(file)
    try:
        document = pdfium.PdfDocument(file)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise ToolError("The PDF is protected by a password. Remove it with pdf_decrypt first.") from error
        raise ToolError("The PDF is damaged and cannot be opened. Save it again.") from error
    with refusing_damage():
        try:
            _check_count(len(document))
            document.init_forms()
            yield document
        finally:
            document.close()


def page_indexes(pages: str, count: int) -> list[int]:
    """Return the page indexes, from 0, that a text such as 1-3,5,9- specifies, in its order. Raises `ToolError`."""
    if not pages.strip():
        return list(range(count))
    found: list[int] = []
    for part in filter(None, (part.replace(" ", "") for part in pages.split(","))):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or not (last.isdecimal() or last == ""):
            raise ToolError(f"{part} is not a page range. Write pages as 1-3,5,9-.")
        start, end = int(first), int(last) if last else count if dash else int(first)
        if not (1 <= start <= count and 1 <= end <= count):
            raise ToolError(f"Pages {part} do not exist: the PDF has {count} page{'s' * (count != 1)}.")
        found += range(start - 1, end) if start <= end else range(start - 1, end - 2, -1)
        _check_count(len(found))
    if not found:
        raise ToolError("No page is specified. Write pages as 1-3,5,9-.")
    return found


def chosen_pages(pages: str, count: int) -> list[int]:
    """Like `page_indexes`, with each page once and in file order."""
    return sorted(set(page_indexes(pages, count)))


def upright_pages(file: str) -> list[PageObject]:
    """Return the pages of a copy of a PDF, with page rotation applied to their content."""
    pages = list(writer_of(file).pages)
    for page in pages:
        if page.rotation:
            page.transfer_rotation_to_content()
    return pages


def made_pdf(writer: PdfWriter, name: str) -> MadePdf:
    """Save the written PDF."""
    target = BytesIO()
    writer.write(target)
    return {"file": save(name, target.getvalue()), "pages": len(writer.pages)}


def _check_head(file: str) -> None:
    with Path(file).open("rb") as content:
        if b"%PDF-" not in content.read(1024):
            raise ToolError("The file is not a PDF. file_detect_type detects its type.")


def _check_count(count: int) -> None:
    if not 1 <= count <= MAX_PAGES:
        raise ToolError(f"The PDF would have {count:,} pages. Between 1 and {MAX_PAGES:,} are supported.")
