"""Text of documents of any common format, detected by content."""

import codecs
import email.policy
import re
import zipfile
from collections.abc import Iterator
from email import message_from_bytes
from pathlib import Path
from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Alias, Example, File, Refusal, ToolError, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._html_trees import parsed_xml, text_lines, tree_of, word_count
from retinue_tools.documents._rich_text import rtf_text
from retinue_tools.documents._samples import FILE
from retinue_tools.documents._zip_files import open_zip, read_entry
from retinue_tools.documents.epub_books import epub_extract_text
from retinue_tools.documents.file_types import file_detect_type
from retinue_tools.documents.mail_messages import email_parse_eml
from retinue_tools.documents.pdf_text import pdf_extract_text

_MOST_BYTES, _MOST_CHARACTERS = 30_000_000, 2_000_000
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
_DUBLIN = "{http://purl.org/dc/elements/1.1/}"
_ODT_XML = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:body><office:text>'
    '<text:h text:outline-level="2">Ebb</text:h><text:p>Low<text:s text:c="2"/>water<text:line-break/>at '
    "<text:span>noon</text:span>.</text:p><text:list><text:list-item><text:p>one</text:p></text:list-item></text:list>"
    "<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b"
    "</text:p></table:table-cell></table:table-row></table:table></office:text></office:body></office:document-content>"
)
_ODT_META = (
    '<office:document-meta xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0">'
    "<office:meta><dc:title>Tides</dc:title><meta:initial-creator>Ann Other</meta:initial-creator></office:meta>"
    "</office:document-meta>"
)
_ODT = {
    FILE: samples.encode(
        samples.zip_archive(
            {
                "mimetype": "application/vnd.oasis.opendocument.text",
                "content.xml": _ODT_XML,
                "meta.xml": _ODT_META,
            }
        )
    )
}
_RTF = {
    FILE: samples.encode(
        r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\*\generator X;}\f0 Gr\'fc\'dfe \b bold\b0\par"
        r"\u9731?\tab \{x\}{\pict 00ff}\par}"
    )
}
_DOCX = {
    FILE: samples.encode(
        samples.zip_archive(
            {
                "word/document.xml": '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
                "<w:body><w:p><w:r><w:t>Ebb and</w:t></w:r><w:r><w:tab/><w:t>flow</w:t></w:r></w:p><w:p/><w:p><w:r>"
                "<w:t>Sea</w:t></w:r></w:p></w:body></w:document>"
            }
        )
    )
}
_LATIN = {FILE: samples.encode("Grüße".encode("cp1252"))}
_PNG = {FILE: samples.encode(samples.png(2, 2, (0, 0, 0)))}


class Converted(TypedDict):
    """Text of a document."""

    text: Annotated[str, About("Text of the document")]
    kind: Annotated[str, About("Kind of the file")]
    words: Annotated[int, About("Number of returned words")]
    truncated: Annotated[bool, About("Whether the text is truncated because of max_characters")]
    title: NotRequired[Annotated[str | None, About("Title in the properties of OpenDocument text")]]
    author: NotRequired[Annotated[str | None, About("Author in the properties of OpenDocument text")]]


MaxCharacters = Annotated[int, About("Maximum number of characters", minimum=1, maximum=_MOST_CHARACTERS)]


