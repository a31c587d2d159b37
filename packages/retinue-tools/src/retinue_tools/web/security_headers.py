"""Security headers of sites, and cross-origin requests (CORS)."""

import re
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockResponse, Refusal, ToolError, tool
from retinue.sdk.http import fetch
from retinue_tools.web._pages import Address
from retinue_tools.web.http_requests import header_texts


class CrossOrigin(TypedDict):
    """Result of a cross-origin check."""

    allowed: Annotated[bool, About("Whether a browser lets the script read the response")]
    preflight: Annotated[bool, About("Whether a browser sends a preflight request (OPTIONS) first")]
    preflight_status: Annotated[int | None, About("Status of the preflight response")]
    allow_origin: Annotated[str, About("Access-Control-Allow-Origin")]
    allow_methods: Annotated[str, About("Access-Control-Allow-Methods")]
    allow_headers: Annotated[str, About("Access-Control-Allow-Headers")]
    allow_credentials: Annotated[bool, About("Whether cookies are allowed")]
    problems: Annotated[list[str], About("Reasons for rejection")]


@tool(
    tags="cors cross-origin access-control preflight options browser api javascript",
    use_when=(
        "May a script on https://app.example.com call https://api.example.com?",
        "Why does the browser block my request with a CORS error?",
        "Test the preflight of a PUT with an Authorization header.",
    ),
    examples=(
        Example(
            {"url": "{site}/api", "origin": "https://app.example.com"},
            {"allowed": True, "preflight": False, "allow_origin": "*", "problems": []},
            source="Fetch Standard, section 4.9 (CORS check)",
            site={"/api": MockResponse("x", 200, {"Access-Control-Allow-Origin": "*"})},
        ),
        Example(
            {
                "url": "{site}/api",
                "origin": "https://app.example.com",
                "method": "PUT",
                "request_headers": ["Authorization"],
                "credentials": True,
            },
            {
                "allowed": False,
                "preflight": True,
                "preflight_status": 204,
                "problems": [
                    "With credentials, Access-Control-Allow-Origin must name the origin, not *.",
                    "Access-Control-Allow-Credentials is not true.",
                    "Access-Control-Allow-Methods does not name PUT.",
                    "Access-Control-Allow-Headers does not name authorization.",
                ],
            },
            source="Fetch Standard, sections 4.8 and 4.9",
            site={
                "/api": MockResponse(
                    "",
                    204,
                    {
                        "Access-Control-Allow-Origin": "*",
                        "Access-Control-Allow-Methods": "GET",
                        "Access-Control-Allow-Headers": "X-A",
                    },
                )
            },
        ),
        Refusal({"url": "{site}/", "origin": "app.example.com"}, "origin must", site={"/": MockResponse("x")}),
    ),
    reply={
        "allowed": "Yes, the browser allows it.",
        "problems": "No, the browser blocks it: {problems}",
        "": "No, the browser blocks it.",
    },
    open_world=True,
    pace="normal",
)
def http_check_cors(
    url: Address,
    origin: Annotated[
        str,
        About("Origin of the script", "https://app.example.com", pattern=r"^https?://[^/\s]+$", max_length=300),
    ],
    method: Annotated[
        Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], About("Method of the script's request")
    ] = "GET",
    request_headers: Annotated[
        list[Annotated[str, About("Name", "Authorization", pattern="^[A-Za-z0-9-]+$", max_length=100)]] | None,
        About("Headers that the script sets", ["Authorization"], max_items=20),
    ] = None,
    credentials: Annotated[bool, About("Whether cookies are sent")] = False,
) -> CrossOrigin:
    """Check whether a browser would let a script of another origin call an address (CORS).

    Use it to find out why a browser blocks a request. It sends the preflight if a browser would, otherwise a plain GET,
    and reports each header that prevents access.
    """
    header_names = sorted(name.lower() for name in request_headers or [] if name.lower() not in _SAFE_HEADERS)
    preflight = method not in ("GET", "HEAD", "POST") or bool(header_names)
    sent = {"Origin": origin}
    if preflight:
        sent["Access-Control-Request-Method"] = method
        sent |= {"Access-Control-Request-Headers": ",".join(header_names)} if header_names else {}
    answer = fetch(
        url, "OPTIONS" if preflight else "GET", headers=sent, max_bytes=0, whole=False, follow=0, timeout_s=15.0
    )
    headers = header_texts(answer)
    problems = _origin_problems(headers, origin, credentials)
    if preflight:
        problems += _preflight_problems(headers, answer.status, method, header_names, credentials)
    return {
        "allowed": not problems,
        "preflight": preflight,
        "preflight_status": answer.status if preflight else None,
        "allow_origin": headers.get("access-control-allow-origin", ""),
        "allow_methods": headers.get("access-control-allow-methods", ""),
        "allow_headers": headers.get("access-control-allow-headers", ""),
        "allow_credentials": headers.get("access-control-allow-credentials") == "true",
        "problems": problems,
    }


_SAFE_HEADERS = {"accept", "accept-language", "content-language"}


