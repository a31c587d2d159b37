"""Requests of scripts to servers of another origin."""

from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Served, tool
from retinue.sdk.http import fetch
from retinue_tools.web._pages import Address
from retinue_tools.web.exchange import header_texts


class CrossOrigin(TypedDict):
    """Whether scripts of another origin may read an answer."""

    allowed: Annotated[bool, About("Whether a browser lets the script read the answer")]
    preflight: Annotated[bool, About("Whether a browser asks by OPTIONS first")]
    preflight_status: Annotated[int | None, About("Status of that answer")]
    allow_origin: Annotated[str, About("Access-Control-Allow-Origin")]
    allow_methods: Annotated[str, About("Access-Control-Allow-Methods")]
    allow_headers: Annotated[str, About("Access-Control-Allow-Headers")]
    allow_credentials: Annotated[bool, About("Whether cookies may come along")]
    problems: Annotated[list[str], About("Why not")]


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
            site={"/api": Served("x", 200, {"Access-Control-Allow-Origin": "*"})},
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
                "/api": Served(
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
        Refusal({"url": "{site}/", "origin": "app.example.com"}, "origin must", site={"/": Served("x")}),
    ),
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
    credentials: Annotated[bool, About("Whether cookies come along")] = False,
) -> CrossOrigin:
    """Check whether a browser would let a script of another origin call an address (CORS).

    Use it to find out why a browser blocks a request. Sends the preflight where a browser would, else a plain GET,
    and names each header that stands in the way.
    """
    named = sorted(name.lower() for name in request_headers or [] if name.lower() not in _SAFE_HEADERS)
    preflight = method not in ("GET", "HEAD", "POST") or bool(named)
    sent = {"Origin": origin}
    if preflight:
        sent["Access-Control-Request-Method"] = method
        sent |= {"Access-Control-Request-Headers": ",".join(named)} if named else {}
    answer = fetch(
        url, "OPTIONS" if preflight else "GET", headers=sent, max_bytes=0, whole=False, follow=0, timeout_s=15.0
    )
    headers = header_texts(answer)
    problems = _origin_problems(headers, origin, credentials)
    if preflight:
        problems += _preflight_problems(headers, answer.status, method, named, credentials)
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
    headers: dict[str, str], status: int, method: str, named: list[str], credentials: bool
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
        for name in named
        if not names & {name, *(any_one if name != "authorization" else set())}
    ]
    return problems
