"""Text recognition in pictures and scanned pages (OCR), with the models included in RapidOCR."""

from functools import cache
from typing import Annotated, Any

import numpy as np
from PIL import Image, ImageChops
from rapidocr import RapidOCR
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._pdf_files import Pages, chosen_pages, refusing_damage, rendering
from retinue_tools.documents._samples import FILE
from retinue_tools.media._pictures import upright
from retinue_tools.media._samples import HALVES, NO_IMAGE

_MOST_PAGES = 3
_MOST_PIXELS = 25_000_000
_MARGIN, _FAINT = 24, 40
_SHORTEST = 12
"""Minimum side length in pixels for letters."""
_INVOICE = (
    "iVBORw0KGgoAAAANSUhEUgAAAUoAAABUAQAAAADM+UP3AAACRUlEQVR42u2VsU7bUBSGPxuLMCDikUpVcHgChg4MFC5l6cgbNK3yAO1SVRWUkwpV"
    "perQ7oikb1DWShQTMVCpqrJ2IU7UIVsd5AFbsW+HEBGCjZA6tEPOdH3vp6Nz/3P9H0NzyzgyuXWM0TFqEgBoAVq87UqbWMVbTuvmrJ566dea0mv0"
    "IjyVhRoCFPRinh8SuhhSuDlr0Vuzn37EnI0mKXpp6LfNuKs3nW0QUA4QAJKGnrs0VM9/BXtCAwKmgNo11IJcO84TNt8BoNuAl6XrlIhbOpvZRiuo"
    "NYEG6CwFbCwsEkGru88EB5LUWjG+9NcxJJX5/pXim8TSRKbEkH9PvUaUgVo+PYSASyLIQNdVbebskA4HAacknaREJ6uALrlinf3iyU+7LDlFWN53"
    "0tGHC65lV4A3sIq1kP4IjbG9jdEx+u/RIwuIQAHEiik+HNNyjmnZqmqNZr300gAdIfeBg4GNDaHLG0OfE+DDEjlvl5wPL7JrncbI6ZUHAvNy4dTD"
    "qHbKdWjHUbd/mmKtAzTqcAhV8A8FiA0g3Oq7du8qani7y0IBfvdnQM/4CjUIbdgZmTDTrMInaFQEiCKOyadcxQQTjgBoCUBgUcf+DDkfnl9TwB3a"
    "6fgsDYs3glYBmPMAGuE9wHDTFEhgDgCfi9Ylg1Mx5eqICziFR5wveoBWc983xF8/FWg6jLbgVxna2HdWpHuyV4GdqEuZ0H6ihuswYXJWrcHjiVl7"
    "kOQ1dmkNKF3tmx6Jqs4I92/+Auf2qBpbxhj9f9E/fHL4YWadxVAAAAAASUVORK5CYII="
)
"""Two lines, drawn with Pillow in DejaVu Sans: Invoice 2026-0412 and Total due: 1,249.50 EUR."""
_PRINTED = {FILE: _INVOICE}
_SCANNED = {FILE: samples.encode(samples.text_pdf("Secret name\nPublic text", "two"))}

Sure = Annotated[float, About("Omit text with a lower confidence, 0 to 1", minimum=0, maximum=1)]


class ReadLine(TypedDict):
    """A piece of text with its position."""

    text: Annotated[str, About("Recognised text")]
    confidence: Annotated[float, About("Confidence, 0 to 1")]
    left: Annotated[int, About("Left edge in pixels")]
    top: Annotated[int, About("Top edge in pixels")]
    width: Annotated[int, About("Width in pixels")]
    height: Annotated[int, About("Height in pixels")]


class ReadPicture(TypedDict):
    """Recognised text of a picture."""

    text: Annotated[str, About("Complete text, row by row")]
    lines: Annotated[list[ReadLine], About("Pieces of text from top to bottom, the first 2,000")]
    confidence: Annotated[float | None, About("Mean confidence; null without text")]


class ReadPage(TypedDict):
    """Recognised text of a page."""

    page: Annotated[int, About("Page, counted from 1")]
    text: Annotated[str, About("Text, row by row")]
    confidence: Annotated[float | None, About("Mean confidence; null without text")]


class ReadPages(TypedDict):
    """Recognised text of scanned pages."""

    pages: Annotated[list[ReadPage], About("Text by page")]
    text: Annotated[str, About("Complete text, with pages separated by blank lines")]


@tool(
    tags="ocr text recognition image photo scan screenshot read picture receipt sign extract",
    use_when=(
        "Read the text in this photo",
        "What does the screenshot say?",
        "Extract the text of a scanned receipt (OCR)",
        "Turn this picture of a page into text",
        "Get the text out of a screenshot",
        "Read a photographed letter",
    ),
    tier="starter",
    credits=5,
    pace="long",
    memory_mb=2048,
    examples=(
        Example(
            {"file": FILE},
            {"text": "Invoice 2026-0412\nTotal due: 1,249.50 EUR"},
            source="what was drawn in the picture",
            files=_PRINTED,
        ),
        Example(
            {"file": FILE, "least_confidence": 0.9},
            {"text": "", "lines": [], "confidence": None},
            source="by hand: two areas of colour say nothing",
            files=HALVES,
        ),
        Refusal({"file": FILE}, "is not a readable image", files=NO_IMAGE),
    ),
    reply={
        "text": "The text in the picture: {text}",
        "": "I found no text in the picture.",
    },
)
def image_read_text(file: File, least_confidence: Sure = 0.5) -> ReadPicture:
    """Read the text in a photo, a scan or a screenshot (OCR).

    Use it for receipts, signs, letters and pictures of pages, in print; it supports Latin letters with accents, Chinese
    and Japanese, but not Cyrillic, Greek or Arabic. Returns the text, and each piece with its position.
    """
    lines = _read(upright(file, _MOST_PIXELS).convert("RGB"), least_confidence)
    return {"text": _join(lines), "lines": lines[:2000], "confidence": _mean(lines)}


