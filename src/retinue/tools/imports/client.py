"""Guarded, bounded HTTP to addresses that callers name: it fetches documents and calls imported APIs."""

import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import BinaryIO, TypeAlias

import aiohttp
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.network.http_client import (
    CONNECT_S,
    AddressGuard,
    AddressRefused,
    connection_failure,
    guarded_session,
)
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.tools.imports.source_limits import DOCUMENT_BYTES, TIMEOUT_S

ANSWER_BYTES = 1 << 20
"""Maximum bytes read of an answer."""

Body: TypeAlias = bytes | aiohttp.FormData | None

_CHUNK = 64 << 10
_MOST_REDIRECTS = 5
_GZIP_OR_ZLIB = 47
_HEADERS = {"User-Agent": "Retinue/1.0", "Accept-Encoding": "identity"}


@dataclass(frozen=True)
class ImportResponse:
    """A response; `truncated` is true if its body is longer than the part that was read."""

    status: int
    headers: CIMultiDictProxy[str]
    body: bytes
    truncated: bool


class OutsideClient:
    """One HTTP session for all accounts. It stores no cookies, and follows redirects only to fetch documents."""

    def __init__(self, guard: AddressGuard, timeout_s: float = TIMEOUT_S) -> None:
        self._guard = guard
        self._timeout_s = timeout_s

    async def start(self) -> None:
        """Open the session."""
        self._session = guarded_session(self._guard, total_s=self._timeout_s)

    async def stop(self) -> None:
        """Close it."""
        await self._session.close()

    def check(self, address: str) -> None:
        """Raise `ValidationFailed` for an address with a literal IP address that may not be reached."""
        try:
            self._guard.check_literal(address)
        except AddressRefused as error:
            raise ValidationFailed(f"{error}.") from error

    async def fetch(self, address: str, into: BinaryIO, credential: Mapping[str, str] | None = None) -> str:
        """Stream a document to a file. Returns its `Content-Encoding`. With a credential, it follows no redirects.

        Raises `ValidationFailed` if the address has no document, `Unavailable` if the host does not answer.
        """
        headers = CIMultiDict({"Accept": "application/json, application/yaml;q=0.9, */*;q=0.5", **(credential or {})})
        redirects = 0 if credential else _MOST_REDIRECTS
        async with self.open_response("GET", address, headers, redirects=redirects) as response:
            if response.status != 200:
                raise ValidationFailed(
                    f"url: the document could not be fetched: the server responded with {response.status}."
                )
            size = 0
            async for part in response.content.iter_chunked(_CHUNK):
                size += len(part)
                if size > DOCUMENT_BYTES:
                    response.close()
                    raise ValidationFailed(f"url: the document is larger than {DOCUMENT_BYTES >> 20} MiB.")
                await run_on_disk_thread(into.write, part)
            return response.headers.get("Content-Encoding", "")

    async def call(self, method: str, address: str, headers: CIMultiDict[str], body: Body) -> ImportResponse:
        """Return the answer to a request, with any status.

        Redirects are not followed, so the credential goes nowhere else.
        """
        headers.setdefault("Accept", "application/json, */*;q=0.5")
        async with self.open_response(method, address, headers, body) as response:
            return await read_answer(response, ANSWER_BYTES)

    @asynccontextmanager
    async def open_response(
        self,
        method: str,
        address: str,
        headers: CIMultiDict[str],
        body: Body = None,
        *,
        redirects: int = 0,
        timeout_s: float | None = None,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Open the streamed answer to a request, for at most `timeout_s` seconds. Reading its body raises the same
        errors.
        """
        headers.update(_HEADERS)
        self.check(address)
        patience = timeout_s or self._timeout_s
        try:
            async with self._session.request(
                method,
                URL(address, encoded=True),
                headers=headers,
                data=body,
                allow_redirects=redirects > 0,
                max_redirects=redirects or 1,
                timeout=aiohttp.ClientTimeout(total=patience, sock_connect=CONNECT_S),
            ) as response:
                yield response
        except (TimeoutError, OSError, ValueError, aiohttp.ClientError, zlib.error) as error:
            raise _describe_failure(error, patience) from error


async def read_answer(response: aiohttp.ClientResponse, most: int) -> ImportResponse:
    """Return the answer with up to `most` bytes of its body."""
    raw, more = await _read(response, most)
    content, cut = _unpack(response.headers.get("Content-Encoding", ""), raw, most)
    return ImportResponse(response.status, response.headers, content, more or cut)


async def _read(response: aiohttp.ClientResponse, most: int) -> tuple[bytes, bool]:
    """Return the beginning of the body, and whether there is more."""
    content = bytearray()
    async for part in response.content.iter_chunked(_CHUNK):
        content += part
        if len(content) > most:
            response.close()
            break
    return bytes(content[:most]), len(content) > most


def _unpack(encoding: str, raw: bytes, most: int) -> tuple[bytes, bool]:
    """Decompress the body of a server that ignored the request for an uncompressed one; also return whether more is
    left.
    """
    if encoding.strip().lower() not in {"gzip", "x-gzip", "deflate"} or not raw:
        return raw, False
    inflater = zlib.decompressobj(_GZIP_OR_ZLIB)
    return inflater.decompress(raw, most), bool(inflater.unconsumed_tail)


def _describe_failure(failure: Exception, timeout_s: float) -> Unavailable | ValidationFailed:
    """Return the error for a failed request, never with the address, which may contain a credential."""
    cause = failure.os_error if isinstance(failure, aiohttp.ClientConnectorError) else failure
    if isinstance(cause, AddressRefused):
        return ValidationFailed(f"{cause}.")
    if isinstance(failure, TimeoutError):
        return Unavailable(f"The server did not respond within {timeout_s:g} seconds.")
    if isinstance(failure, aiohttp.ClientConnectorDNSError):
        return Unavailable(f"The name {failure.host} could not be resolved.")
    if isinstance(failure, aiohttp.TooManyRedirects):
        return ValidationFailed("url: the server sent too many redirects.")
    if isinstance(failure, (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError)):
        return ValidationFailed("The address cannot be requested.")
    if isinstance(failure, aiohttp.ClientConnectorError):
        strerror = connection_failure(failure.os_error)
        return Unavailable(f"The connection to {failure.host} failed: {strerror}.")
    return Unavailable(
        f"The server closed the connection during its response, or sent an invalid one ({type(failure).__name__})."
    )
