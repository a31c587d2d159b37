"""E-books: reading EPUB 2 and 3, and creating EPUB 3 from Markdown."""

import re
import uuid
import zipfile
from io import BytesIO
from itertools import pairwise
from typing import Annotated, Any

from markdown_it import MarkdownIt
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._epub_packages import (
    CONTAINER,
    OPF,
    chapter_page,
    container_document,
    navigation_document,
    open_book,
    package_document,
    read_chapter,
    write_entry,
)
from retinue_tools.documents._html_trees import plain_text, tree_of, word_count
from retinue_tools.documents._office_runs import xml_text
from retinue_tools.documents._samples import FILE
from retinue_tools.documents._zip_files import open_zip

_MOST_CHAPTERS = 2000
_DC = "{http://purl.org/dc/elements/1.1/}"

_STYLE = (
    "body{font-family:serif;line-height:1.5;margin:5%}h1,h2,h3{font-family:sans-serif;line-height:1.2}"
    "pre{white-space:pre-wrap;background:#f2f4f7;padding:.6em}table{border-collapse:collapse}"
    "td,th{border:1px solid #cbd2d9;padding:.3em .6em}blockquote{color:#555;margin-left:1.5em}"
)
_SAMPLE = {
    FILE: samples.encode(
        samples.zip_archive(
            {
                "mimetype": "application/epub+zip",
                CONTAINER: '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
                '<rootfile full-path="OPS/book.opf"/></rootfiles></container>',
                "OPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i">'
                '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">urn:isbn:9780000000002'
                "</dc:identifier><dc:title>Tides</dc:title><dc:creator>Ann Other</dc:creator><dc:language>en"
                "</dc:language></metadata><manifest>"
                '<item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
                '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
                '<item id="b" href="b%20b.xhtml" media-type="application/xhtml+xml"/></manifest>'
                '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
                "OPS/nav.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml" '
                'xmlns:epub="http://www.idpf.org/2007/ops"><body><nav epub:type="toc"><ol>'
                '<li><a href="a.xhtml">Ebb</a></li><li><a href="b%20b.xhtml">Flow</a></li></ol></nav></body></html>',
                "OPS/a.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><h1>Ebb</h1><p>Low.</p></body></html>',
                "OPS/b b.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>High water.</p></body></html>',
            }
        )
    )
}
_NO_BOOK = {FILE: samples.encode(samples.zip_archive({"a.txt": "x"}))}


class BookMetadata(TypedDict):
    """Metadata of a book."""

    title: Annotated[str | None, About("Title")]
    authors: Annotated[list[str], About("Authors")]
    language: Annotated[str | None, About("Language")]
    publisher: Annotated[str | None, About("Publisher")]
    published: Annotated[str | None, About("Date of publication, as written")]
    identifiers: Annotated[list[str], About("ISBN or other identifiers")]
    subjects: Annotated[list[str], About("Subjects")]
    description: Annotated[str | None, About("Description, as plain text")]
    epub_version: Annotated[str | None, About("Version of the format")]
    chapters: Annotated[int, About("Number of content documents in reading order")]
    images: Annotated[int, About("Number of pictures")]
    protected: Annotated[bool, About("Whether content is encrypted (DRM) and unreadable")]


class Chapter(TypedDict):
    """A content document of a book."""

    number: Annotated[int, About("Position in reading order, from 1")]
    title: Annotated[str | None, About("Title in the table of contents, or first heading")]
    words: Annotated[int, About("Number of words")]


class Chapters(TypedDict):
    """The chapters of a book."""

    chapters: Annotated[list[Chapter], About("Chapters in reading order")]
    words: Annotated[int, About("Number of words in the book")]


class ChapterText(TypedDict):
    """The text of a chapter."""

    number: Annotated[int, About("Position in reading order, from 1")]
    title: Annotated[str | None, About("Title of the chapter")]
    text: Annotated[str, About("Text of the chapter")]


class BookText(TypedDict):
    """The text of a book."""

    chapters: Annotated[list[ChapterText], About("Requested chapters, up to the character limit")]
    truncated: Annotated[bool, About("Whether the text is truncated because of max_characters")]


class Made(TypedDict):
    """A created book."""

    file: OutputFile
    chapters: Annotated[int, About("Number of chapters")]


