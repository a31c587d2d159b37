"""Technologies of pages, and the size of their resources."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockResponse, Refusal, ToolError, ToolUnavailable, tool
from retinue.sdk.http import fetch
from retinue_tools.web._pages import Address, Html, Page, PageUrl, fetched_page, page_of


class Technology(TypedDict):
    """A technology of a page."""

    name: Annotated[str, About("Name of the technology")]
    kind: Annotated[
        str, About("Category, such as content management, shop, script library, analytics, server, delivery")
    ]
    version: Annotated[str, About("Version, if the page contains it")]
    sign: Annotated[str, About("Evidence")]


class Technologies(TypedDict):
    """Technologies of a page."""

    technologies: Annotated[list[Technology], About("Detected technologies")]


_SIGNS: tuple[tuple[str, str, str, str], ...] = (
    ("WordPress", "content management", "html", r"/wp-(?:content|includes)/|content=\"WordPress ?([\d.]*)"),
    ("Drupal", "content management", "html", r"drupal-settings-json|content=\"Drupal ([\d.]*)"),
    ("Joomla", "content management", "html", r"content=\"Joomla!|/media/jui/"),
    ("TYPO3", "content management", "html", r"content=\"TYPO3 CMS ?([\d.]*)|/typo3temp/"),
    ("Ghost", "content management", "html", r"content=\"Ghost ([\d.]*)"),
    ("Hugo", "site generator", "html", r"content=\"Hugo ([\d.]*)"),
    ("Jekyll", "site generator", "html", r"content=\"Jekyll v?([\d.]*)"),
    ("Wix", "content management", "html", r"static\.wixstatic\.com"),
    ("Squarespace", "content management", "html", r"static1\.squarespace\.com"),
    ("Shopify", "shop", "html", r"cdn\.shopify\.com"),
    ("WooCommerce", "shop", "html", r"/plugins/woocommerce/|content=\"WooCommerce ([\d.]*)"),
    ("Magento", "shop", "html", r"text/x-magento-init|/static/version\d+/frontend/"),
    ("Next.js", "framework", "html", r"id=\"__NEXT_DATA__\"|/_next/static/"),
    ("Nuxt", "framework", "html", r"id=\"__nuxt\"|/_nuxt/"),
    ("Angular", "framework", "html", r"ng-version=\"([\d.]*)"),
    ("React", "script library", "html", r"data-reactroot|react(?:-dom)?(?:@|[.-])(\d[\d.]*)?(?:/|\.production)"),
    ("Vue.js", "script library", "html", r"vue(?:@|[.-])(\d[\d.]*)?[^\"']*\.js|data-v-app"),
    ("jQuery", "script library", "html", r"jquery(?:@|[.-])?(\d[\d.]*\d)?[^\"'/]*\.js"),
    ("Bootstrap", "style library", "html", r"bootstrap(?:@|[.-])?(\d[\d.]*\d)?[^\"'/]*(?:/dist)?[^\"']*\.(?:css|js)"),
    ("htmx", "script library", "html", r"htmx(?:\.org)?(?:@|[.-])(\d[\d.]*\d)?"),
    ("Google Analytics", "analytics", "html", r"googletagmanager\.com/gtag/js|google-analytics\.com/"),
    ("Google Tag Manager", "analytics", "html", r"googletagmanager\.com/gtm\.js"),
    ("Matomo", "analytics", "html", r"matomo\.js|piwik\.js"),
    ("Plausible", "analytics", "html", r"plausible\.io/js"),
    ("reCAPTCHA", "protection", "html", r"google\.com/recaptcha"),
    ("hCaptcha", "protection", "html", r"hcaptcha\.com/1/api\.js"),
    ("Stripe", "payment", "html", r"js\.stripe\.com"),
    ("nginx", "server", "server", r"nginx(?:/([\d.]+))?"),
    ("Apache", "server", "server", r"^Apache(?:/([\d.]+))?"),
    ("Caddy", "server", "server", r"Caddy"),
    ("Microsoft IIS", "server", "server", r"IIS(?:/([\d.]+))?"),
    ("Cloudflare", "delivery", "server", r"cloudflare"),
    ("PHP", "language", "x-powered-by", r"PHP(?:/([\d.]+))?"),
    ("Express", "framework", "x-powered-by", r"Express"),
    ("ASP.NET", "framework", "x-powered-by", r"ASP\.NET"),
    ("Varnish", "delivery", "via", r"varnish"),
    ("Amazon CloudFront", "delivery", "via", r"CloudFront"),
)


@tool(
    tags="technology detect stack cms framework server library analytics website built with",
    use_when=(
        "What is https://example.com built with?",
        "Does this site use WordPress?",
        "Which JavaScript libraries are on the page?",
    ),
    examples=(
        Example(
            {
                "html": '<meta name=generator content="WordPress 6.4.2"><script src="/js/jquery-3.7.1.min.js"></script>'
                '<script src="https://www.googletagmanager.com/gtag/js?id=G"></script>'
            },
            {
                "technologies": [
                    {"name": "WordPress", "kind": "content management", "version": "6.4.2"},
                    {"name": "jQuery", "kind": "script library", "version": "3.7.1"},
                    {"name": "Google Analytics", "kind": "analytics", "version": ""},
                ]
            },
            source="the text itself, which names them",
        ),
        Example(
            {"url": "{site}/"},
            {"technologies": [{"name": "PHP", "kind": "language", "version": "8.3", "sign": "header x-powered-by"}]},
            source="the header that the stand-in sends",
            site={"/": MockResponse("<p>x", 200, {"X-Powered-By": "PHP/8.3", "Content-Type": "text/html"})},
        ),
        Refusal({}, "either url or html"),
    ),
    reply={
        "technologies.1": "The page is made with: {technologies}",
        "technologies.0.name, technologies.0.version": (
            "The page is made with {technologies.0.name} {technologies.0.version}."
        ),
        "technologies": "The page is made with {technologies.0.name}.",
        "": "I found no known technologies.",
    },
    open_world=True,
    pace="normal",
)
def web_detect_technologies(url: PageUrl = None, html: Html = None) -> Technologies:
    """Detect the technologies that a web page is made with: content management, shop, frameworks, libraries, analytics,
    server.

    Use it to learn about a site. It detects about forty common products by patterns in the HTML and the headers.
    """
    page = page_of(url, html)
    places = {
        "html": page.html,
        **({} if page.answer is None else {name.lower(): value for name, value in page.answer.headers.items()}),
    }
    found: list[Technology] = []
    for name, kind, place, pattern in _SIGNS:
        match = re.search(pattern, places.get(place, "")[:1_000_000], re.IGNORECASE)
        if match:
            version = next((group for group in match.groups() if group), "")
            sign = f"header {place}" if place != "html" else match[0][:100]
            found.append({"name": name, "kind": kind, "version": version.strip("."), "sign": sign})
    return {"technologies": found}


class Resource(TypedDict):
    """A resource of a page."""

    url: Annotated[str, About("URL of the resource")]
    kind: Annotated[str, About("script, style, image, font, media or frame")]
    bytes: Annotated[int, About("Transferred bytes")]
    status: Annotated[int, About("Status; 0 if it could not be fetched")]


class Weight(TypedDict):
    """Weight of a page."""

    total_bytes: Annotated[int, About("Transferred bytes of page and resources")]
    page_bytes: Annotated[int, About("Transferred bytes of the page itself")]
    by_kind: Annotated[dict[str, int], About("Bytes by kind of resource")]
    requests: Annotated[int, About("Number of requests")]
    resources: Annotated[list[Resource], About("Largest first")]
    not_measured: Annotated[int, About("Number of resources beyond the limit")]


_LOADED = (
    ("script", "//script[@src]/@src"),
    ("style", "//link[contains(concat(' ',@rel,' '),' stylesheet ')]/@href"),
    ("image", "//img/@src|//link[contains(@rel,'icon')]/@href|//video/@poster"),
    ("font", "//link[@rel='preload'][@as='font']/@href"),
    ("media", "//video/@src|//audio/@src|//source/@src"),
    ("frame", "//iframe/@src"),
)


@tool(
    tags="page weight size bytes performance requests scripts images load speed",
    use_when=(
        "How heavy is https://example.com?",
        "Which resources make this page slow?",
        "How many bytes of JavaScript does the page load?",
    ),
    examples=(
        Example(
            {"url": "{site}/"},
            {
                "page_bytes": 77,
                "total_bytes": 177,
                "requests": 4,
                "by_kind": {"script": 60, "image": 40},
                "resources": [
                    {"url": "{site}/a.js", "kind": "script", "bytes": 60, "status": 200},
                    {"url": "{site}/b.png", "kind": "image", "bytes": 40, "status": 200},
                    {"url": "{site}/c.png", "kind": "image", "bytes": 0, "status": 404},
                ],
                "not_measured": 0,
            },
            source="the bytes that the stand-in serves: 77 + 60 + 40, and an error",
            site={
                "/": MockResponse("<script src=/a.js></script><img src=b.png><img src='/c.png'><img src='b.png'>"),
                "/a.js": MockResponse("x" * 60),
                "/b.png": MockResponse("y" * 40),
                "/c.png": MockResponse("", 404),
            },
        ),
        Example(
            {"url": "{site}/", "most": 1},
            {"requests": 2, "not_measured": 1},
            source="one of two resources is wished for",
            site={"/": MockResponse("<img src=a><img src=b>"), "/a": MockResponse("x")},
        ),
        Refusal({"url": "{site}/x"}, "404", site={"/": MockResponse("x")}),
    ),
    reply={
        "resources": "The page weighs {total_bytes|byte} in {requests|request}, the largest first: {resources}",
        "": "The page weighs {total_bytes|byte} in {requests|request}.",
    },
    open_world=True,
    pace="long",
    tier="starter",
    credits=5,
    idempotent=False,
    memory_mb=2048,
)
def web_measure_page_weight(
    url: Address,
    most: Annotated[int, About("Maximum number of resources", minimum=1, maximum=100)] = 40,
) -> Weight:
    """Measure what a web page weighs: fetches it with the scripts, styles, images and fonts that its HTML refers to.

    Use it to find what makes a page heavy. Resources loaded by scripts and styles are not included.
    """
    page = fetched_page(url)
    resources = dict(_resources(page))
    chosen = list(resources.items())[:most]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(_measure, chosen))
    page_bytes = page.answer.transferred if page.answer else 0
    kinds = dict.fromkeys(item["kind"] for item in found)
    return {
        "total_bytes": page_bytes + sum(item["bytes"] for item in found),
        "page_bytes": page_bytes,
        "by_kind": {kind: sum(item["bytes"] for item in found if item["kind"] == kind) for kind in kinds},
        "requests": 1 + len(found),
        "resources": sorted(found, key=lambda item: -item["bytes"]),
        "not_measured": len(resources) - len(chosen),
    }


def _resources(page: Page) -> Iterator[tuple[str, str]]:
    for kind, path in _LOADED:
        for target in page.root.xpath(path):
            place = page.link(str(target))
            if place.startswith(("http://", "https://")):
                yield place, kind


def _measure(resource: tuple[str, str]) -> Resource:
    url, kind = resource
    try:
        answer = fetch(url, timeout_s=6.0, max_bytes=16 * 2**20, whole=False)
    except (ToolError, ToolUnavailable):
        return {"url": url, "kind": kind, "bytes": 0, "status": 0}
    return {"url": url, "kind": kind, "bytes": answer.transferred, "status": answer.status}
