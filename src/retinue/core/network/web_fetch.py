"""Fetches a whole page or file from an address that a caller names."""

from collections.abc import Mapping
from dataclasses import dataclass

import aiohttp
from yarl import URL

from retinue.core.network.http_client import AddressGuard, guarded_session

FETCH_S = 30.0
"""Maximum duration of a fetch in seconds, with all redirects."""

_MOST_REDIRECTS = 5
_MOST_BYTES_OF_ERROR = 1 << 16
_BLOCK = 1 << 16
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "Retinue"}


class ContentTooLarge(ValueError):
    """The content is larger than the caller accepts."""


@dataclass(frozen=True, slots=True)
class FetchedContent:
    """What an address answered. `url` is the address after redirects."""

    url: URL
    status: int
    headers: Mapping[str, str]
    media_type: str
    charset: str | None
    content: bytes


async def fetch_content(
    guard: AddressGuard,
    url: str | URL,
    most_bytes: int,
    *,
    headers: Mapping[str, str] | None = None,
    follows: bool = True,
) -> FetchedContent:
    """Fetch an address where `guard` permits, following redirects if `follows`.

    Of the content of an error only the beginning is returned. Raises `ContentTooLarge` beyond `most_bytes`,
    `AddressRefused`, and `TimeoutError`, `OSError`, `ValueError` or `aiohttp.ClientError` if there is no answer.
    """
    guard.check_literal(str(url))
    async with (
        guarded_session(guard, total_s=FETCH_S, headers={**_HEADERS, **(headers or {})}) as session,
        session.get(url, max_redirects=_MOST_REDIRECTS, allow_redirects=follows) as response,
    ):
        content = await _read(response, most_bytes)
        return FetchedContent(
            response.url, response.status, response.headers, response.content_type.lower(), response.charset, content
        )


async def _read(response: aiohttp.ClientResponse, most_bytes: int) -> bytes:
    content = bytearray()
    async for block in response.content.iter_chunked(_BLOCK):
        content += block
        if response.status >= 400 and len(content) >= _MOST_BYTES_OF_ERROR:
            break
        if len(content) > most_bytes:
            raise ContentTooLarge
    return bytes(content)