def _origin_problems(headers: dict[str, str], origin: str, credentials: bool) -> list[str]:
    allowed = headers.get("access-control-allow-origin", "")
    problems = []
    if credentials and allowed == "*":
        problems.append("With credentials, Access-Control-Allow-Origin must name the origin, not *.")
    elif allowed not in ("*", origin):
        problems.append(f"Access-Control-Allow-Origin is {allowed or 'missing'}, not {origin}.")
    if credentials and headers.get("access-control-allow-credentials") != "true":
        problems.append("Access-Control-Allow-Credentials is not true.")
    return problems


def _preflight_problems(
    headers: dict[str, str], status: int, method: str, header_names: list[str], credentials: bool
) -> list[str]:
    methods, names = (
        {item.strip().lower() for item in headers.get(f"access-control-allow-{kind}", "").split(",")}
        for kind in ("methods", "headers")
    )
    any_one = set() if credentials else {"*"}
    problems = [] if 200 <= status < 300 else [f"The preflight is answered with {status}, not with 2xx."]
    if method not in ("GET", "HEAD", "POST") and not methods & {method.lower(), *any_one}:
        problems.append(f"Access-Control-Allow-Methods does not name {method}.")
    problems += [
        f"Access-Control-Allow-Headers does not name {name}."
        for name in header_names
        if not names & {name, *(any_one if name != "authorization" else set())}
    ]
    return problems


class Finding(TypedDict):
    """Assessment of a header."""

    header: Annotated[str, About("Name of the header")]
    value: Annotated[str | None, About("Value; null if it is missing")]
    good: Annotated[bool, About("Whether it protects")]
    advice: Annotated[str, About("Recommendation; empty if there is none")]


class SecurityHeaders(TypedDict):
    """Security headers of a response."""

    grade: Annotated[str, About("Grade, A to F, by the score")]
    score: Annotated[int, About("Score from 0 to 100")]
    findings: Annotated[list[Finding], About("One entry for each checked header")]
    discloses: Annotated[list[str], About("Headers that disclose software and versions")]
    headers: Annotated[dict[str, str], About("All headers")]
    status: Annotated[int, About("Status of the response")]
    url: Annotated[str, About("Final URL")]


_ADVICE = {
    "strict-transport-security": (25, "Send max-age=31536000; includeSubDomains, over https."),
    "content-security-policy": (25, "Send a policy that names the sources of scripts, without 'unsafe-inline'."),
    "x-content-type-options": (15, "Send nosniff."),
    "x-frame-options": (15, "Send DENY or SAMEORIGIN, or frame-ancestors in the content security policy."),
    "referrer-policy": (10, "Send strict-origin-when-cross-origin or stricter."),
    "permissions-policy": (10, "Switch off what the page does not use, as camera=(), microphone=()."),
}


@tool(
    tags="security headers hsts csp x-frame-options nosniff referrer-policy grade audit http",
    use_when=(
        "Does https://example.com send good security headers?",
        "Is HSTS switched on for this site?",
        "Show and grade the response headers of this address.",
    ),
    examples=(
        Example(
            {"url": "{site}/"},
            {"grade": "F", "score": 15, "status": 200, "discloses": ["server", "x-powered-by"]},
            source="by hand: X-Content-Type-Options alone counts 15 of 100",
            site={"/": MockResponse("x", 200, {"X-Content-Type-Options": "nosniff", "X-Powered-By": "PHP/8.1"})},
        ),
        Example(
            {"url": "{site}/"},
            {"grade": "B", "score": 75},
            source="by hand: all but HSTS, which does not count over http (RFC 6797, section 8.1)",
            site={
                "/": MockResponse(
                    "x",
                    200,
                    {
                        "Strict-Transport-Security": "max-age=31536000",
                        "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'",
                        "X-Content-Type-Options": "nosniff",
                        "Referrer-Policy": "no-referrer",
                        "Permissions-Policy": "camera=()",
                    },
                )
            },
        ),
        Refusal({"url": "example"}, "with its scheme"),
    ),
    reply={
        "findings": "{url} gets the grade {grade}, {score} of 100: {findings}",
        "": "It gets the grade {grade}, {score} of 100.",
    },
    open_world=True,
    pace="normal",
)
def http_audit_headers(url: Address) -> SecurityHeaders:
    """Fetch the headers of a web address and grade those that protect its readers.

    Use it to review the security headers of a site. Returns an assessment and a recommendation for each.
    """
    answer = fetch(url, max_bytes=0, whole=False, timeout_s=15.0)
    headers = header_texts(answer)
    findings = [_finding(name, headers, answer.url.startswith("https:")) for name in _ADVICE]
    score = sum(_ADVICE[finding["header"]][0] for finding in findings if finding["good"])
    grades = ((90, "A"), (75, "B"), (60, "C"), (45, "D"), (30, "E"))
    revealing = ("server", "x-powered-by", "x-aspnet-version", "x-generator")
    return {
        "grade": next((grade for least, grade in grades if score >= least), "F"),
        "score": score,
        "findings": findings,
        "discloses": [name for name in revealing if any(sign.isdigit() for sign in headers.get(name, ""))],
        "headers": headers,
        "status": answer.status,
        "url": answer.url,
    }


