"""Rules for crawlers: robots.txt (RFC 9309)."""

import re
from string import punctuation
from typing import Annotated
from urllib.parse import quote, unquote

import regex
from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockResponse, OutputFile, Refusal, ToolError, save, tool
from retinue.sdk.http import MIB, fetch, parse

RobotsText = Annotated[
    str | None,
    About("Text of robots.txt, unless url is given", "User-agent: *\nDisallow: /private\n", max_length=500_000),
]
SiteUrl = Annotated[
    str | None,
    About("Any URL of the site, unless the text is given", "https://example.com/", min_length=4, max_length=8192),
]


class Rule(TypedDict):
    """A rule of robots.txt."""

    allow: Annotated[bool, About("Whether it allows or forbids")]
    path: Annotated[str, About("Path prefix; * and $ have their special meaning")]


class Group(TypedDict):
    """Rules for a group of crawlers."""

    agents: Annotated[list[str], About("Names of the crawlers; * for all others")]
    rules: Annotated[list[Rule], About("Rules")]
    crawl_delay_s: Annotated[float | None, About("Requested delay between requests")]


class Robots(TypedDict):
    """Content of robots.txt."""

    found: Annotated[bool, About("Whether the site has a robots.txt")]
    groups: Annotated[list[Group], About("Groups in file order")]
    sitemaps: Annotated[list[str], About("URLs of the sitemaps")]
    unknown: Annotated[list[str], About("Lines that cannot be parsed, at most 50")]


_ROBOTS = """User-agent: foobot
Disallow: *
Allow: /example/page.html
Allow: /example/allowed.gif

User-agent: barbot
User-agent: bazbot
Disallow: /example/page.html
Crawl-delay: 5

Sitemap: https://example.com/sitemap.xml
"""


@tool(
    tags="robots.txt parse crawler rules disallow allow sitemap user-agent",
    use_when=(
        "What does the robots.txt of https://example.com forbid?",
        "Which sitemaps does the site name in robots.txt?",
        "Explain this robots.txt.",
    ),
    examples=(
        Example(
            {"text": _ROBOTS},
            {
                "found": True,
                "sitemaps": ["https://example.com/sitemap.xml"],
                "groups": [
                    {
                        "agents": ["foobot"],
                        "rules": [
                            {"allow": False, "path": "*"},
                            {"allow": True, "path": "/example/page.html"},
                            {"allow": True, "path": "/example/allowed.gif"},
                        ],
                    },
                    {
                        "agents": ["barbot", "bazbot"],
                        "rules": [{"allow": False, "path": "/example/page.html"}],
                        "crawl_delay_s": 5.0,
                    },
                ],
            },
            source="RFC 9309, section 5.1",
        ),
        Example(
            {"url": "{site}/any/page"},
            {"found": False, "groups": []},
            source="RFC 9309, section 2.3.1.3: a file that is not there forbids nothing",
            site={"/": MockResponse("x")},
        ),
        Refusal({}, "either url or text"),
    ),
    reply={
        "groups": "The rules: {groups}",
        "sitemaps": "There are no rules, but these sitemaps: {sitemaps}",
        "not found": "The site has no robots.txt.",
        "": "The robots.txt has no rules.",
    },
    open_world=True,
    pace="normal",
)
def robots_parse_rules(url: SiteUrl = None, text: RobotsText = None) -> Robots:
    """Read robots.txt, of a site or from a text, into its groups of rules and its sitemaps.

    Use it to see what a site asks of crawlers. For a single address, use robots_check_access.
    """
    content = _robots(url, text)
    groups, sitemaps, unknown = robots_groups(content or "")
    return {"found": content is not None, "groups": groups, "sitemaps": sitemaps, "unknown": unknown[:50]}


def _robots(url: str | None, text: str | None) -> str | None:
    if (url is None) == (text is None):
        raise ToolError("Give either url or text: a URL of the site, or the text of its robots.txt.")
    return text if url is None else robots_of(url)


