"""Page contents: links, images and headings, and elements selected by CSS and XPath."""

from typing import Annotated, Any, Literal

from cssselect import SelectorError
from lxml import etree
from typing_extensions import TypedDict

from retinue.sdk import About, Alias, Example, MockResponse, Refusal, ToolError, tool
from retinue_tools.web._pages import Html, Page, PageUrl, host_of, page_of, text_of, tidy

_MOST = 1000
_BOTH = Refusal({}, "either url or html")


class Link(TypedDict):
    """A link."""

    url: Annotated[str, About("Target; absolute if the page's address is known")]
    text: Annotated[str, About("Link text")]
    internal: Annotated[bool, About("Whether it is on the same host")]
    nofollow: Annotated[bool, About("Whether it is marked nofollow")]


class Links(TypedDict):
    """The links of a page."""

    links: Annotated[list[Link], About("In page order, each URL once, at most 1,000")]
    total: Annotated[int, About("Total number of distinct URLs")]
    internal: Annotated[int, About("Number of links on the same host")]


@tool(
    tags="links hyperlinks anchors href page html scrape internal external get",
    use_when=(
        "Which links are on https://example.com/news?",
        "List all external links of this HTML.",
        "Where does this page link to?",
        "Get every link of a web page",
    ),
    examples=(
        Example(
            {"url": "{site}/"},
            {
                "total": 2,
                "internal": 1,
                "links": [
                    {"url": "{site}/a", "text": "A page", "internal": True, "nofollow": False},
                    {"url": "https://example.org/", "text": "Other", "internal": False, "nofollow": True},
                ],
            },
            source="the page itself, read by eye",
            site={
                "/": MockResponse(
                    '<a href="a">A <b>page</b></a><a href="/a#end">again</a><a href="mailto:x@example.org">mail</a>'
                    '<a rel="nofollow" href="https://example.org/">Other</a>'
                )
            },
        ),
        Example(
            {"html": '<a href="/x">x</a><a href="https://example.org/y">y</a>', "only": "external"},
            {"total": 1, "internal": 0},
            source="the text itself: only one of its links names a host",
        ),
        _BOTH,
    ),
    reply={
        "links": "The page has {total|link}, {internal} of them internal: {links}",
        "": "There are no such links on the page.",
    },
    open_world=True,
    pace="normal",
)
def web_extract_links(
    url: PageUrl = None,
    html: Html = None,
    only: Annotated[Literal["all", "internal", "external"], About("Kind of links")] = "all",
) -> Links:
    """List the links of a web page or HTML text with their text (words), divided into internal and external.

    Use it to see where a page leads. Mail and telephone links and links within the page are omitted.
    """
    page = page_of(url, html)
    found: dict[str, Link] = {}
    for element in page.root.xpath("//a[@href]|//area[@href]"):
        target = page.link(element.get("href")).partition("#")[0]
        if not target or (":" in target.split("/")[0] and not target.startswith(("http:", "https:"))):
            continue
        internal = host_of(target) in ("", host_of(page.url))
        if only == "all" or internal == (only == "internal"):
            link: Link = {
                "url": target,
                "text": text_of(element)[:300],
                "internal": internal,
                "nofollow": "nofollow" in (element.get("rel") or "").lower().split(),
            }
            found.setdefault(target, link)
    links = list(found.values())
    return {"links": links[:_MOST], "total": len(links), "internal": sum(link["internal"] for link in links)}


class Image(TypedDict):
    """An image."""

    url: Annotated[str, About("Source; absolute if the page's address is known")]
    alt: Annotated[str | None, About("Alternative text; null if the attribute is missing")]
    width: Annotated[str | None, About("Width stated by the page")]
    height: Annotated[str | None, About("Height stated by the page")]
    lazy: Annotated[bool, About("Whether it is loaded lazily")]


class Images(TypedDict):
    """The images of a page."""

    images: Annotated[list[Image], About("In page order, at most 1,000")]
    total: Annotated[int, About("Total number of images")]
    without_alt: Annotated[int, About("Number of images without the alt attribute")]