def _finding(name: str, headers: dict[str, str], https: bool) -> Finding:
    value = headers.get(name)
    text = (value or "").lower()
    policy = headers.get("content-security-policy", "").lower()
    age = re.search(r"max-age\s*=\s*\"?(\d{1,18})", text)
    good = {
        "strict-transport-security": https and age is not None and int(age[1]) >= 15_552_000,
        "content-security-policy": bool(text) and "'unsafe-inline'" not in _scripts(text),
        "x-content-type-options": text.strip() == "nosniff",
        "x-frame-options": text.strip() in ("deny", "sameorigin") or "frame-ancestors" in policy,
        "referrer-policy": bool(text) and text.strip() not in ("unsafe-url", "no-referrer-when-downgrade"),
        "permissions-policy": bool(text),
    }[name]
    return {"header": name, "value": value, "good": good, "advice": "" if good else _ADVICE[name][1]}


def _scripts(policy: str) -> str:
    """Return the rules of a policy for scripts."""
    rules = policy_rules(policy)
    return " ".join(rules.get("script-src", rules.get("default-src", ["'unsafe-inline'"])))


def policy_rules(policy: str) -> dict[str, list[str]]:
    """Parse the directives of a content security policy; the first with a name applies (CSP Level 3, section 2.2.1)."""
    rules: dict[str, list[str]] = {}
    for part in policy.split(";"):
        words = part.split()
        if words:
            rules.setdefault(words[0].lower(), words[1:])
    return rules


class Policy(TypedDict):
    """Content of a content security policy."""

    directives: Annotated[dict[str, list[str]], About("Sources by directive")]
    weaknesses: Annotated[list[str], About("Weaknesses")]
    strict: Annotated[bool, About("Whether scripts run only by nonce or hash")]


@tool(
    tags="csp content security policy script-src xss headers explain",
    use_when=(
        "What does this Content-Security-Policy allow?",
        "Is the policy script-src 'unsafe-inline' safe?",
        "Review my CSP for weaknesses.",
    ),
    examples=(
        Example(
            {"policy": "script-src 'self' 'unsafe-inline' https:; object-src 'none'"},
            {
                "directives": {"script-src": ["'self'", "'unsafe-inline'", "https:"], "object-src": ["'none'"]},
                "strict": False,
                "weaknesses": [
                    "script-src allows 'unsafe-inline': injected scripts run.",
                    "script-src allows https:: scripts of any server run.",
                    "base-uri is missing: an injected <base> may redirect relative scripts.",
                    "frame-ancestors is missing: any site may frame the page.",
                ],
            },
            source="CSP Level 3, sections 6.1, 6.3.1, 6.4.2 and 8.1",
        ),
        Example(
            {
                "policy": "default-src 'none'; script-src 'nonce-abc' 'strict-dynamic'; "
                "base-uri 'none'; frame-ancestors 'none'"
            },
            {"strict": True, "weaknesses": []},
            source="CSP Level 3, section 8.2 (strict-dynamic)",
        ),
        Refusal({"policy": " ; "}, "no directive"),
    ),
    reply={
        "weaknesses": "The policy has weaknesses: {weaknesses}",
        "strict": "The policy is strict: scripts run only by nonce or hash.",
        "": "The policy has no known weaknesses.",
    },
)
def http_explain_policy(
    policy: Annotated[str, About("Value of Content-Security-Policy", "default-src 'self'", max_length=20_000)],
) -> Policy:
    """Explain a content security policy and report its weaknesses against injected scripts.

    Use it to review or write the Content-Security-Policy header of a site.
    """
    rules = policy_rules(policy)
    if not rules:
        raise ToolError("The text contains no directive. Write it as default-src 'self'; object-src 'none'.")
    name = next((one for one in ("script-src", "default-src") if one in rules), "")
    scripts = [source.lower() for source in rules.get(name, [])]
    strict = any(source.startswith(("'nonce-", "'sha")) for source in scripts)
    checks: dict[str, Any] = {
        "Neither script-src nor default-src is given: scripts run from anywhere.": not name,
        f"{name} allows 'unsafe-inline': injected scripts run.": "'unsafe-inline'" in scripts and not strict,
        f"{name} allows 'unsafe-eval': texts can become code.": "'unsafe-eval'" in scripts,
        "object-src is missing: plug-ins load from anywhere.": not rules.keys() & {"object-src", "default-src"},
        "base-uri is missing: an injected <base> may redirect relative scripts.": "base-uri" not in rules,
        "frame-ancestors is missing: any site may frame the page.": "frame-ancestors" not in rules,
    }
    wide = {
        f"{name} allows {source}: scripts of any server run.": source in ("*", "http:", "https:", "data:")
        for source in scripts
        if "'strict-dynamic'" not in scripts
    }
    items = list(checks.items())
    ordered = [*items[:2], *wide.items(), *items[2:]]
    return {"directives": rules, "weaknesses": [text for text, found in ordered if found], "strict": strict}
