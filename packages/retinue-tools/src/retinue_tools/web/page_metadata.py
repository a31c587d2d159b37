"""Metadata of pages, for people and for machines."""

from typing import Annotated, Any

import orjson
from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockResponse, Refusal, tool
from retinue_tools.web._pages import Html, Page, PageUrl, once_each, page_of, text_of, tidy


class Metadata(TypedDict):
    """Metadata of a page."""

    title: Annotated[str, About("Title")]
    description: Annotated[str, About("Description for search engines")]
    language: Annotated[str, About("Language stated by the page")]
    canonical: Annotated[str, About("Canonical URL")]
    author: Annotated[str, About("Author")]
    robots: Annotated[str, About("Robots directives")]
    icon: Annotated[str, About("URL of the icon")]
    open_graph: Annotated[dict[str, str], About("Open Graph properties, such as og:image, for link previews")]
    twitter: Annotated[dict[str, str], About("Card properties, such as twitter:card")]
    alternates: Annotated[dict[str, str], About("Versions in other languages, URLs by language")]


@tool(
    tags="metadata meta tags title description canonical open graph twitter card hreflang favicon link preview",
    use_when=(
        "What is the title and description of https://example.com?",
        "Which Open Graph tags has this page?",
        "What will the preview of this link look like?",
        "What is the canonical address of this page?",
    ),
    examples=(
        Example(
            {
                "html": '<html lang=en><title> Tea </title><meta name=Description content="All about tea">'
                '<link rel=canonical href="https://example.com/tea"><meta property=og:image content="https://example.com/a">'
                '<link rel=alternate hreflang=de href="https://example.com/de"><meta name=twitter:card content=summary>'
            },
            {
                "title": "Tea",
                "description": "All about tea",
                "language": "en",
                "canonical": "https://example.com/tea",
                "open_graph": {"og:image": "https://example.com/a"},
                "twitter": {"twitter:card": "summary"},
                "alternates": {"de": "https://example.com/de"},
            },
            source="the text itself, read by eye",
        ),
        Example(
            {"url": "{site}/"},
            {"title": "", "icon": "{site}/i.png", "robots": "noindex"},
            source="the page itself",
            site={"/": MockResponse('<link rel="shortcut icon" href=i.png><meta name=robots content=noindex>')},
        ),
        Refusal({"url": "ftp://example.com/"}, "not a web address"),
    ),
    reply={
        "title, description": "The title is \u201c{title}\u201d. The description: {description}",
        "title": "The title is \u201c{title}\u201d, and there is no description.",
        "description": "The page has no title. The description: {description}",
        "": "The page has neither title nor description.",
    },
    open_world=True,
    pace="normal",
)
def web_extract_metadata(url: PageUrl = None, html: Html = None) -> Metadata:
    """Read the metadata of a web page: title, description, canonical address, social preview and languages.

    Use it for link previews or to review the head of a page. Missing fields are empty.
    """
    page = page_of(url, html)
    root = page.root
    meta: dict[str, str] = {}
    for element in root.xpath("//meta[@content]"):
        name = (element.get("name") or element.get("property") or "").strip().lower()
        meta.setdefault(name[:100], tidy(element.get("content"))[:2000])
    relations = [((link.get("rel") or "").lower().split(), link) for link in root.xpath("//link[@href]")]
    return {
        "title": tidy(root.xpath("string(//title)"))[:1000],
        "description": meta.get("description", ""),
        "language": (root.get("lang") or "").strip(),
        "canonical": next((page.link(link.get("href")) for words, link in relations if "canonical" in words), ""),
        "author": meta.get("author", ""),
        "robots": meta.get("robots", ""),
        "icon": next((page.link(link.get("href")) for words, link in relations if "icon" in words), ""),
        "open_graph": {name: value for name, value in meta.items() if name.startswith("og:")},
        "twitter": {name: value for name, value in meta.items() if name.startswith("twitter:")},
        "alternates": {
            link.get("hreflang")[:40]: page.link(link.get("href"))
            for words, link in relations
            if "alternate" in words and link.get("hreflang")
        },
    }


