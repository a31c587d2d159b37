"""Elements of pages, found by expressions."""

from typing import Annotated, Any, Literal

from cssselect import SelectorError
from lxml import etree
from typing_extensions import TypedDict

from retinue.sdk import About, Alias, Example, Refusal, Served, ToolError, tool
from retinue_tools.web._pages import Html, Page, PageUrl, page_of, text_of


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
            site={"/": Served("<p>a<p>b")},
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
            site={"/": Served("<ul><li>1<li>2<li>3</ul>")},
        ),
        Refusal({"expression": "p[", "html": "<p>x"}, "no CSS selector"),
        Refusal({"expression": "//a[", "language": "xpath", "html": "<p>x"}, "no XPath"),
    ),
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
    language: Annotated[Literal["css", "xpath"], About("What the expression is")] = "css",
    url: PageUrl = None,
    html: Html = None,
    most: Most = 100,
) -> Selection:
    """Find the elements of a web page or HTML text by a CSS selector or an XPath 1.0 expression.

    Use it to scrape what has a class or a place of its own; XPath also reaches attributes, texts, conditions on
    ancestors and counts. Returns elements with their text and attributes, or the values that the expression gives.
    Scripts of the page are not run.
    """
    page = page_of(url, html)
    found = _by_css(page, expression) if language == "css" else _by_xpath(page, expression)
    return {"matches": [_select(element) for element in found[:most]], "total": len(found)}


def _by_css(page: Page, selector: str) -> list[Any]:
    try:
        return list(page.root.cssselect(selector))
    except (SelectorError, etree.LxmlError, RecursionError) as error:
        raise ToolError(f"That is no CSS selector that can be used here: {str(error)[:200]}.") from error


def _by_xpath(page: Page, expression: str) -> list[Any]:
    try:
        result = page.root.xpath(expression)
    except (ValueError, etree.LxmlError, RecursionError) as error:
        raise ToolError(f"That is no XPath expression: {str(error)[:200]}.") from error
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
