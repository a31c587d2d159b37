"""Main content of pages: articles, Markdown, and comparison."""

import difflib
from typing import Annotated, Any, Literal

import markdownify
import trafilatura
from lxml import etree
from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockResponse, Refusal, ToolError, tool
from retinue_tools.web._pages import Html, Page, PageUrl, page_of, tidy

_ARTICLE = """<html lang="en"><head><title>Rain in the hills</title><meta name="author" content="The observatory">
<meta property="article:published_time" content="2026-03-04T08:00:00Z"></head><body>
<nav><a href="/">Home</a> <a href="/about">About</a></nav><article><h1>Rain in the hills</h1>
<p>Rain fell for three days on the hills above the town, and the river rose by two metres within one night.</p>
<p>The bridge stayed open because its arches had been widened some years before, and nobody was hurt.</p>
<p>Forecasters expect dry weather for the rest of the week, with light wind from the west and sunny hours.</p></article>
<footer>Imprint and cookie settings</footer></body></html>"""


class Article(TypedDict):
    """Main content of a page."""

    title: Annotated[str, About("Title")]
    author: Annotated[str, About("Author")]
    date: Annotated[str, About("Publication date as YYYY-MM-DD, empty if unknown")]
    site_name: Annotated[str, About("Name of the site")]
    language: Annotated[str, About("Language stated by the page")]
    text: Annotated[str, About("Main text")]
    words: Annotated[int, About("Number of words")]
    cut: Annotated[bool, About("Whether the text is truncated")]


@tool(
    tags="article read page text main content extract news blog author date boilerplate",
    use_when=(
        "Read https://example.com/news/rain and tell me what it says.",
        "Get the main text of this web page without menus and ads.",
        "Who wrote this article and when?",
        "Only the main text of a page, without navigation and menus",
        "Read a webpage",
        "Read this website to me",
        "What does this page say?",
        "Summarise the article behind this link",
    ),
    examples=(
        Example(
            {"url": "{site}/news"},
            {"title": "Rain in the hills", "author": "The observatory", "date": "2026-03-04", "cut": False},
            source="the page itself",
            site={"/news": MockResponse(_ARTICLE)},
        ),
        Example(
            {"html": _ARTICLE, "output": "text", "most_characters": 100},
            {
                "text": "Rain in the hills\n" + _ARTICLE.partition("<p>")[2][:82],
                "cut": True,
            },
            source="the text itself: its first 100 characters",
        ),
        Example(
            {"html": "<label>Rain in the hills</label>"},
            {"title": "", "date": "", "text": "Rain in the hills"},
            source="the text itself, of an element alone",
        ),
        Refusal({"html": "<p>x</p>", "url": "https://example.com"}, "either url or html"),
    ),
    reply={
        "cut, title": "The beginning of \u201c{title}\u201d: {text}",
        "title, author": "\u201c{title}\u201d by {author}: {text}",
        "title": "\u201c{title}\u201d: {text}",
        "text": "The page says: {text}",
        "": "I found no article on the page.",
    },
    open_world=True,
    pace="normal",
    memory_mb=1024,
)
def web_extract_article(
    url: PageUrl = None,
    html: Html = None,
    output: Annotated[Literal["markdown", "text"], About("Output format")] = "markdown",
    most_characters: Annotated[int, About("Maximum number of characters", minimum=100, maximum=500_000)] = 50_000,
) -> Article:
    """Read the main text of a web page, without menus, footers and advertisements, with title, author and date.

    Use it to read news, blog posts and documentation. Pages that are rendered only by scripts have no text.
    """
    page = page_of(url, html)
    form = "markdown" if output == "markdown" else "txt"
    document = etree.tostring(page.root, encoding="unicode", method="html")
    text = trafilatura.extract(document, url=page.url or None, output_format=form, include_tables=True) or ""
    known: Any = trafilatura.extract_metadata(document, default_url=page.url or None)
    return {
        "title": (known and known.title) or tidy(page.root.xpath("string(//title)")),
        "author": (known and known.author) or "",
        "date": (known and known.date) or "",
        "site_name": (known and known.sitename) or "",
        "language": page.root.get("lang") or "",
        "text": text[:most_characters],
        "words": len(text.split()),
        "cut": len(text) > most_characters,
    }


class Markdown(TypedDict):
    """A page as Markdown."""

    title: Annotated[str, About("Title of the document")]
    markdown: Annotated[str, About("Page in Markdown")]
    characters: Annotated[int, About("Length of the complete Markdown")]
    cut: Annotated[bool, About("Whether it is truncated")]