def robots_of(url: str) -> str | None:
    """Fetch the robots.txt of the site of an address; None if there is none."""
    parts = parse(url)
    place = f"{parts.scheme}://{parts.netloc}/robots.txt"
    answer = fetch(place, timeout_s=10.0, max_bytes=MIB // 2, whole=False)
    return answer.text if answer.status < 400 else None


def robots_groups(text: str) -> tuple[list[Group], list[str], list[str]]:
    """Parse the groups, sitemaps and unknown lines of a robots.txt (RFC 9309, section 2.2)."""
    groups: list[Group] = []
    sitemaps, unknown, naming = [], [], False
    for line in text.lstrip("\ufeff").splitlines()[:20_000]:
        field, colon, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        name = field.lower()
        if name == "user-agent" and value:
            if not naming:
                groups.append({"agents": [], "rules": [], "crawl_delay_s": None})
            groups[-1]["agents"].append(value)
            naming = True
            continue
        naming = naming and not field
        if name == "sitemap" and value:
            sitemaps.append(value)
        elif name in ("allow", "disallow") and groups:
            groups[-1]["rules"] += [{"allow": name == "allow", "path": value}] if value else []
        elif name == "crawl-delay" and groups and re.fullmatch(r"\d{1,6}(\.\d{1,6})?", value):
            groups[-1]["crawl_delay_s"] = float(value)
        elif field or colon:
            unknown.append(line.strip()[:300])
    return groups, sitemaps, unknown


_NOT_ENCODED = punctuation.translate({ord(sign): None for sign in "*$"})


class Access(TypedDict):
    """Access of a crawler to an address."""

    allowed: Annotated[bool, About("Whether access is allowed")]
    rule: Annotated[str, About("Rule that decides, such as Disallow: /private; empty if there is none")]
    agents: Annotated[list[str], About("Crawlers of the matching group")]


@tool(
    tags="robots.txt check allowed crawl access user-agent bot url test",
    use_when=(
        "May Googlebot crawl https://example.com/private/?",
        "Is this URL blocked by robots.txt?",
        "Test my robots.txt against the path /shop/cart.",
    ),
    examples=(
        Example(
            {"path": "/example/page.html", "agent": "foobot", "text": _ROBOTS},
            {"allowed": True, "rule": "Allow: /example/page.html", "agents": ["foobot"]},
            source="RFC 9309, sections 2.2.2 and 5.2: the longest match decides",
        ),
        Example(
            {"path": "/a/b.gif?x=1", "agent": "Mozilla", "text": "User-agent: *\nDisallow: /*.gif$\nDisallow: /*?x="},
            {"allowed": False, "rule": "Disallow: /*?x="},
            source="RFC 9309, section 2.2.3: $ is the end of the path, * any characters",
        ),
        Example(
            {"path": "/x", "agent": "quxbot", "url": "{site}/"},
            {"allowed": True, "rule": "", "agents": []},
            source="RFC 9309, section 2.2.1: no group is for this crawler",
            site={"/robots.txt": MockResponse(_ROBOTS, 200, {"Content-Type": "text/plain"})},
        ),
        Refusal({"path": "x", "agent": "a", "text": ""}, "path must"),
    ),
    reply={
        "allowed, rule": "Yes, {args.agent} may fetch {args.path}, by the rule {rule}.",
        "allowed": "Yes, {args.agent} may fetch {args.path}.",
        "rule": "No, {args.agent} may not fetch {args.path}, by the rule {rule}.",
        "not allowed": "No, {args.agent} may not fetch {args.path}.",
        "allowed, args.path": "Yes, crawlers may fetch {args.path}.",
        "": "No, crawlers may not fetch {args.path}.",
    },
    open_world=True,
    pace="normal",
)
def robots_check_access(
    path: Annotated[str, About("Path with query", "/private/page", pattern="^/", max_length=4000)],
    agent: Annotated[str, About("Name of the crawler", "Googlebot", min_length=1, max_length=200)] = "*",
    url: SiteUrl = None,
    text: RobotsText = None,
) -> Access:
    """Check whether a crawler may fetch a path of a site, by its robots.txt (RFC 9309), and which rule decides.

    Use it before crawling or to find out why a page is not indexed.
    """
    return robots_decision(robots_groups(_robots(url, text) or "")[0], path, agent)


def robots_decision(groups: list[Group], path: str, agent: str) -> Access:
    """Find the longest matching rule of the crawler's groups; an allow rule wins over a disallow rule of the same
    length.
    """
    name = agent.lower().partition("/")[0]
    own = [group for group in groups if any(_names(listed, name) for listed in group["agents"])]
    fitting = own or [group for group in groups if "*" in group["agents"]]
    rules = [rule for group in fitting for rule in group["rules"] if _covers(rule["path"], path)]
    best = max(rules, key=lambda rule: (len(rule["path"]), rule["allow"]), default=None)
    return {
        "allowed": best is None or best["allow"],
        "rule": "" if best is None else f"{'Allow' if best['allow'] else 'Disallow'}: {best['path']}",
        "agents": [listed for group in fitting for listed in group["agents"]],
    }


def _names(listed: str, name: str) -> bool:
    return listed != "*" and listed.lower().partition("/")[0] == name


def _covers(rule: str, path: str) -> bool:
    pattern = ".*".join(regex.escape(_percent_encode(part)) for part in rule.removesuffix("$").split("*"))
    try:
        return bool(regex.match(pattern + ("$" if rule.endswith("$") else ""), _percent_encode(path), timeout=0.3))
    except TimeoutError as error:
        raise ToolError(f"The rule {rule[:100]} has too many * to be tested.") from error


def _percent_encode(path: str) -> str:
    """Encode characters beyond ASCII, * and $, and decode unreserved ones (RFC 9309, sections 2.2.2 and 2.2.3)."""
    encoded = quote(path, safe=_NOT_ENCODED, errors="replace")
    return re.sub("%[0-9A-Fa-f]{2}", lambda found: _decode_unreserved(found[0]), encoded)


def _decode_unreserved(escape: str) -> str:
    sign = unquote(escape, errors="replace")
    return sign if sign.isascii() and (sign.isalnum() or sign in "-._~") else escape.upper()


class RobotsFile(TypedDict):
    """A robots.txt."""

    text: Annotated[str, About("Text of the robots.txt")]
    file: OutputFile


class Wish(TypedDict):
    """Rules for some crawlers."""

    agents: Annotated[
        list[Annotated[str, About("Name of a crawler", "*", pattern=r"^[^\s:#]+$", max_length=100)]],
        About("Crawlers; * for all others", ["*"], min_items=1, max_items=50),
    ]
    disallow: Annotated[
        list[Annotated[str, About("Path", "/private/", pattern=r"^[/*][^\s#]*$", max_length=500)]],
        About("Disallowed paths; none allows all", ["/private/"], max_items=200),
    ]
    allow: Annotated[
        list[Annotated[str, About("Path", "/private/open", pattern=r"^[/*][^\s#]*$", max_length=500)]],
        About("Exceptions that are allowed", ["/private/open"], max_items=200),
    ]


@tool(
    tags="robots.txt generate create crawler disallow allow sitemap ai bots",
    use_when=(
        "Create a robots.txt that blocks /admin.",
        "Write a robots.txt that keeps GPTBot out and names my sitemap.",
        "Generate robots.txt for my shop.",
    ),
    examples=(
        Example(
            {
                "groups": [
                    {"agents": ["*"], "disallow": ["/admin/"], "allow": ["/admin/help"]},
                    {"agents": ["a-bot", "b-bot"], "disallow": [], "allow": []},
                ],
                "sitemaps": ["https://example.com/sitemap.xml"],
            },
            {
                "file": "robots.txt",
                "text": "User-agent: *\nDisallow: /admin/\nAllow: /admin/help\n\nUser-agent: a-bot\nUser-agent: b-bot\n"
                "Disallow:\n\nSitemap: https://example.com/sitemap.xml\n",
            },
            source="RFC 9309, section 2.2",
        ),
        Example(
            {"groups": [{"agents": ["*"], "disallow": ["/"], "allow": []}]},
            {"text": "User-agent: *\nDisallow: /\n"},
            source="RFC 9309, section 2.2",
        ),
        Refusal({"groups": [{"agents": ["*"], "disallow": ["private"], "allow": []}]}, "disallow"),
    ),
    reply="The robots.txt: {text}",
)
def robots_generate_file(
    groups: Annotated[
        list[Wish],
        About(
            "Groups of crawlers with their rules",
            [{"agents": ["*"], "disallow": ["/private/"], "allow": []}],
            min_items=1,
            max_items=50,
        ),
    ],
    sitemaps: Annotated[
        list[
            Annotated[str, About("URL", "https://example.com/sitemap.xml", pattern=r"^https?://\S+$", max_length=2000)]
        ]
        | None,
        About("Sitemaps to list", ["https://example.com/sitemap.xml"], max_items=50),
    ] = None,
) -> RobotsFile:
    """Create a robots.txt from groups of crawlers with the paths that they may and may not fetch.

    Use it for a new site or to keep crawlers out. It is only a request; it does not protect private content.
    """
    blocks = []
    for group in groups:
        lines = [f"User-agent: {agent}" for agent in group["agents"]]
        lines += [f"Disallow: {path}" for path in group["disallow"]] or ["Disallow:"]
        blocks.append("\n".join(lines + [f"Allow: {path}" for path in group["allow"]]))
    if sitemaps:
        blocks.append("\n".join(f"Sitemap: {sitemap}" for sitemap in sitemaps))
    text = "\n\n".join(blocks) + "\n"
    return {"text": text, "file": save("robots.txt", text.encode())}
