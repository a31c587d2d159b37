"""HTTP requests, and checks of addresses."""

import base64
import json
import re
from typing import Annotated, Any, Literal

import orjson
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleConnection, HttpConnection, MockResponse, Refusal, ToolError, tool
from retinue.sdk.http import MIB, HttpCredential, Request, Response, fetch, send
from retinue_tools.web._pages import Address

Headers = Annotated[
    dict[str, Annotated[str, About("Value of the header", max_length=8192)]] | None,
    About("Headers to send, values by name; secrets come from a connection", {"Accept": "application/json"}),
]
_TEXTUAL = re.compile(r"text/|json|xml|javascript|x-www-form-urlencoded|yaml|csv|graphql")


class Hop(TypedDict):
    """A followed redirect."""

    status: Annotated[int, About("Status of the response")]
    url: Annotated[str, About("URL that redirected")]


class Answer(TypedDict):
    """Response of a server."""

    status: Annotated[int, About("Status code")]
    reason: Annotated[str, About("Reason phrase")]
    url: Annotated[str, About("Final URL")]
    headers: Annotated[
        dict[str, str], About("Headers, by lower-case name; several values of a name are joined by commas")
    ]
    text: Annotated[str, About("Body as text; empty if it is not text")]
    json: Annotated[Any, About("Body as JSON value; null if it is not JSON")]
    base64: Annotated[str, About("Body in Base64 if it is not text")]
    length: Annotated[int, About("Size of the body in bytes, decompressed")]
    cut: Annotated[bool, About("Whether the body is truncated")]
    redirects: Annotated[list[Hop], About("Followed redirects")]
    elapsed_ms: Annotated[float, About("Total duration")]


@tool(
    tags="http request api rest get post put patch delete call fetch json body headers endpoint",
    use_when=(
        "POST this JSON to https://api.example.com/items.",
        "Call the API at https://example.com/v1/status with my connection work-api.",
        "Send a DELETE request to this address.",
        "Get https://example.com/feed.json and show the JSON.",
    ),
    examples=(
        Example(
            {
                "url": "{site}/items?a=1",
                "method": "POST",
                "json_body": {"name": "tea"},
                "connection": "work-api",
            },
            {
                "status": 201,
                "json": {
                    "auth": "Bearer [secret of connection work-api]",
                    "type": "application/json",
                    "got": {"name": "tea"},
                },
                "cut": False,
            },
            source="what the stand-in was sent, which it sends back",
            connections={"work-api": ExampleConnection("http", {"base_url": "{site}"}, {"value": "token-of-work"})},
            site={
                "/items?a=1": MockResponse(
                    '{"auth": "{authorization}", "type": "{content-type}", "got": {sent}}',
                    201,
                    {"Content-Type": "application/json"},
                )
            },
        ),
        Example(
            {"url": "{site}/old", "method": "GET"},
            {"status": 200, "text": "new", "url": "{site}/new", "redirects": [{"status": 302, "url": "{site}/old"}]},
            source="RFC 9110, section 15.4.3",
            site={
                "/old": MockResponse("", 302, {"Location": "/new"}),
                "/new": MockResponse("new", 200, {"Content-Type": "text/plain"}),
            },
        ),
        Refusal({"url": "{site}/", "text_body": "a", "json_body": {}}, "one body", site={"/": MockResponse("x")}),
        Refusal({"url": "http://10.0.0.1/"}, "not a public address"),
        Refusal({"url": "https://example.com/", "headers": {"Authorization": "Bearer x"}}, "contains a secret"),
        Refusal({"url": "https://ann:word@example.com/"}, "the user and the password"),
        Refusal({"url": "https://example.com/?api_key=x"}, "the query parameter api_key"),
        Refusal(
            {"url": "https://example.com/", "connection": "work-api"},
            "its secret is not sent to any other address",
            connections={
                "work-api": ExampleConnection("http", {"base_url": "https://example.net"}, {"value": "token-of-work"})
            },
        ),
    ),
    reply={
        "json": "The server answered with {status}: {json}",
        "text": "The server answered with {status}: {text}",
        "reason": "The server answered with {status} ({reason}) and no body.",
        "": "The server answered with {status}.",
    },
    open_world=True,
    pace="normal",
    read_only=False,
    destructive=True,
    idempotent=False,
)
def http_send_request(
    url: Address,
    method: Annotated[
        Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"], About("Method of the request")
    ] = "GET",
    headers: Headers = None,
    connection: HttpConnection | None = None,
    json_body: Annotated[dict[str, Any] | list[Any] | None, About("Body to send as JSON", {"name": "tea"})] = None,
    text_body: Annotated[str | None, About("Body to send unchanged", "a=1&b=2", max_length=1_000_000)] = None,
    follow_redirects: Annotated[int, About("Maximum number of redirects", minimum=0, maximum=10)] = 5,
    most_bytes: Annotated[int, About("Maximum size of the body in bytes", minimum=0, maximum=2 * MIB)] = 500_000,
) -> Answer:
    """Send an HTTP request with method, headers and body, and return the whole answer (response).

    Use it to call any web API, with a connection if it requires a token or a key. Statuses of 400 or more are returned
    like others, not raised as errors. Only public addresses are allowed.
    """
    if json_body is not None and text_body is not None:
        raise ToolError("Give one body: json_body or text_body.")
    sent = dict(headers or {})
    body = None if text_body is None else text_body.encode()
    if json_body is not None:
        body = json.dumps(json_body).encode()
        if "content-type" not in {name.lower() for name in sent}:
            sent["Content-Type"] = "application/json"
    request = Request(method, url, sent, body, HttpCredential.of(connection, url))
    return _answer(send(request, max_bytes=most_bytes, follow=follow_redirects, timeout_s=18.0, whole=False))


