"""Tracking parameters, redirects and pattern matching of URLs."""

import re
from typing import Annotated, Any
from urllib.parse import unquote, urlunsplit

import regex
from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockResponse, Refusal, ToolError, tool
from retinue.sdk.http import fetch, parse
from retinue_tools.web._pages import Address
from retinue_tools.web.urls import Built, split_address, url_build_address

_TRACKING = re.compile(
    r"utm_\w+|mtm_\w+|pk_\w+|piwik_\w+|hsa_\w+|_hs\w+|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid"
    r"|li_fat_id|igshid|igsh|mc_cid|mc_eid|mkt_tok|vero_id|vero_conv|oly_anon_id|oly_enc_id|_openstat|wickedid|epik|s_cid"
    r"|ref_src|ref_url|spm|scm|_ga|_gl|rb_clickid|srsltid|trk|trkCampaign|at_\w+|cmpid|ncid|ml_subscriber\w*",
    re.IGNORECASE,
)


class Cleaned(TypedDict):
    """A URL without tracking."""

    url: Annotated[str, About("Clean URL")]
    removed: Annotated[list[str], About("Names of the removed fields")]


@tool(
    tags="url tracking remove clean utm fbclid gclid privacy parameters share link",
    use_when=(
        "Remove the tracking from https://example.com/?utm_source=x&id=3.",
        "Clean this link before I share it.",
        "Strip fbclid and gclid from the URL.",
    ),
    examples=(
        Example(
            {"url": "https://example.com/a?utm_source=news&id=7&fbclid=Iw&q=a%20b#top"},
            {"url": "https://example.com/a?id=7&q=a%20b#top", "removed": ["utm_source", "fbclid"]},
            source="by hand: the fields are those of campaign links and of a social network",
        ),
        Example(
            {"url": "https://example.com/?session=1&utm_id=2", "also": ["session"]},
            {"url": "https://example.com/", "removed": ["session", "utm_id"]},
            source="by hand",
        ),
        Refusal({"url": "example"}, "with its scheme"),
    ),
    reply={
        "removed": "Without {removed} the address is: {url}",
        "": "There was nothing to remove: {url}",
    },
)
def url_clean_tracking(
    url: Address,
    also: Annotated[
        list[Annotated[str, About("Name of a field", "session", max_length=200)]] | None,
        About("Additional fields to remove", ["session"], max_items=50),
    ] = None,
) -> Cleaned:
    """Remove the fields of a web address that only track readers, such as utm_source, gclid and fbclid.

    Use it before sharing or storing a link. All other fields are unchanged.
    """
    parse(url)
    parts, _ = split_address(url)
    remaining: list[str] = []
    removed: list[str] = []
    for field in parts.query.split("&"):
        name = unquote(field.partition("=")[0])
        target = removed if _TRACKING.fullmatch(name) or name in (also or ()) else remaining
        target.append(name if target is removed else field)
    return {"url": urlunsplit(parts._replace(query="&".join(remaining))), "removed": removed}


Campaign = Annotated[str | None, About("Name of the campaign", "spring_sale", min_length=1, max_length=200)]


@tool(
    tags="utm campaign parameters url marketing tracking analytics source medium",
    use_when=(
        "Add utm_source=newsletter to https://example.com/shop.",
        "Make a campaign link for our spring sale e-mail.",
        "Tag this URL for analytics.",
    ),
    examples=(
        Example(
            {
                "url": "https://example.com/shop?id=1#a",
                "source": "news letter",
                "medium": "email",
                "campaign": "spring",
            },
            {"url": "https://example.com/shop?id=1&utm_source=news%20letter&utm_medium=email&utm_campaign=spring#a"},
            source="by hand: the usual names of the fields, before the fragment (RFC 3986, section 3)",
        ),
        Example(
            {"url": "https://example.com/?utm_source=old", "source": "new", "medium": "social"},
            {"url": "https://example.com/?utm_source=new&utm_medium=social"},
            source="by hand: a field that is there is replaced",
        ),
        Refusal({"url": "https://example.com", "source": "", "medium": "email"}, "source must"),
    ),
    reply="The address: {url}",
)
def url_add_campaign(
    url: Address,
    source: Annotated[str, About("Source of the visitors", "newsletter", min_length=1, max_length=200)],
    medium: Annotated[str, About("Medium", "email", min_length=1, max_length=200)],
    campaign: Campaign = None,
    term: Annotated[Campaign, About("Search term", "green tea", max_length=200)] = None,
    content: Annotated[Campaign, About("Link, if there are several", "header", max_length=200)] = None,
) -> Built:
    """Add the UTM fields of a campaign to a web address, for web analytics.

    Use it for links in newsletters, posts and advertisements. Existing fields are replaced.
    """
    fields = {"source": source, "medium": medium, "campaign": campaign, "term": term, "content": content}
    return url_build_address(url, query={f"utm_{name}": value for name, value in fields.items() if value})


class Expanded(TypedDict):
    """Target of a short URL."""

    url: Annotated[str, About("Final URL")]
    status: Annotated[int, About("Final status")]
    steps: Annotated[list[str], About("All URLs on the way, the short one first")]
    clean_url: Annotated[str, About("Final URL without tracking fields")]


