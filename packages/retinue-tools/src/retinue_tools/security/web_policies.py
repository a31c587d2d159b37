"""Security headers of web sites, audited and built from text."""

import re
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

Headers = Annotated[
    str,
    About(
        "Response headers, one per line",
        "Strict-Transport-Security: max-age=31536000\nX-Content-Type-Options: nosniff",
        min_length=3,
        max_length=50_000,
    ),
]
Sources = list[Annotated[str, About("Source", "https://cdn.example.com", pattern=r"^[^\s;,]+$", max_length=300)]]


class Finding(TypedDict):
    """A problem of a header."""

    header: Annotated[str, About("Name of the header")]
    severity: Annotated[Literal["high", "medium", "low"], About("Severity")]
    problem: Annotated[str, About("Problem")]
    fix: Annotated[str, About("Recommended value")]


class Audit(TypedDict):
    """Result of auditing headers."""

    grade: Annotated[str, About("Grade, A to F")]
    findings: Annotated[list[Finding], About("Problems, most severe first")]
    cookies: Annotated[dict[str, list[str]], About("Missing attributes by cookie name")]


@tool(
    tags="security headers audit hsts csp cookie httponly secure samesite text response check",
    use_when=(
        "Audit these response headers",
        "Which security headers are missing in this curl output?",
        "Are my cookies set with HttpOnly, Secure and SameSite?",
    ),
    examples=(
        Example(
            {"headers": "HTTP/1.1 200 OK\nServer: nginx/1.18.0\nSet-Cookie: sid=1; Path=/; HttpOnly"},
            {"grade": "F", "cookies": {"sid": ["Secure", "SameSite"]}},
            source="RFC 6265bis, section 4.1.2, by hand",
        ),
        Example(
            {
                "headers": "Strict-Transport-Security: max-age=31536000; includeSubDomains\n"
                "Content-Security-Policy: default-src 'self'; frame-ancestors 'none'\nX-Content-Type-Options: nosniff\n"
                "Referrer-Policy: no-referrer\nPermissions-Policy: camera=()\nCross-Origin-Opener-Policy: same-origin"
            },
            {"grade": "A", "findings": [], "cookies": {}},
            source="OWASP Secure Headers Project",
        ),
        Refusal({"headers": "hello there"}, "no headers"),
    ),
    reply={
        "findings": "The headers get the grade {grade}: {findings}",
        "": "The headers get the grade {grade}, without any problems.",
    },
)
def headers_audit_security(headers: Headers) -> Audit:
    """Audit response headers that you paste: HSTS, CSP, framing, sniffing, referrer, cookies and disclosures.

    Use it for the output of curl or of browser tools; http_audit_headers fetches the headers of an address.
    """
    pairs = [
        (name.strip().lower(), value.strip())
        for name, mark, value in (line.partition(":") for line in headers.splitlines())
        if mark and re.fullmatch(r"\s*[A-Za-z0-9!#$%&'*+.^_`|~-]+\s*", name)
    ]
    if not pairs:
        raise ToolError("The text contains no headers. Give one per line, as Name: value.")
    values = dict(pairs)
    findings = [*_missing(values), *_weak(values), *_describe(values)]
    cookies = _cookies([value for name, value in pairs if name == "set-cookie"])
    if cookies:
        findings.append(
            _finding("set-cookie", "medium", "Cookies lack attributes.", "Add HttpOnly, Secure and SameSite=Lax.")
        )
    findings.sort(key=lambda finding: ("high", "medium", "low").index(finding["severity"]))
    lost = sum({"high": 25, "medium": 12, "low": 5}[finding["severity"]] for finding in findings)
    grade = next(
        (letter for letter, most in (("A", 10), ("B", 25), ("C", 40), ("D", 55), ("E", 70)) if lost <= most), "F"
    )
    return {"grade": grade, "findings": findings, "cookies": cookies}


def _finding(header: str, severity: Literal["high", "medium", "low"], problem: str, fix: str) -> Finding:
    return {"header": header, "severity": severity, "problem": problem, "fix": fix}


_WANTED: tuple[tuple[str, Literal["high", "medium", "low"], str], ...] = (
    ("strict-transport-security", "high", "max-age=31536000; includeSubDomains"),
    ("content-security-policy", "high", "default-src 'self'; frame-ancestors 'none'"),
    ("x-content-type-options", "medium", "nosniff"),
    ("referrer-policy", "low", "strict-origin-when-cross-origin"),
    ("permissions-policy", "low", "camera=(), microphone=(), geolocation=()"),
    ("cross-origin-opener-policy", "low", "same-origin"),
)


