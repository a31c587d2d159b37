"""Indicators of attacks: addresses made harmless, found, and judged."""

import re
from ipaddress import ip_address
from typing import Annotated, Literal

import tldextract
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, tool

_URL = re.compile(r"\b(?:https?|ftp)://[^\s<>\"']+", re.IGNORECASE)
_DOMAIN = re.compile(r"(?<![\w@.-])(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![\w-])")
_IP4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d)")
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}")
_HASHES = {"md5": 32, "sha1": 40, "sha256": 64}
_CVE = re.compile(r"\bCVE-\d{4}-\d{4,7}\b", re.IGNORECASE)


class Changed(TypedDict):
    """A text with its addresses changed."""

    result: Annotated[str, About("The text")]
    changed: Annotated[int, About("How many addresses were changed")]


@tool(
    tags="defang refang ioc url ip domain email indicator threat safe sharing hxxp",
    use_when=(
        "Defang http://evil.example.com/a for my report",
        "Make these malicious links unclickable",
        "Refang hxxps://bad[.]example[.]org",
    ),
    examples=(
        Example(
            {"text": "See http://evil.example.com/a?b=c.d from 198.51.100.7, mail x@example.org"},
            {
                "result": "See hxxp[://]evil[.]example[.]com/a?b=c.d from 198[.]51[.]100[.]7, mail x[@]example[.]org",
                "changed": 3,
            },
            source="the usual notation of threat reports, by hand",
        ),
        Example(
            {"text": "hxxps[:]//bad[.]example(dot)org and 198[.]51[.]100[.]7", "direction": "refang"},
            {"result": "https://bad.example.org and 198.51.100.7"},
            source="by hand",
        ),
        Refusal({"text": "a", "direction": "sideways"}, "direction"),
    ),
)
def ioc_defang_text(
    text: Text, direction: Annotated[Literal["defang", "refang"], About("Make harmless, or live again")] = "defang"
) -> Changed:
    """Defang the URLs, domains, mail and IP addresses of a text, so that nobody clicks them, or refang them.

    Use it for reports on attacks. Paths and query strings stay readable.
    """
    if direction == "refang":
        return _refang(text)
    result, place, changed = [], 0, 0
    pattern = re.compile("|".join(f"(?:{one.pattern})" for one in (_URL, _EMAIL, _IP4, _DOMAIN)), re.IGNORECASE)
    for found in pattern.finditer(text):
        result += [text[place : found.start()], _defang(found[0])]
        place, changed = found.end(), changed + 1
    return {"result": "".join([*result, text[place:]]), "changed": changed}


def _defang(address: str) -> str:
    scheme, mark, rest = address.partition("://")
    if not mark:
        return address.replace("@", "[@]").replace(".", "[.]")
    host = re.match(r"[^/?#]*", rest)
    shown = host[0] if host else ""
    broken = re.sub("(?i)http", "hxxp", scheme) if scheme.lower().startswith("http") else "fxp"
    return f"{broken}[://]{shown.replace('.', '[.]')}{rest[len(shown) :]}"


def _refang(text: str) -> Changed:
    steps = (
        (r"\bh(?:xx|XX|\*\*|tt)p(s?)(?=\W)", r"http\1"),
        (r"\bfxp(?=\[?:)", "ftp"),
        (r"[\[({]\s*:\s*//\s*[\])}]|[\[({]\s*:\s*[\])}]\s*//", "://"),
        (r"[\[({]\s*(?:\.|dot)\s*[\])}]", "."),
        (r"[\[({]\s*(?:@|at)\s*[\])}]", "@"),
    )
    changed = 0
    for pattern, mended in steps:
        text, count = re.subn(pattern, mended, text)
        changed += count
    return {"result": text, "changed": changed}


class Indicators(TypedDict):
    """Indicators in a text."""

    urls: Annotated[list[str], About("Web addresses")]
    domains: Annotated[
        list[str], About("Host names with a known public suffix, without those of URLs and mail addresses")
    ]
    ipv4: Annotated[list[str], About("IPv4 addresses")]
    emails: Annotated[list[str], About("Mail addresses")]
    md5: Annotated[list[str], About("MD5 hashes")]
    sha1: Annotated[list[str], About("SHA-1 hashes")]
    sha256: Annotated[list[str], About("SHA-256 hashes")]
    cves: Annotated[list[str], About("CVE numbers")]


@tool(
    tags="ioc extract indicators compromise url ip domain hash md5 sha256 cve threat report",
    use_when=(
        "Extract all IOCs of this threat report",
        "List the IPs, domains and hashes in the text",
        "Which CVEs are mentioned?",
    ),
    examples=(
        Example(
            {
                "text": "CVE-2021-44228: hxxp://bad[.]example[.]com/x from 203.0.113.9; "
                "d41d8cd98f00b204e9800998ecf8427e; c2.example.net"
            },
            {
                "urls": ["http://bad.example.com/x"],
                "domains": ["c2.example.net"],
                "ipv4": ["203.0.113.9"],
                "md5": ["d41d8cd98f00b204e9800998ecf8427e"],
                "cves": ["CVE-2021-44228"],
                "sha256": [],
            },
            source="by hand",
        ),
        Example(
            {"text": "1.2.3.456 and file.txt"}, {"ipv4": [], "domains": []}, source="by hand: neither is an address"
        ),
        Refusal({"text": 5}, "text"),
    ),
)
def ioc_extract_text(text: Text) -> Indicators:
    """Extract indicators of compromise of a text: URLs, domains, addresses, hashes and CVE numbers, defanged ones too.

    Use it on threat reports and mails. Each is given once, live again: handle with care.
    """
    live = _refang(text)["result"]
    urls = [url.rstrip(".,;:!?)]}'\"") for url in _URL.findall(live)]
    rest = _EMAIL.sub(" ", _URL.sub(" ", live))
    suffixes = tldextract.TLDExtract(suffix_list_urls=())
    domains = [name.lower() for name in _DOMAIN.findall(rest) if suffixes(name).suffix]
    found = {
        name: re.findall(rf"(?<![0-9A-Za-z])[0-9A-Fa-f]{{{size}}}(?![0-9A-Za-z])", live)
        for name, size in _HASHES.items()
    }
    return {
        "urls": _once(urls),
        "domains": _once(domains),
        "ipv4": _once([address for address in _IP4.findall(live) if is_address(address)]),
        "emails": _once(_EMAIL.findall(live)),
        "md5": _once(found["md5"]),
        "sha1": _once(found["sha1"]),
        "sha256": _once(found["sha256"]),
        "cves": _once([number.upper() for number in _CVE.findall(live)]),
    }


def _once(values: list[str]) -> list[str]:
    return list(dict.fromkeys(values))[:1000]


def is_address(text: str) -> bool:
    """Whether it is an IP address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
