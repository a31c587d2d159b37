"""What pages are made with."""

import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Served, tool
from retinue_tools.web._pages import Html, PageUrl, page_of


class Technology(TypedDict):
    """Something that a page is made with."""

    name: Annotated[str, About("Its name")]
    kind: Annotated[str, About("As content management, shop, script library, analytics, server, delivery")]
    version: Annotated[str, About("Version, where the page tells it")]
    sign: Annotated[str, About("By what it was recognised")]


class Technologies(TypedDict):
    """What a page is made with."""

    technologies: Annotated[list[Technology], About("What was recognised")]


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
            site={"/": Served("<p>x", 200, {"X-Powered-By": "PHP/8.3", "Content-Type": "text/html"})},
        ),
        Refusal({}, "either url or html"),
    ),
    open_world=True,
    pace="normal",
)
def web_detect_technologies(url: PageUrl = None, html: Html = None) -> Technologies:
    """Recognise what a web page is made with: content management, shop, frameworks, libraries, analytics, server.

    Use it to learn about a site. Knows some forty common products by signs in the HTML and the headers.
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
