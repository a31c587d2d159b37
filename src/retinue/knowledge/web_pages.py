"""Fetch pages and files of the web, only from addresses that the server may connect to."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypedDict

import aiohttp
from yarl import URL

from retinue.core.errors import ValidationFailed
from retinue.core.network.charsets import codec_of
from retinue.core.network.http_client import AddressGuard, AddressRefused
from retinue.core.network.web_fetch import FETCH_S, ContentTooLarge, fetch_content
from retinue.files.store import MIB

_MOST_BYTES = 30 * MIB
_CHARSET = re.compile(rb"""charset=["']?([A-Za-z0-9_-]{1,40})""")


class SeenContent(TypedDict, total=False):
    """What tells later whether content has changed: two headers of a page, or a digest of its text or of a file."""

    etag: str | None
    modified: str | None
    digest: str
    sha256: str


@dataclass(frozen=True, slots=True)
class WebPage:
    """What an address answered. `url` is the address after redirects."""

    url: str
    status: int
    media_type: str
    charset: str | None
    content: bytes
    seen: SeenContent
    """The `etag` and `modified` that a later request for the same content sends."""
    location: str = ""
    """Where a redirect leads that was not followed."""

    @property
    def is_html(self) -> bool:
        """Whether the content is HTML, by its type or its beginning."""
        begin = self.content[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
        return self.media_type in ("text/html", "application/xhtml+xml") or begin.startswith(
            (b"<!doctype html", b"<html")
        )

    @property
    def text(self) -> str:
        """The content as text. What its encoding does not know becomes a replacement character."""
        declared = _CHARSET.search(self.content[:2048])
        if codec := codec_of(self.charset) or codec_of(declared[1].decode() if declared else None):
            return self.content.decode(codec, "replace")
        try:
            return self.content.decode("utf-8-sig")
        except UnicodeDecodeError:
            return self.content.decode("cp1252", "replace")

    def beginning(self, most_bytes: int) -> str:
        """Return the first bytes of the content as text."""
        return replace(self, content=self.content[:most_bytes]).text


async def fetch_page(
    guard: AddressGuard,
    url: str | URL,
    seen: SeenContent | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    follows: bool = True,
) -> WebPage:
    """Fetch an address, unless its content is that of an earlier `seen`; then the status is 304.

    `headers` may have secrets: then `follows` must be false, so that no redirect leads them to another server.
    Raises `ValidationFailed` if there is no answer, or if it is larger than 30 MiB.
    """
    conditions = {"If-None-Match": seen.get("etag"), "If-Modified-Since": seen.get("modified")} if seen else {}
    conditional = {header: value for header, value in conditions.items() if value}
    try:
        fetched = await fetch_content(
            guard, url, _MOST_BYTES, headers={**conditional, **(headers or {})}, follows=follows
        )
    except AddressRefused as error:
        raise ValidationFailed(f"{error}.") from error
    except ContentTooLarge as error:
        raise ValidationFailed(f"{url} is larger than 30 MiB. Upload its parts as files.") from error
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        raise ValidationFailed(f"{url} could not be fetched: {_explain(error)}.") from error
    return WebPage(
        str(fetched.url),
        fetched.status,
        fetched.media_type,
        fetched.charset,
        fetched.content,
        {"etag": fetched.headers.get("ETag"), "modified": fetched.headers.get("Last-Modified")},
        "" if follows else fetched.headers.get("Location", ""),
    )


def _explain(error: Exception) -> str:
    match error:
        case aiohttp.ClientConnectorDNSError():
            return "there is no host of this name"
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientSSLError():
            return "its certificate is not valid"
        case TimeoutError():
            return f"there was no answer within {FETCH_S:.0f} seconds"
        case aiohttp.ClientConnectorError() | aiohttp.ServerDisconnectedError():
            return "the host does not answer"
        case aiohttp.TooManyRedirects():
            return "it redirects too often"
        case _:
            return str(error)[:200] or type(error).__name__
