"""Personal data in texts."""

import re
from bisect import bisect
from collections import Counter
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, tool


class PiiMatch(TypedDict):
    """Personal data in a text."""

    kind: Annotated[str, About("email, card, iban, ssn, phone, ip, birth_date, passport, mac or coordinates")]
    value: Annotated[str, About("What was found, with its middle masked")]
    start: Annotated[int, About("Where it begins, from 0")]
    end: Annotated[int, About("Where it ends")]
    line: Annotated[int, About("Its line, from 1")]


class PiiScan(TypedDict):
    """What personal data a text holds."""

    found: Annotated[list[PiiMatch], About("The first 1,000 in their order")]
    counts: Annotated[dict[str, int], About("How many of each kind")]
    risk: Annotated[Literal["none", "low", "medium", "high"], About("high with cards, accounts or identity numbers")]


_PII = {
    "email": r"(?<![\w.+-])[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}",
    "iban": r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)",
    "card": r"(?<![\w-])(?:\d[ -]?){12,18}\d(?![\w-])",
    "ssn": r"(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])",
    "ip": r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.]*\d)",
    "mac": r"(?<![\w:-])(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?![\w:-])",
    "birth_date": r"(?i)(?:born|birth|dob|geb\.|né)\w*(?:\s+(?:on|date|am|le))?[:\s]{1,3}"
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
)
def pii_scan_text(
    text: Text,
    kinds: Annotated[
        list[Literal["email", "iban", "card", "ssn", "ip", "mac", "birth_date", "passport", "phone", "coordinates"]]
        | None,
        About("Kinds to look for; left out, all", ["email", "card"], max_items=10),
    ] = None,
) -> PiiScan:
    """Find personal data in a text with its positions: mail, phone, cards, accounts, identity numbers, birth dates.

    Use it before sharing. Cards and IBANs count only with right check digits. text_redact_personal_data masks them.
    """
    taken = bytearray(len(text))
    breaks = [match.start() for match in re.finditer("\n", text)]
    found: list[PiiMatch] = []
    for kind in (name for name in _PII if kinds is None or name in kinds):
        for match in re.finditer(_PII[kind], text):
            start, end = match.span()
            if not any(taken[start:end]) and _checks(kind, match[0]):
                taken[start:end] = b"\1" * (end - start)
                line = bisect(breaks, start) + 1
                found.append({"kind": kind, "value": _mask(match[0]), "start": start, "end": end, "line": line})
    found.sort(key=lambda match: match["start"])
    counts = Counter(match["kind"] for match in found)
    grave = counts.keys() & {"card", "iban", "ssn", "passport", "birth_date"}
    risk: Literal["none", "low", "medium", "high"] = "high" if grave else "medium" if len(found) > 5 else "low"
    return {"found": found[:1000], "counts": dict(counts), "risk": risk if found else "none"}


def _mask(value: str) -> str:
    return value[:2] + "*" * (len(value) - 4) + value[-2:] if len(value) > 6 else "*" * len(value)


def _checks(kind: str, value: str) -> bool:
    if kind == "card":
        digits = [int(sign) for sign in reversed(value) if sign.isdigit()]
        doubled = (digit * 2 - 9 * (digit > 4) if place % 2 else digit for place, digit in enumerate(digits))
        return sum(doubled) % 10 == 0 and len(set(digits)) > 1
    if kind == "iban":
        plain = value.replace(" ", "")
        return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1
    return True
