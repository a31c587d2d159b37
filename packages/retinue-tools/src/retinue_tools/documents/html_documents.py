"""HTML documents: text, sanitising, tables, links and outline."""

import csv
import io
import re
from typing import Annotated, Any, Literal
from urllib.parse import urljoin

from lxml import etree
from lxml_html_clean import Cleaner
from typing_extensions import TypedDict

from retinue.sdk import About, Example, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.documents._html_trees import Html, plain_text, text_lines, tree_of, word_count

_MOST = 5000
_MOST_CELLS = 100_000
_WIDEST = 1000
_TABLE = (
    "<table><caption>Tides</caption><tr><th>Port<th>High<th>Low</tr>"
    "<tr><td rowspan=2>Husum<td>2.5<td>0.4<tr><td colspan=2>none</table>"
)


class HtmlText(TypedDict):
    """Text extracted from HTML."""

    text: Annotated[str, About("Text with line breaks")]
    title: Annotated[str | None, About("Title of the page")]
    words: Annotated[int, About("Number of words")]


class CleanHtml(TypedDict):
    """Sanitised HTML."""

    html: Annotated[str, About("Sanitised HTML")]
    removed: Annotated[list[str], About("Names of removed elements, sorted")]


class Table(TypedDict):
    """A table of a page."""

    caption: Annotated[str | None, About("Caption of the table")]
    rows: Annotated[list[list[str]], About("Rows of cells; a cell over several rows or columns is repeated in each")]


class Tables(TypedDict):
    """The tables of a page."""

    tables: Annotated[list[Table], About("Tables in order; layout tables that contain other tables are omitted")]
    count: Annotated[int, About("Number of tables")]
    files: Annotated[list[OutputFile], About("A CSV file for each table")]


class HtmlLink(TypedDict):
    """A link."""

    text: Annotated[str, About("Link text")]
    target: Annotated[str, About("Target, made absolute if base_url is given")]
    kind: Annotated[str, About("link, image, script, style, frame, form or media")]


class HtmlLinks(TypedDict):
    """The links of a page."""

    links: Annotated[list[HtmlLink], About("Links in order, at most 5000")]
    count: Annotated[int, About("Number of listed links")]


@tool(
    tags="html text plain strip tags remove convert page mail",
    use_when=(
        "Strip the tags from this HTML",
        "Give me the plain text of the HTML mail",
        "How many words are on this saved page?",
        "Get the readable text of an HTML page",
    ),
    examples=(
        Example(
            {
                "html": "<title>T</title><h1>Tides &amp; moon</h1><p>High<br>water <b>at</b> noon.</p>"
                "<ul><li>one<li>two</ul><style>p{}</style><table><tr><td>a<td>b</table>"
            },
            {"text": "Tides & moon\n\nHigh\nwater at noon.\n\n- one\n- two\n\na\tb", "title": "T"},
            source="by hand, as a browser lays it out",
        ),
        Example({"html": "just text"}, {"text": "just text", "title": None, "words": 2}, source="by hand"),
        Refusal({"html": ""}, "at least 1"),
    ),
    reply={
        "text": "The text of the page: {text}",
        "": "There is no text in the page.",
    },
)
def html_to_text(html: Html) -> HtmlText:
    """Convert (turn) HTML into plain text, laid out as a reader sees it: paragraphs, list marks, cells separated by
    tabs.

    Use it for saved pages and HTML mails. Scripts, styles and hidden templates are omitted; nothing is fetched.
    """
    body = tree_of(html)
    text = text_lines(body)
    title = body.getroottree().find(".//title")
    name = plain_text_of(title)
    return {"text": text, "title": name, "words": word_count(text)}


