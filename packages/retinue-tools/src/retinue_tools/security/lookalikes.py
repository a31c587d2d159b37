"""Detection of addresses that imitate others."""

import re
from typing import Annotated, Literal
from urllib.parse import SplitResult, urlsplit

import tldextract
from rapidfuzz.distance import DamerauLevenshtein
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.security.text_scans import is_address
from retinue_tools.text._word_lists import word_list

_BRANDS = word_list(
    "paypal google microsoft apple amazon facebook netflix instagram whatsapp linkedin dropbox adobe github outlook "
    "office365 icloud ebay dhl fedex chase wellsfargo bankofamerica citibank hsbc barclays santander coinbase binance "
    "metamask steam twitter telegram spotify docusign"
)
_LURES = word_list("login signin verify secure account update confirm password banking wallet unlock suspended invoice")
_RISKY_ENDS = set(word_list("zip mov top xyz tk ml ga cf gq click link work rest country kim loan men review stream"))
_SHORTENERS = set(word_list("bit.ly tinyurl.com t.co goo.gl ow.ly is.gd buff.ly rebrand.ly cutt.ly shorturl.at"))


class Suspicion(TypedDict):
    """Phishing risk of an address."""

    risk: Annotated[Literal["low", "medium", "high"], About("low below 25 points, high from 50 points")]
    score: Annotated[int, About("Points, at most 100")]
    reasons: Annotated[list[str], About("Reasons for suspicion")]
    host: Annotated[str, About("Actual host, as seen by the browser")]
    registered_domain: Annotated[str, About("Registered domain, which is the decisive part")]
    imitates: Annotated[str | None, About("Possibly imitated brand")]


@tool(
    tags="phishing url suspicious link check lookalike homograph typosquat brand scam heuristic",
    use_when=(
        "Is http://paypa1-secure.example.tk/login a phishing link?",
        "Does this link look suspicious?",
        "Which domain does the address really lead to?",
        "Is this link a scam?",
        "Is this website safe?",
    ),
    examples=(
        Example(
            {"url": "http://paypa1.com.login-verify.xyz@198.51.100.9/signin"},
            {"risk": "high", "host": "198.51.100.9"},
            source="RFC 3986, section 7.6: what stands before @ is no host",
        ),
        Example(
            {"url": "https://www.paypa1.com/"}, {"imitates": "paypal", "registered_domain": "paypa1.com"}, "by hand"
        ),
        Example(
            {"url": "https://www.paypal.com/signin"},
            {"risk": "low", "imitates": None, "registered_domain": "paypal.com"},
            source="the brand's own domain",
        ),
        Refusal({"url": "hello"}, "not a web address"),
    ),
    reply={
        "imitates, reasons": "The risk is {risk}: the link imitates {imitates}. {reasons}",
        "reasons": "The risk is {risk}: {reasons}",
        "": "The risk is {risk}; I found nothing suspicious about {registered_domain}.",
    },
)
def url_assess_phishing(
    url: Annotated[
        str, About("Address to assess; it is not opened", "http://paypa1-secure.example.tk/login", max_length=4000)
    ],
) -> Suspicion:
    """Assess (judge) whether a link looks like phishing, by its text alone: imitated brands, misleading parts, odd
    hosts.

    Use it before opening a link. A low risk does not prove safety: the page itself is not checked.
    """
    parts = _split(url)
    host = (parts.hostname or "").rstrip(".")
    suffixes = tldextract.TLDExtract(suffix_list_urls=())(host)
    registered = suffixes.top_domain_under_public_suffix or host
    imitated = _imitate(host, suffixes.domain)
    reasons = _reasons(parts, host, imitated, suffixes.suffix)
    score = min(sum(reasons.values()), 100)
    return {
        "risk": "high" if score >= 50 else "medium" if score >= 25 else "low",
        "score": score,
        "reasons": list(reasons),
        "host": host,
        "registered_domain": registered,
        "imitates": imitated,
    }


def _split(url: str) -> SplitResult:
    plain = url.strip()
    try:
        parts = urlsplit(plain if "://" in plain else f"http://{plain}")
        known = parts.hostname and ("." in parts.hostname or ":" in parts.hostname) and parts.port is not False
    except ValueError:
        known = False
    if not known:
        raise ToolError(f"{plain[:80]} is not a web address.")
    return parts


def _reasons(parts: SplitResult, host: str, imitated: str | None, suffix: str) -> dict[str, int]:
    path = f"{parts.path}?{parts.query}".lower()
    lures = [word for word in _LURES if word in host or word in path]
    checks = {
        f"Its name imitates {imitated}.": 45 if imitated else 0,
        "What stands before the @ is no host: it misleads.": 40 if parts.username is not None else 0,
        "Its host is a bare IP address.": 30 if is_address(host) else 0,
        "Its name is written in foreign or mixed letters.": 30 if "xn--" in host or not host.isascii() else 0,
        "It is not encrypted.": 10 if parts.scheme == "http" else 0,
        "It has very many subdomains.": 15 if host.count(".") > 3 and not is_address(host) else 0,
        "It has many hyphens.": 10 if host.count("-") > 2 else 0,
        "Its top-level domain is often misused.": 15 if suffix.rpartition(".")[2] in _RISKY_ENDS else 0,
        "It is shortened: where it leads is hidden.": 20 if host in _SHORTENERS else 0,
        f"It lures with the words {', '.join(lures[:4])}.": min(8 * len(lures), 20) if lures else 0,
        "It uses an unusual port.": 15 if parts.port not in (None, 80, 443) else 0,
        "It is very long.": 10 if len(parts.geturl()) > 200 else 0,
    }
    return {reason: points for reason, points in checks.items() if points}


