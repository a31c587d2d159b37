"""Electronic books: reading EPUB 2 and 3, and making EPUB 3 of Markdown."""

import posixpath
import re
import uuid
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from itertools import pairwise
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from typing_extensions import TypedDict

from retinue.sdk import About, Call, Example, File, MadeFile, Refusal, ToolError, save, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._html_trees import parsed_xml, plain_text, text_lines, tree_of, word_count
from retinue_tools.documents._office_runs import xml_text
from retinue_tools.documents._samples import FILE
from retinue_tools.documents._zip_files import open_zip, read_entry

_CONTAINER = "META-INF/container.xml"
_MOST_CHAPTERS = 2000
_DC = "{http://purl.org/dc/elements/1.1/}"
_OPF = "{http://www.idpf.org/2007/opf}"
_XHTML = "{http://www.w3.org/1999/xhtml}"
_NCX = "{http://www.daisy.org/z3986/2005/ncx/}"
_OPS = "{http://www.idpf.org/2007/ops}"
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
                _CONTAINER: '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
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
    """What a book says of itself."""

    title: Annotated[str | None, About("Title")]
    authors: Annotated[list[str], About("Authors")]
    language: Annotated[str | None, About("Language")]
    publisher: Annotated[str | None, About("Publisher")]
    published: Annotated[str | None, About("Date of publication, as written")]
    identifiers: Annotated[list[str], About("ISBN or other identifiers")]
    subjects: Annotated[list[str], About("Subjects")]
    description: Annotated[str | None, About("Description, as plain text")]
    epub_version: Annotated[str | None, About("Version of the format")]
    chapters: Annotated[int, About("How many content documents are in reading order")]
    images: Annotated[int, About("How many pictures are in the book")]
    protected: Annotated[bool, About("Whether content is encrypted (DRM) and cannot be read")]


class Chapter(TypedDict):
    """A content document of a book."""

    number: Annotated[int, About("Place in reading order, from 1")]
    title: Annotated[str | None, About("Title in the table of contents, or first heading")]
    words: Annotated[int, About("How many words it has")]


class Chapters(TypedDict):
    """The chapters of a book."""

    chapters: Annotated[list[Chapter], About("In reading order")]
    words: Annotated[int, About("Words of the whole book")]


class ChapterText(TypedDict):
    """The text of a chapter."""

    number: Annotated[int, About("Place in reading order, from 1")]
    title: Annotated[str | None, About("Its title")]
    text: Annotated[str, About("Its text")]


class BookText(TypedDict):
    """The text of a book."""

    chapters: Annotated[list[ChapterText], About("The chapters asked for, as far as the characters suffice")]
    truncated: Annotated[bool, About("Whether text was left out because of max_characters")]


class Made(TypedDict):
    """A book that was made."""

    file: MadeFile
    chapters: Annotated[int, About("How many chapters it has")]


