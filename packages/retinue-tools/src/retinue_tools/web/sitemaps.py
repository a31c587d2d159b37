"""Sitemaps, in which sites list their pages."""

import gzip
import re
import zlib
from datetime import datetime
from typing import Annotated, Any
from xml.sax.saxutils import escape

from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockResponse, OutputFile, Refusal, ToolError, save, tool
from retinue.sdk.http import MIB, fetch, parse
from retinue_tools.web._pages import parsed_xml, resolve

_W3C_DATE = re.compile("[0-9-]+(T[0-9:.]+(Z|[+-][0-9:]+)?)?")
"""Format of a date in a sitemap; Python would accept any character between date and time."""


class Listed(TypedDict):
    """A URL of a sitemap."""

    url: Annotated[str, About("The address")]
    changed: Annotated[str, About("Date of the last change, as stated")]
    frequency: Annotated[str, About("Change frequency, as stated")]
    priority: Annotated[float | None, About("Priority, from 0 to 1")]


class Sitemap(TypedDict):
    """Content of a sitemap."""

    kind: Annotated[str, About("urlset, sitemapindex or text")]
    urls: Annotated[list[Listed], About("URLs; for an index, those of the sitemaps; at most 5,000")]
    total: Annotated[int, About("Total number of URLs")]
    read: Annotated[list[str], About("Sitemaps that were read")]


_SITEMAP = """<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://example.com/</loc><lastmod>2026-01-01</lastmod><changefreq>monthly</changefreq>
<priority>0.8</priority></url><url><loc> https://example.com/a?b=1&amp;c=2 </loc></url></urlset>"""
_INDEX = """<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>{site}/one.xml</loc></sitemap></sitemapindex>"""


@tool(
    tags="sitemap xml urls parse read index pages list lastmod",
    use_when=(
        "Which pages are in the sitemap of https://example.com?",
        "Read https://example.com/sitemap.xml.",
        "How many URLs does this sitemap list?",
    ),
    examples=(
        Example(
            {"xml": _SITEMAP},
            {
                "kind": "urlset",
                "total": 2,
                "urls": [
                    {"url": "https://example.com/", "changed": "2026-01-01", "frequency": "monthly", "priority": 0.8},
                    {"url": "https://example.com/a?b=1&c=2", "changed": "", "frequency": "", "priority": None},
                ],
            },
            source="the protocol of sitemaps.org, version 0.9",
        ),
        Example(
            {"url": "{site}/index.xml", "follow_index": True},
            {"kind": "urlset", "total": 2, "read": ["{site}/index.xml", "{site}/one.xml"]},
            source="the protocol of sitemaps.org: an index lists sitemaps",
            site={
                "/index.xml": MockResponse(_INDEX, 200, {"Content-Type": "text/xml"}),
                "/one.xml": MockResponse(_SITEMAP, 200, {"Content-Type": "text/xml"}),
            },
        ),
        Refusal({"xml": "<html></html>"}, "not a sitemap"),
    ),
    reply={
        "urls": "The sitemap has {total|address|addresses}: {urls}",
        "": "There are no addresses in the sitemap.",
    },
    open_world=True,
    pace="normal",
)
def sitemap_read_urls(
    url: Annotated[
        str | None,
        About("URL of the sitemap, unless xml is given", "https://example.com/sitemap.xml", max_length=8192),
    ] = None,
    xml: Annotated[
        str | None, About("Text of the sitemap, unless url is given", "<urlset>…</urlset>", max_length=5_000_000)
    ] = None,
    follow_index: Annotated[bool, About("Whether to read the first ten sitemaps of an index too")] = False,
) -> Sitemap:
    """Read the addresses from a sitemap, as XML, text or gzip, with their dates and priorities.

    Use it to list the pages of a site. For an index, its sitemaps are returned, or with follow_index their pages.
    """
    if (url is None) == (xml is None):
        raise ToolError("Give either url or xml: the URL of the sitemap, or its text.")
    kind, urls = _sitemap((xml or "").encode()) if url is None else _sitemap(_fetch(url))
    read = [] if url is None else [url]
    if kind == "sitemapindex" and follow_index:
        inner = [resolve(url or "", item["url"]) for item in urls[:10]]
        urls = [item for place in inner for item in _sitemap(_fetch(place, 4.0))[1]]
        kind, read = "urlset", [*read, *inner]
    return {"kind": kind, "urls": urls[:5000], "total": len(urls), "read": read}


def _fetch(url: str, timeout_s: float = 10.0) -> bytes:
    content = fetch(url, timeout_s=timeout_s, max_bytes=10 * MIB).raise_for_status().body
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        unpacked = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(content, 20 * MIB)
    except zlib.error as error:
        raise ToolError(f"{url} is a damaged gzip file.") from error
    return unpacked