@tool(
    tags="images pictures alt text img src page html scrape",
    use_when=(
        "Which images are on this page?",
        "Which pictures of https://example.com lack alt text?",
        "Get the image addresses out of this HTML.",
    ),
    examples=(
        Example(
            {"html": '<img src="a.png" alt="A cat" width=20><img data-src="b.jpg" loading="lazy">'},
            {
                "total": 2,
                "without_alt": 1,
                "images": [
                    {"url": "a.png", "alt": "A cat", "width": "20", "height": None, "lazy": False},
                    {"url": "b.jpg", "alt": None, "width": None, "height": None, "lazy": True},
                ],
            },
            source="the text itself, read by eye",
        ),
        Example(
            {"url": "{site}/gallery/"},
            {"images": [{"url": "{site}/gallery/one.png", "alt": "", "width": None, "height": None, "lazy": False}]},
            source="RFC 3986, section 5: a relative reference takes the folder of the page",
            site={"/gallery/": MockResponse('<img src="one.png" alt="">')},
        ),
        Refusal({"url": "https://example.com/", "html": "<p>x"}, "either url or html"),
    ),
    reply={
        "without_alt, images": "The page has {total|image}, {without_alt} of them without alternative text: {images}",
        "images": "The page has {total|image}: {images}",
        "": "There are no images on the page.",
    },
    open_world=True,
    pace="normal",
)
def web_extract_images(url: PageUrl = None, html: Html = None) -> Images:
    """List the images of a web page or HTML text with source, alternative text and stated size.

    Use it to collect pictures or to find missing alternative texts. Sources that scripts set later (`data-src`) are
    included.
    """
    page = page_of(url, html)
    images: list[Image] = []
    for element in page.root.iter("img"):
        source = element.get("src") or element.get("data-src") or (element.get("srcset") or "").split(" ")[0]
        images.append(
            {
                "url": page.link(source)[:2000],
                "alt": element.get("alt"),
                "width": element.get("width"),
                "height": element.get("height"),
                "lazy": element.get("loading") == "lazy" or element.get("data-src") is not None,
            }
        )
    without = sum(image["alt"] is None for image in images)
    return {"images": images[:_MOST], "total": len(images), "without_alt": without}


class Heading(TypedDict):
    """A heading."""

    level: Annotated[int, About("1 for h1 to 6 for h6")]
    text: Annotated[str, About("Text of the heading")]
    anchor: Annotated[str | None, About("ID for links")]


class Outline(TypedDict):
    """The outline of a page."""

    title: Annotated[str, About("Title of the document")]
    headings: Annotated[list[Heading], About("In page order, at most 1,000")]
    outline: Annotated[str, About("Headings as an indented list")]
    skipped_levels: Annotated[list[str], About("Headings more than one level below the previous one")]


@tool(
    tags="headings outline structure h1 h2 table of contents html page",
    use_when=(
        "What is the heading structure of https://example.com/guide?",
        "Make a table of contents of this HTML page.",
        "Does this page skip heading levels?",
    ),
    examples=(
        Example(
            {"html": "<title>T</title><h1>One</h1><h3 id=deep>Too <i>deep</i></h3><h2>Two</h2>"},
            {
                "title": "T",
                "headings": [
                    {"level": 1, "text": "One", "anchor": None},
                    {"level": 3, "text": "Too deep", "anchor": "deep"},
                    {"level": 2, "text": "Two", "anchor": None},
                ],
                "skipped_levels": ["Too deep"],
                "outline": "- One\n    - Too deep\n  - Two",
            },
            source="the text itself, read by eye",
        ),
        Example(
            {"url": "{site}/"},
            {"title": "", "headings": [{"level": 1, "text": "Hello", "anchor": None}], "skipped_levels": []},
            source="the page itself",
            site={"/": MockResponse("<h1>Hello</h1>")},
        ),
        Refusal({"html": ""}, "not HTML"),
    ),
    reply={
        "outline": "The headings: {outline}",
        "headings": "The headings: {headings}",
        "": "There are no headings on the page.",
    },
    open_world=True,
    pace="normal",
)
def web_extract_headings(url: PageUrl = None, html: Html = None) -> Outline:
    """Show the outline of a web page or HTML text: its headings with their levels.

    Use it for a table of contents or to check the structure of a page. It reports headings that skip a level.
    """
    page = page_of(url, html)
    headings: list[Heading] = [
        {"level": int(element.tag[1]), "text": text_of(element)[:500], "anchor": element.get("id")}
        for element in page.root.iter("h1", "h2", "h3", "h4", "h5", "h6")
    ]
    levels = [0, *(heading["level"] for heading in headings)]
    return {
        "title": tidy(page.root.xpath("string(//title)")),
        "headings": headings[:_MOST],
        "outline": "\n".join("  " * (item["level"] - 1) + f"- {item['text']}" for item in headings[:_MOST]),
        "skipped_levels": [
            heading["text"] for before, heading in zip(levels, headings, strict=False) if heading["level"] > before + 1
        ],
    }


class Selected(TypedDict):
    """A selected element."""

    tag: Annotated[str, About("Name of the element; text or value for other results")]
    text: Annotated[str, About("Text of the element")]
    attributes: Annotated[dict[str, str], About("Attributes")]
    html: Annotated[str, About("HTML, up to 5,000 characters")]


class Selection(TypedDict):
    """Result of an expression."""

    matches: Annotated[list[Selected], About("In page order")]
    total: Annotated[int, About("Total number of matches")]


