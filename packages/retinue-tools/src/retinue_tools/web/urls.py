"""URLs parsed, built and normalised, and international domain names (Punycode)."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any
from urllib.parse import parse_qsl, quote, unquote, unquote_plus, urlencode, urljoin, urlsplit, urlunsplit

import idna
import tldextract
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue.sdk.http import parse
from retinue_tools.web._pages import Address

_PORTS = {"http": 80, "https": 443, "ftp": 21, "ws": 80, "wss": 443}


class Parts(TypedDict):
    """Parts of a URL."""

    scheme: Annotated[str, About("Scheme, such as https")]
    user: Annotated[str, About("User name")]
    host: Annotated[str, About("Host in lower case")]
    host_unicode: Annotated[str, About("Host in Unicode")]
    port: Annotated[int | None, About("Port; that of the scheme if none is written")]
    path: Annotated[str, About("Path, decoded")]
    segments: Annotated[list[str], About("Path segments, decoded")]
    query: Annotated[dict[str, list[str]], About("Query values by name")]
    fragment: Annotated[str, About("Fragment, decoded")]
    registered_domain: Annotated[str, About("Registered domain, such as example.co.uk")]
    subdomain: Annotated[str, About("Subdomain")]
    suffix: Annotated[str, About("Public suffix, such as co.uk")]


AnyAddress = Annotated[str, About("URL", "https://example.com/tea?x=1#top", min_length=1, max_length=8192)]


@tool(
    tags="url uri parse split host path query parameters fragment domain subdomain tld suffix idn punycode",
    use_when=(
        "Which query parameters are in https://example.com/?a=1&b=2?",
        "What is the registered domain of https://shop.news.example.co.uk?",
        "Split this URL into its parts.",
        "What does the host xn--bcher-kva.example mean?",
    ),
    examples=(
        Example(
            {"url": "https://User:secret@shop.example.co.uk:8443/a%20b/c?x=1&x=2&y=#Top"},
            {
                "scheme": "https",
                "user": "User",
                "host": "shop.example.co.uk",
                "port": 8443,
                "path": "/a b/c",
                "segments": ["a b", "c"],
                "query": {"x": ["1", "2"], "y": [""]},
                "fragment": "Top",
                "registered_domain": "example.co.uk",
                "subdomain": "shop",
                "suffix": "co.uk",
            },
            source="RFC 3986, section 3; the Public Suffix List has co.uk",
        ),
        Example(
            {"url": "http://xn--bcher-kva.example/"},
            {"host_unicode": "bücher.example", "port": 80, "query": {}},
            source="RFC 3492 (Punycode); the name of RFC 5890's usual example",
        ),
        Refusal({"url": "http://[::1"}, "cannot be parsed"),
    ),
    reply={
        "query": (
            "The address is {scheme} on {host} (of {registered_domain}), port {port}, path {path}. Its query: {query}"
        ),
        "registered_domain, path": (
            "The address is {scheme} on {host} (of {registered_domain}), port {port}, path {path}."
        ),
        "": "The address is {scheme} on {host}, port {port}.",
    },
)
def url_parse_parts(url: AnyAddress) -> Parts:
    """Parse a web address: scheme, host, port, path, query, fragment, and the registered domain of the host.

    Use it to inspect an address or to group addresses by domain. Escapes are decoded; passwords are omitted.
    """
    parts, port = split_address(url)
    host = (parts.hostname or "").rstrip(".")
    found = _suffixes()(host)
    return {
        "scheme": parts.scheme,
        "user": unquote(parts.username or ""),
        "host": host,
        "host_unicode": _readable(host),
        "port": port or _PORTS.get(parts.scheme),
        "path": unquote(parts.path),
        "segments": [unquote(part) for part in parts.path.split("/") if part],
        "query": _values(parts.query),
        "fragment": unquote(parts.fragment),
        "registered_domain": f"{found.domain}.{found.suffix}" if found.domain and found.suffix else "",
        "subdomain": found.subdomain,
        "suffix": found.suffix,
    }


@cache
def _suffixes() -> Any:
    """Return the Public Suffix List included in the library, which does not fetch any."""
    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


def split_address(url: str) -> tuple[Any, int | None]:
    try:
        return (parts := urlsplit(url.strip())), parts.port
    except ValueError as error:
        raise ToolError(f"The URL {url[:200]} cannot be parsed: {error}.") from error


def _readable(host: str) -> str:
    try:
        return host.encode("ascii").decode("idna")
    except UnicodeError:
        return host


def _pairs(query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query, keep_blank_values=True, max_num_fields=2000)
    except ValueError as error:
        raise ToolError("The query of the URL has more than 2,000 fields.") from error


def _values(query: str) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for name, value in _pairs(query):
        values.setdefault(name, []).append(value)
    return values


class Built(TypedDict):
    """A built URL."""

    url: Annotated[str, About("The address")]


Query = Annotated[
    dict[str, Annotated[str, About("Value", max_length=4000)]] | None,
    About("Query fields to set, values by name", {"q": "green tea"}),
]


@tool(
    tags="url build join resolve relative query parameters encode compose",
    use_when=(
        "Resolve ../img/a.png against https://example.com/docs/page.html.",
        "Build a URL with the query q=green tea & page=2.",
        "Add a parameter to this address.",
    ),
    examples=(
        Example(
            {"base": "http://a/b/c/d;p?q", "path": "../../g"},
            {"url": "http://a/g"},
            source="RFC 3986, section 5.4.1",
        ),
        Example(
            {"base": "https://example.com/search?q=old&page=1", "query": {"q": "tea & milk"}, "fragment": "top"},
            {"url": "https://example.com/search?q=tea%20%26%20milk&page=1#top"},
            source="RFC 3986, section 2.1: reserved characters are escaped",
        ),
        Refusal({"base": "/only/a/path"}, "with its scheme"),
    ),
    reply="The address: {url}",
)
def url_build_address(
    base: Address,
    path: Annotated[str | None, About("Path or reference to resolve against it", "../a", max_length=4000)] = None,
    query: Query = None,
    fragment: Annotated[str | None, About("Fragment", "top", max_length=500)] = None,
) -> Built:
    """Build a web address from a base: resolve a relative reference, set fields of the query, set the fragment.

    Use it to compose addresses without escaping errors. Existing fields are replaced.
    """
    parse(base)
    try:
        parts = urlsplit(urljoin(base.strip(), path or ""))
    except ValueError as error:
        raise ToolError(f"The path cannot be resolved: {error}.") from error
    text = _with_fields(parts.query, query) if query else parts.query
    last = parts.fragment if fragment is None else quote(fragment, safe="/?:@!$&'()*+,;=-._~")
    return {"url": urlunsplit((parts.scheme, parts.netloc, parts.path, text, last))}


def _with_fields(query: str, fields: Mapping[str, str]) -> str:
    """Set fields of a query: the first field of a name is replaced, others of the name are removed."""
    new = {name: urlencode({name: value}, quote_via=quote) for name, value in fields.items()}
    pairs = []
    for raw in filter(None, query.split("&")):
        name = unquote_plus(raw.partition("=")[0])
        pairs.append(new.pop(name, "") if name in fields else raw)
    return "&".join(filter(None, [*pairs, *new.values()]))


class Normal(TypedDict):
    """A normalised URL."""

    url: Annotated[str, About("Normalised URL")]
    changed: Annotated[bool, About("Whether it differs from the input")]


@tool(
    tags="url normalize canonical compare duplicate lowercase default port dot segments",
    use_when=(
        "Are HTTP://Example.com:80/a/../b and http://example.com/b the same address?",
        "Normalise this URL for deduplication.",
        "Bring the URL into canonical form.",
    ),
    examples=(
        Example(
            {"url": "HTTP://www.Example.com:80/a/b/../%7ec/./d%2f?b=2&a=1#x"},
            {"url": "http://www.example.com/a/~c/d%2F?b=2&a=1#x", "changed": True},
            source="RFC 3986, sections 6.2.2 and 6.2.3",
        ),
        Example(
            {"url": "https://example.com/?b=2&a=1#x", "sort_query": True, "drop_fragment": True},
            {"url": "https://example.com/?a=1&b=2"},
            source="by hand",
        ),
        Example({"url": "https://example.com"}, {"url": "https://example.com/"}, source="RFC 3986, section 6.2.3"),
        Refusal({"url": "mailto:x@example.com"}, "not a web address"),
    ),
    reply={
        "changed": "The normal form: {url}",
        "": "The address is in its normal form already: {url}",
    },
)
def url_normalize_address(
    url: Address,
    sort_query: Annotated[bool, About("Whether to sort the query fields")] = False,
    drop_fragment: Annotated[bool, About("Whether to drop the fragment")] = False,
) -> Normal:
    """Normalise a web address (bring it into its normal form), so that addresses of the same page are equal (RFC 3986,
    section 6).

    Use it to compare addresses or to remove duplicates. Case, default ports, dot segments and escapes are normalised.
    """
    parts = parse(url)
    port = "" if parts.port in (None, _PORTS[str(parts.scheme)]) else f":{parts.port}"
    user = f"{parts.auth}@" if parts.auth else ""
    query = parts.query
    if sort_query and query:
        query = "&".join(sorted(query.split("&")))
    normal = urlunsplit(
        (
            str(parts.scheme),
            f"{user}{str(parts.host).rstrip('.')}{port}",
            _plain(parts.path or "/"),
            _plain(query or ""),
            "" if drop_fragment else _plain(parts.fragment or ""),
        )
    )
    return {"url": normal, "changed": normal != url}


def _plain(text: str) -> str:
    """Return a part with upper-case escapes, and none for unreserved characters."""
    return re.sub(r"%[0-9A-Fa-f]{2}", lambda found: _unescape(found[0]), text)


def _unescape(escape: str) -> str:
    sign = chr(int(escape[1:], 16))
    return sign if sign.isascii() and (sign.isalnum() or sign in "-._~") else escape.upper()


class DomainSpelling(TypedDict):
    """A domain name in both forms."""

    ascii: Annotated[str, About("ASCII form for the DNS, with xn--")]
    unicode: Annotated[str, About("Unicode form")]
    is_international: Annotated[bool, About("Whether it contains characters beyond ASCII")]


@tool(
    tags="punycode idn idna xn-- domain international ascii unicode umlaut host name encode decode",
    use_when=(
        "What is münchen.de in punycode?",
        "Which domain is xn--bcher-kva.example?",
        "ASCII form of the domain bücherstübchen.example",
    ),
    examples=(
        Example(
            {"domain": "münchen.de"}, {"ascii": "xn--mnchen-3ya.de", "is_international": True}, "RFC 3492 encoders"
        ),
        Example(
            {"domain": "xn--bcher-kva.example"},
            {"unicode": "bücher.example"},
            source="RFC 5891's predecessor's example",
        ),
        Refusal({"domain": "a..b"}, "not a domain name"),
    ),
    reply={
        "is_international": "{unicode} is {ascii} in punycode.",
        "": "{unicode} is the same in punycode.",
    },
)
def domain_convert_punycode(
    domain: Annotated[str, About("Domain name in either form", "münchen.de", min_length=1, max_length=253)],
) -> DomainSpelling:
    """Convert a domain name with letters beyond ASCII to punycode (xn--), or punycode to letters (IDNA 2008, UTS 46).

    Use it for links, certificates and zone files. Returns both forms.
    """
    try:
        plain = idna.encode(domain.strip(), uts46=True).decode()
        readable = idna.decode(plain)
    except idna.IDNAError as error:
        raise ToolError(f"{domain} is not a domain name: {error}.") from error
    return {"ascii": plain, "unicode": readable, "is_international": plain != readable}
