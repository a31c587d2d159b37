"""Cookies, as their headers spell them."""

import re
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool


class Cookie(TypedDict):
    """A cookie."""

    name: Annotated[str, About("Its name")]
    value: Annotated[str, About("Its value")]
    domain: Annotated[str, About("Domain it is for; empty for the host alone")]
    path: Annotated[str, About("Path it is for")]
    expires: Annotated[str, About("When it ends; empty at the end of the session")]
    max_age_s: Annotated[int | None, About("How long it lives")]
    secure: Annotated[bool, About("Whether it is sent over https only")]
    http_only: Annotated[bool, About("Whether scripts cannot read it")]
    same_site: Annotated[str, About("Strict, Lax, None, or empty")]
    problems: Annotated[list[str], About("What a browser or an attacker may make of it")]


class Cookies(TypedDict):
    """Cookies."""

    cookies: Annotated[list[Cookie], About("In the order given")]


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
)
def http_parse_cookies(
    header: Annotated[
        str, About("Value of Set-Cookie or Cookie, one header a line", "id=1; Secure; HttpOnly", max_length=100_000)
    ],
    kind: Annotated[
        Literal["response", "request"], About("Set-Cookie of a response, or Cookie of a request")
    ] = "response",
) -> Cookies:
    """Take Set-Cookie or Cookie headers apart into cookies with their attributes, and name what is wrong with them.

    Use it to review session cookies or to read a captured header. Attributes are read as RFC 6265 says.
    """
    lines = [re.sub(r"^\s*(set-)?cookie\s*:", "", line, flags=re.IGNORECASE) for line in header.splitlines()]
    parts = [part for line in lines for part in (line.split(";") if kind == "request" else [line]) if part.strip()]
    if not parts or not all("=" in part.partition(";")[0] for part in parts):
        raise ToolError("There is no cookie in it: write name=value, with ; before each attribute.")
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
