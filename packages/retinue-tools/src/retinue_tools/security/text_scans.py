"""Text scans for personal data, and for indicators of attacks."""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from ipaddress import ip_address
from typing import Annotated, Literal

import tldextract
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, tool
from retinue_tools.text._account_numbers import find_cards, find_ibans

_URL = re.compile(r"\b(?:https?|ftp)://[^\s<>\"']+", re.IGNORECASE)
_DOMAIN = re.compile(r"(?<![\w@.-])(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![\w-])")
_IP4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d)")
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}")
_HASHES = {"md5": 32, "sha1": 40, "sha256": 64}
_CVE = re.compile(r"\bCVE-\d{4}-\d{4,7}\b", re.IGNORECASE)


class Changed(TypedDict):
    """A text with changed addresses."""

    result: Annotated[str, About("Changed text")]
    changed: Annotated[int, About("Number of changed addresses")]


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
    reply={
        "changed": "The text with {changed|changed address|changed addresses}: {result}",
        "": "There are no addresses in the text.",
    },
)
def ioc_defang_text(
    text: Text, direction: Annotated[Literal["defang", "refang"], About("Defang, or refang")] = "defang"
) -> Changed:
    """Defang the URLs, domains, mail and IP addresses of a text, so that they are not clickable, or refang them.

    Use it for reports on attacks. Paths and query strings are unchanged.
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
    host_name = host[0] if host else ""
    broken = re.sub("(?i)http", "hxxp", scheme) if scheme.lower().startswith("http") else "fxp"
    return f"{broken}[://]{host_name.replace('.', '[.]')}{rest[len(host_name) :]}"


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
        list[str], About("Host names with a known public suffix, excluding those of URLs and mail addresses")
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
    reply={
        "urls, ipv4, domains": "I found the URLs {urls}, the addresses {ipv4} and the domains {domains}.",
        "urls, ipv4": "I found the URLs {urls} and the addresses {ipv4}.",
        "urls, domains": "I found the URLs {urls} and the domains {domains}.",
        "ipv4, domains": "I found the addresses {ipv4} and the domains {domains}.",
        "urls": "I found the URLs {urls}.",
        "ipv4": "I found the addresses {ipv4}.",
        "domains": "I found the domains {domains}.",
        "sha256": "I found the SHA-256 hashes {sha256}.",
        "sha1": "I found the SHA-1 hashes {sha1}.",
        "md5": "I found the MD5 hashes {md5}.",
        "cves": "I found {cves}.",
        "emails": "I found the e-mail addresses {emails}.",
        "": "There are no indicators in the text.",
    },
)
def ioc_extract_text(text: Text) -> Indicators:
    """Extract indicators of compromise from a text: URLs, domains, addresses, hashes and CVE numbers, including
    defanged ones.

    Use it for threat reports and mails. Each is returned once and refanged: handle with care.
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
    """True for an IP address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


class PiiMatch(TypedDict):
    """Personal data in a text."""

    kind: Annotated[str, About("email, card, iban, ssn, phone, ip, birth_date, passport, mac or coordinates")]
    value: Annotated[str, About("Matched text, with its middle masked")]
    start: Annotated[int, About("Start index, from 0")]
    end: Annotated[int, About("End index")]
    line: Annotated[int, About("Line number, from 1")]


class PiiScan(TypedDict):
    """Personal data in a text."""

    found: Annotated[list[PiiMatch], About("First 1,000 matches in order")]
    counts: Annotated[dict[str, int], About("Number of matches by kind")]
    risk: Annotated[Literal["none", "low", "medium", "high"], About("high for cards, accounts or identity numbers")]


_PII: Mapping[str, str | Callable[[str], Iterator[tuple[int, int]]]] = {
    "email": r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}(?:[A-Za-z]{2,24}|[^\W\d_]{2,24})",
    "iban": find_ibans,
    "card": find_cards,
    "ssn": r"(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])",
    "ip": r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.]*\d)",
    "mac": r"(?<![\w:-])(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?![\w:-])",
    "birth_date": r"(?i)(?:born|birth|dob|geb\.|né)\w{0,30}(?:\s+(?:on|date|am|le))?[:\s]{1,3}"
    r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}",
    "passport": r"(?i)passport(?:\s+(?:no|number|nr))?[.:\s#]{1,4}[A-Z0-9]{6,9}\b",
    "phone": r"(?<![\w.+-])(?:\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?(?:\d{2,4}[ .-]?){2,4}\d{2,4}"
    r"|\(\d{3}\) ?\d{3}[ .-]\d{4})(?![\w-])",
    "coordinates": r"(?<![\d.])-?\d{1,2}\.\d{4,8},\s?-?\d{1,3}\.\d{4,8}(?![\d.])",
}


@tool(
    tags="pii scan personal data gdpr email phone card iban ssn detect positions privacy",
    use_when=(
        "Does this text contain personal data?",
        "Find e-mails, card numbers and IBANs with their positions",
        "Scan the document for PII before I share it",
    ),
    examples=(
        Example(
            {"text": "Ann <ann@example.org>\ncard 4111 1111 1111 1111 not 4111 1111 1111 1112"},
            {
                "found": [
                    {"kind": "email", "value": "an***********rg", "start": 5, "end": 20, "line": 1},
                    {"kind": "card", "value": "41***************11", "start": 27, "end": 46, "line": 2},
                ],
                "counts": {"email": 1, "card": 1},
                "risk": "high",
            },
            source="by hand; the usual test card passes Luhn's check",
        ),
        Example(
            {"text": "GB82 WEST 1234 5698 7654 32", "kinds": ["email"]}, {"found": [], "risk": "none"}, source="by hand"
        ),
        Refusal({"text": "a", "kinds": ["hair"]}, "kinds"),
    ),
    reply={
        "found": "The text contains personal data, at {risk} risk: {found}",
        "": "I found no personal data in the text.",
    },
)
def pii_scan_text(
    text: Text,
    kinds: Annotated[
        list[Literal["email", "iban", "card", "ssn", "ip", "mac", "birth_date", "passport", "phone", "coordinates"]]
        | None,
        About("Kinds to search for; default: all", ["email", "card"], max_items=10),
    ] = None,
) -> PiiScan:
    """Find personal data in a text with its positions: mail, phone, cards, accounts, identity numbers, birth dates.

    Use it before sharing. Cards and IBANs count only with valid check digits. text_redact_personal_data masks them.
    """
    taken = bytearray(len(text))
    breaks = [match.start() for match in re.finditer("\n", text)]
    found: list[PiiMatch] = []
    for kind in (name for name in _PII if kinds is None or name in kinds):
        for start, end in _spans(kind, text):
            if not any(taken[start:end]):
                taken[start:end] = b"\1" * (end - start)
                line = bisect(breaks, start) + 1
                found.append({"kind": kind, "value": _mask(text[start:end]), "start": start, "end": end, "line": line})
    found.sort(key=lambda match: match["start"])
    counts = Counter(match["kind"] for match in found)
    grave = counts.keys() & {"card", "iban", "ssn", "passport", "birth_date"}
    risk: Literal["none", "low", "medium", "high"] = "high" if grave else "medium" if len(found) > 5 else "low"
    return {"found": found[:1000], "counts": dict(counts), "risk": risk if found else "none"}


def _mask(value: str) -> str:
    return value[:2] + "*" * (len(value) - 4) + value[-2:] if len(value) > 6 else "*" * len(value)


def _spans(kind: str, text: str) -> Iterator[tuple[int, int]]:
    search = _PII[kind]
    return (match.span() for match in re.finditer(search, text)) if isinstance(search, str) else search(text)
