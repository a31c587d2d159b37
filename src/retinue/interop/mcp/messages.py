"""Messages of MCP: requests with a handshake (2024-11-05 to 2025-11-25), and requests that stand alone (2026-07-28)."""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import orjson

from retinue import __version__
from retinue.core.http.json_body import find_problem

HANDSHAKE_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""The revisions whose clients open with `initialize`, the newest first."""

STANDALONE_VERSIONS = ("2026-07-28",)
"""The revisions whose requests name their revision and the client's capabilities themselves."""

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022

SERVER_INFO = {"name": "retinue", "title": "Retinue", "version": __version__}

_META = "io.modelcontextprotocol/"
_STATUS = {METHOD_NOT_FOUND: 404, INTERNAL_ERROR: 200}
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri", "skills/get": "uri"}
_CACHEABLE = (
    "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read", "skills/list",
    "skills/get", "server/discover",
)  # fmt: skip
_ENCODED = re.compile(r"=\?base64\?([A-Za-z0-9+/=]*)\?=")


class ProtocolError(Exception):
    """An error of the protocol, which a client reads as an error of JSON-RPC."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


@dataclass(frozen=True, slots=True)
class Message:
    """A request; a notification if it has no `id`. It stands alone if it belongs to no handshake."""

    method: str
    params: Mapping[str, object] = field(default_factory=dict)
    id: str | int | None = None
    standalone: bool = False

    @property
    def meta(self) -> Mapping[str, object]:
        """The metadata of the request."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, Mapping) else {}

    @property
    def client_capabilities(self) -> object:
        """What the client of a request that stands alone can do."""
        return self.meta.get(f"{_META}clientCapabilities")

    @property
    def cancelled_id(self) -> str | int | None:
        """The id of the request that a notification cancels."""
        cancelled = self.params.get("requestId") if self.method == "notifications/cancelled" else None
        return cancelled if isinstance(cancelled, str | int) else None

    def text(self, name: str) -> str:
        """Return a parameter. Raises `ProtocolError` unless it is a string."""
        value = self.params.get(name)
        if not isinstance(value, str):
            raise ProtocolError(INVALID_PARAMS, f"params.{name} must be a string.")
        return value

    def mapping(self, name: str) -> Mapping[str, object]:
        """Return a parameter, or an empty object. Raises `ProtocolError` unless it is an object."""
        value = self.params.get(name)
        if value is not None and not isinstance(value, Mapping):
            raise ProtocolError(INVALID_PARAMS, f"params.{name} must be an object.")
        return value or {}

    def result(self, fields: Mapping[str, object]) -> dict[str, object]:
        """Return the response with a result."""
        return {"jsonrpc": "2.0", "id": self.id, "result": self._complete(fields) if self.standalone else fields}

    def _complete(self, fields: Mapping[str, object]) -> dict[str, object]:
        """Add what revision 2026-07-28 requires of results."""
        caching = {"ttlMs": 0, "cacheScope": "private"} if self.method in _CACHEABLE else {}
        return {"resultType": "complete", **caching, **fields, "_meta": {f"{_META}serverInfo": SERVER_INFO}}

    def error(self, error: ProtocolError) -> dict[str, object]:
        """Return the response with an error."""
        return error_body(error, self.id)

    def status_of(self, error: ProtocolError) -> int:
        """Return the HTTP status of an error. Requests after a handshake are answered with 200."""
        return _STATUS.get(error.code, 400) if self.standalone else 200


@dataclass(frozen=True, slots=True)
class ClientResponse:
    """The client's response to a request of this server. `result` is None if it is an error."""

    id: object
    result: object


def error_body(error: ProtocolError, request_id: str | int | None = None) -> dict[str, object]:
    """Return an error of JSON-RPC."""
    data = {} if error.data is None else {"data": error.data}
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": error.code, "message": error.message, **data}}


def read_message(body: bytes) -> Message | ClientResponse:
    """Return the message in a body. Raises `ProtocolError`."""
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise ProtocolError(PARSE_ERROR, "The body is not JSON.") from error
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, "The body must be a single JSON-RPC 2.0 message.")
    if problem := find_problem(message, body):
        raise ProtocolError(INVALID_REQUEST, problem)
    if "method" not in message and ("result" in message or "error" in message):
        return ClientResponse(message.get("id"), message.get("result"))
    method, params, request_id = message.get("method"), message.get("params"), message.get("id")
    if not isinstance(method, str) or not isinstance(params, dict | None):
        raise ProtocolError(INVALID_REQUEST, "method must be a string, and params an object.")
    if "id" in message and (isinstance(request_id, bool) or not isinstance(request_id, str | int)):
        raise ProtocolError(INVALID_REQUEST, "id must be a string or an integer.")
    read = Message(method, params or {}, request_id)
    return Message(method, read.params, request_id, standalone=f"{_META}protocolVersion" in read.meta)


def check_headers(message: Message, headers: Mapping[str, str]) -> Message:
    """Return the message, as of the era that its headers and metadata name. Raises `ProtocolError`."""
    version = headers.get("mcp-protocol-version")
    if not message.standalone and version in (None, *HANDSHAKE_VERSIONS):
        return message
    message = Message(message.method, message.params, message.id, standalone=True)
    if message.id is None:
        _check_version(version)
        return message
    missing = [name for name in ("protocolVersion", "clientCapabilities") if f"{_META}{name}" not in message.meta]
    if missing:
        names = ", ".join(f"{_META}{name}" for name in missing)
        raise ProtocolError(INVALID_PARAMS, f"params._meta lacks {names}.")
    for name, value in headers_of(message).items():
        if _decode(headers.get(name)) != value:
            raise ProtocolError(HEADER_MISMATCH, f"The header {name} differs from the body of the request.")
    _check_version(version)
    return message


def headers_of(message: Message) -> dict[str, object]:
    """Return the headers that repeat what the body of a request that stands alone says."""
    headers = {"mcp-protocol-version": message.meta.get(f"{_META}protocolVersion"), "mcp-method": message.method}
    name = _NAMED_BY.get(message.method)
    return {**headers, "mcp-name": message.params[name]} if name and name in message.params else headers


def encode_header(value: str) -> str:
    """Return a value as a header may hold it."""
    if value.isascii() and value.isprintable() and value == value.strip() and not _ENCODED.fullmatch(value):
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def _check_version(version: str | None) -> None:
    if version not in STANDALONE_VERSIONS:
        supported = {"supported": list(STANDALONE_VERSIONS), "requested": version}
        raise ProtocolError(UNSUPPORTED_VERSION, "This revision of the protocol is not supported.", supported)


def _decode(value: str | None) -> str | None:
    """Return a header value, decoded if it is encoded in Base64. None if it cannot be decoded."""
    encoded = _ENCODED.fullmatch(value or "")
    if encoded is None:
        return value
    try:
        return base64.b64decode(encoded[1], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
