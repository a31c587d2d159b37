"""PDF attachments and fonts."""

from pathlib import Path
from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._pdf_files import MadePdf, made_pdf, reader_of, refusing_damage, writer_of
from retinue_tools.documents._samples import FILE, FILE_2, FILE_3

_MOST_FILES = 100
_MOST_BYTES = 60_000_000
_PLAIN = {FILE: samples.encode(samples.text_pdf("one"))}
_NOTE = {FILE_2: samples.encode("High water 14:02\n")}

Name = Annotated[str, About("File name", "tides.csv", min_length=1, max_length=150, pattern=r"^[^/\\\x00-\x1f]+$")]


class Attachments(TypedDict):
    """The files attached to a PDF."""

    files: Annotated[list[OutputFile], About("Attached files, saved")]
    names: Annotated[list[str], About("Names in the PDF, in the same order")]
    sizes: Annotated[list[int], About("Sizes in bytes")]


class Font(TypedDict):
    """A font of a PDF."""

    name: Annotated[str, About("Font name, without a subset prefix")]
    kind: Annotated[str, About("Type1, TrueType, Type0 (CID), Type3 and others")]
    embedded: Annotated[bool, About("Whether the font is embedded; otherwise readers substitute another")]
    subset: Annotated[bool, About("Whether only the used characters are embedded")]
    pages: Annotated[list[int], About("Pages that use the font, at most 100")]


class Fonts(TypedDict):
    """The fonts of a PDF."""

    fonts: Annotated[list[Font], About("Fonts by name")]
    all_embedded: Annotated[bool, About("Whether all fonts are embedded")]


@tool(
    tags="pdf attach embed file attachment portfolio add invoice xml",
    use_when=(
        "Attach the CSV with the raw figures to this PDF",
        "Embed an XML file in the PDF",
        "Add the spreadsheet as an attachment of the report",
    ),
    examples=(
        Example(
            {"file": FILE, "files": [FILE_2], "names": ["tides.txt"]},
            {"pages": 1},
            source="by hand",
            files=_PLAIN | _NOTE,
            then=(
                ExampleCall(
                    "pdf_extract_attachments",
                    {"file": "{made}"},
                    {"names": ["tides.txt"], "sizes": [17]},
                ),
            ),
        ),
        Refusal({"file": FILE, "files": [FILE_2], "names": ["a", "b"]}, "one name for each", files=_PLAIN | _NOTE),
    ),
    reply="The PDF with the attached files: {file}",
    tier="starter",
    pace="normal",
)
@refusing_damage()
def pdf_attach_files(
    file: File,
    files: Annotated[list[File], About("IDs of the files to attach", [FILE_2], min_items=1, max_items=20)],
    names: Annotated[list[Name], About("Names of the files in the PDF", ["tides.csv"], min_items=1, max_items=20)],
) -> MadePdf:
    """Attach files to a PDF, similar to mail attachments: readers show them in a side bar.

    Use it to send figures or sources along with a report. Returns the new PDF; pdf_extract_attachments extracts them.
    """
    if len(files) != len(names):
        raise ToolError(f"There are {len(files)} files and {len(names)} names. Give one name for each file.")
    contents = [Path(attached).read_bytes() for attached in files]
    if sum(map(len, contents)) > _MOST_BYTES:
        raise ToolError("The files exceed 60 MB in total. Attach fewer.")
    writer = writer_of(file)
    for name, content in zip(names, contents, strict=True):
        writer.add_attachment(name, content)
    return made_pdf(writer, "with-attachments.pdf")


@tool(
    tags="pdf attachments embedded files extract save portfolio invoice xml zugferd",
    use_when=(
        "Which files are attached to this PDF?",
        "Take the XML out of the electronic invoice PDF",
        "Save the attachments of the PDF portfolio",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"names": [], "files": [], "sizes": []},
            source="a PDF without attachments",
            files=_PLAIN,
        ),
        Refusal({"file": FILE}, "not a PDF", files={FILE: samples.encode("x")}),
    ),
    reply={
        "names": "I found {names} in the PDF: {files}",
        "": "No files are attached to the PDF.",
    },
    pace="normal",
)
@refusing_damage()
def pdf_extract_attachments(file: File) -> Attachments:
    """Extract (take out) the files that are attached to or embedded in a PDF.

    Use it for portfolios and for invoices with embedded XML. Returns the files with their names and sizes; empty lists
    if there are none.
    """
    found = [(str(name), bytes(content)) for name, many in reader_of(file).attachments.items() for content in many]
    if len(found) > _MOST_FILES or sum(len(content) for _, content in found) > _MOST_BYTES:
        raise ToolError("The PDF contains more than 100 attachments, or more than 60 MB of them.")
    return {
        "files": [save(name, content) for name, content in found],
        "names": [name for name, _ in found],
        "sizes": [len(content) for _, content in found],
    }


@tool(
    tags="pdf fonts embedded list typefaces print preflight",
    use_when=(
        "Which fonts does this PDF use?",
        "Are all fonts embedded for the print shop?",
        "Why does the PDF look different on another computer?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "fonts": [{"name": "Helvetica", "kind": "Type1", "embedded": False, "subset": False, "pages": [1]}],
                "all_embedded": False,
            },
            source="the font dictionary that the file was written with",
            files=_PLAIN,
        ),
        Refusal({"file": FILE_3}, "not a PDF", files={FILE_3: samples.encode("x")}),
    ),
    reply={
        "all_embedded, fonts": "All fonts are embedded: {fonts}",
        "fonts": "Not all fonts are embedded: {fonts}",
        "": "The PDF uses no fonts.",
    },
    pace="normal",
)
@refusing_damage()
def pdf_list_fonts(file: File) -> Fonts:
    """List the fonts of a PDF, and whether each is embedded.

    Use it before printing or archiving: a font that is not embedded may look different elsewhere. Returns each font
    with its kind and pages.
    """
    found: dict[tuple[str, str, bool, bool], list[int]] = {}
    for number, page in enumerate(reader_of(file).pages, 1):
        fonts = page.get("/Resources", {}).get("/Font") or {}
        for reference in fonts.values():
            pages = found.setdefault(_describe(reference.get_object()), [])
            if len(pages) < 100 and number not in pages:
                pages.append(number)
    listed: list[Font] = [
        {"name": name, "kind": kind, "embedded": embedded, "subset": subset, "pages": pages}
        for (name, kind, embedded, subset), pages in sorted(found.items())
    ]
    return {"fonts": listed, "all_embedded": all(font["embedded"] for font in listed)}


def _describe(font: Any) -> tuple[str, str, bool, bool]:
    """Return name, kind, whether embedded, and whether a subset: names of subsets begin with six letters and + (ISO
    32000-1, 9.6.4).
    """
    name = str(font.get("/BaseFont", "")).removeprefix("/")
    kind = str(font.get("/Subtype", "")).removeprefix("/")
    descendants = font.get("/DescendantFonts")
    holder = descendants[0].get_object() if descendants else font
    descriptor = holder.get("/FontDescriptor", {})
    embedded = kind == "Type3" or any(f"/FontFile{number}" in descriptor for number in ("", "2", "3"))
    subset = name[6:7] == "+" and name[:6].isupper()
    return (name[7:] if subset else name)[:200], kind[:50], embedded, subset