def _missing(values: dict[str, str]) -> list[Finding]:
    found = [_finding(name, severity, "It is missing.", fix) for name, severity, fix in _WANTED if name not in values]
    framed = "x-frame-options" in values or "frame-ancestors" in values.get("content-security-policy", "")
    if not framed:
        found.append(_finding("x-frame-options", "medium", "Any site may frame the page.", "DENY"))
    return found


def _weak(values: dict[str, str]) -> list[Finding]:
    age = re.search(r"max-age\s*=\s*\"?(\d{1,18})", values.get("strict-transport-security", ""))
    policy = values.get("content-security-policy", "")
    scripts = re.search(r"(?:^|;)\s*script-src\s([^;]*)", policy) or re.search(
        r"(?:^|;)\s*default-src\s([^;]*)", policy
    )
    unsafe = bool(scripts) and "'unsafe-inline'" in (scripts[1] if scripts else "") and "'nonce-" not in policy
    found = []
    if "strict-transport-security" in values and (age is None or int(age[1]) < 15_552_000):
        found.append(_finding("strict-transport-security", "medium", "It holds for less than 180 days.", _WANTED[0][2]))
    if policy and (unsafe or not scripts):
        found.append(
            _finding("content-security-policy", "medium", "Injected scripts run.", "script-src 'self' or nonces")
        )
    if values.get("x-content-type-options", "nosniff").lower() != "nosniff":
        found.append(_finding("x-content-type-options", "medium", "Its value is not nosniff.", "nosniff"))
    if values.get("referrer-policy", "").lower() == "unsafe-url":
        found.append(_finding("referrer-policy", "low", "It tells whole addresses to everybody.", _WANTED[3][2]))
    if values.get("access-control-allow-origin") == "*" and values.get("access-control-allow-credentials") == "true":
        found.append(_finding("access-control-allow-origin", "high", "It is * with credentials.", "Name the origins."))
    return found


def _describe(values: dict[str, str]) -> list[Finding]:
    names = ("server", "x-powered-by", "x-aspnet-version", "x-generator")
    disclosing = [name for name in names if re.search(r"\d", values.get(name, ""))]
    return [_finding(name, "low", f"It tells of {values[name][:60]}.", "Leave it out.") for name in disclosing]


def _cookies(values: list[str]) -> dict[str, list[str]]:
    lacking = {}
    for value in values[:100]:
        pair, *rest = (part.strip() for part in value.split(";"))
        attributes = {part.partition("=")[0].lower() for part in rest}
        missing = [name for name in ("HttpOnly", "Secure", "SameSite") if name.lower() not in attributes]
        if missing:
            lacking[pair.partition("=")[0][:100]] = missing
    return lacking


class BuiltPolicy(TypedDict):
    """A content security policy."""

    header: Annotated[str, About("Value of Content-Security-Policy")]
    report_only_header: Annotated[str, About("Header name for testing it without blocking")]
    notes: Annotated[list[str], About("Notes and warnings")]