@tool(
    tags="epub ebook metadata title author isbn language book",
    use_when=(
        "Who wrote this EPUB?",
        "What is the ISBN of the e-book?",
        "How many chapters has the book, and is it protected?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "title": "Tides", "authors": ["Ann Other"], "language": "en", "identifiers": ["urn:isbn:9780000000002"],
                "chapters": 2, "epub_version": "3.0", "protected": False, "publisher": None,
            },
            source="the package document that the book was written with (EPUB 3.3, section 5.5)",
            files=_SAMPLE,
        ),
        Refusal({"file": FILE}, "not an EPUB", files=_NO_BOOK),
    ),
    reply={
        "title, authors": "“{title}” is by {authors} and has {chapters|chapter}.",
        "title": "“{title}” has {chapters|chapter} and names no author.",
        "": "The book names no title and has {chapters|chapter}.",
    },
)  # fmt: skip
def epub_read_metadata(file: File) -> BookMetadata:
    """Read the metadata of an EPUB book: title, authors, language, identifiers, and its number of chapters.

    Use it to catalogue e-books. Missing fields are null or empty.
    """
    with open_zip(file, "EPUB book") as archive:
        book = open_book(archive)
        protected = "META-INF/encryption.xml" in archive.namelist()
    about = book.package.find(f"{OPF}metadata")
    description = _first(about, "description")
    media = [item.get("media-type") or "" for item in book.package.iter(f"{OPF}item")]
    return {
        "title": _first(about, "title"),
        "authors": _all(about, "creator"),
        "language": _first(about, "language"),
        "publisher": _first(about, "publisher"),
        "published": _first(about, "date"),
        "identifiers": _all(about, "identifier"),
        "subjects": _all(about, "subject"),
        "description": plain_text(tree_of(description)) if description else None,
        "epub_version": book.package.get("version"),
        "chapters": len(book.spine),
        "images": sum(kind.startswith("image/") for kind in media),
        "protected": protected,
    }


@tool(
    tags="epub ebook chapters contents toc list words",
    use_when=(
        "List the chapters of this e-book",
        "How long is each chapter of the EPUB?",
        "What is in the table of contents?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "chapters": [
                    {"number": 1, "title": "Ebb", "words": 2},
                    {"number": 2, "title": "Flow", "words": 2},
                ],
                "words": 4,
            },
            source="the documents that the book was written with",
            files=_SAMPLE,
        ),
        Refusal({"file": FILE}, "not an EPUB", files=_NO_BOOK),
    ),
    reply="The book has {words|word} in these chapters: {chapters}",
    pace="normal",
)
def epub_list_chapters(file: File) -> Chapters:
    """List the chapters of an EPUB book in reading order, with titles and numbers of words.

    Use it to find the chapter to read with epub_extract_text. Covers and title pages count as chapters.
    """
    with open_zip(file, "EPUB book") as archive:
        book = open_book(archive)
        texts = [read_chapter(archive, path) for path in book.spine]
    chapters: list[Chapter] = [
        {"number": number, "title": book.titles.get(path) or heading, "words": word_count(text)}
        for number, (path, (heading, text)) in enumerate(zip(book.spine, texts, strict=True), 1)
    ]
    return {"chapters": chapters, "words": sum(chapter["words"] for chapter in chapters)}


@tool(
    tags="epub ebook text extract read chapter book plain",
    use_when=(
        "Give me the text of chapter 3 of this e-book",
        "Extract the EPUB as plain text",
        "Read the first chapters of the book",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "chapters": [
                    {"number": 1, "title": "Ebb", "text": "Ebb\n\nLow."},
                    {"number": 2, "title": "Flow", "text": "High water."},
                ],
                "truncated": False,
            },
            source="the documents that the book was written with",
            files=_SAMPLE,
        ),
        Example(
            {"file": FILE, "first_chapter": 2, "max_characters": 4},
            {"chapters": [{"number": 2, "text": "High"}], "truncated": True},
            source="by hand",
            files=_SAMPLE,
        ),
        Refusal({"file": FILE, "first_chapter": 3}, "has 2 chapters", files=_SAMPLE),
    ),
    reply={
        "chapters.1": "The text by chapter: {chapters}",
        "chapters.0.text": "Chapter {chapters.0.number}, \u201c{chapters.0.title}\u201d: {chapters.0.text}",
        "chapters": "The text: {chapters}",
        "": "There is no such chapter.",
    },
    pace="normal",
)
def epub_extract_text(
    file: File,
    first_chapter: Annotated[int, About("First chapter, from 1", minimum=1, maximum=_MOST_CHAPTERS)] = 1,
    last_chapter: Annotated[
        int | None, About("Last chapter; default: the last of the book", 3, minimum=1, maximum=_MOST_CHAPTERS)
    ] = None,
    max_characters: Annotated[int, About("Maximum number of characters", minimum=1, maximum=2_000_000)] = 200_000,
) -> BookText:
    """Extract the text of an EPUB book, chapter by chapter.

    Use it to read, search or summarise an e-book; epub_list_chapters gives the numbers. Pictures are omitted.
    """
    chapters: list[ChapterText] = []
    room, truncated = max_characters, False
    with open_zip(file, "EPUB book") as archive:
        book = open_book(archive)
        if first_chapter > len(book.spine):
            raise ToolError(f"The book has {len(book.spine)} chapters.")
        for number in range(first_chapter, min(last_chapter or len(book.spine), len(book.spine)) + 1):
            heading, text = read_chapter(archive, book.spine[number - 1])
            truncated = truncated or len(text) > room
            if room:
                title = book.titles.get(book.spine[number - 1]) or heading
                chapters.append({"number": number, "title": title, "text": text[:room]})
            room -= min(len(text), room)
    return {"chapters": chapters, "truncated": truncated}


