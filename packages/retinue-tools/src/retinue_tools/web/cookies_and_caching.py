"""Cookie headers, and caching headers of responses."""

import re
from email.utils import parsedate_to_datetime
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool


class Cookie(TypedDict):
    """A cookie."""

    name: Annotated[str, About("Name of the cookie")]
    value: Annotated[str, About("Value of the cookie")]
    domain: Annotated[str, About("Domain of the cookie; empty for the host only")]
    path: Annotated[str, About("Path of the cookie")]
    expires: Annotated[str, About("Expiry; empty for a session cookie")]
    max_age_s: Annotated[int | None, About("Lifetime in seconds")]
    secure: Annotated[bool, About("Whether it is only sent over https")]
    http_only: Annotated[bool, About("Whether scripts cannot read it")]
    same_site: Annotated[str, About("Strict, Lax, None, or empty")]
    problems: Annotated[list[str], About("Security and compatibility problems")]


class Cookies(TypedDict):
    """Cookies."""

    cookies: Annotated[list[Cookie], About("Cookies in the given order")]


@tool(
    tags="cookie cookies set-cookie parse httponly secure samesite header",
    use_when=(
        "What does this Set-Cookie header mean?",
        "Is the session cookie set with Secure and HttpOnly?",
        "Split this Cookie header into names and values.",
    ),
    examples=(
        Example(
            {"header": "Set-Cookie: SID=31d4d96e407aad42; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=3600"},
            {
                "cookies": [
                    {
                        "name": "SID",
                        "value": "31d4d96e407aad42",
                        "path": "/",
                        "domain": "",
                        "max_age_s": 3600,
                        "secure": True,
                        "http_only": True,
                        "same_site": "Lax",
                        "problems": [],
                    }
                ]
            },
            source="RFC 6265, section 3.1, with the attributes of section 4.1.2",
        ),
        Example(
            {"header": "SID=31d4d96e407aad42; lang=en-US", "kind": "request"},
            {
                "cookies": [
                    {"name": "SID", "value": "31d4d96e407aad42"},
                    {"name": "lang", "value": "en-US"},
                ]
            },
            source="RFC 6265, section 3.1",
        ),
        Example(
            {"header": "__Host-a=1; Domain=example.com; SameSite=None"},
            {
                "cookies": [
                    {
                        "name": "__Host-a",
                        "domain": "example.com",
                        "problems": [
                            "SameSite=None needs Secure: browsers drop it.",
                            "__Host- needs Secure, Path=/ and no Domain: browsers drop it.",
                            "It is sent over plain http too: add Secure.",
                            "Scripts can read it: add HttpOnly unless they must.",
                        ],
                    }
                ]
            },
            source="RFC 6265bis, sections 4.1.2.7 and 4.1.3.2",
        ),
        Refusal({"header": "no cookie here"}, "no cookie"),
    ),
    reply={
        "cookies": "The cookies: {cookies}",
        "": "There are no cookies in this header.",
    },
)
def http_parse_cookies(
    header: Annotated[
        str, About("Value of Set-Cookie or Cookie, one header per line", "id=1; Secure; HttpOnly", max_length=100_000)
    ],
    kind: Annotated[
        Literal["response", "request"], About("Set-Cookie of a response, or Cookie of a request")
    ] = "response",
) -> Cookies:
    """Parse Set-Cookie or Cookie headers into cookies with their attributes, and report problems.

    Use it to review session cookies or to read a captured header. Attributes are parsed according to RFC 6265.
    """
    lines = [re.sub(r"^\s*(set-)?cookie\s*:", "", line, flags=re.IGNORECASE) for line in header.splitlines()]
    parts = [part for line in lines for part in (line.split(";") if kind == "request" else [line]) if part.strip()]
    if not parts or not all("=" in part.partition(";")[0] for part in parts):
        raise ToolError("The text contains no cookie: write name=value, followed by ; before each attribute.")
    return {"cookies": [_cookie(part, judged=kind == "response") for part in parts[:500]]}