@tool(
    tags="csp content security policy build create generate header nonce strict-dynamic",
    use_when=(
        "Build a Content-Security-Policy that allows scripts from my CDN",
        "Write a strict CSP with nonces",
        "Make a CSP for a site with images from anywhere and fonts from one host",
    ),
    examples=(
        Example(
            {"script_sources": ["https://cdn.example.com"], "image_sources": ["data:"]},
            {
                "header": "default-src 'self'; script-src 'self' https://cdn.example.com; img-src 'self' data:; "
                "object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'; "
                "upgrade-insecure-requests"
            },
            source="CSP Level 3, sections 6.1 to 6.4, by hand",
        ),
        Example(
            {"nonce": "r4nd0mVa1ue16bytes=", "framed_by": ["'self'"]},
            {
                "header": "default-src 'self'; script-src 'nonce-r4nd0mVa1ue16bytes=' 'strict-dynamic'; "
                "object-src 'none'; base-uri 'none'; frame-ancestors 'self'; form-action 'self'; "
                "upgrade-insecure-requests"
            },
            source="CSP Level 3, section 8.2: a strict policy",
        ),
        Refusal({"script_sources": ["a; b"]}, "script_sources"),
    ),
    reply="The policy: {header}",
)
def csp_build_policy(
    script_sources: Annotated[
        Sources | None, About("Additional sources of scripts", ["https://cdn.example.com"], max_items=50)
    ] = None,
    style_sources: Annotated[
        Sources | None, About("Sources of styles", ["https://cdn.example.com"], max_items=50)
    ] = None,
    image_sources: Annotated[Sources | None, About("Sources of images", ["data:"], max_items=50)] = None,
    connect_sources: Annotated[
        Sources | None, About("Addresses that scripts may connect to", ["https://api.example.com"], max_items=50)
    ] = None,
    font_sources: Annotated[
        Sources | None, About("Sources of fonts", ["https://fonts.example.com"], max_items=50)
    ] = None,
    framed_by: Annotated[
        Sources | None, About("Sites that may frame the page; default: none", ["'self'"], max_items=50)
    ] = None,
    nonce: Annotated[
        str | None,
        About(
            "Nonce for a strict policy: only scripts with this nonce run",
            "r4nd0mVa1ue16bytes=",
            pattern=r"^[A-Za-z0-9+/_-]+={0,2}$",
            max_length=100,
        ),
    ] = None,
    report_to: Annotated[
        str | None, About("Name of the reporting endpoint", "csp", pattern="^[A-Za-z0-9_-]+$", max_length=60)
    ] = None,
) -> BuiltPolicy:
    """Build a Content-Security-Policy that allows the site itself and the sources that you specify, and nothing else.

    Use it to protect a site against injected scripts. http_explain_policy reviews an existing policy.
    """
    sources_of = {
        "style-src": style_sources,
        "img-src": image_sources,
        "connect-src": connect_sources,
        "font-src": font_sources,
    }
    rules = {"default-src": ["'self'"]}
    if nonce:
        rules["script-src"] = [f"'nonce-{nonce}'", "'strict-dynamic'"]
    elif script_sources:
        rules["script-src"] = ["'self'", *script_sources]
    rules |= {name: list(dict.fromkeys(["'self'", *sources])) for name, sources in sources_of.items() if sources}
    rules |= {"object-src": ["'none'"], "base-uri": ["'none'"], "frame-ancestors": framed_by or ["'none'"]}
    rules |= {"form-action": ["'self'"], "upgrade-insecure-requests": []}
    rules |= {"report-to": [report_to]} if report_to else {}
    checks = {
        "The nonce must be new and random for each answer.": bool(nonce),
        "With a nonce, script_sources are not needed: they were left out.": bool(nonce and script_sources),
        "'unsafe-inline' lets injected scripts run.": "'unsafe-inline'" in (script_sources or []),
        "A source as wide as * or https: protects little.": bool({"*", "https:", "http:"} & set(script_sources or [])),
    }
    return {
        "header": "; ".join(" ".join([name, *sources]) for name, sources in rules.items()),
        "report_only_header": "Content-Security-Policy-Report-Only",
        "notes": [text for text, found in checks.items() if found],
    }


class CorsVerdict(TypedDict):
    """Result of evaluating a cross-origin request."""

    allowed: Annotated[bool, About("Whether the script may read the response")]
    needs_preflight: Annotated[bool, About("Whether the browser sends a preflight request (OPTIONS) first")]
    reasons: Annotated[list[str], About("Reasons for rejection")]
    headers_needed: Annotated[dict[str, str], About("Response headers that would allow it")]


_SIMPLE = {"application/x-www-form-urlencoded", "multipart/form-data", "text/plain"}