@dataclass(frozen=True, slots=True)
class _Book:
    """The parts of an open book that are needed; `spine` are paths in reading order."""

    package: Any
    spine: Sequence[str]
    titles: dict[str, str]


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
)  # fmt: skip
def epub_read_metadata(file: File) -> BookMetadata:
    """Read what an EPUB book says of itself: title, authors, language, identifiers, and its number of chapters.

    Use it to catalogue e-books. Fields that the book lacks are null or empty.
    """
    with open_zip(file, "EPUB book") as archive:
        book = _open(archive)
        protected = "META-INF/encryption.xml" in archive.namelist()
    about = book.package.find(f"{_OPF}metadata")
    description = _first(about, "description")
    media = [item.get("media-type") or "" for item in book.package.iter(f"{_OPF}item")]
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
    pace="normal",
)
def epub_list_chapters(file: File) -> Chapters:
    """List the chapters of an EPUB book in reading order, with titles and numbers of words.

    Use it to find the chapter to read with epub_extract_text. Covers and title pages count as chapters.
    """
    with open_zip(file, "EPUB book") as archive:
        book = _open(archive)
        texts = [_chapter(archive, path) for path in book.spine]
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
    pace="normal",
)
def epub_extract_text(
    file: File,
    first_chapter: Annotated[int, About("First chapter, from 1", minimum=1, maximum=_MOST_CHAPTERS)] = 1,
    last_chapter: Annotated[
        int | None, About("Last chapter; that of the book where absent", 3, minimum=1, maximum=_MOST_CHAPTERS)
    ] = None,
    max_characters: Annotated[int, About("Most characters to return", minimum=1, maximum=2_000_000)] = 200_000,
) -> BookText:
    """Extract the text of an EPUB book, chapter by chapter.

    Use it to read, search or summarise an e-book; epub_list_chapters gives the numbers. Pictures are left out.
    """
    chapters: list[ChapterText] = []
    room, truncated = max_characters, False
    with open_zip(file, "EPUB book") as archive:
        book = _open(archive)
        if first_chapter > len(book.spine):
            raise ToolError(f"The book has {len(book.spine)} chapters.")
        for number in range(first_chapter, min(last_chapter or len(book.spine), len(book.spine)) + 1):
            heading, text = _chapter(archive, book.spine[number - 1])
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
    ),
    examples=(
        Example(
            {"title": "Tides", "author": "Ann Other", "markdown": "# Ebb\n\nLow **water**.\n\n# Flow\n\nHigh & dry.\n"},
            {"chapters": 2, "file": "Tides.epub"},
            source="by hand: each heading of level 1 begins a chapter",
            then=(
                Call(
                    "epub_extract_text",
                    {"file": "{made}"},
                    {
                        "chapters": [
                            {"number": 1, "title": "Ebb", "text": "Ebb\n\nLow water."},
                            {"number": 2, "title": "Flow", "text": "Flow\n\nHigh & dry."},
                        ]
                    },
                ),
                Call(
                    "epub_read_metadata",
                    {"file": "{made}"},
                    {"title": "Tides", "authors": ["Ann Other"], "language": "en", "epub_version": "3.0"},
                ),
                Call("file_detect_type", {"file": "{made}"}, {"media_type": "application/epub+zip"}),
            ),
        ),
        Example(
            {"title": "Ebbe", "author": "Ann Other", "markdown": "kein Titel\n", "language": "de"},
            {"chapters": 1},
            source="by hand",
            then=(Call("epub_list_chapters", {"file": "{made}"}, {"chapters": [{"title": "Ebbe", "words": 2}]}),),
        ),
        Refusal({"title": "x", "author": "y", "markdown": " "}, "no text"),
    ),
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
            "The book in Markdown; each heading of level 1 begins a chapter",
            "# Ebb\n\nLow water.",
            min_length=1,
            max_length=2_000_000,
        ),
    ],
    language: Annotated[
        str, About("Language as a BCP 47 tag", pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", max_length=20)
    ] = "en",
) -> Made:
    """Create an EPUB 3 e-book of Markdown with chapters, a table of contents and a clean style.

    Use it to read long texts on an e-reader. The same input gives the same file. Pictures are not taken in.
    """
    chapters = _split(markdown, title)
    if not chapters:
        raise ToolError("The Markdown has no text.")
    identifier = uuid.uuid5(uuid.NAMESPACE_URL, f"{title}\n{author}\n{markdown}").urn
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        # Readers look for the media type at the start of the file, not packed (EPUB 3.3, section 4.2.2).
        _write(archive, "mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        _write(archive, _CONTAINER, _container())
        _write(archive, "EPUB/package.opf", _package(title, author, language, identifier, len(chapters)))
        _write(archive, "EPUB/nav.xhtml", _navigation(title, language, [name for name, _ in chapters]))
        _write(archive, "EPUB/style.css", _STYLE)
        for number, (name, body) in enumerate(chapters, 1):
            _write(archive, f"EPUB/chapter-{number}.xhtml", _page(name, language, body))
    name = re.sub(r"[^\w .-]", "", title).strip(" .")[:80] or "book"
    return {"file": save(f"{name}.epub", target.getvalue()), "chapters": len(chapters)}


def _open(archive: zipfile.ZipFile) -> _Book:
    """Find the package document, the reading order and the titles (EPUB 3.3, sections 4.2.6, 5.7 and 7)."""
    names = set(archive.namelist())
    if _CONTAINER not in names:
        raise ToolError("The file is not an EPUB book: it has no META-INF/container.xml.")
    root = parsed_xml(read_entry(archive, _CONTAINER), _CONTAINER)
    path = next((item.get("full-path") for item in root.iter("{*}rootfile")), None)
    if path not in names:
        raise ToolError("The EPUB book is damaged: its package document is missing.")
    package, folder = parsed_xml(read_entry(archive, path), path), posixpath.dirname(path)
    items = {item.get("id"): item for item in package.iter(f"{_OPF}item")}
    order = [
        items[reference.get("idref")] for reference in package.iter(f"{_OPF}itemref") if reference.get("idref") in items
    ]
    spine = [place for item in order if (place := _place(folder, item.get("href") or "")) in names]
    titles: dict[str, str] = {}
    for item in items.values():
        place = _place(folder, item.get("href") or "")
        if place in names and "nav" in (item.get("properties") or "").split():
            titles |= _nav_titles(parsed_xml(read_entry(archive, place), place), posixpath.dirname(place))
        elif place in names and item.get("media-type") == "application/x-dtbncx+xml":
            titles = _ncx_titles(parsed_xml(read_entry(archive, place), place), posixpath.dirname(place)) | titles
    return _Book(package, spine[:_MOST_CHAPTERS], titles)


def _place(folder: str, reference: str) -> str:
    """Where in the archive a relative address leads."""
    try:
        path = unquote(urlsplit(reference).path)
    except ValueError:
        return ""
    return posixpath.normpath(posixpath.join(folder, path))


def _nav_titles(root: Any, folder: str) -> dict[str, str]:
    """The first title of each document in an EPUB 3 navigation document."""
    found: dict[str, str] = {}
    for nav in root.iter(f"{_XHTML}nav"):
        if nav.get(f"{_OPS}type") == "toc":
            for link in nav.iter(f"{_XHTML}a"):
                found.setdefault(
                    _place(folder, link.get("href") or ""), " ".join("".join(link.itertext()).split())[:300]
                )
    return found


def _ncx_titles(root: Any, folder: str) -> dict[str, str]:
    """The first title of each document in an EPUB 2 table of contents."""
    found: dict[str, str] = {}
    for point in root.iter(f"{_NCX}navPoint"):
        label, content = point.find(f"{_NCX}navLabel"), point.find(f"{_NCX}content")
        if label is not None and content is not None:
            text = " ".join("".join(label.itertext()).split())[:300]
            found.setdefault(_place(folder, content.get("src") or ""), text)
    return found


def _chapter(archive: zipfile.ZipFile, path: str) -> tuple[str | None, str]:
    """First heading and text of a content document."""
    content = read_entry(archive, path, 10_000_000)
    if not content.strip():
        return None, ""
    # HTML knows no <title/>: it would take all that follows for the title.
    text = re.sub(r"<(\w+)((?:\s[^<>]*)?)/>", _unfold, content.decode("utf-8", "replace").removeprefix("\ufeff"))
    body = tree_of(re.sub(r"^\s*<\?xml[^>]*\?>", "", text))
    heading = next((plain_text(element) for element in body.iter("h1", "h2", "h3")), "")
    return heading[:300] or None, text_lines(body)


def _unfold(tag: re.Match[str]) -> str:
    return tag[0] if tag[1] in ("br", "hr", "img", "meta", "link", "col") else f"<{tag[1]}{tag[2]}></{tag[1]}>"


def _all(about: Any, name: str) -> list[str]:
    elements = () if about is None else about.iter(_DC + name)
    texts = (" ".join("".join(element.itertext()).split())[:5000] for element in elements)
    return [text for text in texts if text][:100]


def _first(about: Any, name: str) -> str | None:
    return next(iter(_all(about, name)), None)


def _split(markdown: str, title: str) -> list[tuple[str, str]]:
    """Chapters as title and XHTML; the first has the book's title where it begins without a heading."""
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


def _write(archive: zipfile.ZipFile, name: str, content: str, method: int = zipfile.ZIP_DEFLATED) -> None:
    archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, compress_type=method)