@tool(
    tags="ocr pdf scan scanned text recognition read pages image extract",
    use_when=(
        "Read the text of this scanned PDF",
        "The PDF has no text layer, recognise its pages",
        "OCR pages 1-3 of scan.pdf",
        "Read a scanned letter",
    ),
    tier="starter",
    credits=5,
    pace="long",
    memory_mb=2048,
    examples=(
        Example(
            {"file": FILE, "pages": "1"},
            {"pages": [{"page": 1, "text": "Secret name\nPublic text"}]},
            source="the words that the page was made of",
            files=_SCANNED,
        ),
        Example({"file": FILE, "pages": "2", "dpi": 100}, {"text": "two"}, source="by hand", files=_SCANNED),
        Refusal({"file": FILE}, "not a PDF", files=NO_IMAGE),
        Refusal({"file": FILE, "pages": "3"}, "page", files=_SCANNED),
    ),
    reply={
        "text": "The text of the scanned pages: {text}",
        "": "I found no text on these pages.",
    },
)
@refusing_damage()
def pdf_recognize_text(
    file: File,
    pages: Pages = "",
    dpi: Annotated[int, About("Resolution for recognition, dots per inch", minimum=72, maximum=300)] = 150,
    least_confidence: Sure = 0.5,
) -> ReadPages:
    """Read the text of scanned pages of a PDF (OCR), up to three at a time.

    Use it if pdf_extract_text finds nothing, because pages are pictures. Returns the text of each page.
    """
    found: list[ReadPage] = []
    with rendering(file) as document:
        indexes = chosen_pages(pages, len(document))
        if len(indexes) > _MOST_PAGES:
            raise ToolError(f"That is {len(indexes)} pages; the maximum is {_MOST_PAGES}. Choose fewer.")
        for index in indexes:
            page = document[index]
            if page.get_width() * page.get_height() * (dpi / 72) ** 2 > _MOST_PIXELS:
                raise ToolError(f"Page {index + 1} is too large for {dpi} dpi. Choose a lower resolution.")
            lines = _read(page.render(scale=dpi / 72).to_pil().convert("RGB"), least_confidence)
            found.append({"page": index + 1, "text": _join(lines), "confidence": _mean(lines)})
    return {"pages": found, "text": "\n\n".join(page["text"] for page in found)}


@cache
def _engine() -> Any:
    one_thread = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
    # Determined at that size: at larger ones, single words on an empty page are missed.
    finding = {"Det.limit_type": "max", "Det.limit_side_len": 960}
    return RapidOCR(params={**one_thread, **finding, "Global.log_level": "error"})


def _read(image: Any, least: float) -> list[ReadLine]:
    """Recognise the pieces of text in an image, row by row."""
    box = _fill(image)
    if box is None or min(image.size) < _SHORTEST:
        return []
    # The models expect pictures in blue, green, red.
    found = _engine()(np.asarray(image.crop(box))[..., ::-1].copy())
    if found.txts is None or found.boxes is None:
        return []
    pieces = zip(found.txts, found.scores, found.boxes, strict=True)
    return _in_rows(
        [_line(text, score, corners + box[:2]) for text, score, corners in pieces if score >= least and text.strip()]
    )


def _fill(image: Any) -> tuple[int, int, int, int] | None:
    """Crop a picture to the part that differs from the colour of its corner, with a margin: few words on a page stand
    out.
    """
    ground = Image.new("RGB", image.size, image.getpixel((0, 0)))
    differing = ImageChops.difference(image, ground).convert("L").point(lambda value: 255 if value > _FAINT else 0)
    if (box := differing.getbbox()) is None:
        return None
    left, top, right, bottom = box
    return (
        max(0, left - _MARGIN),
        max(0, top - _MARGIN),
        min(image.width, right + _MARGIN),
        min(image.height, bottom + _MARGIN),
    )


def _line(text: str, score: float, corners: Any) -> ReadLine:
    left, top = (max(0, round(float(value))) for value in corners.min(axis=0))
    right, bottom = (round(float(value)) for value in corners.max(axis=0))
    return {
        "text": text.strip(),
        "confidence": round(float(score), 4),
        "left": left,
        "top": top,
        "width": max(0, right - left),
        "height": max(0, bottom - top),
    }


def _in_rows(lines: list[ReadLine]) -> list[ReadLine]:
    return [line for row in _rows(lines) for line in row]


def _rows(lines: list[ReadLine]) -> list[list[ReadLine]]:
    """Group pieces side by side into rows: the middle of the next is within the height of the first."""
    rows: list[list[ReadLine]] = []
    for line in sorted(lines, key=lambda line: line["top"] + line["height"] / 2):
        middle = line["top"] + line["height"] / 2
        if rows and middle < rows[-1][0]["top"] + rows[-1][0]["height"] * 0.8:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line["left"]) for row in rows]


def _join(lines: list[ReadLine]) -> str:
    return "\n".join("  ".join(line["text"] for line in row) for row in _rows(lines))


def _mean(lines: list[ReadLine]) -> float | None:
    return round(sum(line["confidence"] for line in lines) / len(lines), 4) if lines else None