@tool(
    tags="cors explain preflight access-control headers origin browser error fetch credentials",
    use_when=(
        "Why is my fetch blocked by CORS? Here are the response headers",
        "Does a PUT with JSON need a preflight?",
        "Which CORS headers must my server send for this request?",
    ),
    examples=(
        Example(
            {
                "origin": "https://app.example.com",
                "method": "PUT",
                "content_type": "application/json",
                "response_headers": "Access-Control-Allow-Origin: https://app.example.com\n"
                "Access-Control-Allow-Methods: PUT\nAccess-Control-Allow-Headers: content-type",
            },
            {"allowed": True, "needs_preflight": True, "reasons": []},
            source="Fetch Standard, sections 4.8 and 4.10",
        ),
        Example(
            {
                "origin": "https://app.example.com",
                "credentials": True,
                "response_headers": "Access-Control-Allow-Origin: *",
            },
            {
                "allowed": False,
                "needs_preflight": False,
                "headers_needed": {
                    "Access-Control-Allow-Origin": "https://app.example.com",
                    "Vary": "Origin",
                    "Access-Control-Allow-Credentials": "true",
                },
            },
            source="Fetch Standard, section 4.9: * does not count with credentials",
        ),
        Refusal({"origin": "app.example.com", "response_headers": "a: b"}, "origin"),
    ),
    reply={
        "allowed, needs_preflight": "The browser allows this request, after a preflight.",
        "allowed": "The browser allows this request, without a preflight.",
        "reasons": "The browser blocks this request: {reasons}",
        "": "The browser blocks this request.",
    },
)
def cors_evaluate_exchange(
    origin: Annotated[
        str, About("Origin of the script", "https://app.example.com", pattern=r"^https?://[^/\s]+$", max_length=300)
    ],
    response_headers: Annotated[
        str,
        About(
            "Response headers, including those of the preflight", "Access-Control-Allow-Origin: *", max_length=50_000
        ),
    ],
    method: Annotated[Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], About("Method of the request")] = "GET",
    content_type: Annotated[
        str | None, About("Content-Type of the request", "application/json", max_length=200)
    ] = None,
    request_headers: Annotated[
        list[Annotated[str, About("Name", "Authorization", pattern="^[A-Za-z0-9-]+$", max_length=100)]] | None,
        About("Additional headers that the script sets", ["Authorization"], max_items=30),
    ] = None,
    credentials: Annotated[bool, About("Whether cookies are sent")] = False,
) -> CorsVerdict:
    """Explain whether a browser allows a request across origins, from pasted headers, and which headers the server
    lacks.

    Use it for CORS errors. http_check_cors queries a public server itself.
    """
    lines = (line.partition(":") for line in response_headers.splitlines())
    response = {name.strip().lower(): value.strip() for name, mark, value in lines if mark}
    simple = (content_type or "text/plain").partition(";")[0].strip().lower() in _SIMPLE
    names = {name.lower() for name in request_headers or []} - {
        "accept",
        "accept-language",
        "content-language",
        "content-type",
    }
    names |= set() if simple else {"content-type"}
    preflight = method in ("PUT", "PATCH", "DELETE") or bool(names)
    needed = {"Access-Control-Allow-Origin": origin, "Vary": "Origin"}
    needed |= {"Access-Control-Allow-Credentials": "true"} if credentials else {}
    if preflight:
        needed |= {"Access-Control-Allow-Methods": method, "Access-Control-Allow-Headers": ", ".join(sorted(names))}
    reasons = _refusals(response, origin, credentials)
    reasons += _preflight_refusals(response, method, names, credentials) if preflight else []
    return {
        "allowed": not reasons,
        "needs_preflight": preflight,
        "reasons": reasons,
        "headers_needed": {name: value for name, value in needed.items() if value},
    }


def _refusals(response: dict[str, str], origin: str, credentials: bool) -> list[str]:
    allowed = response.get("access-control-allow-origin", "")
    checks = {
        "Access-Control-Allow-Origin is missing.": not allowed,
        "With credentials, Access-Control-Allow-Origin must name the origin, not *.": credentials and allowed == "*",
        f"Access-Control-Allow-Origin is {allowed[:100]}, not {origin}.": allowed not in ("", "*", origin),
        "Access-Control-Allow-Credentials is not true.": credentials
        and response.get("access-control-allow-credentials") != "true",
    }
    return [text for text, found in checks.items() if found]


def _preflight_refusals(response: dict[str, str], method: str, requested: set[str], credentials: bool) -> list[str]:
    methods = {one.strip().upper() for one in response.get("access-control-allow-methods", "").split(",")}
    names = {one.strip().lower() for one in response.get("access-control-allow-headers", "").split(",")}
    everything = set() if credentials else {"*"}
    reasons = []
    if method not in ("GET", "HEAD", "POST") and not methods & {method, *everything}:
        reasons.append(f"Access-Control-Allow-Methods does not name {method}.")
    # Authorization is never covered by *.
    return reasons + [
        f"Access-Control-Allow-Headers does not name {name}."
        for name in sorted(requested)
        if not names & {name, *(everything if name != "authorization" else set())}
    ]
