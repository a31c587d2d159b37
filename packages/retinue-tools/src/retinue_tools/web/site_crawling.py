"""Site crawling, and checks for broken links."""

import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated
from urllib.parse import urlsplit

from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockResponse, Refusal, ToolError, ToolUnavailable, tool
from retinue.sdk.http import fetch, parse
from retinue_tools.web._pages import Address, Html, Page, PageUrl, page_of, parsed_html, text_of, tidy, web_links
from retinue_tools.web.robots import Group, robots_decision, robots_groups, robots_of

_TIME_S = 50.0


class Visited(TypedDict):
    """A crawled page."""

    url: Annotated[str, About("URL of the page")]
    status: Annotated[int, About("Status; 0 if it could not be fetched")]
    title: Annotated[str, About("Title of the page")]
    depth: Annotated[int, About("Number of links from the first page")]
    words: Annotated[int, About("Number of words")]
    links: Annotated[int, About("Pages of the site that it links to")]
    text: Annotated[str, About("Beginning of its text, if requested")]


class Crawl(TypedDict):
    """Crawled pages of a site."""

    pages: Annotated[list[Visited], About("Pages in the order of the visit")]
    visited: Annotated[int, About("Number of fetched pages")]
    waiting: Annotated[int, About("Number of known URLs that were not visited")]
    forbidden: Annotated[int, About("Number of URLs that robots.txt disallows")]
    out_of_time: Annotated[bool, About("Whether the time limit ended the crawl")]


_ROBOTS = "User-agent: *\nDisallow: /private\n"


@tool(
    tags="crawl site spider pages links map titles website robots",
    use_when=(
        "Crawl https://example.com and list its pages.",
        "Which pages has this site, up to two links deep?",
        "Collect the text of the first 20 pages of the documentation.",
    ),
    examples=(
        Example(
            {"url": "{site}/", "pause_s": 0},
            {
                "visited": 3,
                "waiting": 0,
                "forbidden": 1,
                "out_of_time": False,
                "pages": [
                    {"url": "{site}/", "status": 200, "title": "Home", "depth": 0, "links": 2, "text": ""},
                    {"url": "{site}/a", "status": 200, "title": "A", "depth": 1, "links": 1},
                    {"url": "{site}/gone", "status": 404, "title": "", "depth": 2, "links": 0},
                ],
            },
            source="the pages of the stand-in, followed by hand; RFC 9309 for the page that is forbidden",
            site={
                "/robots.txt": MockResponse(_ROBOTS, 200, {"Content-Type": "text/plain"}),
                "/": MockResponse(
                    "<title>Home</title><a href=/a#x>a</a><a href=/private/b>b</a><a href=https://example.org/>o</a>"
                ),
                "/a": MockResponse("<title>A</title><a href=gone>gone</a>"),
            },
        ),
        Example(
            {"url": "{site}/", "most_pages": 1, "with_text": True, "pause_s": 0},
            {"visited": 1, "waiting": 1, "pages": [{"text": "Hello a", "words": 2}]},
            source="one page is wished for",
            site={"/": MockResponse("<p>Hello <a href=/a>a</a>")},
        ),
        Refusal({"url": "http://10.0.0.1/"}, "not a public address"),
    ),
    reply={
        "pages, waiting": "I visited {visited|page}; {waiting} more are known: {pages}",
        "pages": "I visited {visited|page}: {pages}",
        "": "There was no page to visit.",
    },
    open_world=True,
    pace="long",
    tier="pro",
    credits=5,
    idempotent=False,
)
def web_crawl_site(
    url: Address,
    most_pages: Annotated[int, About("Maximum number of pages", minimum=1, maximum=100)] = 30,
    most_depth: Annotated[int, About("Maximum number of links from the first page", minimum=0, maximum=10)] = 3,
    with_text: Annotated[bool, About("Whether to include the beginning of each text")] = False,
    pause_s: Annotated[float, About("Delay between requests", minimum=0, maximum=5)] = 0.2,
) -> Crawl:
    """Crawl the pages of one site politely: one at a time, breadth first, within robots.txt, never to another host.

    Use it to map a site or to collect its texts. It ends after at most fifty seconds.
    """
    start, begin = time.monotonic(), parse(url)
    first, host = begin.url.partition("#")[0], begin.netloc
    groups, _, _ = robots_groups(robots_of(first) or "")
    queue, known = deque([(first, 0)]), {first}
    pages: list[Visited] = []
    forbidden = 0
    while queue and len(pages) < most_pages and time.monotonic() - start < _TIME_S:
        place, depth = queue.popleft()
        if not _is_permitted(groups, place):
            forbidden += 1
            continue
        time.sleep(pause_s if pages else 0)
        page, visited = _visit(place, depth, with_text, _TIME_S + 5 - (time.monotonic() - start))
        links = (
            dict.fromkeys(link for link, _ in web_links(page) if urlsplit(link).netloc.lower() == host) if page else {}
        )
        pages.append({**visited, "links": len(links)})
        fresh = [link for link in links if link not in known] if depth < most_depth else []
        known.update(fresh)
        queue.extend((link, depth + 1) for link in fresh[:2000])
    return {
        "pages": pages,
        "visited": len(pages),
        "waiting": len(queue),
        "forbidden": forbidden,
        "out_of_time": time.monotonic() - start >= _TIME_S,
    }