def _sitemap(content: bytes) -> tuple[str, list[Listed]]:
    if re.match(rb"\s*https?://\S", content):
        lines = content.decode("utf-8", "replace").split()
        return "text", [{"url": line, "changed": "", "frequency": "", "priority": None} for line in lines]
    root = parsed_xml(content, "sitemap")
    kind = str(root.tag).rpartition("}")[2]
    if kind not in ("urlset", "sitemapindex"):
        raise ToolError("This is not a sitemap: its root element is neither urlset nor sitemapindex.")
    found = [_list(item) for item in root if isinstance(item.tag, str)]
    return kind, [item for item in found if item["url"]]


def _list(item: Any) -> Listed:
    fields = {str(part.tag).rpartition("}")[2]: (part.text or "").strip()[:4000] for part in item}
    priority = fields.get("priority", "")
    return {
        "url": fields.get("loc", ""),
        "changed": fields.get("lastmod", ""),
        "frequency": fields.get("changefreq", ""),
        "priority": float(priority) if re.fullmatch(r"[01](\.\d{1,6})?", priority) else None,
    }


class Entry(TypedDict, total=False):
    """A URL for a sitemap."""

    url: Annotated[str, About("URL of the page", "https://example.com/", pattern=r"^https?://\S+$", max_length=2048)]
    changed: Annotated[str, About("Date of the last change", "2026-01-31", max_length=30)]
    priority: Annotated[float, About("Priority relative to other pages", 0.8, minimum=0, maximum=1)]


class SitemapFile(TypedDict):
    """A sitemap."""

    file: OutputFile
    urls: Annotated[int, About("Number of URLs")]
    bytes: Annotated[int, About("Size in bytes")]


@tool(
    tags="sitemap xml generate create urls seo search engines gzip",
    use_when=(
        "Create a sitemap.xml of these pages.",
        "Make a sitemap with dates for my site.",
        "Generate a gzipped sitemap.",
    ),
    examples=(
        Example(
            {"entries": [{"url": "https://example.com/?a=1&b=2", "changed": "2026-01-31", "priority": 0.5}]},
            {"file": "sitemap.xml", "urls": 1, "bytes": 218},
            source="the protocol of sitemaps.org, version 0.9; its lines have 38, 60, 107 and 9 characters",
        ),
        Example(
            {"entries": [{"url": "https://example.com/"}, {"url": "https://example.com/"}], "compress": True},
            {"file": "sitemap.xml.gz", "urls": 1},
            source="an address belongs into a sitemap once",
        ),
        Refusal({"entries": [{"url": "https://example.com/", "changed": "31.1.2026"}]}, "not a date"),
        Refusal({"entries": [{"url": "https://example.com/", "changed": "2026-01-31<12:00"}]}, "not a date"),
        Refusal({"entries": [{"url": "http://[::1"}]}, "not a web address"),
    ),
    reply="The sitemap with {urls|address|addresses}: {file}",
)
def sitemap_generate_file(
    entries: Annotated[list[Entry], About("Pages", [{"url": "https://example.com/"}], min_items=1, max_items=50_000)],
    compress: Annotated[bool, About("Whether to compress it with gzip")] = False,
) -> SitemapFile:
    """Create a sitemap in XML from addresses of pages, with the dates of their last change.

    Use it to inform search engines about the pages of a site. All addresses must belong to one host; each is listed
    once.
    """
    if any("url" not in entry for entry in entries):
        raise ToolError("Each entry needs a url.")
    places = [parse(entry["url"]) for entry in entries]
    if len({place.netloc for place in places}) > 1:
        raise ToolError("The URLs belong to several hosts. Create a sitemap for each.")
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">']
    unique = {place.url: entry for place, entry in zip(places, entries, strict=True)}
    lines += [_entry(url, entry) for url, entry in unique.items()]
    content = "\n".join([*lines, "</urlset>", ""]).encode()
    packed = gzip.compress(content, mtime=0) if compress else content
    name = save("sitemap.xml.gz" if compress else "sitemap.xml", packed)
    return {"file": name, "urls": len(unique), "bytes": len(packed)}


def _entry(url: str, entry: Entry) -> str:
    changed = entry.get("changed", "")
    if changed and not (_W3C_DATE.fullmatch(changed) and _is_date(changed)):
        raise ToolError(f"{changed} is not a date. Write it as 2026-01-31 or 2026-01-31T12:00:00Z.")
    stated = f"<lastmod>{changed}</lastmod>" if changed else ""
    priority = f"<priority>{entry['priority']:g}</priority>" if "priority" in entry else ""
    return f"<url><loc>{escape(url)}</loc>{stated}{priority}</url>"


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
