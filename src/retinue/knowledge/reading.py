"""Read the text of documents. Files of other kinds than text are read by tools, in confined workers."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypedDict

from retinue.core.database.statements import Row
from retinue.core.errors import ValidationFailed
from retinue.core.network.http_client import AddressGuard
from retinue.core.runtime.executors import run_on_compute_thread, run_on_disk_thread
from retinue.files.file_access import FileAccess
from retinue.files.store import MIB
from retinue.knowledge.chunking import Section, split_markdown
from retinue.knowledge.tables import DocumentSource
from retinue.knowledge.web_pages import SeenContent, WebPage, fetch_page
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.execution.pool import ToolPool

MOST_CHARACTERS = 2_000_000
"""Maximum length of a document's text, in characters. The rest of a longer document is refused."""

_MOST_BYTES = 30 * MIB
_MOST_HTML = 1_900_000
_SHORT_ARTICLE = 80
"""A main text of fewer characters may be a teaser, so the whole page is read."""

_SCANNED_PAGES, _PAGES_AT_ONCE = 30, 3
_MOST_SHEETS, _MOST_ROWS = 50, 1000
_PICTURES = ("png", "jpg", "jpeg", "webp", "gif", "bmp", "tif", "tiff")
_HELP = "Save it as PDF, Word, PowerPoint, Excel, EPUB, HTML, Markdown or text, and add it again."


@dataclass(frozen=True, slots=True)
class DocumentText:
    """The text of a document in sections, with its own title if it has one.

    `links` are those of a web page, and `seen` what tells later whether it has changed.
    """

    sections: Sequence[Section]
    title: str | None = None
    links: Sequence[str] = ()
    seen: SeenContent | None = None


class DocumentReader:
    """Reads files, pages of the web and texts for accounts."""

    def __init__(self, file_access: FileAccess, pool: ToolPool, catalogue: Catalogue, guard: AddressGuard) -> None:
        self._file_access, self._pool, self._catalogue, self.guard = file_access, pool, catalogue, guard

    async def read(self, document: Row) -> DocumentText:
        """Return the text of a document. Raises `RetinueError` with a reason that its owner understands."""
        source: DocumentSource = document.source
        if source["type"] == "text":
            return DocumentText(await run_on_compute_thread(split_markdown, document.text))
        if source["type"] == "url":
            return await self._read_url(document.account_id, source["url"])
        try:
            paths = await self._file_access.paths(document.account_id, [source["file_id"]])
        except ValidationFailed as error:
            if "path" not in source:
                raise
            raise ValidationFailed(f"{source['path']} was changed or deleted meanwhile. Synchronize again.") from error
        return await self._read_file(document.account_id, paths[source["file_id"]])

    async def read_page(self, account_id: int, page: WebPage) -> DocumentText:
        """Return the main text of a web page with its links, or the text of a file that is in the web."""
        if page.is_html and len(page.content) <= _MOST_HTML:
            html = await run_on_compute_thread(_with_base, page)
            return await _read_html(_Tools(self._pool, self._catalogue, account_id), html)
        with TemporaryDirectory(prefix="retinue-knowledge-") as folder:
            path = Path(folder) / "document"
            await run_on_disk_thread(path.write_bytes, page.content)
            return await self._read_file(account_id, path)

    async def read_sitemap(self, account_id: int, url: str) -> list[str]:
        """Return the addresses of a site map, or of all site maps that an index lists."""
        tools = _Tools(self._pool, self._catalogue, account_id)
        found = await tools.call("sitemap_read_urls", url=url, follow_index=True)
        return [entry["url"] for entry in found["urls"]]

    @asynccontextmanager
    async def open_archive(self, account_id: int, content: bytes) -> AsyncIterator["Archive"]:
        """Give access to the files in an archive, which tools read in confined workers."""
        with TemporaryDirectory(prefix="retinue-knowledge-") as folder:
            path = Path(folder) / "document"
            await run_on_disk_thread(path.write_bytes, content)
            yield Archive(_Tools(self._pool, self._catalogue, account_id, path))

    async def _read_url(self, account_id: int, url: str) -> DocumentText:
        page = await fetch_page(self.guard, url)
        if page.status != 200:
            raise ValidationFailed(refused_page(page))
        return await self.read_page(account_id, page)

    async def _read_file(self, account_id: int, path: Path) -> DocumentText:
        content = await run_on_disk_thread(_head, path)
        if len(content) > _MOST_BYTES:
            raise ValidationFailed("The file is larger than 30 MiB. Split it, and add the parts.")
        if (text := await run_on_compute_thread(_plain_text, content)) is not None:
            return DocumentText(await run_on_compute_thread(split_markdown, text))
        tools = _Tools(self._pool, self._catalogue, account_id, path)
        found = await tools.call("file_detect_type")
        return await _read_kind(tools, found["extension"])


@dataclass(frozen=True)
class _Tools:
    """Calls tools, on one file if there is a path."""

    pool: ToolPool
    catalogue: Catalogue
    account_id: int
    path: Path | None = None

    async def call(self, name: str, **args: object) -> dict[str, Any]:
        """Call a tool. Raises `RetinueError`."""
        tool = self.catalogue.get(name)
        files = {"document": self.path} if self.path else {}
        args = {**({"file": "document"} if self.path else {}), **args}
        return await self.pool.execute(tool, args, files, None, self.account_id, waited_for=False)


@dataclass(frozen=True)
class Archive:
    """The files in an archive."""

    tools: _Tools

    async def files(self) -> list[str]:
        """Return the paths of the files. Raises `RetinueError`."""
        found = await self.tools.call("archive_list")
        return [entry["path"] for entry in found["entries"] if entry["kind"] == "file"]

    async def read_text(self, path: str) -> str:
        """Return the text of a file. Raises `RetinueError`."""
        found = await self.tools.call("archive_read_text", path=path)
        return str(found["text"])


