"""Serve content that seldom changes: compressed once, with entity tags, so that an unchanged copy is not sent again."""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.responses import Response

if TYPE_CHECKING:
    from starlette.requests import Request

_WORTHWHILE = 0.9
"""The largest share of a body that its gzip may have. Fonts and pictures are compressed already."""


@dataclass(frozen=True, slots=True)
class StaticContent:
    """A body, and its gzip if that is much smaller. Each of the two has an entity tag of its own (RFC 9110, 8.8.3)."""

    body: bytes
    media_type: str
    gzipped: bytes | None
    digest: str

    @classmethod
    def of(cls, body: bytes, media_type: str) -> "StaticContent":
        """Compress a body. This takes milliseconds: run it in a thread, or once."""
        gzipped = gzip.compress(body, mtime=0)
        digest = hashlib.sha256(body).hexdigest()[:32]
        return cls(body, media_type, gzipped if len(gzipped) < _WORTHWHILE * len(body) else None, digest)

    def respond(self, request: "Request", headers: Mapping[str, str]) -> Response:
        """Return the body as the client accepts it, or 304 if the client has it (RFC 9110, 13.1.2)."""
        body, encoding, tag = self.body, {}, f'"{self.digest}"'
        if self.gzipped is not None and accepts_gzip(request.headers.get("accept-encoding", "")):
            body, encoding, tag = self.gzipped, {"Content-Encoding": "gzip"}, f'"{self.digest}-gzip"'
        vary = ", ".join(filter(None, [headers.get("Vary"), "Accept-Encoding"]))
        headers = {**headers, "ETag": tag, "Vary": vary}
        if _has(request.headers.get("if-none-match", ""), tag):
            return Response(status_code=304, headers=headers)
        return Response(body, media_type=self.media_type, headers={**headers, **encoding})


def accepts_gzip(header: str) -> bool:
    """Return whether an `Accept-Encoding` header names gzip, with a weight above zero (RFC 9110, 12.5.3)."""
    for part in header.lower().split(","):
        name, _, weight = part.partition(";")
        if name.strip() in {"gzip", "x-gzip"}:
            return weight.replace(" ", "") not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False


def _has(header: str, tag: str) -> bool:
    """Return whether an `If-None-Match` header holds the tag."""
    return header.strip() == "*" or tag in [part.strip().removeprefix("W/") for part in header.split(",")]
