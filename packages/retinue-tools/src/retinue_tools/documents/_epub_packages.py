"""Reading and writing of EPUB files: package, reading order and table of contents."""

import posixpath
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import unquote, urlsplit

from retinue.sdk import ToolError
from retinue_tools.documents._html_trees import parsed_xml, plain_text, text_lines, tree_of
from retinue_tools.documents._office_runs import xml_text
from retinue_tools.documents._zip_files import read_entry

CONTAINER = "META-INF/container.xml"
_MOST_CHAPTERS = 2000

OPF = "{http://www.idpf.org/2007/opf}"
_XHTML = "{http://www.w3.org/1999/xhtml}"
_NCX = "{http://www.daisy.org/z3986/2005/ncx/}"
_OPS = "{http://www.idpf.org/2007/ops}"


@dataclass(frozen=True, slots=True)
class _Book:
    """The required parts of an open book; `spine` contains paths in reading order."""

    package: Any
    spine: Sequence[str]
    titles: dict[str, str]


def open_book(archive: zipfile.ZipFile) -> _Book:
    """Find the package document, the reading order and the titles (EPUB 3.3, sections 4.2.6, 5.7 and 7)."""
    names = set(archive.namelist())
    if CONTAINER not in names:
        raise ToolError("The file is not an EPUB book: it has no META-INF/container.xml.")
    root = parsed_xml(read_entry(archive, CONTAINER), CONTAINER)
    path = next((item.get("full-path") for item in root.iter("{*}rootfile")), None)
    if path not in names:
        raise ToolError("The EPUB book is damaged: its package document is missing.")
    package, folder = parsed_xml(read_entry(archive, path), path), posixpath.dirname(path)
    items = {item.get("id"): item for item in package.iter(f"{OPF}item")}
    order = [
        items[reference.get("idref")] for reference in package.iter(f"{OPF}itemref") if reference.get("idref") in items
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
    """Return the path in the archive that a relative address refers to."""
    try:
        path = unquote(urlsplit(reference).path)
    except ValueError:
        return ""
    return posixpath.normpath(posixpath.join(folder, path))


def _nav_titles(root: Any, folder: str) -> dict[str, str]:
    """Return the first title of each document in an EPUB 3 navigation document."""
    found: dict[str, str] = {}
    for nav in root.iter(f"{_XHTML}nav"):
        if nav.get(f"{_OPS}type") == "toc":
            for link in nav.iter(f"{_XHTML}a"):
                found.setdefault(
                    _place(folder, link.get("href") or ""), " ".join("".join(link.itertext()).split())[:300]
                )
    return found


def _ncx_titles(root: Any, folder: str) -> dict[str, str]:
    """Return the first title of each document in an EPUB 2 table of contents."""
    found: dict[str, str] = {}
    for point in root.iter(f"{_NCX}navPoint"):
        label, content = point.find(f"{_NCX}navLabel"), point.find(f"{_NCX}content")
        if label is not None and content is not None:
            text = " ".join("".join(label.itertext()).split())[:300]
            found.setdefault(_place(folder, content.get("src") or ""), text)
    return found


def read_chapter(archive: zipfile.ZipFile, path: str) -> tuple[str | None, str]:
    """Return the first heading and the text of a content document."""
    content = read_entry(archive, path, 10_000_000)
    if not content.strip():
        return None, ""
    # HTML does not know <title/>: all that follows would become the title.
    text = re.sub(r"<(\w+)((?:\s[^<>]*)?)/>", _unfold, content.decode("utf-8", "replace").removeprefix("\ufeff"))
    body = tree_of(re.sub(r"^\s*<\?xml[^>]*\?>", "", text))
    heading = next((plain_text(element) for element in body.iter("h1", "h2", "h3")), "")
    return heading[:300] or None, text_lines(body)


def _unfold(tag: re.Match[str]) -> str:
    return tag[0] if tag[1] in ("br", "hr", "img", "meta", "link", "col") else f"<{tag[1]}{tag[2]}></{tag[1]}>"


def write_entry(archive: zipfile.ZipFile, name: str, content: str, method: int = zipfile.ZIP_DEFLATED) -> None:
    archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, compress_type=method)


def container_document() -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )


def package_document(title: str, author: str, language: str, identifier: str, chapters: int) -> str:
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


def navigation_document(title: str, language: str, names: Sequence[str]) -> str:
    points = "".join(f'<li><a href="chapter-{n}.xhtml">{_text(name)}</a></li>' for n, name in enumerate(names, 1))
    return chapter_page(title, language, f'<nav epub:type="toc"><h1>{_text(title)}</h1><ol>{points}</ol></nav>')


def chapter_page(title: str, language: str, body: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" '
        f'xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="{language}"><head><title>{_text(title)}</title>'
        f'<link rel="stylesheet" href="style.css"/></head><body>{body}</body></html>'
    )


def _text(text: str) -> str:
    return escape(xml_text(text), quote=False)
