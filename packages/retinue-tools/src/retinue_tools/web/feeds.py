"""Feeds: RSS, Atom and JSON Feed."""

from email.utils import parsedate_to_datetime
from typing import Annotated, Any

import orjson
from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockResponse, Refusal, ToolError, tool
from retinue.sdk.http import fetch
from retinue_tools.web._pages import parsed_html, parsed_xml, resolve, text_of, tidy

_RSS = """<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Tea news</title>
<link>https://example.com/</link><description>All about tea</description><item><title>First &amp; best</title>
<link>/1</link><guid>1</guid><pubDate>Sat, 07 Sep 2002 00:00:01 GMT</pubDate>
<description>&lt;p&gt;Hello &lt;b&gt;you&lt;/b&gt;&lt;/p&gt;</description><category>tea</category>
<enclosure url="https://example.com/a.mp3" length="1" type="audio/mpeg"/></item></channel></rss>"""
_ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Example Feed</title><link href="http://example.org/"/>
<updated>2003-12-13T18:30:02Z</updated><author><name>John Doe</name></author>
<id>urn:uuid:60a76c80-d399-11d9-b93C-0003939e0af6</id><entry><title>Atom-Powered Robots Run Amok</title>
<link href="http://example.org/2003/12/13/atom03"/><id>urn:uuid:1225c695-cfb8-4ebb-aaaa-80da344efa6a</id>
<updated>2003-12-13T18:30:02Z</updated><summary>Some text.</summary></entry></feed>"""
_XML_TYPE = {"Content-Type": "application/rss+xml"}


class Entry(TypedDict):
    """An entry of a feed."""

    title: Annotated[str, About("Title")]
    url: Annotated[str, About("URL of the page")]
    id: Annotated[str, About("Unique ID of the entry")]
    published: Annotated[str, About("Publication date, ISO 8601 if it can be parsed")]
    author: Annotated[str, About("Author")]
    summary: Annotated[str, About("Text without markup, up to 2,000 characters")]
    categories: Annotated[list[str], About("Categories of the entry")]
    media_url: Annotated[str, About("Enclosed sound or picture")]


class Feed(TypedDict):
    """A feed."""

    kind: Annotated[str, About("rss, atom or json")]
    title: Annotated[str, About("Title of the feed")]
    url: Annotated[str, About("URL of its site")]
    description: Annotated[str, About("Description of the feed")]
    entries: Annotated[list[Entry], About("Entries in feed order")]
    total: Annotated[int, About("Total number of entries")]


@tool(
    tags="feed rss atom json feed read news entries podcast blog",
    use_when=(
        "What is new in the feed https://example.com/feed.xml?",
        "Read this RSS feed.",
        "Show the latest five entries of the blog's Atom feed.",
        "What are the latest headlines of a news site's RSS feed?",
        "Read a blog by its feed",
    ),
    examples=(
        Example(
            {"text": _ATOM},
            {
                "kind": "atom",
                "title": "Example Feed",
                "url": "http://example.org/",
                "entries": [
                    {
                        "title": "Atom-Powered Robots Run Amok",
                        "url": "http://example.org/2003/12/13/atom03",
                        "id": "urn:uuid:1225c695-cfb8-4ebb-aaaa-80da344efa6a",
                        "published": "2003-12-13T18:30:02Z",
                        "summary": "Some text.",
                    }
                ],
            },
            source="RFC 4287, section 1.1",
        ),
        Example(
            {"url": "{site}/feed", "most": 1},
            {
                "kind": "rss",
                "total": 1,
                "entries": [
                    {
                        "title": "First & best",
                        "url": "{site}/1",
                        "published": "2002-09-07T00:00:01+00:00",
                        "summary": "Hello you",
                        "categories": ["tea"],
                        "media_url": "https://example.com/a.mp3",
                    }
                ],
            },
            source="RSS 2.0; RFC 822, section 5, for the date",
            site={"/feed": MockResponse(_RSS, 200, _XML_TYPE)},
        ),
        Example(
            {
                "text": '{"version": "https://jsonfeed.org/version/1.1", "title": "T", '
                '"items": [{"id": "2", "content_text": "x"}]}'
            },
            {"kind": "json", "title": "T", "entries": [{"id": "2", "summary": "x", "url": ""}]},
            source="JSON Feed 1.1",
        ),
        Refusal({"text": "<html/>"}, "not a feed"),
    ),
    reply={
        "title, entries": "The entries of \u201c{title}\u201d: {entries}",
        "entries": "The entries of the feed: {entries}",
        "": "The feed has no entries.",
    },
    open_world=True,
    pace="normal",
)
def feed_read_entries(
    url: Annotated[
        str | None, About("URL of the feed, unless text is given", "https://example.com/feed", max_length=8192)
    ] = None,
    text: Annotated[
        str | None, About("Text of the feed, unless url is given", "<rss>…</rss>", max_length=5_000_000)
    ] = None,
    most: Annotated[int, About("Maximum number of entries", minimum=1, maximum=500)] = 50,
) -> Feed:
    """Read a feed in RSS, Atom or JSON Feed into its entries with titles, addresses, dates and texts.

    Use it to follow news, blogs and podcasts. If only a page is known, use feed_discover_links first.
    """
    if (url is None) == (text is None):
        raise ToolError("Give either url or text: the URL of the feed, or its text.")
    content = (text or "").encode() if url is None else fetch(url, timeout_s=15.0).raise_for_status().body
    feed = _json_feed(content) if content.lstrip().startswith(b"{") else _xml_feed(content)
    base = url or feed["url"]
    entries: list[Entry] = [
        {**entry, "url": resolve(base, entry["url"]) if entry["url"] else ""} for entry in feed["entries"]
    ]
    return {**feed, "entries": entries[:most], "total": len(entries)}


def _xml_feed(content: bytes) -> Feed:
    root = parsed_xml(content, "feed")
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2]
    if root.tag == "feed":
        head, items, kind = root, root.findall("entry"), "atom"
    elif root.tag in ("rss", "RDF") and root.find("channel") is not None:
        head, items, kind = root.find("channel"), list(root.iter("item")), "rss"
    else:
        raise ToolError("This is not a feed: its root element is neither rss nor feed.")
    return {
        "kind": kind,
        "title": _first(head, "title"),
        "url": _link(head),
        "description": _first(head, "description", "subtitle"),
        "entries": [_entry(item) for item in items[:5000]],
        "total": len(items),
    }


def _entry(item: Any) -> Entry:
    media = [part.get("url") or part.get("href") for part in item.iter("enclosure", "content") if part.get("url")]
    media += [part.get("href") for part in item.findall("link[@rel='enclosure']")]
    categories = [(part.get("term") or part.text or "").strip() for part in item.findall("category")]
    return {
        "title": _first(item, "title"),
        "url": _link(item),
        "id": _first(item, "guid", "id"),
        "published": _moment(_first(item, "pubDate", "published", "date", "updated")),
        "author": _first(item, "author/name", "creator", "author"),
        "summary": _unmark(_first(item, "description", "summary", "encoded", "content"))[:2000],
        "categories": [category for category in categories if category][:50],
        "media_url": next((place for place in media if place), ""),
    }


def _first(element: Any, *paths: str) -> str:
    found = (element.find(path) for path in paths)
    return next((text for part in found if part is not None and (text := tidy("".join(part.itertext())))), "")


def _link(element: Any) -> str:
    links = [link for link in element.findall("link") if link.get("rel", "alternate") == "alternate"]
    return next((place for link in links if (place := (link.get("href") or link.text or "").strip())), "")


def _unmark(text: str) -> str:
    return text_of(parsed_html(f"<div>{text}</div>")) if "<" in text else text


def _moment(text: str) -> str:
    try:
        return parsedate_to_datetime(text).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return text


def _json_feed(content: bytes) -> Feed:
    try:
        feed = orjson.loads(content)
    except ValueError as error:
        raise ToolError("This is not a feed: it is neither XML nor JSON.") from error
    if (
        not isinstance(feed, dict)
        or "jsonfeed.org" not in str(feed.get("version"))
        or not isinstance(feed.get("items"), list)
    ):
        raise ToolError("This is not a feed: it lacks the version and items of JSON Feed.")
    entries = [_json_entry(item) for item in feed["items"][:5000] if isinstance(item, dict)]
    place, about = str(feed.get("home_page_url") or ""), str(feed.get("description") or "")
    return {
        "kind": "json",
        "title": str(feed.get("title") or ""),
        "url": place,
        "description": about,
        "entries": entries,
        "total": len(entries),
    }


def _json_entry(item: dict[str, Any]) -> Entry:
    authors = item.get("authors")
    author = authors[0] if isinstance(authors, list) and authors else item.get("author")
    text = str(item.get("summary") or item.get("content_text") or item.get("content_html") or "")
    tags = item.get("tags")
    return {
        "title": str(item.get("title") or ""),
        "url": str(item.get("url") or ""),
        "id": str(item.get("id") or ""),
        "published": str(item.get("date_published") or ""),
        "author": str(author.get("name") or "") if isinstance(author, dict) else "",
        "summary": tidy(_unmark(text))[:2000],
        "categories": [str(tag) for tag in tags[:50]] if isinstance(tags, list) else [],
        "media_url": str(item.get("image") or ""),
    }