def _imitate(host: str, registered: str) -> str | None:
    """Return the brand that a name resembles without being it."""
    if registered in _BRANDS:
        return None
    plain = host.translate(str.maketrans("013457$", "oleasts")).replace("rn", "m").replace("vv", "w")
    words = [word for word in re.split(r"[.-]", plain) if word]
    for brand in _BRANDS:
        near = any(len(brand) > 4 and DamerauLevenshtein.distance(word, brand) == 1 for word in words)
        if near or brand in words or (len(brand) > 5 and brand in plain):
            return brand
    return None


class Squat(TypedDict):
    """A look-alike domain."""

    domain: Annotated[str, About("Domain")]
    technique: Annotated[str, About("Kind of variation")]


class Squats(TypedDict):
    """Look-alike domains."""

    count: Annotated[int, About("Total number of domains")]
    domains: Annotated[list[Squat], About("First domains")]


@tool(
    tags="typosquatting lookalike domains permutations brand protection homoglyph bitsquatting dnstwist",
    use_when=(
        "Which look-alike domains of example.com should I watch?",
        "List typosquats of my domain",
        "Which misspellings of our brand could phishers register?",
    ),
    examples=(
        Example(
            {"domain": "ab.com", "techniques": ["transposition"]},
            {"count": 1, "domains": [{"domain": "ba.com", "technique": "transposition"}]},
            source="by hand",
        ),
        Example(
            {"domain": "abc.co.uk", "techniques": ["omission"]},
            {
                "count": 3,
                "domains": [
                    {"domain": "bc.co.uk", "technique": "omission"},
                    {"domain": "ac.co.uk", "technique": "omission"},
                    {"domain": "ab.co.uk", "technique": "omission"},
                ],
            },
            source="by hand: co.uk is a public suffix",
        ),
        Refusal({"domain": "localhost"}, "with its top-level domain"),
    ),
    reply={
        "domains": "I found {count|look-alike domain}: {domains}",
        "": "There are no such look-alike domains.",
    },
)
def domain_list_lookalikes(
    domain: Annotated[str, About("Your domain", "example.com", min_length=3, max_length=100)],
    techniques: Annotated[
        list[
            Literal[
                "omission",
                "repetition",
                "transposition",
                "replacement",
                "lookalike",
                "hyphenation",
                "bitflip",
                "suffix",
            ]
        ]
        | None,
        About("Kinds of variations; default: all", ["omission"], max_items=8),
    ] = None,
    most: Annotated[int, About("Maximum number", minimum=1, maximum=2000)] = 300,
) -> Squats:
    """List domains that look like yours: typing errors, look-alike letters, added hyphens, other endings.

    Use it to monitor or register them against phishing. Use dns_lookup_records to check whether they exist.
    """
    parts = tldextract.TLDExtract(suffix_list_urls=())(domain.strip().lower())
    if not parts.domain or not parts.suffix:
        raise ToolError("Give the domain with its top-level domain, such as example.com.")
    own = f"{parts.domain}.{parts.suffix}"
    found: dict[str, str] = {}
    for technique in techniques or _TECHNIQUES:
        for name in _variants(parts.domain, parts.suffix, technique):
            label = name.partition(".")[0]
            if name != own and re.fullmatch("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", label):
                found.setdefault(name, technique)
    chosen: list[Squat] = [{"domain": name, "technique": technique} for name, technique in found.items()]
    return {"count": len(chosen), "domains": chosen[:most]}


_TECHNIQUES = (
    "omission",
    "repetition",
    "transposition",
    "replacement",
    "lookalike",
    "hyphenation",
    "bitflip",
    "suffix",
)
_ENDS = (
    "com",
    "net",
    "org",
    "co",
    "io",
    "app",
    "info",
    "biz",
    "online",
    "site",
    "shop",
    "xyz",
    "de",
    "co.uk",
    "eu",
    "us",
)
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "1234567890")
_ALIKE = {
    "o": ("0",),
    "l": ("1", "i"),
    "i": ("1", "l"),
    "e": ("3",),
    "a": ("4",),
    "s": ("5",),
    "m": ("rn",),
    "w": ("vv",),
}
_ALIKE |= {"d": ("cl",), "g": ("q", "9"), "b": ("8",), "t": ("7",), "n": ("r",), "u": ("v",)}


def _variants(name: str, suffix: str, technique: str) -> list[str]:
    places = range(len(name))
    match technique:
        case "suffix":
            return [f"{name}.{end}" for end in _ENDS]
        case "omission":
            made = [name[:place] + name[place + 1 :] for place in places]
        case "repetition":
            made = [name[: place + 1] + name[place:] for place in places]
        case "transposition":
            made = [name[:place] + name[place + 1] + name[place] + name[place + 2 :] for place in places[:-1]]
        case "replacement":
            made = [name[:place] + near + name[place + 1 :] for place in places for near in _neighbours(name[place])]
        case "lookalike":
            made = [name[:place] + near + name[place + 1 :] for place in places for near in _ALIKE.get(name[place], ())]
        case "hyphenation":
            made = [name[:place] + "-" + name[place:] for place in places[1:]]
        case _:
            flipped = [(place, chr(ord(name[place]) ^ 1 << bit)) for place in places for bit in range(7)]
            made = [name[:place] + sign + name[place + 1 :] for place, sign in flipped]
    return [f"{one}.{suffix}" for one in made]


def _neighbours(sign: str) -> list[str]:
    rows = [(row, row.find(sign)) for row in _KEYS if sign in row]
    return [row[near] for row, place in rows for near in (place - 1, place + 1) if 0 <= near < len(row)]
