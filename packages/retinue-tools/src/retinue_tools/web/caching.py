"""Headers that say how long an answer may be kept."""

import re
from email.utils import parsedate_to_datetime
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

HeaderTexts = Annotated[
    dict[str, Annotated[str, About("Value of the header", max_length=16_384)]],
    About("Headers of an answer, values by names", {"Cache-Control": "max-age=600"}),
]


class Caching(TypedDict):
    """Whether and for how long an answer may be kept."""

    browser_may_store: Annotated[bool, About("Whether a browser may keep it")]
    shared_may_store: Annotated[bool, About("Whether a proxy or CDN may keep it")]
    fresh_s: Annotated[float, About("How long it may be used without asking, in seconds from the answer")]
    shared_fresh_s: Annotated[float, About("The same for a proxy or CDN")]
    left_s: Annotated[float, About("How long it still may be used, by its Age")]
    heuristic: Annotated[bool, About("Whether the time is guessed from Last-Modified")]
    must_revalidate: Annotated[bool, About("Whether it must not be used once it is stale")]
    validators: Annotated[list[str], About("What it can be asked again with: etag, last-modified")]
    varies_by: Annotated[list[str], About("Request headers that it depends on")]
    explanation: Annotated[list[str], About("What the headers say, in sentences")]


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
)
def http_explain_caching(headers: HeaderTexts) -> Caching:
    """Explain whether browsers and proxies may keep an answer and for how long, from its headers (RFC 9111).

    Use it to find out why something is cached or not. Takes the headers of an answer, not of a request.
    """
    if not headers:
        raise ToolError("Give at least one header of the answer, such as Cache-Control.")
    named = {name.lower(): value for name, value in headers.items()}
    rules = _directives(named.get("cache-control", ""))
    fresh, heuristic = _freshness(named, rules)
    shared = _seconds(rules.get("s-maxage"), fresh)
    stored = "no-store" not in rules
    varies = [name.strip().lower() for name in named.get("vary", "").split(",") if name.strip()]
    if "no-cache" in rules:
        fresh = shared = 0.0
    return {
        "browser_may_store": stored,
        "shared_may_store": stored and "private" not in rules and "*" not in varies,
        "fresh_s": fresh,
        "shared_fresh_s": 0.0 if "private" in rules else shared,
        "left_s": max(fresh - _seconds(named.get("age"), 0.0), 0.0),
        "heuristic": heuristic,
        "must_revalidate": bool(rules.keys() & {"must-revalidate", "no-cache"}),
        "validators": [name for name in ("etag", "last-modified") if name in named],
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
    """Seconds that an answer is fresh for (RFC 9111, section 4.2.1), and whether they are a guess."""
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
