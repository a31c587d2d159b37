"""Pages for the tools: fetched from an address, or given as HTML text."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urljoin, urlsplit

from lxml import etree
from lxml import html as lxml_html

from retinue.sdk import About, ToolError
from retinue.sdk.http import LONGEST_URL, MIB, Response, fetch
from retinue_tools.data_formats._xml_trees import malformed_at

Address = Annotated[str, About("Web address", "https://example.com/", min_length=4, max_length=LONGEST_URL)]
PageUrl = Annotated[
    str | None,
    About("URL of the page, unless html is given", "https://example.com/", min_length=4, max_length=LONGEST_URL),
]
Html = Annotated[
    str | None,
    About("HTML text of the page, unless url is given", "<h1>News</h1><p>Hello</p>", max_length=2_000_000),
]
_SPACES = re.compile(r"\s+")
_MARKUP = {"text/html", "application/xhtml+xml", "application/xml", "text/xml", ""}


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its HTML, its address (empty for a text), and the response that contained it."""

    html: str
    url: str
    root: Any
    """The `<html>` element, of lxml."""
    answer: Response | None

    @property
    def base(self) -> str:
        """Return the base of relative links in the page."""
        base_href = self.root.xpath("string(//base/@href)").strip()
        return resolve(self.url, base_href) if base_href else self.url

    def link(self, target: str) -> str:
        """Return a link of the page as an absolute URL, if the page's own address is known."""
        return resolve(self.base, target.strip())


def page_of(url: str | None, html: str | None) -> Page:
    """Return the page given by the caller. Raises `ToolError` unless exactly one of the two is given."""
    if (url is None) == (html is None):
        raise ToolError("Give either url or html: the URL of a page, or its HTML text.")
    if url is not None:
        return fetched_page(url)
    return Page(html or "", "", parsed_html(html or ""), None)


def fetched_page(url: str, timeout_s: float = 12.0) -> Page:
    """Fetch a page. Raises `ToolError` if there is none, or if it is not HTML."""
    answer = fetch(url, timeout_s=timeout_s, max_bytes=4 * MIB).raise_for_status()
    if answer.media_type not in _MARKUP:
        raise ToolError(f"{answer.url} is not an HTML page but {answer.media_type[:100]}.")
    return Page(answer.text, answer.url, parsed_html(answer.text), answer)


def parsed_html(text: str) -> Any:
    """Return the root element of an HTML text, even if it is malformed."""
    parser = lxml_html.HTMLParser(encoding="utf-8", huge_tree=False, no_network=True)
    try:
        root = lxml_html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.LxmlError, ValueError) as error:
        raise ToolError("The text is not HTML: it contains no element and no text.") from error
    return root


def parsed_xml(content: bytes, what: str) -> Any:
    """Return the root element of an XML document, without external entities. Raises `ToolError` with the expected kind
    of document.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False)
    try:
        return etree.fromstring(content.strip(), parser)
    except (etree.LxmlError, ValueError) as error:
        raise ToolError(f"This is not a valid {what}.{malformed_at(error)}") from error


def text_of(element: Any) -> str:
    """Return the text within an element, with normalised spaces."""
    return tidy(" ".join(part for part in element.itertext() if isinstance(part, str)))


def tidy(text: str) -> str:
    """Return a text on one line, with normalised spaces."""
    return _SPACES.sub(" ", text).strip()


def once_each(values: Iterable[str]) -> list[str]:
    """Return each value once, in order."""
    return list(dict.fromkeys(values))


def resolve(base: str, target: str) -> str:
    """Resolve a link relative to an address; an invalid link is returned unchanged."""
    try:
        return urljoin(base, target)
    except ValueError:
        return target


def host_of(url: str) -> str:
    """Return the host of an address in lower case, or empty text if there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def web_links(page: Page) -> Iterator[tuple[str, Any]]:
    """Return the http and https links of a page, without fragments, with their elements."""
    for element in page.root.xpath("//a[@href]|//area[@href]"):
        target = page.link(element.get("href")).partition("#")[0]
        if target.startswith(("http://", "https://")) and host_of(target):
            yield target, element
