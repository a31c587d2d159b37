"""Discovery and creation of feeds."""

from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Annotated
from xml.sax.saxutils import escape, quoteattr

from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, MockResponse, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.documents._office_runs import xml_text
from retinue_tools.web._pages import Html, PageUrl, page_of, parsed_xml, text_of


class Found(TypedDict):
    """A feed of a page."""

    url: Annotated[str, About("URL of the feed")]
    title: Annotated[str, About("Title given by the page")]
    kind: Annotated[str, About("rss, atom or json")]
    stated: Annotated[bool, About("Whether the page declares it, or only links to a likely feed")]


class Discovered(TypedDict):
    """Feeds of a page."""

    feeds: Annotated[list[Found], About("Declared feeds first, at most 50")]


_KINDS = {"application/rss+xml": "rss", "application/atom+xml": "atom", "application/feed+json": "json"}


@tool(
    tags="feed discover find rss atom page autodiscovery subscribe",
    use_when=(
        "Has https://example.com an RSS feed?",
        "Find the feed of this blog.",
        "Where can I subscribe to the news of the site?",
    ),
    examples=(
        Example(
            {
                "html": '<link rel="alternate home" type="application/atom+xml" title=News href="/n">'
                '<a href="/x/rss.xml">R</a>'
            },
            {
                "feeds": [
                    {"url": "/n", "title": "News", "kind": "atom", "stated": True},
                    {"url": "/x/rss.xml", "title": "R", "kind": "rss", "stated": False},
                ]
            },
            source="RFC 4287 and HTML, section 4.6.7.1: rel=alternate with the type of a feed",
        ),
        Example(
            {"url": "{site}/"},
            {"feeds": []},
            source="the page names none",
            site={"/": MockResponse("<a href=/a>x</a>")},
        ),
        Refusal({}, "either url or html"),
    ),
    reply={
        "feeds.1": "I found these feeds: {feeds}",
        "feeds": "The feed is {feeds.0.url}.",
        "": "I found no feed on this page.",
    },
    open_world=True,
    pace="normal",
)
def feed_discover_links(url: PageUrl = None, html: Html = None) -> Discovered:
    """Find the feeds that a web page declares or links to.

    Use it before reading a feed if only the address of the site is known.
    """
    page = page_of(url, html)
    feeds: dict[str, Found] = {}
    for link in page.root.xpath("//link[@href][@type]"):
        kind = _KINDS.get(link.get("type").strip().lower())
        if kind and "alternate" in (link.get("rel") or "").lower().split():
            place = page.link(link.get("href"))
            feeds.setdefault(place, {"url": place, "title": link.get("title") or "", "kind": kind, "stated": True})
    for link in page.root.xpath("//a[@href]"):
        target = link.get("href").lower().partition("?")[0]
        if target.endswith(
            (".rss", ".atom", "/rss", "/feed", "/feed/", "rss.xml", "atom.xml", "feed.xml", "feed.json")
        ):
            kind = "atom" if "atom" in target else "json" if target.endswith("json") else "rss"
            place = page.link(link.get("href"))
            feeds.setdefault(place, {"url": place, "title": text_of(link)[:200], "kind": kind, "stated": False})
    return {"feeds": list(feeds.values())[:50]}


class Post(TypedDict, total=False):
    """An entry for a feed."""

    title: Annotated[str, About("Title", "First post", min_length=1, max_length=500)]
    url: Annotated[str, About("URL of its page", "https://example.com/1", pattern=r"^https?://\S+$", max_length=2000)]
    summary: Annotated[str, About("Text or HTML", "Hello", max_length=100_000)]
    published: Annotated[str, About("Publication date, ISO 8601", "2026-01-31T12:00:00Z", max_length=40)]


class FeedFile(TypedDict):
    """A feed in RSS 2.0."""

    file: OutputFile
    xml: Annotated[str, About("Text of the feed")]