Most = Annotated[int, About("Maximum number of matches", minimum=1, maximum=500)]


@tool(
    tags="css selector xpath select elements scrape html page query extract",
    use_when=(
        "Get all elements matching div.price on this page.",
        "What does the selector h2 > a find on https://example.com?",
        "Scrape the product names by CSS selector.",
        "Evaluate //table[@id='x']//td on this page.",
        "Get all href attributes by XPath.",
        "Count the list items of this HTML by XPath.",
    ),
    examples=(
        Example(
            {
                "expression": "ul.list > li:nth-child(2) a[href]",
                "html": '<ul class=list><li>1<li><a href="/b">Two</a></ul>',
            },
            {
                "total": 1,
                "matches": [{"tag": "a", "text": "Two", "attributes": {"href": "/b"}, "html": '<a href="/b">Two</a>'}],
            },
            source="Selectors Level 3, sections 6.6.5.2 and 8.2",
        ),
        Example(
            {"expression": "p", "url": "{site}/", "most": 1},
            {"total": 2, "matches": [{"tag": "p", "text": "a"}]},
            source="the page itself",
            site={"/": MockResponse("<p>a<p>b")},
        ),
        Example(
            {
                "expression": "//a[contains(., 'T')]/@href",
                "language": "xpath",
                "html": '<a href="/b">Two</a><a href="/c">one</a>',
            },
            {"total": 1, "matches": [{"tag": "text", "text": "/b", "attributes": {}, "html": ""}]},
            source="XPath 1.0, section 4.2 (contains)",
        ),
        Example(
            {"expression": "count(//li)", "language": "xpath", "url": "{site}/"},
            {"total": 1, "matches": [{"tag": "value", "text": "3", "attributes": {}, "html": ""}]},
            source="XPath 1.0, section 4.1 (count)",
            site={"/": MockResponse("<ul><li>1<li>2<li>3</ul>")},
        ),
        Refusal({"expression": "p[", "html": "<p>x"}, "not a valid or supported CSS selector"),
        Refusal({"expression": "//a[", "language": "xpath", "html": "<p>x"}, "not a valid XPath"),
    ),
    reply={
        "matches.1": "I found {total|element}: {matches}",
        "matches.0.text": "The element says: {matches.0.text}",
        "matches": "I found {total|element}: {matches}",
        "": "There is no such element on the page.",
    },
    open_world=True,
    pace="normal",
    aliases=(
        Alias("web_select_by_css", {"selector": "expression"}, {"language": "css"}),
        Alias("web_select_by_xpath", {"xpath": "expression"}, {"language": "xpath"}),
    ),
)
def web_select_elements(
    expression: Annotated[
        str, About("CSS selector or XPath 1.0 expression", "div.price > span", min_length=1, max_length=1000)
    ],
    language: Annotated[Literal["css", "xpath"], About("Kind of the expression")] = "css",
    url: PageUrl = None,
    html: Html = None,
    most: Most = 100,
) -> Selection:
    """Find the elements of a web page or HTML text by a CSS selector or an XPath 1.0 expression.

    Use it to scrape elements with a specific class or position; XPath also supports attributes, texts, conditions on
    ancestors and counts. Returns elements with their text and attributes, or the values of the expression. Scripts of
    the page are not executed.
    """
    page = page_of(url, html)
    found = _by_css(page, expression) if language == "css" else _by_xpath(page, expression)
    return {"matches": [_select(element) for element in found[:most]], "total": len(found)}


def _by_css(page: Page, selector: str) -> list[Any]:
    try:
        return list(page.root.cssselect(selector))
    except (SelectorError, etree.LxmlError, RecursionError) as error:
        raise ToolError(f"This is not a valid or supported CSS selector: {str(error)[:200]}.") from error


def _by_xpath(page: Page, expression: str) -> list[Any]:
    try:
        result = page.root.xpath(expression)
    except (ValueError, etree.LxmlError, RecursionError) as error:
        raise ToolError(f"This is not a valid XPath expression: {str(error)[:200]}.") from error
    return result if isinstance(result, list) else [result]


def _select(found: Any) -> Selected:
    if isinstance(found, float):
        text = f"{found:.15g}"
        return {"tag": "value", "text": text, "attributes": {}, "html": ""}
    if not hasattr(found, "attrib"):
        kind = "text" if isinstance(found, str) else "value"
        return {"tag": kind, "text": str(found)[:20_000], "attributes": {}, "html": ""}
    return {
        "tag": str(found.tag),
        "text": text_of(found)[:20_000],
        "attributes": {str(name): str(value)[:2000] for name, value in found.attrib.items()},
        "html": etree.tostring(found, encoding="unicode", method="html", with_tail=False)[:5000],
    }