def _answer(answer: Response) -> Answer:
    textual = bool(_TEXTUAL.search(answer.media_type)) or (not answer.media_type and _is_text(answer.body))
    return {
        "status": answer.status,
        "reason": answer.reason,
        "url": answer.url,
        "headers": header_texts(answer),
        "text": answer.text if textual else "",
        "json": _json(answer) if "json" in answer.media_type else None,
        "base64": "" if textual else base64.b64encode(answer.body).decode(),
        "length": len(answer.body),
        "cut": answer.cut,
        "redirects": [{"status": hop.status, "url": hop.url} for hop in answer.redirects],
        "elapsed_ms": answer.elapsed_ms,
    }


def header_texts(answer: Response) -> dict[str, str]:
    """Return the headers by lower-case name."""
    return {
        name.lower(): value.encode("latin-1", "replace").decode("utf-8", "replace")
        for name, value in answer.headers.items()
    }


def _is_text(body: bytes) -> bool:
    try:
        return "\0" not in body.decode()
    except UnicodeDecodeError:
        return False


def _json(answer: Response) -> Any:
    try:
        return orjson.loads(answer.body)
    except ValueError:
        return None


class Check(TypedDict):
    """Status check of an address."""

    ok: Annotated[bool, About("Whether the last status is below 400")]
    status: Annotated[int, About("Last status code")]
    reason: Annotated[str, About("Reason phrase")]
    url: Annotated[str, About("Final URL")]
    redirects: Annotated[list[Hop], About("Redirects that led there")]
    media_type: Annotated[str, About("Media type of the response")]
    https: Annotated[bool, About("Whether the final address uses https")]
    elapsed_ms: Annotated[float, About("Total duration")]


@tool(
    tags="status uptime website down online check redirect chain http code response time site up",
    use_when=(
        "Is https://example.com up?",
        "Where does http://example.com redirect to?",
        "Which HTTP status does this page return?",
        "How fast does the site answer?",
        "Is this site up or down at the moment?",
        "Is the web server online and does the page load?",
        "Is this website down?",
        "Does this website work?",
        "Is the site up right now?",
    ),
    examples=(
        Example(
            {"url": "{site}/a"},
            {
                "ok": True,
                "status": 200,
                "url": "{site}/b",
                "redirects": [{"status": 301, "url": "{site}/a"}],
                "media_type": "text/html",
                "https": False,
            },
            source="RFC 9110, section 15.4.2",
            site={"/a": MockResponse("", 301, {"Location": "/b"}), "/b": MockResponse("<p>x")},
        ),
        Example(
            {"url": "{site}/b", "method": "HEAD"},
            {"ok": False, "status": 503, "reason": "Service Unavailable"},
            source="RFC 9110, section 15.6.4",
            site={"/b": MockResponse("x", 503)},
        ),
        Refusal({"url": "http://[::1]/"}, "not a public address"),
    ),
    reply={
        "ok, redirects": "Yes, the address answers with {status} after redirects to {url}.",
        "ok": "Yes, {args.url} answers with {status} after {elapsed_ms} ms.",
        "reason": "No, {args.url} answers with {status} ({reason}).",
        "": "No, {args.url} answers with {status}.",
    },
    open_world=True,
    pace="normal",
    idempotent=False,
)
def http_check_status(
    url: Address, method: Annotated[Literal["GET", "HEAD"], About("Request method")] = "GET"
) -> Check:
    """Check whether a web address answers: its status, the redirects, and how long it took.

    Use it for uptime and redirect questions. The body is not read.
    """
    answer = fetch(url, method, max_bytes=0, whole=False, follow=10, timeout_s=15.0)
    return {
        "ok": answer.status < 400,
        "status": answer.status,
        "reason": answer.reason,
        "url": answer.url,
        "redirects": [{"status": hop.status, "url": hop.url} for hop in answer.redirects],
        "media_type": answer.media_type,
        "https": answer.url.startswith("https:"),
        "elapsed_ms": answer.elapsed_ms,
    }
