"""Masking of characters and personal data."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from ipaddress import ip_address
from typing import Annotated, Literal

import phonenumbers
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text._account_numbers import find_cards, find_ibans


class MaskedText(TypedDict):
    """A partially masked text."""

    text: str


@tool(
    tags="mask hide characters last four card number asterisks redact partially phone account star out",
    use_when=(
        "Mask all but the last four digits of 4539 1488 0343 6467",
        "Hide the account number 12345678 but for the last 3",
        "Show only the first 2 and last 2 characters of s3cretpass",
    ),
    examples=(
        Example({"text": "4539148803436467", "keep_last": 4}, {"text": "************6467"}, source="by hand"),
        Example(
            {"text": "s3cretpass", "keep_first": 2, "keep_last": 2, "mark": "x"},
            {"text": "s3xxxxxxss"},
            source="by hand",
        ),
        Example({"text": "12-34-56", "keep_last": 2}, {"text": "**-**-56"}, source="separators stay"),
        Refusal({"text": "", "keep_last": 2}, "text"),
    ),
    reply={
        "text": "{text}",
        "": "The text: {text}",
    },
)
def text_mask_characters(
    text: Annotated[str, About("Text to mask", "4539148803436467", min_length=1, max_length=10_000)],
    keep_last: Annotated[int, About("Number of letters and digits to show at the end", minimum=0, maximum=10_000)] = 4,
    keep_first: Annotated[
        int, About("Number of letters and digits to show at the beginning", minimum=0, maximum=10_000)
    ] = 0,
    mark: Annotated[str, About("Mask character", "*", min_length=1, max_length=4)] = "*",
) -> MaskedText:
    """Mask a text except for its first or last characters, such as a card or account number; blanks and hyphens are
    kept.
    """
    maskable = [place for place, one in enumerate(text) if one.isalnum()]
    hidden = set(maskable[keep_first : len(maskable) - keep_last])
    return {"text": "".join(mark if place in hidden else one for place, one in enumerate(text))}


_EMAIL = re.compile(r"(?<![\w.+%-])[\w.+%-]{1,64}@(?:[\w-]{1,63}\.){1,8}(?:[A-Za-z0-9-]{1,63}|[^\W\d_]{2,24})")


_SSN = re.compile(r"(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])")


_IP = re.compile(
    r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w)|(?<![\w.:])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:])"
)


_URL = re.compile(r"https?://[^\s<>\"]+")


Region = Annotated[
    str, About("Two-letter region code for numbers without country code", "GB", pattern="^[A-Z]{2}$", max_length=2)
]
Kind = Literal["email", "phone", "card", "iban", "ssn", "ip", "url", "custom"]
Span = tuple[int, int]

_USUAL = ("email", "phone", "card", "iban", "ssn", "ip")


class Masked(TypedDict):
    """A masked part."""

    kind: Annotated[Kind, About("Kind of data")]
    start: Annotated[int, About("Start in the original text, from 0")]
    end: Annotated[int, About("End in the original text")]


class Redacted(TypedDict):
    """A text with masked personal data."""

    result: Annotated[str, About("The masked text")]
    found: Annotated[list[Masked], About("Masked parts, in text order, at most 2,000")]
    counts: Annotated[dict[str, int], About("Number by kind")]


@tool(
    tags="redact anonymize pii mask personal data gdpr email phone credit card iban ssn ip privacy",
    use_when=(
        "Black out e-mails, phone numbers and card numbers in this text",
        "Anonymise a support log before I share it",
        "Remove IBANs and IP addresses from this message",
    ),
    examples=(
        Example(
            {
                "text": "Ann: ann@example.org, +44 20 7946 0958, card 4111 1111 1111 1111, from 192.0.2.7",
                "custom": ["Ann"],
            },
            {
                "result": "[CUSTOM]: [EMAIL], [PHONE], card [CARD], from [IP]",
                "counts": {"custom": 1, "email": 1, "phone": 1, "card": 1, "ip": 1},
            },
            source="by hand; the usual test card passes Luhn's check (ISO/IEC 7812)",
        ),
        Example(
            {
                "text": "IBAN GB82 WEST 1234 5698 7654 32, not GB82 WEST 1234 5698 7654 33",
                "style": "keep_last_4",
                "kinds": ["iban"],
            },
            {"result": f"IBAN {'*' * 23}4 32, not GB82 WEST 1234 5698 7654 33"},
            source="Wikipedia, International Bank Account Number: GB82 WEST… passes the check, a changed digit fails",
        ),
        Example(
            {"text": "a@b.org c@d.org a@b.org", "style": "numbered"},
            {"result": "[EMAIL_1] [EMAIL_2] [EMAIL_1]"},
            source="by hand",
        ),
        Refusal({"text": "a", "region": "ZZ"}, "not a region"),
    ),
    reply={
        "counts": "The masked text: {result}",
        "": "There is no personal data in the text: {result}",
    },
    pace="normal",
)
def text_redact_personal_data(
    text: Text,
    kinds: Annotated[
        list[Literal["email", "phone", "card", "iban", "ssn", "ip", "url"]] | None,
        About("Kinds to mask; default: all except url", ["email", "phone"], min_items=1, max_items=7),
    ] = None,
    custom: Annotated[
        list[Annotated[str, About("A word or name", min_length=1, max_length=200)]] | None,
        About("Additional names and words to mask", ["Ann"], max_items=200),
    ] = None,
    style: Annotated[
        Literal["label", "numbered", "stars", "keep_last_4"],
        About("label writes [EMAIL]; numbered gives equal values the same number"),
    ] = "label",
    region: Region = "US",
) -> Redacted:
    """Mask personal data in a text: e-mails, telephone, card and social security numbers, IBANs, IP addresses, names.

    Card numbers and IBANs are validated by their check digits. Names are only found if you list them. Returns the
    masked text and the positions of the masked parts.
    """
    known_region(region)
    spans = _spans(text, kinds or _USUAL, custom or (), region)
    known: dict[tuple[Kind, str], int] = {}
    result, place = [], 0
    for kind, start, end in spans:
        result += [text[place:start], _mask(kind, text[start:end], style, known)]
        place = end
    found: list[Masked] = [{"kind": kind, "start": start, "end": end} for kind, start, end in spans]
    counts = Counter(str(kind) for kind, _, _ in spans)
    return {"result": "".join([*result, text[place:]]), "found": found[:2000], "counts": dict(counts)}


def known_region(region: str) -> None:
    """Raise `ToolError` for a region that has no telephone numbers."""
    if region not in phonenumbers.SUPPORTED_REGIONS:
        raise ToolError(f"{region} is not a region with telephone numbers. Give an ISO 3166 code such as GB.")


def _spans(text: str, kinds: Sequence[str], custom: Sequence[str], region: str) -> list[tuple[Kind, int, int]]:
    """Return the parts to mask, in order and without overlaps: kinds listed first take precedence."""
    found: list[tuple[Kind, int, int]] = [
        (kind, *span) for kind, find in _SEARCHES.items() if kind in kinds for span in find(text)
    ]
    if "phone" in kinds:
        found += [("phone", match.start, match.end) for match in phonenumbers.PhoneNumberMatcher(text, region)]
    if custom:
        words = re.compile(
            "|".join(rf"(?<!\w){re.escape(one)}(?!\w)" for one in sorted(custom, key=len, reverse=True)), re.I
        )
        found += [("custom", *match.span()) for match in words.finditer(text)]
    chosen: list[tuple[Kind, int, int]] = []
    for span in sorted(found, key=lambda one: (one[1], -one[2])):
        if not chosen or span[1] >= chosen[-1][2]:
            chosen.append(span)
    return chosen


def _mask(kind: Kind, value: str, style: str, known: dict[tuple[Kind, str], int]) -> str:
    if style == "stars":
        return "*" * len(value)
    if style == "keep_last_4":
        return "*" * max(len(value) - 4, 0) + value[-4:] if len(value) > 8 else "*" * len(value)
    if style == "label":
        return f"[{kind.upper()}]"
    same_kind = sum(other == kind for other, _ in known)
    return f"[{kind.upper()}_{known.setdefault((kind, value.casefold()), same_kind + 1)}]"


def _is_ip(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _search(pattern: re.Pattern[str], is_one: Callable[[str], bool] = bool) -> Callable[[str], Iterable[Span]]:
    return lambda text: (match.span() for match in pattern.finditer(text) if is_one(match[0]))


_SEARCHES: Mapping[Kind, Callable[[str], Iterable[Span]]] = {
    "url": _search(_URL),
    "email": _search(_EMAIL),
    "iban": find_ibans,
    "card": find_cards,
    "ssn": _search(_SSN),
    "ip": _search(_IP, _is_ip),
}