@tool(
    tags="short url expand unshorten redirect final destination link shortener",
    use_when=(
        "Where does this short link lead?",
        "Unshorten https://example.com/x1.",
        "Is the link behind the shortener safe to open: what is its target?",
        "Where does this short link go?",
    ),
    examples=(
        Example(
            {"url": "{site}/s"},
            {
                "url": "{site}/long?utm_source=x&id=1",
                "status": 200,
                "steps": ["{site}/s", "{site}/t", "{site}/long?utm_source=x&id=1"],
                "clean_url": "{site}/long?id=1",
            },
            source="the stand-in's redirects",
            site={
                "/s": MockResponse("", 301, {"Location": "/t"}),
                "/t": MockResponse("", 302, {"Location": "/long?utm_source=x&id=1"}),
                "/long?utm_source=x&id=1": MockResponse("x"),
            },
        ),
        Refusal({"url": "{site}/s"}, "redirects", site={"/s": MockResponse("", 301, {"Location": "/s"})}),
    ),
    reply={
        "clean_url": "It leads to: {clean_url}",
        "": "It leads to: {url}",
    },
    open_world=True,
    pace="normal",
)
def url_expand_short(url: Address) -> Expanded:
    """Find out where a short web address leads in the end, without showing its page.

    Use it before opening a shortened link. It follows up to ten redirects of the server; redirects by scripts are not
    detected.
    """
    answer = fetch(url, max_bytes=0, whole=False, follow=10, timeout_s=15.0)
    return {
        "url": answer.url,
        "status": answer.status,
        "steps": [*(hop.url for hop in answer.redirects), answer.url],
        "clean_url": url_clean_tracking(answer.url)["url"],
    }


class Match(TypedDict):
    """Match of a URL with a pattern."""

    url: Annotated[str, About("URL or path")]
    matches: Annotated[bool, About("Whether it matches")]
    parameters: Annotated[dict[str, str], About("Parameter values")]


class Matches(TypedDict):
    """Matches of a pattern."""

    results: Annotated[list[Match], About("One entry for each address, in order")]
    matching: Annotated[int, About("Number of matching URLs")]


@tool(
    tags="url route pattern match path parameters wildcard router",
    use_when=(
        "Does /users/42/posts fit the route /users/:id/posts?",
        "Which of these paths match /blog/*?",
        "Get the id out of the URL by the route pattern.",
    ),
    examples=(
        Example(
            {
                "pattern": "/users/:id/posts/{post}",
                "urls": ["/users/42/posts/a%20b?x=1", "/users/42", "/users//posts/1"],
            },
            {
                "matching": 1,
                "results": [
                    {"url": "/users/42/posts/a%20b?x=1", "matches": True, "parameters": {"id": "42", "post": "a b"}},
                    {"url": "/users/42", "matches": False, "parameters": {}},
                    {"url": "/users//posts/1", "matches": False, "parameters": {}},
                ],
            },
            source="by hand: a name stands for one segment that is not empty",
        ),
        Example(
            {
                "pattern": "https://*.example.com/blog/**",
                "urls": ["https://de.example.com/blog/a/b", "https://example.com/blog/"],
            },
            {"matching": 1},
            source="by hand: * stands for one label or segment, ** for any number of segments",
        ),
        Refusal({"pattern": "/:a/:a", "urls": ["/"]}, "twice"),
    ),
    reply={
        "results.1": "{matching} of the addresses fit the pattern: {results}",
        "results.0.parameters": "Yes, it fits, with these parameters: {results.0.parameters}",
        "matching": "Yes, it fits the pattern.",
        "": "No, it does not fit the pattern.",
    },
)
def url_match_pattern(
    pattern: Annotated[
        str,
        About(
            "Route such as /users/:id or /users/{id}; * for one segment, ** for any rest", "/users/:id", max_length=500
        ),
    ],
    urls: Annotated[
        list[Annotated[str, About("URL or path", "/users/42", max_length=2000)]],
        About("URLs or paths to test", ["/users/42"], min_items=1, max_items=1000),
    ],
) -> Matches:
    """Test web addresses or paths against a route pattern and extract the parameters of those that fit.

    Use it to check the routes of a server or to classify addresses. A pattern without a scheme only matches the path.
    """
    form = _route(pattern)
    results: list[Match] = []
    for url in urls:
        path = url.split("?")[0].split("#")[0]
        if "://" in path and "://" not in pattern:
            path = split_address(path)[0].path or "/"
        try:
            found = form.fullmatch(path, timeout=0.3)
        except TimeoutError as error:
            raise ToolError("The pattern is too complex. Put a / or a word between its parameters.") from error
        parameters = {name: unquote(value) for name, value in found.groupdict().items()} if found else {}
        results.append({"url": url, "matches": found is not None, "parameters": parameters})
    return {"results": results, "matching": sum(result["matches"] for result in results)}


def _route(pattern: str) -> Any:
    """Return the regular expression of a route."""
    names: list[str] = []
    text = ""
    for part in re.split(r"(\*\*|\*|:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})", pattern):
        if part == "**":
            text += r"(?:.*)"
        elif part == "*":
            text += r"[^/.]+" if "://" in pattern and text.count("/") < 3 else r"[^/]+"
        elif re.fullmatch(r":\w+|\{\w+\}", part):
            names.append(part.strip(":{}"))
            text += f"(?P<{names[-1]}>[^/]+)"
        else:
            text += re.escape(part)
    if len(set(names)) < len(names):
        raise ToolError("A name occurs twice in the pattern. Parameter names must be unique.")
    if pattern.count("*") + len(names) > 20:
        raise ToolError("The pattern has more than 20 parameters and wildcards. Simplify it.")
    return regex.compile(text)