@tool(
    tags="document convert text extract any universal read pdf docx odt rtf epub html eml pptx",
    use_when=(
        "What does this file say?",
        "Give me the text of the upload, whatever it is",
        "Convert this document to plain text",
        "Read the attachment, I do not know its format",
        "What does this .rtf file say?",
        "Convert rich text to plain text",
        "Read an RTF export",
        "Extract the text of a LibreOffice document",
        "Who wrote the OpenDocument text?",
        "Open a document",
        "What is written in this file?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"text": "Ebb and\tflow\n\nSea", "kind": "Word document", "words": 4, "truncated": False},
            source="the paragraphs that the file was written with",
            files=_DOCX,
        ),
        Example(
            {"file": FILE, "max_characters": 3},
            {"text": "Grü", "kind": "Plain text", "truncated": True},
            source="Windows-1252: FC is ü",
            files=_LATIN,
        ),
        Example(
            {"file": FILE},
            {"text": "one\n\ntwo", "kind": "PDF document"},
            source="by hand",
            files={FILE: samples.encode(samples.text_pdf("one", "two"))},
        ),
        Example(
            {"file": FILE, "max_characters": _MOST_CHARACTERS},
            {"text": "Grüße bold\n☃\t{x}", "words": 3},
            source="RTF 1.9.1: FC and DF are ü and ß in code page 1252, 9731 is U+2603; the ? stands in for it",
            files=_RTF,
        ),
        Example(
            {"file": FILE, "max_characters": _MOST_CHARACTERS},
            {
                "text": "## Ebb\n\nLow  water\nat noon.\n\n- one\n\na\tb",
                "title": "Tides",
                "author": "Ann Other",
                "words": 8,
            },
            source="the content that the file was written with (OpenDocument 1.3, part 3, sections 5 and 6)",
            files=_ODT,
        ),
        Refusal({"file": FILE}, "PNG image", files=_PNG),
    ),
    reply={
        "truncated": "The beginning of the document: {text}",
        "text": "The text of the {kind}: {text}",
        "": "There is no text in the document.",
    },
    pace="normal",
    aliases=(
        Alias("odt_extract_text", constants={"max_characters": _MOST_CHARACTERS}),
        Alias("rtf_extract_text", constants={"max_characters": _MOST_CHARACTERS}),
    ),
)
def document_convert_to_text(file: File, max_characters: MaxCharacters = 200_000) -> Converted:
    """Convert a document of any kind to plain text: PDF, Word, PowerPoint, OpenDocument, RTF, EPUB, HTML, e-mail or
    plain text.

    Use it for uploads of unknown kind; the tools for each kind return more, such as pages or tables. Pictures and scans
    contain no text. The kind is detected by content. For .odt files, headings are marked with #, and title and author
    are returned.
    """
    kind, text = _convert(file, max_characters)
    excerpt = text[:max_characters]
    result: Converted = {
        "text": excerpt,
        "kind": kind,
        "words": word_count(excerpt),
        "truncated": len(text) > max_characters,
    }
    if file_detect_type(file)["extension"] == "odt":
        result["title"], result["author"] = _properties(file)
    return result


def _properties(file: str) -> tuple[str | None, str | None]:
    """Return title and author of an OpenDocument text."""
    with open_zip(file, "OpenDocument text") as archive:
        meta = parsed_xml(read_entry(archive, "meta.xml"), "meta.xml") if "meta.xml" in archive.namelist() else None
    title = meta.find(f".//{_DUBLIN}title") if meta is not None else None
    author = meta.find(f".//{_META}initial-creator") if meta is not None else None
    return None if title is None else title.text, None if author is None else author.text


def _convert(file: str, room: int) -> tuple[str, str]:
    """Return kind and text of a file."""
    found = file_detect_type(file)
    match found["extension"]:
        case "pdf":
            pages = pdf_extract_text(file, max_characters=min(room + 1, 2_000_000))["pages"]
            text = "\n\n".join(page["text"] for page in pages)
        case "epub":
            chapters = epub_extract_text(file, max_characters=min(room + 1, 2_000_000))["chapters"]
            text = "\n\n".join(chapter["text"] for chapter in chapters)
        case "odt" | "odp" | "docx" | "pptx":
            with open_zip(file, found["kind"]) as archive:
                text = _office(archive, found["extension"])
        case "rtf":
            text = rtf_text(_content(file))
        case "html":
            text = text_lines(tree_of(_decode(_content(file))))
        case "xlsx" | "ods" | "ole":
            raise ToolError(
                f"The file is an {found['kind']}. Read it with the tools for spreadsheets, or save it in another "
                "format."
            )
        case _ if found["encoding"] is not None or found["extension"] == "bin":
            return _plain(file, found["kind"])
        case _:
            raise ToolError(f"The file is a {found['kind']}, which contains no readable text.")
    return found["kind"], text


def _plain(file: str, kind: str) -> tuple[str, str]:
    """Read plain text, or an e-mail, which is detected as text too."""
    content = _content(file)
    head = message_from_bytes(content[:20_000], policy=email.policy.compat32)
    if sum(name in head for name in ("from", "to", "subject", "date", "message-id", "mime-version")) >= 3:
        message = email_parse_eml(file)
        return "E-mail", f"{message['subject'] or ''}\n\n{message['text']}"
    if b"\0" in content and not content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ToolError("The file is not text, and its type is unknown.")
    return ("Plain text" if kind.startswith("Binary") else kind), _decode(content)