def _container() -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )


def _package(title: str, author: str, language: str, identifier: str, chapters: int) -> str:
    kind = 'media-type="application/xhtml+xml"'
    items = "".join(f'<item id="c{n}" href="chapter-{n}.xhtml" {kind}/>' for n in range(1, chapters + 1))
    order = "".join(f'<itemref idref="c{n}"/>' for n in range(1, chapters + 1))
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<package xmlns="http://www.idpf.org/2007/opf" version="3.0" '
        f'unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<dc:identifier id="id">{identifier}</dc:identifier><dc:title>{_text(title)}</dc:title>'
        f"<dc:creator>{_text(author)}</dc:creator><dc:language>{language}</dc:language>"
        '<meta property="dcterms:modified">1980-01-01T00:00:00Z</meta></metadata><manifest>'
        f'<item id="nav" href="nav.xhtml" properties="nav" {kind}/>'
        '<item id="css" href="style.css" media-type="text/css"/>'
        f"{items}</manifest><spine>{order}</spine></package>"
    )


def _navigation(title: str, language: str, names: Sequence[str]) -> str:
    points = "".join(f'<li><a href="chapter-{n}.xhtml">{_text(name)}</a></li>' for n, name in enumerate(names, 1))
    return _page(title, language, f'<nav epub:type="toc"><h1>{_text(title)}</h1><ol>{points}</ol></nav>')


def _page(title: str, language: str, body: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" '
        f'xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="{language}"><head><title>{_text(title)}</title>'
        f'<link rel="stylesheet" href="style.css"/></head><body>{body}</body></html>'
    )


def _text(text: str) -> str:
    return escape(xml_text(text), quote=False)