@tool(
    tags="feed rss create generate blog news podcast xml",
    use_when=(
        "Create an RSS feed of these posts.",
        "Make a feed for my blog.",
        "Turn this list of news into RSS.",
        "Publish an RSS feed of my blog",
    ),
    examples=(
        Example(
            {
                "title": "Tea & more",
                "site_url": "https://example.com/",
                "entries": [{"title": "One", "url": "https://example.com/1", "published": "2026-01-31T12:00:00Z"}],
            },
            {
                "file": "feed.xml",
                "xml": '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel>'
                "<title>Tea &amp; more</title><link>https://example.com/</link>"
                "<description>Tea &amp; more</description>\n"
                "<item><title>One</title>"
                "<link>https://example.com/1</link><guid>https://example.com/1</guid>"
                "<pubDate>Sat, 31 Jan 2026 12:00:00 +0000</pubDate></item>\n</channel></rss>\n",
            },
            source="RSS 2.0, required elements of channel and item; RFC 5322, section 3.3, for the date",
        ),
        Refusal(
            {"title": "T", "site_url": "https://example.com/", "entries": [{"title": "x", "published": "today"}]},
            "not a date",
        ),
    ),
    reply="The RSS feed: {file}",
)
def feed_create_rss(
    title: Annotated[str, About("Title of the feed", "Tea news", min_length=1, max_length=500)],
    site_url: Annotated[
        str, About("Address of the site", "https://example.com/", pattern=r"^https?://\S+$", max_length=2000)
    ],
    entries: Annotated[
        list[Post], About("Entries, newest first", [{"title": "First post"}], min_items=1, max_items=1000)
    ],
    description: Annotated[str | None, About("Description of the feed", "All about tea", max_length=2000)] = None,
) -> FeedFile:
    """Create a feed in RSS 2.0 from a list of entries with titles, addresses, texts and dates.

    Use it to publish news or posts for feed readers.
    """
    head = f"<title>{escape(title)}</title><link>{escape(site_url)}</link>"
    about = f"<description>{escape(description or title)}</description>"
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<rss version="2.0"><channel>{head}{about}']
    lines += [_item(entry) for entry in entries]
    xml = xml_text("\n".join([*lines, "</channel></rss>", ""]))
    return {"file": save("feed.xml", xml.encode()), "xml": xml}


def _item(entry: Post) -> str:
    if not entry.get("title") and not entry.get("summary"):
        raise ToolError("Each entry needs a title or a summary.")
    parts = {"title": entry.get("title"), "link": entry.get("url"), "guid": entry.get("url")}
    parts |= {"description": entry.get("summary"), "pubDate": _rss_date(entry.get("published"))}
    return "<item>" + "".join(f"<{name}>{escape(text)}</{name}>" for name, text in parts.items() if text) + "</item>"


def _rss_date(text: str | None) -> str:
    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(text)
        return format_datetime(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError) as error:
        raise ToolError(f"{text} is not a date. Write it as 2026-01-31T12:00:00Z.") from error


class Subscription(TypedDict):
    """A subscription of a list."""

    title: Annotated[str, About("Title of the feed")]
    feed_url: Annotated[str, About("Address of the feed")]
    site_url: Annotated[str, About("URL of its site")]
    folder: Annotated[str, About("Folders of the subscription, joined by /")]


class Subscriptions(TypedDict):
    """Feeds of an OPML file."""

    title: Annotated[str, About("Title of the list")]
    feeds: Annotated[list[Subscription], About("In list order, at most 5,000")]
    total: Annotated[int, About("Total number of feeds")]


_OPML = """<opml version="2.0"><head><title>Mine</title></head><body>
<outline text="News"><outline type="rss" text={} {}/></outline></body></opml>"""
_OPML_ATTRIBUTES = 'xmlUrl="https://example.com/feed" htmlUrl="https://example.com/"'
_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"


@tool(
    tags="opml feeds subscriptions list import export reader podcasts",
    use_when=(
        "Which feeds are in this OPML file?",
        "Read my exported subscriptions.",
        "List the podcasts of the OPML export.",
    ),
    examples=(
        Example(
            {"text": _OPML.format(quoteattr("Tea & more"), _OPML_ATTRIBUTES)},
            {
                "title": "Mine",
                "total": 1,
                "feeds": [
                    {
                        "title": "Tea & more",
                        "feed_url": "https://example.com/feed",
                        "site_url": "https://example.com/",
                        "folder": "News",
                    }
                ],
            },
            source="OPML 2.0, section on subscription lists",
        ),
        Example({"file": _FILE}, {"total": 0, "feeds": []}, source="an empty list", files={_FILE: "PG9wbWwvPg=="}),
        Refusal({"text": "<rss/>"}, "not an OPML"),
    ),
    reply={
        "feeds": "The list has {total|feed}: {feeds}",
        "": "There are no feeds in the list.",
    },
)
def opml_list_feeds(
    text: Annotated[
        str | None, About("Text of the list, unless file is given", "<opml>…</opml>", max_length=2_000_000)
    ] = None,
    file: File | None = None,
) -> Subscriptions:
    """List the feeds of an OPML file, as exported by feed readers and podcast players, with their folders.

    Use it to migrate subscriptions.
    """
    if (text is None) == (file is None):
        raise ToolError("Give either text or file: the text of the list, or the file.")
    root = parsed_xml((text or "").encode() if file is None else Path(file).read_bytes(), "OPML file")
    if root.tag != "opml":
        raise ToolError("This is not an OPML file: its root element is not opml.")
    feeds: list[Subscription] = [
        {
            "title": outline.get("title") or outline.get("text") or "",
            "feed_url": outline.get("xmlUrl"),
            "site_url": outline.get("htmlUrl") or "",
            "folder": "/".join(reversed([folder.get("text") or "" for folder in outline.iterancestors("outline")])),
        }
        for outline in root.iter("outline")
        if outline.get("xmlUrl")
    ]
    return {"title": (root.findtext("head/title") or "").strip(), "feeds": feeds[:5000], "total": len(feeds)}
