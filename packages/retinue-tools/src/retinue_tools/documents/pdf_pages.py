"""PDF pages: merging, splitting, selecting, rotating and interleaving."""

from typing import Annotated, Literal

from pypdf import PdfWriter
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, OutputFile, Refusal, ToolError, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._pdf_files import (
    MAX_PAGES,
    MadePdf,
    Pages,
    chosen_pages,
    made_pdf,
    page_indexes,
    reader_of,
    refusing_damage,
    writer_of,
)
from retinue_tools.documents._samples import FILE, FILE_2

_MOST_PARTS = 200
_THREE = {FILE: samples.encode(samples.text_pdf("one", "two", "three"))}
_TWO = {FILE_2: samples.encode(samples.text_pdf("four", "five"))}


class Parts(TypedDict):
    """The parts of a split PDF."""

    files: Annotated[list[OutputFile], About("Parts in order")]
    page_counts: Annotated[list[int], About("Number of pages of each part")]


def _texts(*words: str) -> dict[str, object]:
    """Build an expected result of pdf_extract_text for pages with these words."""
    return {"pages": [{"page": number, "text": word} for number, word in enumerate(words, 1)]}


@tool(
    tags="pdf merge join combine concatenate append outline bookmarks",
    use_when=(
        "Combine these three PDFs into one",
        "Append the annex to the contract PDF",
        "Join all chapters and give each a bookmark",
        "Stick two PDFs together",
        "Make one PDF out of several",
    ),
    examples=(
        Example(
            {"files": [FILE, FILE_2]},
            {"pages": 5, "file": "merged.pdf"},
            source="3 + 2 pages, in the order of the files",
            files=_THREE | _TWO,
            then=(ExampleCall("pdf_extract_text", {"file": "{made}"}, _texts("one", "two", "three", "four", "five")),),
        ),
        Example(
            {"files": [FILE, FILE_2], "titles": ["Part A", "Part B"]},
            {"pages": 5},
            source="the second part begins on page 4",
            files=_THREE | _TWO,
            then=(
                ExampleCall(
                    "pdf_read_outline",
                    {"file": "{made}"},
                    {
                        "entries": [
                            {"title": "Part A", "page": 1, "level": 1},
                            {"title": "Part B", "page": 4, "level": 1},
                        ]
                    },
                ),
            ),
        ),
        Refusal({"files": [FILE, FILE_2], "titles": ["only one"]}, "one title for each", files=_THREE | _TWO),
    ),
    reply="The joined PDF with {pages|page}: {file}",
    pace="normal",
)
@refusing_damage()
def pdf_merge(
    files: Annotated[list[File], About("IDs of the PDFs, in order", [FILE, FILE_2], min_items=2, max_items=50)],
    titles: Annotated[
        list[Annotated[str, About("Title of a part", "Annex", min_length=1, max_length=200)]] | None,
        About(
            "Bookmark titles for the PDFs, under which their own bookmarks are nested",
            ["Contract", "Annex"],
            max_items=50,
        ),
    ] = None,
) -> MadePdf:
    """Join several PDFs into one, in the order given, keeping their bookmarks and links.

    Use it to put documents together; with titles, each gets a bookmark at its start. Returns the new PDF.
    """
    if titles and len(titles) != len(files):
        raise ToolError(f"There are {len(files)} files and {len(titles)} titles. Give one title for each file.")
    writer = PdfWriter()
    for index, file in enumerate(files):
        writer.append(reader_of(file), outline_item=titles[index] if titles else None)
    if len(writer.pages) > MAX_PAGES:
        raise ToolError(f"Together they have {len(writer.pages):,} pages; the maximum is {MAX_PAGES:,}.")
    return made_pdf(writer, "merged.pdf")