async def _read_kind(tools: _Tools, kind: str) -> DocumentText:
    match kind:
        case "pdf":
            return await _read_pdf(tools)
        case "docx":
            found = await tools.call("docx_convert_to_markdown", max_characters=1_000_000)
            return DocumentText(await run_on_compute_thread(split_markdown, found["markdown"]))
        case "pptx":
            found = await tools.call("pptx_extract_text")
            return DocumentText([section for slide in found["slides"] if (section := _slide(slide))], found["title"])
        case "xlsx":
            return await _read_sheets(tools)
        case "epub":
            found = await tools.call("epub_extract_text", max_characters=MOST_CHARACTERS)
            chapters = found["chapters"]
            return DocumentText([Section(one["text"], None, one["title"]) for one in chapters if one["text"].strip()])
        case _ if kind in _PICTURES:
            found = await tools.call("image_read_text")
            return DocumentText([Section(found["text"])] if found["text"].strip() else [])
        case _:
            found = await tools.call("document_convert_to_text", max_characters=MOST_CHARACTERS)
            return DocumentText(await run_on_compute_thread(split_markdown, found["text"]), found.get("title"))


async def _read_html(tools: _Tools, html: str) -> DocumentText:
    """Return the main text of a page without menus, or all of its text if it has no main text."""
    found = await tools.call("web_extract_article", html=html, most_characters=500_000)
    text, title = found["text"], found["title"]
    if len(text) < _SHORT_ARTICLE:
        page = await tools.call("web_convert_to_markdown", html=html, keep_images=False, most_characters=500_000)
        text, title = page["markdown"], title or page["title"]
    linked = await tools.call("web_extract_links", html=html)
    links = [link["url"] for link in linked["links"] if not link["nofollow"]]
    return DocumentText(await run_on_compute_thread(split_markdown, text), title or None, links)


def _with_base(page: WebPage) -> str:
    """Return the HTML of a page with its address as the base of relative links. A base of its own comes second."""
    return f'<base href="{escape(page.url)}">{page.text}'


def refused_page(page: WebPage) -> str:
    """Return why a page that did not answer with 200 is no document."""
    return f"{page.url} answered with status {page.status}. Check that the page is public, then try again."


async def _read_pdf(tools: _Tools) -> DocumentText:
    found = await tools.call("pdf_extract_text", max_characters=MOST_CHARACTERS)
    pages = {page["page"]: page["text"] for page in found["pages"] if page["text"].strip()}
    scanned = [page for page in found["pages_without_text"] if page not in pages][:_SCANNED_PAGES]
    for start in range(0, len(scanned), _PAGES_AT_ONCE):
        numbers = ",".join(map(str, scanned[start : start + _PAGES_AT_ONCE]))
        recognized = await tools.call("pdf_recognize_text", pages=numbers)
        pages |= {page["page"]: page["text"] for page in recognized["pages"] if page["text"].strip()}
    return DocumentText([Section(text, page) for page, text in sorted(pages.items())])


async def _read_sheets(tools: _Tools) -> DocumentText:
    book = await tools.call("xlsx_list_sheets")
    sections = []
    for sheet in book["sheets"][:_MOST_SHEETS]:
        found = await tools.call("xlsx_read_sheet", sheet=sheet["name"], limit=_MOST_ROWS)
        if lines := [_record(row) for row in found["records"]]:
            sections.append(Section("\n".join(lines), None, sheet["name"]))
    return DocumentText(sections, book["title"])


class _Slide(TypedDict):
    slide: int
    title: str
    text: str
    notes: str


def _record(row: Mapping[str, object]) -> str:
    return "; ".join(f"{name}: {value}" for name, value in row.items() if value is not None) + "."


def _slide(slide: _Slide) -> Section | None:
    text = "\n".join(filter(None, (slide["title"], slide["text"], slide["notes"])))
    return Section(text, slide["slide"], slide["title"] or None) if text.strip() else None


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MOST_BYTES + 1)


def _plain_text(content: bytes) -> str | None:
    """Return plain text or Markdown, or None for every other kind, such as HTML, RTF and e-mail."""
    begin = content[:512].lstrip(b"\xef\xbb\xbf \t\r\n")
    if begin[:1] == b"<" or begin.startswith((b"{\\rtf", b"%PDF")) or b"\0" in content:
        return None
    head = content[:2000].lower()
    if sum(field in head for field in (b"\nfrom:", b"\nto:", b"\nsubject:", b"\ndate:", b"\nmessage-id:")) >= 3:
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


async def read_within(reader: DocumentReader, document: Row) -> DocumentText:
    """Read a document and check its size. Raises `RetinueError` with a reason that its owner understands."""
    try:
        text = await reader.read(document)
    except ValidationFailed as error:
        hint = f" {_HELP}" if "no readable text" in error.message else ""
        raise ValidationFailed(f"{error.message}{hint}") from error
    check_size(text, "If it is a scan, use a sharper one.")
    return text


def check_size(text: DocumentText, hint: str) -> None:
    """Raise `ValidationFailed` if a text is empty, with a hint, or too long."""
    characters = sum(len(section.text) for section in text.sections)
    if not characters:
        raise ValidationFailed(f"The document contains no text that can be read. {hint}")
    if characters > MOST_CHARACTERS:
        raise ValidationFailed(
            f"The document has {characters:,} characters; the limit is {MOST_CHARACTERS:,}. Split it into parts."
        )