@tool(
    tags="html clean sanitise sanitize safe xss scripts remove attributes strip",
    use_when=(
        "Make this HTML safe to show",
        "Remove scripts and event handlers from the HTML",
        "Strip all styles and classes from pasted HTML",
    ),
    examples=(
        Example(
            {
                "html": "<p onclick='x()' class='c'>Hi <a href='javascript:x()'>a</a> <a href='https://example.org'>b</a>"
                "<script>x()</script><img src='t.gif' onerror=x()></p>"
            },
            {
                "html": '<p>Hi <a>a</a> <a href="https://example.org">b</a><img src="t.gif"></p>',
                "removed": ["script"],
            },
            source="OWASP's list of cross-site scripting vectors: script elements, handlers and javascript: addresses",
        ),
        Example(
            {"html": "<div><h1>A</h1><font color=red>b</font><img src=x></div>", "keep": "text_markup"},
            {"html": "<h1>A</h1>b", "removed": ["div", "font", "img"]},
            source="by hand",
        ),
        Refusal({"html": "<script>x</script>"}, "Nothing is left"),
    ),
    reply={
        "removed, html": "I removed {removed}. The clean HTML: {html}",
        "html": "There was nothing dangerous in it: {html}",
        "": "Nothing is left after cleaning.",
    },
)
def html_clean(
    html: Html,
    keep: Annotated[
        Literal["page", "text_markup"],
        About(
            "page keeps tables, images and layout; text_markup keeps only headings, paragraphs, lists, links and "
            "emphasis"
        ),
    ] = "page",
) -> CleanHtml:
    """Clean (sanitise) untrusted HTML from strangers: scripts, handlers, styles, forms, frames and dangerous addresses
    are removed.

    Use it before showing or storing HTML that others wrote. Only well-known elements and attributes are kept. Returns
    the content of the body.
    """
    body = tree_of(html)
    before = {element.tag for element in body.iter() if isinstance(element.tag, str)}
    allowed = _MARKUP if keep == "text_markup" else _MARKUP | _PAGE
    cleaner = Cleaner(
        allow_tags=allowed | {"body"}, kill_tags=_DROPPED, remove_unknown_tags=False, safe_attrs_only=True,
        safe_attrs=_ATTRIBUTES, style=True, javascript=True, forms=True, frames=True, embedded=True, links=False,
        meta=True,
    )  # fmt: skip
    cleaned = cleaner.clean_html(body)
    for element in cleaned.iter():
        for name in ("href", "src", "cite"):
            if name in element.attrib and not _harmless(element.get(name)):
                del element.attrib[name]
    inner = (cleaned.text or "") + "".join(_serialise(child) for child in cleaned)
    if not inner.strip():
        raise ToolError("Nothing is left: the HTML contains only scripts, styles or empty elements.")
    after = {element.tag for element in cleaned.iter()}
    return {"html": inner.strip(), "removed": sorted(before - after - {"body"})}


@tool(
    tags="html table extract csv rows cells scrape convert spreadsheet",
    use_when=(
        "Turn the table of this HTML page into CSV",
        "Extract all tables from the saved page",
        "Read the HTML table with merged cells as rows",
    ),
    examples=(
        Example(
            {"html": _TABLE},
            {
                "count": 1,
                "files": ["table-1.csv"],
                "tables": [
                    {
                        "caption": "Tides",
                        "rows": [["Port", "High", "Low"], ["Husum", "2.5", "0.4"], ["Husum", "none", "none"]],
                    }
                ],
            },
            source="HTML, section 4.9.12: the algorithm for spanning cells",
        ),
        Example(
            {"html": "<table><tr><td>a;b<td>c</table>", "separator": ";"},
            {"tables": [{"caption": None, "rows": [["a;b", "c"]]}]},
            source="by hand",
        ),
        Refusal({"html": "<p>none</p>"}, "no table"),
    ),
    reply={
        "tables": "I found {count|table}: {tables}",
        "": "There are no tables in the page.",
    },
)
def html_extract_tables(
    html: Html, separator: Annotated[Literal[",", ";", "tab"], About("Separator of the CSV cells")] = ","
) -> Tables:
    """Extract the tables of HTML as rows, and as CSV files, with merged cells repeated.

    Use it for saved pages and mails. Returns captions, rows and one CSV file for each table, at most 50.
    """
    tables: list[Table] = [
        {"caption": plain_text_of(element.find("caption")), "rows": rows}
        for element in tree_of(html).iter("table")
        if element.find(".//table") is None and (rows := _rows(element))
    ]
    if not tables:
        raise ToolError("The HTML has no table with cells.")
    if len(tables) > 50:
        raise ToolError(f"The HTML has {len(tables)} tables; at most 50 are extracted. Give a part of it.")
    files = [_save(table["rows"], number, separator) for number, table in enumerate(tables, 1)]
    return {"tables": tables, "count": len(tables), "files": files}


@tool(
    tags="html links images urls list extract hrefs source",
    use_when=(
        "List the links in this HTML source",
        "Which images and scripts does the saved page load?",
        "Make the relative links of this HTML absolute",
    ),
    examples=(
        Example(
            {
                "html": "<a href='a.html'>One <b>two</b></a><img src='/i.png' alt='chart'>",
                "base_url": "https://example.org/d/x",
            },
            {
                "links": [
                    {"text": "One two", "target": "https://example.org/d/a.html", "kind": "link"},
                    {"text": "chart", "target": "https://example.org/i.png", "kind": "image"},
                ],
                "count": 2,
            },
            source="RFC 3986, section 5.4",
        ),
        Example(
            {"html": "<a href='#top'>up</a><form action='/s'></form>"},
            {"links": [{"text": "up", "target": "#top"}, {"text": "", "target": "/s", "kind": "form"}]},
            source="by hand",
        ),
        Refusal({"html": "<a href=x>a</a>", "base_url": "example.org"}, "must match"),
    ),
    reply={
        "links": "I found {count|link}: {links}",
        "": "There are no links in the page.",
    },
)
def html_list_links(
    html: Html,
    base_url: Annotated[
        str | None,
        About(
            "Address of the page, to make links absolute", "https://example.org/", pattern="^https?://", max_length=2000
        ),
    ] = None,
) -> HtmlLinks:
    """List the links, images, scripts and forms of HTML, with their texts.

    Use it for HTML that you have; nothing is fetched. Relative addresses become absolute if base_url is given.
    """
    links = [link for element in tree_of(html).iter(*_LINKING) if (link := _link(element, base_url))][:_MOST]
    return {"links": links, "count": len(links)}


