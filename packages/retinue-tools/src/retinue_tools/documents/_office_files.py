"""Opening of untrusted office documents, and saving of results."""

import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Literal

import docx
import openpyxl
import pptx
from docx.exceptions import PythonDocxError
from docx.opc.exceptions import OpcError
from lxml import etree
from pptx.exc import PythonPptxError

from retinue.sdk import About, File, ToolError, save
from retinue_tools.data_formats._compound_files import refuse_compound

Kind = Literal["docx", "xlsx", "pptx"]

MAX_UNPACKED_MB = 80
_MAX_BYTES, _MAX_PARTS = 40 << 20, 10_000
_NAMES = {"docx": "Word document (.docx)", "xlsx": "Excel workbook (.xlsx)", "pptx": "PowerPoint file (.pptx)"}
_FOLDERS = {"docx": "word/", "xlsx": "xl/", "pptx": "ppt/"}

WordFile = Annotated[File, About("ID of the Word file (.docx)", "file_01k9z4m2n8q6r5t3v7w1x0y2za")]
ExcelFile = Annotated[File, About("ID of the Excel workbook (.xlsx)", "file_01k9z4m2n8q6r5t3v7w1x0y2za")]
SlideFile = Annotated[File, About("ID of the PowerPoint file (.pptx)", "file_01k9z4m2n8q6r5t3v7w1x0y2za")]


@contextmanager
def refusing_damage(kind: Kind) -> Iterator[None]:
    """Convert library errors about malformed documents to `ToolError`.

    The libraries parse parts of a document only when they are needed, so errors may occur anywhere.
    """
    damage = (
        PythonDocxError, OpcError, PythonPptxError, etree.LxmlError, zipfile.BadZipFile, zlib.error, lzma.LZMAError,
        struct.error, LookupError, ValueError, TypeError, AttributeError, AssertionError, ArithmeticError,
        NotImplementedError, EOFError, SyntaxError,
    )  # fmt: skip
    try:
        yield
    except damage as error:
        raise ToolError(f"The {_NAMES[kind]} is damaged, or uses unsupported features. Save it again.") from error


@contextmanager
def word(file: str) -> Iterator[Any]:
    """Open a Word document."""
    _check(file, "docx")
    with refusing_damage("docx"):
        yield _load("docx", docx.Document, file)


@contextmanager
def workbook(file: str, *, values: bool = False) -> Iterator[Any]:
    """Open an Excel workbook; with `values`, formulas are replaced by the results that Excel has saved."""
    _check(file, "xlsx")
    with refusing_damage("xlsx"), Path(file).open("rb") as content:
        book = _load("xlsx", partial(openpyxl.load_workbook, data_only=values), content)
        if not book.worksheets:
            raise ToolError("The workbook has no sheet with cells.")
        yield book


@contextmanager
def slides(file: str) -> Iterator[Any]:
    """Open a presentation."""
    _check(file, "pptx")
    with refusing_damage("pptx"):
        yield _load("pptx", pptx.Presentation, file)


def _load(kind: Kind, load: Callable[[Any], Any], file: Any) -> Any:
    """Load the document with its library. An archive with wrong offsets or with encryption is rejected."""
    try:
        return load(file)
    except (OSError, RuntimeError) as error:
        raise ToolError(f"The {_NAMES[kind]} is damaged or protected by a password. Save it again.") from error


def save_document(document: Any, name: str) -> str:
    """Save an open document of any kind. Returns the value for a field of the type `OutputFile`."""
    target = BytesIO()
    document.save(target)
    return save(name, target.getvalue())


def _check(file: str, kind: Kind) -> None:
    """Raise `ToolError` unless the file is an archive of that kind with an acceptable unpacked size."""
    path = Path(file)
    refuse_compound(path)
    if path.stat().st_size > _MAX_BYTES:
        raise ToolError(f"The file is larger than {_MAX_BYTES >> 20} MiB. Send a smaller one.")
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error, EOFError) as error:
        raise ToolError(f"The file is not a valid {_NAMES[kind]}. file_detect_type detects its type.") from error
    if not any(part.filename.lstrip("/").startswith(_FOLDERS[kind]) for part in parts):
        raise ToolError(f"The file is not a valid {_NAMES[kind]}. file_detect_type detects its type.")
    if len(parts) > _MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED_MB << 20:
        raise ToolError(f"The unpacked file is larger than {MAX_UNPACKED_MB} MiB. Send a smaller one.")
