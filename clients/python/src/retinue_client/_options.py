"""What a client is set up with, and the requests and errors that follow from it."""

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
"""Runs that a caller waits for may take minutes."""

_CONNECT_S = 10.0
_SILENCE_S = 60.0
"""A stream says something every 15 seconds, if only a comment."""
_KEY_VARIABLES = ("RETINUE_API_KEY", "RETINUE_KEY")


@dataclass(frozen=True)
class Options:
    """How requests are sent: to which server, with which key, how long each may take, how often it is repeated."""

    api_key: str
    url: str
    timeout: float
    max_retries: int

    @classmethod
    def resolve(cls, api_key: str | None, base_url: str | None, timeout: float, max_retries: int) -> "Options":
        """The arguments; what is left out comes from the environment, or is the default."""
        key = api_key or next((value for name in _KEY_VARIABLES if (value := os.environ.get(name))), None)
        if not key:
            raise RetinueError("There is no API key: pass api_key, or set RETINUE_API_KEY.")
        if not (key.isascii() and key.isprintable()):
            raise RetinueError("The API key holds characters that no header may hold.")
        url = (base_url or os.environ.get("RETINUE_URL") or DEFAULT_URL).rstrip("/")
        return cls(key, url.removesuffix(BASE), timeout, max_retries)

    def __repr__(self) -> str:
        return f"Options(url={self.url!r}, timeout={self.timeout}, max_retries={self.max_retries})"

    def request(self, call: Call, stream: bool) -> dict[str, Any]:
        """The arguments of `httpx.Client.build_request`, the same for each attempt."""
        return {
            "method": call.method,
            "url": f"{self.url}{BASE}{call.path}",
            "params": {name: value for name, value in (call.query or {}).items() if value is not None},
            "headers": self._headers(call, stream),
            "timeout": httpx.Timeout(min(self.timeout, _SILENCE_S) if stream else self.timeout, connect=_CONNECT_S),
            **({} if call.body is None else {"json": call.body}),
        }

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
    """The error of an answer whose body has been read. A gateway in between may answer with anything."""
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
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that the header Retry-After asks for, as a number or as a date (RFC 9110, section 10.2.3)."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def failure(error: httpx.TransportError, url: str) -> APIConnectionError:
    """The error where no answer came."""
    if isinstance(error, httpx.TimeoutException):
        return APITimeoutError(f"{url} did not answer in time.")
    if isinstance(error, httpx.ConnectError):
        return APIConnectionError(f"Cannot connect to {url}: {error}")
    return APIConnectionError(f"The connection to {url} failed: {str(error) or type(error).__name__}")


def payload(response: httpx.Response) -> Any:
    """The body of a successful answer. A proxy's page is no answer."""
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict) or "data" not in body:
        raise APIConnectionError(f"{response.url} did not answer as a Retinue server does.")
    return body