@tool(
    tags="pdf split separate divide burst pages ranges parts",
    use_when=(
        "Split this PDF into single pages",
        "Cut the scan into documents of 4 pages each",
        "Make one PDF of pages 1-10 and one of 11-20",
        "Split a PDF into single pages",
    ),
    examples=(
        Example(
            {"file": FILE, "every": 2},
            {"files": ["part-1.pdf", "part-2.pdf"], "page_counts": [2, 1]},
            source="three pages by twos",
            files=_THREE,
            then=(ExampleCall("pdf_extract_text", {"file": "{made}"}, _texts("one", "two")),),
        ),
        Example(
            {"file": FILE, "ranges": ["2-3", "1"]},
            {"files": ["part-1.pdf", "part-2.pdf"], "page_counts": [2, 1]},
            source="by hand",
            files=_THREE,
            then=(ExampleCall("pdf_extract_text", {"file": "{made}"}, _texts("two", "three")),),
        ),
        Refusal({"file": FILE, "ranges": ["4"]}, "the PDF has 3 pages", files=_THREE),
    ),
    reply="The parts of the PDF: {files}",
    pace="normal",
)
@refusing_damage()
def pdf_split(
    file: File,
    every: Annotated[int, About("Pages per part; ignored if ranges are given", minimum=1, maximum=1000)] = 1,
    ranges: Annotated[
        list[Pages] | None, About("Page ranges, one for each part", ["1-10", "11-"], min_items=1, max_items=_MOST_PARTS)
    ] = None,
) -> Parts:
    """Split a PDF into several: parts with a number of pages each, or one for each range of pages.

    Use it to split scans or separate chapters. Returns the new PDFs and their numbers of pages; at most 200 parts.
    """
    reader = reader_of(file)
    count = len(reader.pages)
    if ranges:
        parts = [page_indexes(pages, count) for pages in ranges]
    else:
        parts = [list(range(start, min(start + every, count))) for start in range(0, count, every)]
    if len(parts) > _MOST_PARTS:
        raise ToolError(
            f"That would make {len(parts)} parts; the maximum is {_MOST_PARTS}. Increase the pages per part."
        )
    files: list[str] = []
    for number, indexes in enumerate(parts, 1):
        writer = PdfWriter()
        writer.append(reader, pages=indexes, import_outline=False)
        files.append(made_pdf(writer, f"part-{number}.pdf")["file"])
    return {"files": files, "page_counts": [len(part) for part in parts]}


@tool(
    tags="pdf pages select keep delete remove reorder reverse duplicate extract",
    use_when=(
        "Delete page 3 of the PDF",
        "Extract pages 5 to 8 as a new PDF",
        "Put the last page first",
        "Save some pages of a PDF as a new file",
        "Take one page out of a PDF",
        "Delete a page from a PDF",
    ),
    examples=(
        Example(
            {"file": FILE, "pages": "3,1"},
            {"pages": 2},
            source="by hand",
            files=_THREE,
            then=(ExampleCall("pdf_extract_text", {"file": "{made}"}, _texts("three", "one")),),
        ),
        Example(
            {"file": FILE, "pages": "2", "action": "delete"},
            {"pages": 2},
            source="by hand",
            files=_THREE,
            then=(ExampleCall("pdf_extract_text", {"file": "{made}"}, _texts("one", "three")),),
        ),
        Refusal({"file": FILE, "pages": "1-3", "action": "delete"}, "No page would be left", files=_THREE),
    ),
    reply="The new PDF has {pages|page}: {file}",
    pace="normal",
)
@refusing_damage()
def pdf_select_pages(
    file: File,
    pages: Annotated[
        str,
        About(
            "Pages counted from 1, in the desired order: 3,1-2 or 5-1 or 2-",
            "3,1-2",
            min_length=1,
            max_length=500,
            pattern=r"^[0-9, -]+$",
        ),
    ],
    action: Annotated[
        Literal["keep", "delete"], About("keep selects these pages in this order, delete selects all others")
    ] = "keep",
) -> MadePdf:
    """Make a PDF of some pages of another: extract, reorder, repeat or delete pages.

    Use it to extract, drop or rearrange pages. Returns the new PDF; the original file is not changed.
    """
    reader = reader_of(file)
    indexes = page_indexes(pages, len(reader.pages))
    if action == "delete":
        indexes = sorted(set(range(len(reader.pages))) - set(indexes))
    if not indexes:
        raise ToolError("No page would be left. Delete fewer pages.")
    writer = PdfWriter()
    writer.append(reader, pages=indexes, import_outline=False)
    return made_pdf(writer, "pages.pdf")


