"""Read an OpenAPI document: JSON or YAML, of limited size, depth and effort. Only worker processes do this."""

import zlib

import orjson

from retinue.core.errors import ValidationFailed
from retinue.tools.imports.source_limits import DOCUMENT_BYTES
from retinue.tools.imports.yaml_values import read_yaml

_YAML_BYTES = 4 << 20
"""YAML takes a hundred times as long to parse as JSON."""

_GZIP_OR_ZLIB = 47

_REASONS = {
    "str is not valid UTF-8: surrogates not allowed": "it is not text in UTF-8",
    "depth limit exceeded": "it is nested too deep",
}
"""Messages of the parser that say little to the author of a document."""


def unpack(raw: bytes, encoding: str) -> bytes:
    """Decompress the document of a server that ignored the request for an uncompressed one. `encoding` is its
    `Content-Encoding`.
    """
    if encoding.strip().lower() not in {"gzip", "x-gzip", "deflate"} or not raw:
        return raw
    try:
        return zlib.decompressobj(_GZIP_OR_ZLIB).decompress(raw, DOCUMENT_BYTES + 1)
    except zlib.error as error:
        raise ValidationFailed("url: the server sent a compressed document that cannot be decompressed.") from error


def read(raw: bytes) -> dict[str, object]:
    """Return the document as JSON values. Raises `ValidationFailed` with the reason if it cannot be read."""
    if len(raw) > DOCUMENT_BYTES:
        raise ValidationFailed(f"The document is larger than {DOCUMENT_BYTES >> 20} MiB.")
    found = _json(raw) if raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else _yaml(raw)
    if not isinstance(found, dict):
        raise ValidationFailed("The document is not an OpenAPI document: it must be an object in JSON or YAML.")
    return found


def _json(raw: bytes) -> object:
    try:
        return orjson.loads(raw.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        reason = _REASONS.get(error.msg, error.msg)
        place = f"line {error.lineno}, column {error.colno}"
        raise ValidationFailed(f"The document is not valid JSON ({place}): {reason}.") from error


def _yaml(raw: bytes) -> object:
    if len(raw) > _YAML_BYTES:
        raise ValidationFailed(f"The document is YAML of more than {_YAML_BYTES >> 20} MiB. Import it as JSON.")
    return read_yaml(raw)
