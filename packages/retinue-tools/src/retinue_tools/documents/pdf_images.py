"""Pictures of a PDF: extraction, compression, and PDFs from pictures."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from PIL import Image
from pypdf import PdfReader
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._pdf_files import (
    PAPERS_MM,
    POINTS_PER_MM,
    Pages,
    chosen_pages,
    reader_of,
    refusing_damage,
    writer_of,
)
from retinue_tools.documents._samples import FILE, FILE_2, FIRST_PAGE
from retinue_tools.documents.pdf_stamps import open_image

_MOST_IMAGES = 200
_MOST_BYTES = 60_000_000
_MOST_PIXELS = 30_000_000
_RED = samples.encode(samples.png(30, 20, (255, 0, 0)))
_BLUE = samples.encode(samples.png(20, 40, (0, 0, 255)))
_PICTURED = {
    FILE: samples.encode(
        samples.text_pdf(
            "see", "", resources=f"/XObject << /Im0 {FIRST_PAGE + 4} 0 R >>",
            graphics="q 100 0 0 50 72 600 cm /Im0 Do Q",
            more=[
                samples.stream(
                    "\x80" * 800, "/Type /XObject /Subtype /Image /Width 40 /Height 20 /ColorSpace /DeviceGray "
                    "/BitsPerComponent 8",
                )
            ],
        )
    )
}  # fmt: skip


class Picture(TypedDict):
    """A picture in a PDF."""

    page: Annotated[int, About("Page of the picture")]
    width: Annotated[int, About("Width in pixels")]
    height: Annotated[int, About("Height in pixels")]
    mode: Annotated[str, About("Pixel format: L grey, RGB, RGBA, CMYK, 1 black and white")]


class Found(TypedDict):
    """The pictures of a PDF."""

    files: Annotated[list[OutputFile], About("Pictures as PNG, or as JPEG if stored so in the PDF")]
    images: Annotated[list[Picture], About("Properties of the pictures, in the same order")]
    unreadable: Annotated[int, About("Number of pictures that could not be decoded")]


class Smaller(TypedDict):
    """A compressed PDF."""

    file: OutputFile
    pages: Annotated[int, About("Number of pages")]
    size_before: Annotated[int, About("Size of the input in bytes")]
    size_after: Annotated[int, About("Size of the output in bytes")]
    saved_percent: Annotated[float, About("Reduction in percent; 0 if nothing could be saved")]


class FromImages(TypedDict):
    """A PDF made from pictures."""

    file: OutputFile
    pages: Annotated[int, About("Number of pages, one for each picture")]


@tool(
    tags="pdf images pictures photos extract figures logo save",
    use_when=(
        "Extract all pictures from this PDF",
        "Save the photos of pages 4 to 6",
        "Get the logo out of the PDF",
    ),
    examples=(
        Example(
            {"file": FILE, "pages": "1"},
            {"images": [{"page": 1, "width": 40, "height": 20, "mode": "L"}], "unreadable": 0},
            source="the image that the page was written with (ISO 32000-1, section 8.9.5)",
            files=_PICTURED,
        ),
        Example(
            {"file": FILE, "min_pixels": 21},
            {"files": [], "images": []},
            source="it is 20 pixels high",
            files=_PICTURED,
        ),
        Refusal({"file": FILE, "pages": "3"}, "the PDF has 2 pages", files=_PICTURED),
    ),
    reply={
        "files": "The pictures: {files}",
        "": "There are no such pictures in the PDF.",
    },
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
@refusing_damage()
def pdf_extract_images(
    file: File,
    pages: Pages = "",
    min_pixels: Annotated[int, About("Omit pictures with a smaller width or height", minimum=1, maximum=5000)] = 1,
) -> Found:
    """Extract the pictures within a PDF at their own resolution.

    Use it for photographs, figures and logos; pdf_render_pages makes pictures of whole pages. A picture on several
    pages is returned once. Returns the files and their properties; at most 200.
    """
    files: list[str] = []
    images: list[Picture] = []
    unreadable = total = 0
    for page, picture in _pictures(reader_of(file), pages, min_pixels):
        if picture is None:
            unreadable += 1
            continue
        content = _encode(picture)
        total += len(content)
        if total > _MOST_BYTES or len(files) == _MOST_IMAGES:
            raise ToolError("The PDF contains more pictures than can be extracted at a time. Choose fewer pages.")
        ending = "jpg" if content.startswith(b"\xff\xd8") else "png"
        files.append(save(f"page-{page}-image-{len(files) + 1}.{ending}", content))
        images.append({"page": page, "width": picture.width, "height": picture.height, "mode": picture.mode})
    return {"files": files, "images": images, "unreadable": unreadable}


@tool(
    tags="pdf compress shrink reduce size smaller optimise email upload",
    use_when=(
        "Make this PDF smaller so that I can e-mail it",
        "Reduce the PDF below the upload limit",
        "The PDF is too big, shrink it",
        "Compress the scanned document",
        "Make a PDF smaller",
    ),
    examples=(
        Example(
            {"file": FILE, "image_quality": 100},
            {"pages": 40},
            source="40 like pages of one letter 2,000 times take little room when compressed",
            files={FILE: samples.encode(samples.text_pdf(*["a" * 2000] * 40))},
            then=(ExampleCall("pdf_read_metadata", {"file": "{made}"}, {"pages": 40}),),
        ),
        Example({"file": FILE}, {"pages": 2}, source="by hand", files=_PICTURED),
        Refusal({"file": FILE}, "not a PDF", files={FILE: samples.encode("x")}),
    ),
    reply={
        "saved_percent": "The PDF is {saved_percent} % smaller and now has {size_after|byte}: {file}",
        "": "The PDF could not be made smaller: {file}",
    },
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
)
@refusing_damage()
def pdf_compress(
    file: File,
    image_quality: Annotated[
        int, About("JPEG quality of photographs; 100 leaves them unchanged", minimum=20, maximum=100)
    ] = 75,
    max_image_pixels: Annotated[
        int, About("Maximum side length of photographs in pixels", minimum=300, maximum=10_000)
    ] = 2000,
) -> Smaller:
    """Reduce the size of a PDF: photographs become smaller JPEGs, content is compressed, duplicates are removed.

    Use it for mail and uploads. Text stays text. If nothing can be saved, the PDF is returned unchanged.
    """
    before = Path(file).read_bytes()
    writer = writer_of(file)
    for page in writer.pages:
        if image_quality < 100:
            _shrink_images(page, image_quality, max_image_pixels)
        page.compress_content_streams(level=9)
    writer.compress_identical_objects(remove_duplicates=True, remove_unreferenced=True)
    target = io.BytesIO()
    writer.write(target)
    after = min(target.getvalue(), before, key=len)
    return {
        "file": save("compressed.pdf", after),
        "pages": len(writer.pages),
        "size_before": len(before),
        "size_after": len(after),
        "saved_percent": round(100 * (1 - len(after) / len(before)), 1),
    }


@tool(
    tags="pdf from images photos pictures scans jpeg png convert combine receipts",
    use_when=(
        "Make one PDF of these photos of receipts",
        "Convert the JPEGs to a PDF",
        "Put each picture on an A4 page",
        "Turn photos into a PDF",
        "JPG to PDF",
    ),
    examples=(
        Example(
            {"files": [FILE, FILE_2]},
            {"pages": 2},
            source="the first lies, so its sheet lies: A4 of 841.89 by 595.28 points",
            tolerance=1e-4,
            files={FILE: _RED, FILE_2: _BLUE},
            then=(
                ExampleCall(
                    "pdf_extract_images",
                    {"file": "{made}"},
                    {"images": [{"page": 1, "width": 30}, {"page": 2, "width": 20}]},
                ),
                ExampleCall("pdf_read_metadata", {"file": "{made}"}, {"page_width_mm": 297.0, "page_height_mm": 210.0}),
            ),
        ),
        Example(
            {"files": [FILE_2], "paper": "fit"},
            {"pages": 1},
            source="20 by 40 pixels at 150 dots an inch: 3.4 by 6.8 mm",
            files={FILE_2: _BLUE},
            then=(ExampleCall("pdf_read_metadata", {"file": "{made}"}, {"page_width_mm": 3.4, "page_height_mm": 6.8}),),
        ),
        Refusal({"files": [FILE]}, "not a readable picture", files={FILE: samples.encode("x")}),
    ),
    reply="The PDF with {pages|page}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def pdf_from_images(
    files: Annotated[list[File], About("IDs of the pictures, in order", [FILE, FILE_2], min_items=1, max_items=50)],
    paper: Annotated[
        Literal["A4", "A5", "A3", "Letter", "Legal", "fit"],
        About("Page size; with fit, each page is as large as its picture at 150 dots per inch"),
    ] = "A4",
    margin_mm: Annotated[float, About("Margin around each picture", minimum=0, maximum=50)] = 0,
) -> FromImages:
    """Make a PDF of pictures, one on each page, as large as possible and centred.

    Use it for photographed receipts, scans and drawings in PNG, JPEG, WebP, GIF, TIFF or BMP. Page orientation follows
    the picture.
    """
    target, margin = io.BytesIO(), margin_mm * POINTS_PER_MM
    canvas = Canvas(target)
    for file in files:
        picture = _flat(open_image(file))
        width, height = _paper(paper, picture, margin)
        scale = min((width - 2 * margin) / picture.width, (height - 2 * margin) / picture.height)
        wide, high = picture.width * scale, picture.height * scale
        canvas.setPageSize((width, height))
        drawn = ImageReader(io.BytesIO(_jpeg(picture, 90) if picture.width > 1000 else _encode(picture)))
        canvas.drawImage(drawn, (width - wide) / 2, (height - high) / 2, wide, high)
        canvas.showPage()
    canvas.save()
    return {"file": save("pictures.pdf", target.getvalue()), "pages": len(files)}


def _pictures(reader: PdfReader, pages: str, least: int) -> Iterator[tuple[int, Image.Image | None]]:
    """Yield each picture with its page; None for one that cannot be decoded."""
    seen: set[int] = set()
    for index in chosen_pages(pages, len(reader.pages)):
        images = reader.pages[index].images
        for position in range(len(images)):
            try:
                with refusing_damage():
                    image = images[position]
                    number = getattr(image.indirect_reference, "idnum", 0)
                    picture = image.image
            except ToolError:
                yield index + 1, None
                continue
            if number not in seen and picture is not None and min(picture.size) >= least:
                yield index + 1, picture
            seen |= {number} if number else set()


def _shrink_images(page: Any, quality: int, longest: int) -> None:
    """Replace the photographs of a page with smaller versions, if this saves space."""
    for image in page.images:
        picture = image.image
        if picture is None or picture.mode not in ("RGB", "L") or picture.width * picture.height > _MOST_PIXELS:
            continue
        picture.thumbnail((longest, longest))
        if len(_jpeg(picture, quality)) < len(image.data):
            image.replace(picture, quality=quality)


def _paper(paper: str, picture: Image.Image, margin: float) -> tuple[float, float]:
    """Return width and height of the page for a picture, in points."""
    if paper == "fit":
        return picture.width * 72 / 150 + 2 * margin, picture.height * 72 / 150 + 2 * margin
    width, height = (side * POINTS_PER_MM for side in PAPERS_MM[paper])
    return (height, width) if picture.width > picture.height else (width, height)


def _flat(picture: Image.Image) -> Image.Image:
    """Flatten onto white, without transparency."""
    sheet = Image.new("RGB", picture.size, "white")
    sheet.paste(picture, mask=picture.getchannel("A"))
    return sheet


def _encode(picture: Image.Image) -> bytes:
    """Encode pictures that were JPEG, and CMYK, which PNG does not support, as JPEG; others as PNG."""
    target = io.BytesIO()
    if picture.format == "JPEG" or picture.mode == "CMYK":
        picture.save(target, "JPEG", quality=95)
    else:
        picture.save(target, "PNG")
    return target.getvalue()


def _jpeg(picture: Image.Image, quality: int) -> bytes:
    target = io.BytesIO()
    picture.save(target, "JPEG", quality=quality)
    return target.getvalue()