@tool(
    tags="pdf rotate turn orientation landscape portrait upside down pages scan",
    use_when=(
        "Turn page 2 of this scan upright",
        "Rotate all pages of the PDF by 90 degrees",
        "The scanned pages are upside down, fix them",
        "My scan is upside down",
    ),
    examples=(
        Example(
            {"file": FILE, "degrees": 90, "pages": "2"},
            {"pages": 3},
            source="a Letter page of 612 by 792 points, lying",
            files=_THREE,
            then=(
                ExampleCall(
                    "pdf_extract_region",
                    {"file": "{made}", "page": 2, "left": 0, "top": 0, "right": 1, "bottom": 1},
                    {"page_width": 792.0, "page_height": 612.0},
                ),
                ExampleCall(
                    "pdf_extract_region",
                    {"file": "{made}", "page": 1, "left": 0, "top": 0, "right": 1, "bottom": 1},
                    {"page_width": 612.0},
                ),
            ),
        ),
        Example({"file": FILE, "degrees": 180}, {"pages": 3}, source="by hand", files=_THREE),
        Refusal({"file": FILE, "degrees": 45}, "must be one of 90, 180, 270", files=_THREE),
    ),
    reply="The PDF with the pages turned by {args.degrees}\u00b0: {file}",
    pace="normal",
)
@refusing_damage()
def pdf_rotate_pages(
    file: File, degrees: Annotated[Literal[90, 180, 270], About("Clockwise rotation in degrees")], pages: Pages = ""
) -> MadePdf:
    """Turn pages of a PDF clockwise by 90, 180 or 270 degrees.

    Use it for pages that are sideways or upside down. Returns the new PDF, without loss of quality.
    """
    writer = writer_of(file)
    for index in chosen_pages(pages, len(writer.pages)):
        writer.pages[index].rotate(degrees)
    return made_pdf(writer, "rotated.pdf")


@tool(
    tags="pdf scan duplex interleave alternate front back odd even pages collate",
    use_when=(
        "I scanned the fronts and the backs separately, put them together",
        "Interleave odd and even pages of two PDFs",
        "Merge a duplex scan from a single-sided scanner",
    ),
    examples=(
        Example(
            {"fronts_file": FILE, "backs_file": FILE_2},
            {"pages": 5},
            source="the stack is turned over: the back of the last sheet is scanned first; page 5 has no back",
            files=_THREE | _TWO,
            then=(ExampleCall("pdf_extract_text", {"file": "{made}"}, _texts("one", "five", "two", "four", "three")),),
        ),
        Example(
            {"fronts_file": FILE, "backs_file": FILE_2, "backs_reversed": False},
            {"pages": 5},
            source="by hand",
            files=_THREE | _TWO,
            then=(ExampleCall("pdf_extract_text", {"file": "{made}"}, _texts("one", "four", "two", "five", "three")),),
        ),
        Refusal({"fronts_file": FILE_2, "backs_file": FILE}, "more backs", files=_THREE | _TWO),
    ),
    reply="Both sides in order, {pages|page}: {file}",
    pace="normal",
)
@refusing_damage()
def pdf_interleave_scans(
    fronts_file: Annotated[File, About("ID of the PDF with the front sides", FILE)],
    backs_file: Annotated[File, About("ID of the PDF with the back sides", FILE_2)],
    backs_reversed: Annotated[bool, About("Whether the backs were scanned from the last sheet to the first")] = True,
) -> MadePdf:
    """Put the front and back sides of sheets, scanned as two PDFs, in order: front, back, front, back.

    Use it after scanning a two-sided stack with a one-sided feeder. Fronts without a back may be at the end.
    """
    fronts, backs = reader_of(fronts_file), reader_of(backs_file)
    if len(backs.pages) > len(fronts.pages):
        raise ToolError("There are more backs than fronts. Swap the files, or remove the surplus pages first.")
    back_pages = list(backs.pages)[::-1] if backs_reversed else list(backs.pages)
    writer = PdfWriter()
    for index, front in enumerate(fronts.pages):
        writer.add_page(front)
        if index < len(back_pages):
            writer.add_page(back_pages[index])
    return made_pdf(writer, "interleaved.pdf")
