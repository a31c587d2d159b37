"""Reads a request body as a strict JSON object of limited size, and checks JSON from elsewhere by the same rules."""

import orjson
from starlette.requests import Request

from retinue.core.http.request_body import BadBody, media_type, read_body

MAX_DEPTH = 64
"""Maximum nesting of lists and objects, because systems that store and forward them have limits too."""


_JSON = ("application/json", "application/a2a+json")
"""The media types of a body. The second is that of A2A."""


class JsonRequest(Request):
    """A request whose body is a bounded, strict JSON object."""

    async def load(self, takes_body: bool, at_most: int | None = None) -> None:
        """Read and check the body. An empty body counts as an empty object. Raises `BadBody`.

        The default of `at_most`, in bytes, is that of `read_body`. The body of a GET or DELETE is ignored unless
        `takes_body` is true.
        """
        if not takes_body and self.method not in {"POST", "PUT", "PATCH"}:
            return
        raw = await read_body(self, at_most)
        if raw.strip() and media_type(self) not in _JSON:
            raise BadBody("A body requires the header Content-Type: application/json.")
        self._body = raw if raw.strip() else b"{}"
        self._json = parse_object(self._body)

    @property
    def raw(self) -> bytes:
        """The body as sent. Call `load` first."""
        return self._body

    @property
    def content(self) -> dict[str, object]:
        """The JSON object of the body. Call `load` first."""
        content: dict[str, object] = self._json
        return content

    def wants_stream(self) -> bool:
        """Return True if the client requests a streamed response, which is not stored under idempotency keys."""
        return self.content.get("stream") is True


def parse_object(raw: bytes) -> dict[str, object]:
    """Parse a JSON object. Raises `BadBody` for other JSON, deep nesting and NUL."""
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise BadBody(f"The body is not valid JSON: {error}.") from error
    if not isinstance(value, dict):
        raise BadBody('The body must be a JSON object, such as {"name": "value"}.')
    if problem := find_problem(value, raw):
        raise BadBody(problem)
    return value


def find_problem(value: object, raw: bytes) -> str | None:
    """Return why a value that was read from `raw` cannot be stored or forwarded, or None: deep nesting or NUL."""
    if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH and _is_deep(value):
        return f"Lists and objects can be nested at most {MAX_DEPTH} levels deep."
    if b"\\u0000" in raw and _holds_nul(value):
        return "Text must not contain the NUL character (U+0000)."
    return None


def _is_deep(value: object) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        if not level:
            return False
        inner = [item for outer in level for item in (outer.values() if isinstance(outer, dict) else outer)]
        level = [item for item in inner if isinstance(item, dict | list)]
    return bool(level)


def _holds_nul(value: object) -> bool:
    if isinstance(value, dict):
        return any(_holds_nul(key) or _holds_nul(item) for key, item in value.items())
    if isinstance(value, list):
        return any(map(_holds_nul, value))
    return isinstance(value, str) and "\x00" in value