@tool(
    tags="markdown html convert page readable fetch",
    use_when=(
        "Convert https://example.com to Markdown.",
        "Give me this HTML as Markdown with its links.",
        "Fetch the page and keep headings, lists and tables.",
        "Save a website as text",
    ),
    examples=(
        Example(
            {"html": "<title>T</title><h1>Tea</h1><p>Hot &amp; <b>good</b>: <a href=/x>more</a></p><script>1</script>"},
            {"title": "T", "markdown": "# Tea\n\nHot & **good**: [more](/x)", "cut": False},
            source="CommonMark 0.31, sections 4.2, 6.2 and 6.3",
        ),
        Example(
            {"url": "{site}/a/", "keep_images": False},
            {"markdown": "* [one]({site}/a/1)\n* two"},
            source="CommonMark 0.31, section 5.3; RFC 3986, section 5 for the address of the link",
            site={"/a/": MockResponse('<ul><li><a href="1">one</a></li><li>two<img src="i.png"></li></ul>')},
        ),
        Refusal({"url": "example.com"}, "with its scheme"),
    ),
    reply={
        "cut": "The beginning of the page: {markdown}",
        "": "The page in Markdown: {markdown}",
    },
    open_world=True,
    pace="normal",
)
def web_convert_to_markdown(
    url: PageUrl = None,
    html: Html = None,
    keep_images: Annotated[bool, About("Whether to keep images, as links")] = True,
    most_characters: Annotated[int, About("Maximum number of characters", minimum=100, maximum=500_000)] = 100_000,
) -> Markdown:
    """Convert a whole web page or HTML text to Markdown with headings, lists, tables and links.

    Use it to read a complete page, including menus; for the main text use web_extract_article. Links become absolute if
    the address of the page is known.
    """
    page = page_of(url, html)
    title = tidy(page.root.xpath("string(//title)"))
    markdown = _markdown(page, keep_images)
    return {
        "title": title,
        "markdown": markdown[:most_characters],
        "characters": len(markdown),
        "cut": len(markdown) > most_characters,
    }


def _markdown(page: Page, keep_images: bool) -> str:
    body = page.root.find("body")
    root = page.root if body is None else body
    etree.strip_elements(root, "script", "style", "noscript", "template", "svg", etree.Comment, with_tail=False)
    for element, name, target, _ in list(root.iterlinks()):
        if name in element.attrib and target and not target.startswith(("#", "data:", "mailto:", "tel:")):
            element.set(name, page.link(target) if page.url else target)
    text = etree.tostring(root, encoding="unicode", method="html")
    try:
        markdown = markdownify.markdownify(text, heading_style="ATX", strip=None if keep_images else ["img"])
    except RecursionError as error:
        raise ToolError("The page is nested too deeply to be converted.") from error
    lines = [line.rstrip() for line in markdown.splitlines()]
    spaced = [line for before, line in zip(["", *lines], lines, strict=False) if line or before]
    return "\n".join(spaced).strip()


class Comparison(TypedDict):
    """Differences between the texts of two pages."""

    same: Annotated[bool, About("Whether the texts are equal")]
    similarity: Annotated[float, About("Share of common lines, from 0 to 1")]
    added: Annotated[list[str], About("Lines only in the second page, at most 500")]
    removed: Annotated[list[str], About("Lines only in the first page, at most 500")]
    diff: Annotated[str, About("Unified diff, up to 50,000 characters")]


Before = Annotated[Html, About("HTML text of the first page, unless its url is given", "<p>Old</p>")]
After = Annotated[Html, About("HTML text of the second page, unless its url is given", "<p>New</p>")]
OtherUrl = Annotated[PageUrl, About("URL of the second page, unless its HTML is given", "https://example.com/b")]


@tool(
    tags="compare pages difference changes diff monitor versions html",
    use_when=(
        "What changed between these two versions of the page?",
        "Compare https://example.com/a with https://example.com/b.",
        "Is the text of the copy the same as that of the original page?",
    ),
    examples=(
        Example(
            {"first_html": "<h1>Tea</h1><p>3 EUR</p>", "second_html": "<h1>Tea</h1><p class=new>4 EUR</p>"},
            {"same": False, "similarity": 0.5, "added": ["4 EUR"], "removed": ["3 EUR"]},
            source="by hand: one of two lines is in both",
        ),
        Example(
            {"first_url": "{site}/a", "second_html": "<p>Hello</p>"},
            {"same": True, "similarity": 1.0, "added": [], "removed": []},
            source="the pages differ in markup only",
            site={"/a": MockResponse("<body><div>Hello</div></body>")},
        ),
        Refusal({"first_html": "<p>x"}, "either url or html"),
    ),
    reply={
        "same": "The texts of both pages are the same.",
        "diff": "The pages differ: {diff}",
        "added, removed": "Added were {added}, and removed {removed}.",
        "": "The pages differ.",
    },
    open_world=True,
    pace="normal",
)
def web_compare_pages(
    first_url: Annotated[PageUrl, About("URL of the first page, unless its HTML is given")] = None,
    first_html: Before = None,
    second_url: OtherUrl = None,
    second_html: After = None,
) -> Comparison:
    """Compare the text of two web pages, or of two versions of one, line by line.

    Use it to find changes. Markup, scripts and styles are ignored; each of the two is given as an address or as HTML
    text.
    """
    before = _lines(page_of(first_url, first_html))
    after = _lines(page_of(second_url, second_html))
    diff = list(difflib.unified_diff(before, after, "first", "second", lineterm="", n=2))
    changes = diff[2:]
    common = sum(
        part.size for part in difflib.SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    )
    return {
        "same": before == after,
        "similarity": round(2 * common / max(len(before) + len(after), 1), 4) if before != after else 1.0,
        "added": [line[1:] for line in changes if line.startswith("+")][:500],
        "removed": [line[1:] for line in changes if line.startswith("-")][:500],
        "diff": "\n".join(diff)[:50_000],
    }


def _lines(page: Page) -> list[str]:
    etree.strip_elements(page.root, "script", "style", "noscript", "template", "head", etree.Comment, with_tail=False)
    lines = [tidy(part) for part in page.root.itertext()]
    return [line for line in lines if line][:5000]