def _decode(content: bytes) -> str:
    """Decode by byte order mark, as UTF-8, or else as Windows-1252, which older Western programs write."""
    for mark, name in ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if content.startswith(mark):
            return content.decode(name, "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _content(file: str) -> bytes:
    if Path(file).stat().st_size > _MOST_BYTES:
        raise ToolError("The file exceeds 30 MB.")
    return Path(file).read_bytes()


def _office(archive: zipfile.ZipFile, kind: str) -> str:
    if kind in ("odt", "odp"):
        return _open_document(archive)
    if kind == "docx":
        names, paragraph, run = ["word/document.xml"], f"{_WORD}p", _WORD
    else:
        slides = re.compile(r"ppt/slides/slide(\d{1,5})\.xml")
        found = sorted((int(match[1]), match[0]) for name in archive.namelist() if (match := slides.fullmatch(name)))
        names, paragraph, run = [name for _, name in found][:1000], f"{_DRAWING}p", _DRAWING
    if not set(names) <= set(archive.namelist()):
        raise ToolError("The document is damaged: its text is missing.")
    parts = []
    for name in names:
        root = parsed_xml(read_entry(archive, name), name)
        parts.append("\n".join("".join(_runs(element, run)) for element in root.iter(paragraph)).strip())
    return "\n\n".join(parts)


def _runs(paragraph: Any, space: str) -> Iterator[str]:
    for element in paragraph.iter(f"{space}t", f"{space}tab", f"{space}br"):
        yield (element.text or "") if element.tag == f"{space}t" else "\t" if element.tag == f"{space}tab" else "\n"


def _open_document(archive: zipfile.ZipFile) -> str:
    if "content.xml" not in archive.namelist():
        raise ToolError("The file is not an OpenDocument. file_detect_type detects its type.")
    root = parsed_xml(read_entry(archive, "content.xml"), "content.xml")
    blocks = [*_open_blocks(root)]
    return re.sub(r"\n{3,}", "\n\n", "".join(blocks)).strip()


def _open_blocks(element: Any) -> Iterator[str]:
    """Yield headings, paragraphs, list items and rows, each with the preceding empty line or line end."""
    for child in element.iterchildren("{*}*"):
        if child.tag == f"{_TEXT}h":
            level = child.get(f"{_TEXT}outline-level") or "1"
            yield f"\n\n{'#' * (int(level) if level in '123456' else 1)} {''.join(_open_runs(child))}"
        elif child.tag == f"{_TEXT}p":
            yield "\n\n" + "".join(_open_runs(child))
        elif child.tag == f"{_TEXT}list":
            yield "\n"
            for item in child.iterchildren(f"{_TEXT}list-item", f"{_TEXT}list-header"):
                yield "\n- " + "".join(_open_blocks(item)).strip().replace("\n\n", "\n")
        elif child.tag == f"{_TABLE}table-row":
            cells = child.iterchildren(f"{_TABLE}table-cell")
            yield "\n" + "\t".join(" ".join("".join(_open_blocks(cell)).split()) for cell in cells)
        else:
            yield ("\n" if child.tag == f"{_TABLE}table" else "") + "".join(_open_blocks(child))


def _open_runs(element: Any) -> Iterator[str]:
    """Yield text with white space collapsed; spaces, tabs and line ends are separate elements (OpenDocument 1.3, 6.1.2
    on).
    """
    yield re.sub(r"\s+", " ", element.text or "")
    for child in element:
        name = child.tag.removeprefix(_TEXT) if isinstance(child.tag, str) else ""
        if name == "s":
            count = child.get(f"{_TEXT}c") or "1"
            yield " " * (min(int(count), 1000) if count.isascii() and count.isdigit() and len(count) < 7 else 1)
        elif name in ("tab", "line-break"):
            yield "\t" if name == "tab" else "\n"
        elif name not in ("note", "annotation", ""):
            yield from _open_runs(child)
        yield re.sub(r"\s+", " ", child.tail or "")