class Microdata(TypedDict):
    """A microdata item."""

    type: Annotated[str, About("Type of the item, such as https://schema.org/Product")]
    properties: Annotated[dict[str, list[str]], About("Properties with their values")]


class Structured(TypedDict):
    """Structured data of a page."""

    json_ld: Annotated[list[dict[str, Any]], About("JSON-LD objects, with graphs expanded, at most 100")]
    microdata: Annotated[list[Microdata], About("Microdata items, at most 100")]
    types: Annotated[list[str], About("Types that occur")]
    broken: Annotated[int, About("Number of JSON-LD blocks that are not valid JSON")]


@tool(
    tags="structured data json-ld schema.org microdata rich results product recipe event page",
    use_when=(
        "Which schema.org data does https://example.com/product carry?",
        "Read the JSON-LD of this HTML.",
        "Get price and rating of the product page from its structured data.",
    ),
    examples=(
        Example(
            {
                "html": '<script type="application/ld+json">{"@graph":[{"@type":"Product","name":"Tea"}]}</script>'
                '<script type="application/ld+json">{oops</script><div itemscope itemtype="https://schema.org/Offer">'
                '<span itemprop=price content=3>3 EUR</span><a itemprop=url href="/t">x</a></div>'
            },
            {
                "json_ld": [{"@type": "Product", "name": "Tea"}],
                "microdata": [{"type": "https://schema.org/Offer", "properties": {"price": ["3"], "url": ["/t"]}}],
                "types": ["Product", "Offer"],
                "broken": 1,
            },
            source="JSON-LD 1.1, section 4.9 (@graph); HTML, section 5.2.4: values of microdata",
        ),
        Example(
            {"url": "{site}/"},
            {"json_ld": [], "microdata": [], "types": []},
            source="the page carries none",
            site={"/": MockResponse("<p>plain</p>")},
        ),
        Refusal(
            {"url": "{site}/x.json"},
            "not an HTML page",
            site={"/x.json": MockResponse("{}", 200, {"Content-Type": "application/json"})},
        ),
    ),
    reply={
        "json_ld": "The structured data: {json_ld}",
        "microdata": "The structured data: {microdata}",
        "": "There is no structured data on the page.",
    },
    open_world=True,
    pace="normal",
)
def web_extract_structured_data(url: PageUrl = None, html: Html = None) -> Structured:
    """Read the structured data of a page for machines: JSON-LD and microdata, for example of schema.org.

    Use it to extract products, recipes, events or organisations from a page independently of its layout.
    """
    page = page_of(url, html)
    objects: list[dict[str, Any]] = []
    broken = 0
    for script in page.root.xpath("//script[@type='application/ld+json']"):
        try:
            objects += _objects(orjson.loads(script.text or ""))
        except ValueError:
            broken += 1
    items = [_item(page, element) for element in page.root.xpath("//*[@itemscope][not(@itemprop)]")[:100]]
    types = [_type_name(kind) for found in objects for kind in _list(found.get("@type"))]
    types += [_type_name(item["type"]) for item in items]
    return {"json_ld": objects[:100], "microdata": items, "types": once_each(types), "broken": broken}


def _objects(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, list):
        return [part for item in value for part in _objects(item)]
    if not isinstance(value, dict):
        return []
    return _objects(value["@graph"]) if isinstance(value.get("@graph"), list) else [value]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


def _type_name(kind: Any) -> str:
    return str(kind).rstrip("/").rpartition("/")[2][:200]


def _item(page: Page, element: Any) -> Microdata:
    properties: dict[str, list[str]] = {}
    for part in element.xpath(".//*[@itemprop]")[:500]:
        target = part.get("href") or part.get("src")
        stated = part.get("content") or part.get("datetime")
        value = stated or (page.link(target) if target else text_of(part))
        for name in part.get("itemprop").split():
            properties.setdefault(name, []).append(value[:2000])
    return {"type": element.get("itemtype") or "", "properties": properties}
