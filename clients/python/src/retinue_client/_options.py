"""The options of a client, and the requests and errors that follow from them."""

import os
import platform
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from retinue_client._calls import Call
from retinue_client.errors import APIConnectionError, APIError, APITimeoutError, RetinueError, error_of

__version__ = "0.1.0"
BASE = "/api/v1"
DEFAULT_URL = "http://127.0.0.1:8000"
DEFAULT_RETRIES = 3
DEFAULT_TIMEOUT_S = 600.0
"""Runs that a caller waits for can take minutes."""

_CONNECT_S = 10.0
_SILENCE_S = 60.0
"""The server sends at least a comment on a stream every 15 seconds."""
_KEY_VARIABLES = ("RETINUE_API_KEY", "RETINUE_KEY")


@dataclass(frozen=True)
class Options:
    """How requests are sent: the server, the API key, the timeout and the number of retries."""

    api_key: str
    url: str
    timeout: float
    max_retries: int

    @classmethod
    def resolve(cls, api_key: str | None, base_url: str | None, timeout: float, max_retries: int) -> "Options":
        """Return the options. Missing arguments are read from the environment or set to their defaults."""
        key = api_key or next((value for name in _KEY_VARIABLES if (value := os.environ.get(name))), None)
        if not key:
            raise RetinueError("There is no API key. Pass api_key, or set RETINUE_API_KEY.")
        if not (key.isascii() and key.isprintable()):
            raise RetinueError("The API key contains characters that are not allowed in headers.")
        url = (base_url or os.environ.get("RETINUE_URL") or DEFAULT_URL).rstrip("/")
        return cls(key, url.removesuffix(BASE), timeout, max_retries)

    def __repr__(self) -> str:
        return f"Options(url={self.url!r}, timeout={self.timeout}, max_retries={self.max_retries})"

    def request(self, call: Call, stream: bool) -> dict[str, Any]:
        """Return the arguments of `httpx.Client.build_request`, which are the same for each attempt."""
        return {
            "method": call.method,
            "url": f"{self.url}{BASE}{call.path}",
            "params": {name: value for name, value in (call.query or {}).items() if value is not None},
            "headers": self._headers(call, stream),
            **({} if call.body is None else {"json": call.body}),
        }

    def timeouts(self, stream: bool, longest: float) -> httpx.Timeout:
        """Return the timeouts of an attempt, which are at most `longest` seconds."""
        silence = min(self.timeout, _SILENCE_S) if stream else self.timeout
        return httpx.Timeout(min(silence, longest), connect=min(_CONNECT_S, longest))

    def _headers(self, call: Call, stream: bool) -> dict[str, str]:
        headers = {
            "Authorization": f"Bearer {self.api_key}",
            "Accept": "text/event-stream" if stream else "*/*",
            "User-Agent": f"retinue-client/{__version__} Python/{platform.python_version()}",
        }
        if call.key or (call.takes_key and not call.streams):
            headers["Idempotency-Key"] = call.key or str(uuid.uuid4())
        if call.content is not None:
            headers["Content-Type"] = call.content_type or "application/octet-stream"
            headers["Content-Length"] = str(call.content.size)
        if call.last_event_id:
            headers["Last-Event-ID"] = call.last_event_id
        return headers


def refusal(response: httpx.Response) -> APIError:
    """Return the error of a response whose body has been read. Gateways may respond with any content."""
    try:
        body = response.json()
    except ValueError:
        body = None
    error = body.get("error") if isinstance(body, dict) else None
    return error_of(
        response.status_code,
        error if isinstance(error, dict) else {},
        response.headers.get("x-request-id"),
        retry_after(response.headers),
        int(run) if (run := response.headers.get("x-run-id", "")).isdecimal() else None,
        response.headers.get("x-should-retry") != "false",
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Parse the header Retry-After, a number or a date (RFC 9110, section 10.2.3), as seconds."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def failure(error: httpx.TransportError, url: str) -> APIConnectionError:
    """Return the error for a request without a response."""
    if isinstance(error, httpx.TimeoutException):
        return APITimeoutError(f"{url} did not respond in time.")
    if isinstance(error, httpx.ConnectError):
        return APIConnectionError(f"Cannot connect to {url}: {error}")
    return APIConnectionError(f"The connection to {url} failed: {str(error) or type(error).__name__}")


def payload(response: httpx.Response) -> Any:
    """Return the body of a successful response. Raises an error for pages that a proxy inserted."""
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict) or "data" not in body:
        raise APIConnectionError(f"The response of {response.url} is not that of a Retinue server.")
    return body