_MARKUP = frozenset((
    "h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "ul", "ol", "li", "dl", "dt", "dd", "a", "b", "strong", "i",
    "em", "u", "s", "del", "ins", "sub", "sup", "code", "pre", "kbd", "samp", "blockquote", "q", "cite", "abbr",
    "mark", "small",
))  # fmt: skip
_PAGE = frozenset((
    "div", "span", "section", "article", "header", "footer", "main", "nav", "aside", "figure", "figcaption", "img",
    "table", "caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "th", "td", "details", "summary", "time",
    "address", "picture", "center", "font",
))  # fmt: skip
_DROPPED = frozenset((
    "script", "style", "template", "noscript", "iframe", "object", "embed", "applet", "svg", "math", "form", "input",
    "button", "select",
))  # fmt: skip
_ATTRIBUTES = frozenset((
    "href", "src", "alt", "title", "colspan", "rowspan", "scope", "start", "datetime", "cite", "lang", "dir", "width",
    "height",
))  # fmt: skip
_LINKING = {
    "a": ("href", "link"),
    "area": ("href", "link"),
    "img": ("src", "image"),
    "script": ("src", "script"),
    "link": ("href", "style"),
    "iframe": ("src", "frame"),
    "frame": ("src", "frame"),
    "form": ("action", "form"),
    "video": ("src", "media"),
    "audio": ("src", "media"),
    "source": ("src", "media"),
}


def _link(element: Any, base: str | None) -> HtmlLink | None:
    attribute, kind = _LINKING[element.tag]
    target = (element.get(attribute) or "").strip()
    text = element.get("alt") or ("" if kind == "form" else plain_text(element))
    return {"text": text[:500], "target": _absolute(base, target)[:4000], "kind": kind} if target else None


def plain_text_of(element: Any) -> str | None:
    """Return the text of an element, or None without one."""
    text = " ".join(element.text_content().split())[:1000] if element is not None else ""
    return text or None


def _harmless(address: str) -> bool:
    """Return whether a non-empty address is relative or has a harmless scheme; ignores control characters and
    spaces.
    """
    scheme, colon, _ = re.sub(r"[\x00-\x20\x7f-\x9f]", "", address).lower().partition(":")
    if not scheme and not colon:
        return False
    relative = not colon or re.search(r"[/?#]", scheme) is not None
    return relative or scheme in ("http", "https", "mailto", "tel", "cid")


def _serialise(element: Any) -> str:
    return str(etree.tostring(element, encoding="unicode", method="html"))


def _absolute(base: str | None, target: str) -> str:
    try:
        return urljoin(base, target) if base else target
    except ValueError:
        return target


def _rows(table: Any) -> list[list[str]]:
    """Return the grid of a table by the algorithm of HTML, section 4.9.12: spanning cells fill all their positions."""
    grid: dict[tuple[int, int], str] = {}
    height = 0
    for row, line in enumerate(table.iter("tr")):
        column, height = 0, row + 1
        for cell in line.iterchildren("td", "th"):
            while (row, column) in grid:
                column += 1
            text, across, down = plain_text(cell), _span(cell, "colspan"), _span(cell, "rowspan")
            if len(grid) + across * down > _MOST_CELLS or column + across > _WIDEST:
                raise ToolError(
                    f"A table has more than {_MOST_CELLS:,} cells or {_WIDEST:,} columns. Give a part of it."
                )
            grid.update({(row + y, column + x): text for y in range(down) for x in range(across)})
            column += across
    width = max((column for row, column in grid if row < height), default=-1) + 1
    rows = [[grid.get((row, column), "") for column in range(width)] for row in range(height)]
    return [row for row in rows if any(row)]


def _span(cell: Any, name: str) -> int:
    value = str(cell.get(name) or "1").strip()
    return max(1, min(int(value), _WIDEST)) if value.isascii() and value.isdigit() and len(value) < 7 else 1


def _save(rows: list[list[str]], number: int, separator: str) -> str:
    target = io.StringIO()
    csv.writer(target, delimiter="\t" if separator == "tab" else separator).writerows(rows)
    return save(f"table-{number}.csv", target.getvalue().encode("utf-8-sig"))