def _is_permitted(groups: list[Group], url: str) -> bool:
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    allowed: bool = robots_decision(groups, path, "retinue")["allowed"]
    return allowed


def _visit(url: str, depth: int, with_text: bool, left_s: float) -> tuple[Page | None, Visited]:
    visited: Visited = {"url": url, "status": 0, "title": "", "depth": depth, "words": 0, "links": 0, "text": ""}
    try:
        answer = fetch(url, timeout_s=min(8.0, left_s), max_bytes=2 * 2**20, whole=False)
        visited["status"] = answer.status
        if answer.status >= 400 or "html" not in answer.media_type:
            return None, visited
        page = Page(answer.text, answer.url, parsed_html(answer.text), answer)
    except (ToolError, ToolUnavailable):
        if depth == 0:
            raise
        return None, visited
    text = text_of(page.root)
    title = tidy(page.root.xpath("string(//title)"))
    excerpt = text.removeprefix(title).strip()[:2000] if with_text else ""
    return page, {**visited, "title": title, "words": len(text.split()), "text": excerpt}


class Checked(TypedDict):
    """A checked link."""

    url: Annotated[str, About("Target URL")]
    text: Annotated[str, About("Link text")]
    status: Annotated[int, About("Status; 0 if there is no response")]
    problem: Annotated[str, About("Problem; empty if there is none")]
    redirected_to: Annotated[str, About("Redirect target")]


class CheckedLinks(TypedDict):
    """Result of checking links."""

    checked: Annotated[int, About("Number of checked links")]
    broken: Annotated[list[Checked], About("Broken links")]
    redirected: Annotated[list[Checked], About("Redirected links")]
    not_checked: Annotated[int, About("Number of links beyond the limit")]


@tool(
    tags="broken links check dead link 404 page validate redirect",
    use_when=(
        "Are there broken links on https://example.com?",
        "Check all links of this page.",
        "Which links of my HTML lead to a 404?",
    ),
    examples=(
        Example(
            {"url": "{site}/"},
            {
                "checked": 3,
                "not_checked": 0,
                "broken": [
                    {
                        "url": "{site}/gone",
                        "text": "gone",
                        "status": 404,
                        "problem": "404 Not Found",
                        "redirected_to": "",
                    }
                ],
                "redirected": [
                    {"url": "{site}/old", "text": "old", "status": 200, "problem": "", "redirected_to": "{site}/ok"}
                ],
            },
            source="RFC 9110, sections 15.4 and 15.5.5",
            site={
                "/": MockResponse(
                    "<a href=/ok>ok</a><a href=/gone>gone</a><a href=/old>old</a><a href=#x>x</a><a href=/ok>ok</a>"
                ),
                "/ok": MockResponse("x"),
                "/old": MockResponse("", 301, {"Location": "/ok"}),
            },
        ),
        Example(
            {"html": '<a href="http://127.0.0.2:9/">x</a><a href="http://127.0.0.2:9/2">y</a>', "most": 1},
            {"checked": 1, "not_checked": 1, "redirected": []},
            source="one link is wished for",
        ),
        Refusal({"url": "{site}/none"}, "404", site={"/": MockResponse("x")}),
    ),
    reply={
        "broken": "I checked {checked|link}, and these are broken: {broken}",
        "redirected": "I checked {checked|link}; none is broken, but these are redirected: {redirected}",
        "": "I checked {checked|link}, and none is broken.",
    },
    open_world=True,
    pace="long",
    tier="starter",
    credits=5,
    idempotent=False,
    memory_mb=2048,
)
def web_check_links(
    url: PageUrl = None,
    html: Html = None,
    most: Annotated[int, About("Maximum number of links", minimum=1, maximum=80)] = 50,
) -> CheckedLinks:
    """Check (try) the links of a web page or HTML text and report those that are broken or redirected.

    Use it to maintain a page. Links to private addresses count as broken; relative links of a text are ignored.
    """
    page = page_of(url, html)
    links: dict[str, str] = {}
    for target, element in web_links(page):
        links.setdefault(target, text_of(element)[:200])
    links.pop(page.url, None)
    chosen = list(links.items())[:most]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(_check_link, chosen))
    return {
        "checked": len(found),
        "broken": [link for link in found if link["problem"]],
        "redirected": [link for link in found if link["redirected_to"] and not link["problem"]],
        "not_checked": len(links) - len(chosen),
    }


def _check_link(link: tuple[str, str]) -> Checked:
    url, text = link
    checked: Checked = {"url": url, "text": text, "status": 0, "problem": "", "redirected_to": ""}
    try:
        answer = fetch(url, timeout_s=3.0, max_bytes=0, whole=False)
    except (ToolError, ToolUnavailable) as error:
        return {**checked, "problem": str(error)[:300]}
    problem = f"{answer.status} {answer.reason}".strip() if answer.status >= 400 else ""
    further = answer.url if answer.redirects else ""
    return {**checked, "status": answer.status, "problem": problem, "redirected_to": further}
