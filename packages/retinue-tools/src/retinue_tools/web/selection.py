"""Elements of pages, found by expressions."""

from typing import Annotated, Any

from cssselect import SelectorError
from lxml import etree
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Served, ToolError, tool
from retinue_tools.web._pages import Html, PageUrl, page_of, text_of


class Selected(TypedDict):
    """An element that was found."""

    tag: Annotated[str, About("Name of the element; text or value for what is no element")]
    text: Annotated[str, About("Its text")]
    attributes: Annotated[dict[str, str], About("Its attributes")]
    html: Annotated[str, About("Its HTML, up to 5,000 characters")]


class Selection(TypedDict):
    """What an expression finds."""

    matches: Annotated[list[Selected], About("In the order of the page")]
    total: Annotated[int, About("How many there are")]


Most = Annotated[int, About("Most matches to return", minimum=1, maximum=500)]


@tool(
    tags="css selector select elements scrape html page query extract",
    use_when=(
        "Get all elements matching div.price on this page.",
        "What does the selector h2 > a find on https://example.com?",
        "Scrape the product names by CSS selector.",
    ),
    examples=(
        Example(
            {
                "selector": "ul.list > li:nth-child(2) a[href]",
                "html": '<ul class=list><li>1<li><a href="/b">Two</a></ul>',
            },
            {
                "total": 1,
                "matches": [{"tag": "a", "text": "Two", "attributes": {"href": "/b"}, "html": '<a href="/b">Two</a>'}],
            },
            source="Selectors Level 3, sections 6.6.5.2 and 8.2",
        ),
        Example(
            {"selector": "p", "url": "{site}/", "most": 1},
            {"total": 2, "matches": [{"tag": "p", "text": "a"}]},
            source="the page itself",
            site={"/": Served("<p>a<p>b")},
        ),
        Refusal({"selector": "p[", "html": "<p>x"}, "no CSS selector"),
    ),
    open_world=True,
    pace="normal",
)
def web_select_by_css(
    selector: Annotated[str, About("CSS selector", "div.price > span", min_length=1, max_length=1000)],
    url: PageUrl = None,
    html: Html = None,
    most: Most = 100,
) -> Selection:
    """Find the elements of a web page or HTML text by a CSS selector, with their text and attributes.

    Use it to scrape what has a class or a place of its own. Scripts of the page are not run.
    """
    page = page_of(url, html)
    try:
        found = page.root.cssselect(selector)
    except (SelectorError, etree.LxmlError, RecursionError) as error:
        raise ToolError(f"That is no CSS selector that can be used here: {str(error)[:200]}.") from error
    return {"matches": [_select(element) for element in found[:most]], "total": len(found)}


@tool(
    tags="xpath select elements scrape html page query extract",
    use_when=(
        "Evaluate //table[@id='x']//td on this page.",
        "Get all href attributes by XPath.",
        "Count the list items of this HTML by XPath.",
    ),
    examples=(
        Example(
            {"xpath": "//a[contains(., 'T')]/@href", "html": '<a href="/b">Two</a><a href="/c">one</a>'},
            {"total": 1, "matches": [{"tag": "text", "text": "/b", "attributes": {}, "html": ""}]},
            source="XPath 1.0, section 4.2 (contains)",
        ),
        Example(
            {"xpath": "count(//li)", "url": "{site}/"},
            {"total": 1, "matches": [{"tag": "value", "text": "3", "attributes": {}, "html": ""}]},
            source="XPath 1.0, section 4.1 (count)",
            site={"/": Served("<ul><li>1<li>2<li>3</ul>")},
        ),
        Refusal({"xpath": "//a[", "html": "<p>x"}, "no XPath"),
    ),
    open_world=True,
    pace="normal",
)
def web_select_by_xpath(
    xpath: Annotated[str, About("XPath 1.0 expression", "//h2/a/@href", min_length=1, max_length=1000)],
    url: PageUrl = None,
    html: Html = None,
    most: Most = 100,
) -> Selection:
    """Evaluate an XPath 1.0 expression on a web page or HTML text.

    Use it where a CSS selector does not reach: attributes, texts, conditions on ancestors, counts. Returns elements
    with their text, or the texts, numbers and truth values that the expression gives.
    """
    page = page_of(url, html)
    try:
        result = page.root.xpath(xpath)
    except (ValueError, etree.LxmlError, RecursionError) as error:
        raise ToolError(f"That is no XPath expression: {str(error)[:200]}.") from error
    found = result if isinstance(result, list) else [result]
    return {"matches": [_select(element) for element in found[:most]], "total": len(found)}


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