@tool(
    tags="epub ebook create make markdown book publish convert",
    use_when=(
        "Make an e-book of this Markdown",
        "Create an EPUB from my chapters",
        "Convert the documentation to EPUB for my reader",
        "Turn my story into an e-book",
    ),
    examples=(
        Example(
            {"title": "Tides", "author": "Ann Other", "markdown": "# Ebb\n\nLow **water**.\n\n# Flow\n\nHigh & dry.\n"},
            {"chapters": 2, "file": "Tides.epub"},
            source="by hand: each heading of level 1 begins a chapter",
            then=(
                ExampleCall(
                    "epub_extract_text",
                    {"file": "{made}"},
                    {
                        "chapters": [
                            {"number": 1, "title": "Ebb", "text": "Ebb\n\nLow water."},
                            {"number": 2, "title": "Flow", "text": "Flow\n\nHigh & dry."},
                        ]
                    },
                ),
                ExampleCall(
                    "epub_read_metadata",
                    {"file": "{made}"},
                    {"title": "Tides", "authors": ["Ann Other"], "language": "en", "epub_version": "3.0"},
                ),
                ExampleCall("file_detect_type", {"file": "{made}"}, {"media_type": "application/epub+zip"}),
            ),
        ),
        Example(
            {"title": "Ebbe", "author": "Ann Other", "markdown": "kein Titel\n", "language": "de"},
            {"chapters": 1},
            source="by hand",
            then=(
                ExampleCall("epub_list_chapters", {"file": "{made}"}, {"chapters": [{"title": "Ebbe", "words": 2}]}),
            ),
        ),
        Refusal({"title": "x", "author": "y", "markdown": " "}, "no text"),
    ),
    reply="The e-book \u201c{args.title}\u201d with {chapters|chapter}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
)
def epub_create(
    title: Annotated[str, About("Title of the book", "Tides", min_length=1, max_length=200)],
    author: Annotated[str, About("Author", "Ann Other", min_length=1, max_length=200)],
    markdown: Annotated[
        str,
        About(
            "Book text in Markdown; each heading of level 1 begins a chapter",
            "# Ebb\n\nLow water.",
            min_length=1,
            max_length=2_000_000,
        ),
    ],
    language: Annotated[
        str, About("Language as a BCP 47 tag", pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", max_length=20)
    ] = "en",
) -> Made:
    """Create an EPUB 3 e-book from Markdown with chapters, a table of contents and a clean style.

    Use it to read long texts on an e-reader. The same input gives the same file. Pictures are not included.
    """
    chapters = _split(markdown, title)
    if not chapters:
        raise ToolError("The Markdown has no text.")
    identifier = uuid.uuid5(uuid.NAMESPACE_URL, f"{title}\n{author}\n{markdown}").urn
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        # Readers look for the media type at the start of the file, uncompressed (EPUB 3.3, section 4.2.2).
        write_entry(archive, "mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        write_entry(archive, CONTAINER, container_document())
        write_entry(archive, "EPUB/package.opf", package_document(title, author, language, identifier, len(chapters)))
        write_entry(archive, "EPUB/nav.xhtml", navigation_document(title, language, [name for name, _ in chapters]))
        write_entry(archive, "EPUB/style.css", _STYLE)
        for number, (name, body) in enumerate(chapters, 1):
            write_entry(archive, f"EPUB/chapter-{number}.xhtml", chapter_page(name, language, body))
    name = re.sub(r"[^\w .-]", "", title).strip(" .")[:80] or "book"
    return {"file": save(f"{name}.epub", target.getvalue()), "chapters": len(chapters)}


def _all(about: Any, name: str) -> list[str]:
    elements = () if about is None else about.iter(_DC + name)
    texts = (" ".join("".join(element.itertext()).split())[:5000] for element in elements)
    return [text for text in texts if text][:100]


def _first(about: Any, name: str) -> str | None:
    return next(iter(_all(about, name)), None)


def _split(markdown: str, title: str) -> list[tuple[str, str]]:
    """Return chapters as titles and XHTML; the first gets the book's title if it begins without a heading."""
    parser = MarkdownIt("commonmark", {"html": False, "xhtmlOut": True}).enable(["table", "strikethrough"])
    tokens = parser.parse(xml_text(markdown))
    starts = [
        index
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag == "h1" and not token.level
    ]
    edges = [*([0] if not starts or starts[0] else []), *starts, len(tokens)]
    chapters: list[tuple[str, str]] = []
    for start, end in pairwise(edges):
        body = parser.renderer.render(tokens[start:end], parser.options, {})
        if body.strip():
            name = (
                plain_text(tree_of(body))
                if start not in starts
                else plain_text(tree_of(f"<p>{tokens[start + 1].content}</p>"))
            )
            chapters.append(((name if start in starts else title)[:200] or title, body))
    return chapters
