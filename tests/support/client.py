"""A client that checks every response: its headers, its error body, and the OpenAPI document."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import requests

from tests.support.document import Document
from tests.support.server import Server

BASE = "/api/v1"
_LIMITS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
_TIMEOUT_S = 300.0
_documents: list[Document] = []

CODES = {
    400: "validation_error",
    401: "auth_required",
    403: "insufficient_scope",
    404: "resource_not_found",
    405: "method_not_allowed",
    409: "cancelled",
    416: "range_not_satisfiable",
    429: "rate_limit_exceeded",
    500: "internal_error",
    503: "service_unavailable",
}


class Client:
    """Calls the API with a key. Paths are relative to the API's base path."""

    def __init__(self, server: Server, key: str | None) -> None:
        self.server = server
        self.key = key
        self._session = requests.Session()
        self._session.trust_env = False

    def get(self, path: str, **options: Any) -> requests.Response:
        """GET."""
        return self.request("GET", path, **options)

    def post(self, path: str, body: Any = None, **options: Any) -> requests.Response:
        """POST, with a JSON body if there is one."""
        return self.request("POST", path, **options, **({} if body is None else {"json": body}))

    def put(self, path: str, body: Any, **options: Any) -> requests.Response:
        """PUT a JSON body."""
        return self.request("PUT", path, json=body, **options)

    def delete(self, path: str, **options: Any) -> requests.Response:
        """DELETE."""
        return self.request("DELETE", path, **options)

    def request(self, method: str, path: str, **options: Any) -> requests.Response:
        """Send a request and check the response. Options are those of `requests`."""
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        options["headers"] = {**headers, **options.get("headers", {})}
        options.setdefault("timeout", _TIMEOUT_S)
        response = self._session.request(method, f"{self.server.url}{BASE}{path}", **options)
        check(self.server, response)
        return response

    @contextmanager
    def stream(self, path: str, body: Any, **options: Any) -> Iterator["Stream"]:
        """POST and read server-sent events.

        Leaving the context early closes the connection, like a client that disconnects.
        """
        response = self.post(path, body, stream=True, **options)
        try:
            yield Stream(response)
        finally:
            response.close()

    def close(self) -> None:
        """Close the connections."""
        self._session.close()


class Stream:
    """A response that consists of server-sent events."""

    def __init__(self, response: requests.Response) -> None:
        assert response.status_code == 200, response.text
        assert response.headers["Content-Type"].partition(";")[0] == "text/event-stream"
        assert response.headers["Cache-Control"] == "no-store"
        self._lines = response.iter_lines(chunk_size=65536)
        self.ids: list[str] = []

    def payloads(self) -> Iterator[str]:
        """Yield the data of each event. Fails on a line that is neither a field, a comment nor empty."""
        for raw in self._lines:
            line = raw.decode()
            if line.startswith("id: "):
                self.ids.append(line[4:])
            elif line and not line.startswith(":"):
                assert line.startswith("data: "), line
                yield line[6:]

    def chunks(self) -> Iterator[dict[str, Any]]:
        """Yield the JSON chunks. Fails unless the stream ends with `[DONE]`."""
        for payload in self.payloads():
            if payload == "[DONE]":
                assert list(self.payloads()) == []
                return
            yield json.loads(payload)
        raise AssertionError("the stream ended without [DONE]")


def check(server: Server, response: requests.Response) -> None:
    """Check what holds for every response."""
    assert response.headers.get("X-Request-ID"), response.request.url
    path = response.request.path_url.partition("?")[0]
    if path.startswith(BASE + "/") and not path.endswith("openapi.json"):
        assert all(name in response.headers for name in _LIMITS), (response.status_code, dict(response.headers))
    if response.status_code >= 400 and response.request.method != "HEAD":
        check_error(response)
    _document(server).check(response)


def check_error(response: requests.Response) -> None:
    """Check that the error body has exactly a code, a message and a status, and that they match the HTTP status."""
    body = response.json()
    assert body.keys() == {"error"}, body
    error = body["error"]
    assert error.keys() == {"code", "message", "status"}, body
    assert error["status"] == response.status_code, body
    assert error["code"] == CODES[response.status_code], body
    assert isinstance(error["message"], str), body
    assert "Traceback" not in error["message"], body
    assert len(error["message"]) > 10, body
    assert ("Retry-After" in response.headers) == (response.status_code == 429), dict(response.headers)


def fetch(server: Server, path: str) -> requests.Response:
    """GET a path of the server that needs no credential."""
    with requests.Session() as session:
        session.trust_env = False
        return session.get(server.url + path, timeout=_TIMEOUT_S)


def _document(server: Server) -> Document:
    """Return the document of the API, read from the first server: all servers have the same, and some are killed."""
    if not _documents:
        response = fetch(server, f"{BASE}/openapi.json")
        assert response.status_code == 200, response.text
        _documents.append(Document(response.json()))
    return _documents[0]


def refuse(response: requests.Response, status: int, *words: str) -> str:
    """Check for an error with this status whose message contains all `words`. Returns the message."""
    assert response.status_code == status, (response.status_code, response.text)
    message: str = response.json()["error"]["message"]
    missing = [word for word in words if word not in message]
    assert not missing, f"{missing} not in {message!r}"
    return message


def statuses_until_limited(send: Callable[[], requests.Response], at_most: int = 30) -> list[int]:
    """Send requests until one is refused with 429. Returns the statuses of those before it.

    On a slow machine these are more than the limit, because it refills meanwhile.
    """
    statuses = [*islice(iter(lambda: send().status_code, 429), at_most)]
    assert len(statuses) < at_most, statuses
    return statuses


def data(response: requests.Response, status: int = 200) -> Any:
    """Check for success. Returns the value of `data`."""
    assert response.status_code == status, (response.status_code, response.text)
    body = response.json()
    assert body.keys() <= {"data", "meta"}, body
    return body["data"]
