"""Clients whose identifier is the URL of a document that describes them (OAuth Client ID Metadata Document)."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

import aiohttp
from yarl import URL

from retinue.auth.throttle import site_of
from retinue.core.database.interface import Database, Tx, UniqueConflict
from retinue.core.database.statements import Row
from retinue.core.network.http_client import AddressGuard, AddressRefused, guarded_session
from retinue.core.runtime.clock import now
from retinue.oauth import statements as sql
from retinue.oauth.clients import Clients, is_document
from retinue.oauth.errors import OAuthError, UntrustedClient
from retinue.oauth.limits import RequestLimit
from retinue.oauth.registration import (
    Registration,
    make_room,
    parse_metadata,
    read_name,
    read_redirect_uris,
    read_scopes,
)
from retinue.oauth.service import NewApp, add_app

KEPT = timedelta(minutes=15)
"""How long a document is trusted before it is fetched again."""

_MOST_BYTES = 16 << 10
_MOST_CHARACTERS = 500
_FETCH_S = 10.0

Fetch = Callable[[str], Awaitable[bytes]]


@dataclass(frozen=True)
class ClientDocuments:
    """Finds clients, and fetches the documents that describe them."""

    database: Database
    clients: Clients
    registration: Registration
    limit: RequestLimit
    fetch: Fetch

    async def find_client(self, client_id: str, sender: str) -> Row | None:
        """Return the app with a client identifier, or None. `sender` is the address of the browser.

        Raises `UntrustedClient` for a document that cannot be fetched or is not valid.
        """
        known = await self.clients.find(client_id)
        if not is_document(client_id) or (known and known.updated_at + KEPT > now()):
            return known
        if not self.registration.is_open:
            return None
        await self.limit.count_fetch(sender)
        check_url(client_id)
        try:
            new = _read(await self.fetch(client_id), client_id, site_of(sender))
        except OAuthError as error:
            raise UntrustedClient(f"The document at {client_id} is not valid. {error.description}") from error
        await self._store(known, new, site_of(sender))
        return await self.clients.find(client_id)

    async def _store(self, known: Row | None, new: NewApp, site: str) -> None:
        async def write(tx: Tx) -> None:
            if known:
                fields = {"name": new.name, "redirect_uris": new.redirect_uris}
                await tx.run(sql.REFRESH_APP, app=known.id, moment=now(), **fields)
            elif await tx.one(sql.BY_METADATA_URL, url=new.metadata_url) is None:
                await make_room(tx, site)
                await add_app(tx, None, new)

        with suppress(UniqueConflict):  # another request has just stored it
            await self.database.transact(write)


def fetch_through(guard: AddressGuard) -> Fetch:
    """Return a function that fetches a document, only where the guard permits, without following redirects."""

    async def fetch(url: str) -> bytes:
        try:
            guard.check_literal(url)
            async with (
                guarded_session(guard, total_s=_FETCH_S, headers={"User-Agent": "Retinue"}) as session,
                session.get(URL(url, encoded=True), allow_redirects=False) as response,
            ):
                content = await response.content.read(_MOST_BYTES + 1)
                while len(content) <= _MOST_BYTES and (more := await response.content.read(_MOST_BYTES)):
                    content += more
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            reason = f" {error}." if isinstance(error, AddressRefused) else ""
            raise UntrustedClient(f"The document of the app at {url} could not be fetched.{reason}") from error
        if response.status != 200:
            raise UntrustedClient(f"The document of the app at {url} was answered with status {response.status}.")
        if len(content) > _MOST_BYTES:
            raise UntrustedClient(f"The document of the app at {url} is larger than {_MOST_BYTES >> 10} KiB.")
        return content

    return fetch


def check_url(url: str) -> None:
    """Raise `UntrustedClient` for a URL that cannot be a client identifier."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise UntrustedClient("The client_id is not a URL.") from error
    fits = (
        len(url) <= _MOST_CHARACTERS
        and url.isascii()
        and url.isprintable()
        and parts.hostname
        and "@" not in parts.netloc
        and "#" not in url
        and len(parts.path) > 1
        and not {".", ".."} & set(parts.path.split("/"))
    )
    if not fits:
        raise UntrustedClient("A client_id that is a URL must begin with https:// and have a path.")


def _read(content: bytes, url: str, site: str) -> NewApp:
    """Return the app that a document describes. Raises `OAuthError`."""
    described: Mapping[str, object] = parse_metadata(content)
    if described.get("client_id") != url:
        raise OAuthError("invalid_client", "Its client_id is not its own URL.")
    if described.get("token_endpoint_auth_method", "none") != "none" or "client_secret" in described:
        raise OAuthError("invalid_client", "token_endpoint_auth_method must be none.")
    uris = read_redirect_uris(described, public=True)
    return NewApp(read_name(described), uris, read_scopes(described), None, site, url)