def _cookie(text: str, *, judged: bool) -> Cookie:
    pair, _, rest = text.partition(";")
    name, _, value = pair.partition("=")
    attributes = {
        key.strip().lower(): found.strip() for key, _, found in (part.partition("=") for part in rest.split(";"))
    }
    age = attributes.get("max-age", "")
    cookie: Cookie = {
        "name": name.strip(),
        "value": value.strip(),
        "domain": attributes.get("domain", "").lstrip(".").lower(),
        "path": attributes.get("path", ""),
        "expires": attributes.get("expires", ""),
        "max_age_s": int(age) if re.fullmatch(r"-?\d{1,15}", age) else None,
        "secure": "secure" in attributes,
        "http_only": "httponly" in attributes,
        "same_site": attributes.get("samesite", "").capitalize(),
        "problems": [],
    }
    return {**cookie, "problems": _problems(cookie)} if judged else cookie


def _problems(cookie: Cookie) -> list[str]:
    strict = cookie["secure"] and cookie["path"] == "/" and not cookie["domain"]
    checks = {
        "SameSite=None needs Secure: browsers drop it.": cookie["same_site"] == "None" and not cookie["secure"],
        "__Host- needs Secure, Path=/ and no Domain: browsers drop it.": cookie["name"].startswith("__Host-")
        and not strict,
        "__Secure- needs Secure: browsers drop it.": cookie["name"].startswith("__Secure-") and not cookie["secure"],
        "It is sent over plain http too: add Secure.": not cookie["secure"],
        "Scripts can read it: add HttpOnly unless they must.": not cookie["http_only"],
        "SameSite is missing: browsers take Lax.": not cookie["same_site"],
    }
    return [problem for problem, found in checks.items() if found]


HeaderTexts = Annotated[
    dict[str, Annotated[str, About("Value of the header", max_length=16_384)]],
    About("Response headers, values by name", {"Cache-Control": "max-age=600"}),
]


class Caching(TypedDict):
    """Caching of a response."""

    browser_may_store: Annotated[bool, About("Whether a browser may store it")]
    shared_may_store: Annotated[bool, About("Whether a proxy or CDN may store it")]
    fresh_s: Annotated[float, About("How long it may be used without revalidation, in seconds from the response")]
    shared_fresh_s: Annotated[float, About("How long a proxy or CDN may use it without revalidation")]
    left_s: Annotated[float, About("Remaining freshness, based on its Age")]
    heuristic: Annotated[bool, About("Whether the lifetime is a heuristic based on Last-Modified")]
    must_revalidate: Annotated[bool, About("Whether it must not be used once it is stale")]
    validators: Annotated[list[str], About("Validators for conditional requests: etag, last-modified")]
    varies_by: Annotated[list[str], About("Request headers that it depends on")]
    explanation: Annotated[list[str], About("Explanation of the headers")]


