"""HTTP for tools, over connections that the server opens: its guard checks every address, including redirects.

urllib3 is a library of the tools' environment: only tool modules import this module, never the server.
"""

import codecs
import re
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from http.client import HTTPException
from pathlib import Path
from threading import Timer
from urllib.parse import unquote, urljoin

import certifi
import orjson
from urllib3 import HTTPHeaderDict
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, LocationParseError
from urllib3.response import HTTPResponse
from urllib3.util import Url, make_headers, parse_url

from retinue.core.network.charsets import codec_of
from retinue.tools.authoring.declare import ToolError, ToolUnavailable
from retinue.tools.outbound import worker_sockets
from retinue.tools.outbound.http_credentials import HttpCredential

MIB = 2**20
LONGEST_URL = 8192
_CHUNK = 65_536
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PRIVATE = frozenset({"authorization", "cookie", "proxy-authorization"})
_OF_THE_BODY = frozenset({"content-type", "content-length", "content-encoding", "transfer-encoding"})
_OWN = {"User-Agent": "Retinue (self-hosted agent platform)", "Accept": "*/*", "Accept-Encoding": "gzip, deflate"}
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})""")
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirect that was followed."""

    url: str
    status: int


@dataclass(frozen=True, slots=True)
class Response:
    """The final response. `body` is decompressed; `transferred` counts its bytes on the wire; `elapsed_ms` is the
    total time. `cut` is true if the body was longer and the caller did not want all of it.
    """

    status: int
    reason: str
    headers: HTTPHeaderDict
    body: bytes
    url: str
    redirects: tuple[Redirect, ...]
    elapsed_ms: float
    transferred: int
    cut: bool

    @property
    def media_type(self) -> str:
        """The media type, without its parameters, in lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def text(self) -> str:
        """The body in its charset."""
        return decode(self.body, self.headers.get("content-type", ""))

    def json(self) -> object:
        """Return the body as a JSON value. Raises `ToolError`."""
        try:
            return orjson.loads(self.body)
        except ValueError as error:
            raise ToolError(f"{self.url} responded with {self.status}, and not with JSON.") from error

    def raise_for_status(self) -> "Response":
        """Return this response. Raises `ToolError` if its status is an error."""
        if self.status >= 400:
            raise ToolError(f"{self.url} responded with {self.status} {self.reason}. Check the address.")
        return self


@dataclass(frozen=True, slots=True)
class Request:
    """A request. A `credential` is sent to every address it covers, after redirects as well, and removed from
    responses.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None
    credential: HttpCredential | None = None

    def redirect(self, answer: Response) -> "Request":
        """Return the next request (RFC 9110, section 15.4), without credentials for another origin."""
        url = _redirect_target(self.url, answer.headers["location"])
        method, body, headers = self.method, self.body, dict(self.headers)
        if method != "HEAD" and (answer.status == 303 or (answer.status in (301, 302) and method == "POST")):
            method, body, headers = "GET", None, _without(headers, _OF_THE_BODY)
        if _origin(parse(url)) != _origin(parse(self.url)):
            headers = _without(headers, _PRIVATE | {"host"})
        return Request(method, url, headers, body, self.credential)


def _redirect_target(url: str, location: str) -> str:
    """Return the target of a redirect (RFC 3986, section 5). Raises `ToolError`."""
    try:
        return urljoin(url, location)
    except ValueError as error:
        raise ToolError(
            f"{url} redirects to {location[:200]}, which is not a web address. Use another address."
        ) from error


class _Deadline:
    """The time limit of a whole exchange."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._start = time.monotonic()

    @property
    def elapsed_ms(self) -> float:
        return round((time.monotonic() - self._start) * 1000, 3)

    @property
    def left_s(self) -> float:
        return max(self.seconds - (time.monotonic() - self._start), 0.001)

    @property
    def passed(self) -> bool:
        return time.monotonic() - self._start >= self.seconds

    @contextmanager
    def over(self, connection: socket.socket) -> Iterator[None]:
        """Close a connection at the deadline, even if its other end keeps sending slowly."""
        with connection.dup() as handle:
            timer = Timer(self.left_s, _break_off, (handle,))
            timer.daemon = True
            timer.start()
            try:
                yield
            finally:
                timer.cancel()
                timer.join()


def fetch(
    url: str,
    method: str = "GET",
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    timeout_s: float = 10.0,
    max_bytes: int = 5 * MIB,
    follow: int = 5,
    whole: bool = True,
) -> Response:
    """Send a request and follow up to `follow` redirects; with 0, return the redirect itself. See `send`."""
    request = Request(method, url, headers or {}, body)
    return send(request, timeout_s=timeout_s, max_bytes=max_bytes, follow=follow, whole=whole)


def send(
    request: Request, *, timeout_s: float = 10.0, max_bytes: int = 5 * MIB, follow: int = 5, whole: bool = True
) -> Response:
    """Send a request within `timeout_s` seconds in total.

    A body of more than `max_bytes`, decompressed, is refused, or cut if `whole` is false. Raises `ToolError` for
    errors that the caller can fix, `ToolUnavailable` if the host does not answer.
    """
    url, deadline = request.url, _Deadline(timeout_s)
    passed: list[Redirect] = []
    while True:
        answer = replace(_exchange(request, deadline, max_bytes, whole=whole), redirects=tuple(passed))
        if not follow or answer.status not in _REDIRECTS or "location" not in answer.headers:
            return answer
        if len(passed) == follow:
            raise ToolError(f"{url} redirects more than {follow} times.")
        passed.append(Redirect(request.url, answer.status))
        request = request.redirect(answer)


def parse(url: str) -> Url:
    """Return the parts of an http or https address. Raises `ToolError`."""
    try:
        parts = parse_url(url.strip()) if len(url) <= LONGEST_URL else Url()
    except LocationParseError as error:
        raise ToolError(f"{url[:200]} is not a web address. Write it as https://example.com/page.") from error
    if parts.scheme not in ("http", "https") or not parts.host:
        raise ToolError(f"{url[:200]} is not a web address. Write it with its scheme, as https://example.com/page.")
    return parts


@cache
def create_ssl_context() -> ssl.SSLContext:
    """Return an SSL context with this machine's certificate authorities, or those of certifi if it has none."""
    context = ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if not paths.cafile and not (paths.capath and any(Path(paths.capath).glob("*.[0-9]"))):
        context.load_verify_locations(certifi.where())
    return context