@tool(
    tags="cache caching cache-control max-age etag expires age vary freshness http headers cdn",
    use_when=(
        "How long will a browser cache this answer?",
        "What does Cache-Control: no-cache, max-age=600 mean?",
        "Will the CDN store this response?",
    ),
    examples=(
        Example(
            {
                "headers": {
                    "Cache-Control": "public, max-age=600, s-maxage=60",
                    "Age": "100",
                    "ETag": '"x"',
                    "Vary": "Accept",
                }
            },
            {
                "fresh_s": 600.0,
                "shared_fresh_s": 60.0,
                "left_s": 500.0,
                "shared_may_store": True,
                "validators": ["etag"],
                "varies_by": ["accept"],
                "heuristic": False,
            },
            source="RFC 9111, sections 4.2.1 and 5.2.2.10",
        ),
        Example(
            {
                "headers": {
                    "Date": "Tue, 10 Nov 2026 00:00:00 GMT",
                    "Expires": "Tue, 10 Nov 2026 01:00:00 GMT",
                    "Cache-Control": "private",
                }
            },
            {"fresh_s": 3600.0, "shared_may_store": False, "browser_may_store": True},
            source="RFC 9111, sections 5.3 and 5.2.2.7",
        ),
        Example(
            {
                "headers": {
                    "Date": "Tue, 10 Nov 2026 00:00:00 GMT",
                    "Last-Modified": "Sat, 31 Oct 2026 00:00:00 GMT",
                }
            },
            {"fresh_s": 86400.0, "heuristic": True},
            source="RFC 9111, section 4.2.2: a tenth of the ten days since it was changed",
        ),
        Refusal({"headers": {}}, "at least one header"),
    ),
    reply={
        "browser_may_store, shared_may_store": (
            "Browsers may keep it for {fresh_s} seconds, and proxies for {shared_fresh_s} seconds."
        ),
        "browser_may_store": "Browsers may keep it for {fresh_s} seconds, but proxies may not.",
        "": "Neither browsers nor proxies may keep it.",
    },
)
def http_explain_caching(headers: HeaderTexts) -> Caching:
    """Explain whether browsers and proxies may keep (cache) a response and for how long, from its headers (RFC 9111).

    Use it to find out why something is cached or not. Give the headers of a response, not of a request.
    """
    if not headers:
        raise ToolError("Give at least one header of the response, such as Cache-Control.")
    by_name = {name.lower(): value for name, value in headers.items()}
    rules = _directives(by_name.get("cache-control", ""))
    fresh, heuristic = _freshness(by_name, rules)
    shared = _seconds(rules.get("s-maxage"), fresh)
    stored = "no-store" not in rules
    varies = [name.strip().lower() for name in by_name.get("vary", "").split(",") if name.strip()]
    if "no-cache" in rules:
        fresh = shared = 0.0
    return {
        "browser_may_store": stored,
        "shared_may_store": stored and "private" not in rules and "*" not in varies,
        "fresh_s": fresh,
        "shared_fresh_s": 0.0 if "private" in rules else shared,
        "left_s": max(fresh - _seconds(by_name.get("age"), 0.0), 0.0),
        "heuristic": heuristic,
        "must_revalidate": bool(rules.keys() & {"must-revalidate", "no-cache"}),
        "validators": [name for name in ("etag", "last-modified") if name in by_name],
        "varies_by": varies,
        "explanation": [_MEANINGS[name] for name in rules if name in _MEANINGS]
        + (["No lifetime is stated: caches guess a tenth of the time since the last change."] if heuristic else []),
    }


_MEANINGS = {
    "no-store": "no-store: nobody may keep the answer.",
    "no-cache": "no-cache: it may be kept, and must be asked for again before each use.",
    "private": "private: only the reader's own browser may keep it.",
    "public": "public: proxies may keep it, even an answer to a request with credentials.",
    "max-age": "max-age: it is fresh for so many seconds.",
    "s-maxage": "s-maxage: for shared caches this goes before max-age.",
    "must-revalidate": "must-revalidate: once stale it must not be used unasked.",
    "immutable": "immutable: it does not change while it is fresh (RFC 8246).",
    "stale-while-revalidate": "stale-while-revalidate: it may be used for so long while it is fetched anew (RFC 5861).",
    "stale-if-error": "stale-if-error: it may be used for so long when the server fails (RFC 5861).",
}


def _directives(text: str) -> dict[str, str]:
    found = re.findall(r'([A-Za-z-]+)\s*(?:=\s*(?:"([^"]*)"|([^\s,]*)))?', text)
    return {name.lower(): quoted or plain for name, quoted, plain in found}


def _freshness(headers: dict[str, str], rules: dict[str, str]) -> tuple[float, bool]:
    """Return the freshness lifetime of a response in seconds (RFC 9111, section 4.2.1), and whether it is heuristic."""
    if "max-age" in rules:
        return _seconds(rules["max-age"], 0.0), False
    date = _moment(headers.get("date"))
    if "expires" in headers:
        expires = _moment(headers["expires"])
        return (max(expires - date, 0.0) if expires is not None and date is not None else 0.0), False
    changed = _moment(headers.get("last-modified"))
    if changed is None or date is None:
        return 0.0, False
    return max(date - changed, 0.0) / 10, True


def _seconds(text: str | None, default: float) -> float:
    return float(min(int(text), 2**31)) if text and text.isdecimal() and len(text) < 20 else default


def _moment(text: str | None) -> float | None:
    try:
        return parsedate_to_datetime(text or "").timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