def decode(body: bytes, content_type: str = "") -> str:
    """Decode a text by its byte order mark, the charset of its media type, or the declaration at its start; else as
    UTF-8.

    A text without any of these that is invalid UTF-8 is decoded as Windows-1252, as browsers do. The result never
    holds lone surrogates.
    """
    header = re.search(r"charset\s*=\s*[\"']?([^\s\"';]+)", content_type, re.IGNORECASE)
    declared = _DECLARED.search(body[:2048])
    marked = next((name for mark, name in _MARKS.items() if body.startswith(mark)), None)
    for name in (marked, header and header[1], declared and declared[1].decode("ascii"), "utf-8"):
        with suppress(ValueError):
            if codec := codec_of(name):
                text = body.decode(codec)
                text.encode()
                return text
    return body.decode("windows-1252", "replace")


def _exchange(request: Request, deadline: _Deadline, most: int, *, whole: bool) -> Response:
    parts = parse(request.url)
    host = str(parts.host).strip("[]")
    with _describe(host, deadline):
        raw = worker_sockets.connect(host, parts.port or (443 if parts.scheme == "https" else 80), deadline.left_s)
        with raw, deadline.over(raw):
            connection = _connection(parts, host, raw, deadline)
            try:
                _send(connection, request, parts)
                answer = connection.getresponse()
                body, cut = _read(answer, most)
            finally:
                connection.close()
    if deadline.passed:
        raise ToolUnavailable(f"{host} did not respond completely within {deadline.seconds:g} s.")
    if cut and whole:
        raise ToolError(f"The response of {request.url} is larger than {most / MIB:g} MiB.")
    if request.credential:
        body = request.credential.redaction.content(body)
    return Response(
        status=answer.status,
        reason=answer.reason or "",
        headers=answer.headers,
        body=body,
        url=request.url,
        redirects=(),
        elapsed_ms=deadline.elapsed_ms,
        transferred=answer.tell(),
        cut=cut,
    )


def _connection(parts: Url, host: str, raw: socket.socket, deadline: _Deadline) -> HTTPConnection:
    if parts.scheme == "http":
        connection = HTTPConnection(host, parts.port or 80, timeout=deadline.left_s)
        connection.sock = raw
    else:
        connection = HTTPSConnection(host, parts.port or 443, timeout=deadline.left_s)
        connection.sock = create_ssl_context().wrap_socket(raw, server_hostname=host)
    return connection


def _send(connection: HTTPConnection, request: Request, parts: Url) -> None:
    header_names = {name.lower() for name in request.headers}
    own = {name: value for name, value in _OWN.items() if name.lower() not in header_names}
    if parts.auth and "authorization" not in header_names:
        own["Authorization"] = make_headers(basic_auth=unquote(parts.auth))["authorization"]
    headers, target = {**own, **request.headers, "Connection": "close"}, parts.request_uri
    if request.credential and request.credential.covers(parts.url):
        headers, target = request.credential.headers(headers), request.credential.target(target)
    try:
        connection.request(request.method, target, request.body, headers, preload_content=False)
    except (ValueError, UnicodeError) as error:
        # The reason may quote a whole header.
        reason = "" if request.credential else f": {error}"
        raise ToolError(
            f"The request cannot be sent{reason}. Check the method, the headers and the address."
        ) from error


def _read(answer: HTTPResponse, most: int) -> tuple[bytes, bool]:
    """Read up to `most` bytes of the body, decompressed; also return whether there are more."""
    body = bytearray()
    while len(body) <= most and (part := answer.read(min(_CHUNK, most + 1 - len(body)), decode_content=True)):
        body += part
    return bytes(body[:most]), len(body) > most


@contextmanager
def _describe(host: str, deadline: _Deadline) -> Iterator[None]:
    """Translate errors of a host into plain English."""
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        raise ToolError(f"The certificate of {host} is not valid: {error.verify_message}.") from error
    except ssl.SSLError as error:
        raise ToolError(
            f"{host} and this server have no TLS version in common ({error.reason or 'connection closed'})."
        ) from error
    except worker_sockets.HostUnreachable as error:
        raise ToolUnavailable(f"{host} cannot be reached: {error}.") from error
    except (OSError, HTTPException, HTTPError) as error:
        if deadline.passed or isinstance(error, TimeoutError):
            raise ToolUnavailable(f"{host} did not respond completely within {deadline.seconds:g} s.") from error
        raise ToolUnavailable(f"{host} sent an invalid response: {str(error)[:200]}.") from error
    except ValueError as error:
        raise ToolError(f"{host} is not a valid host name: {error}.") from error


def _break_off(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _origin(parts: Url) -> tuple[str | None, str | None, int]:
    return parts.scheme, parts.host, parts.port or (443 if parts.scheme == "https" else 80)


def _without(headers: Mapping[str, str], names: frozenset[str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in names}
