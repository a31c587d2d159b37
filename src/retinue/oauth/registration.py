"""Dynamic client registration (RFC 7591), for example for MCP clients."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import orjson

from retinue.auth.caller import SCOPES
from retinue.auth.display_names import problem_of_name
from retinue.auth.throttle import site_of
from retinue.core.database.interface import Database, Tx
from retinue.core.runtime.clock import now
from retinue.core.work.retention import BATCH
from retinue.oauth import statements as sql
from retinue.oauth.errors import OAuthError
from retinue.oauth.redirects import problem_of
from retinue.oauth.scopes import read_known_scopes
from retinue.oauth.secrets import new_secret
from retinue.oauth.service import NewApp, add_app

MOST_UNUSED = 1000
"""Maximum number of self-registered apps without a grant. A further one replaces the oldest of the busiest address."""

MOST_PER_ADDRESS = 10
"""Maximum number of these that one address, or one /48 of IPv6, may register within `UNUSED_LIFE`."""

UNUSED_LIFE = timedelta(hours=1)
"""How long a self-registered app is kept without a grant."""

_MOST_URIS = 10
_MOST_CHARACTERS = 4000
"""Maximum total length of the redirect URIs, so that unused apps take at most a few megabytes."""

_METHODS = ("none", "client_secret_basic", "client_secret_post")
_DEFAULT_METHOD = "client_secret_basic"


@dataclass(frozen=True)
class Registration:
    """Registers clients, if the operator allows it."""

    database: Database
    is_open: bool

    async def register(self, body: bytes, address: str) -> dict[str, object]:
        """Register a client at an address; return the response of RFC 7591, section 3.2.1. Raises `OAuthError`."""
        if not self.is_open:
            raise OAuthError(
                "access_denied", "Clients cannot register themselves on this server. Ask a user to create an app.", 403
            )
        fields, site = parse_metadata(body), site_of(address)
        method = _method(fields)
        secret = None if method == "none" else new_secret("acs")
        new = NewApp(
            read_name(fields), read_redirect_uris(fields, public=secret is None), read_scopes(fields), secret, site
        )

        async def insert(tx: Tx) -> int:
            await make_room(tx, site)
            return await add_app(tx, None, new)

        app_id = await self.database.transact(insert)
        row = await self.database.lookup(sql.ANY_APP, app=app_id)
        assert row is not None  # noqa: S101 - it was just added
        answer = {
            "client_id": row.client_id,
            "client_id_issued_at": int(now().timestamp()),
            "client_name": new.name,
            "redirect_uris": new.redirect_uris,
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "scope": " ".join(new.scopes),
            "token_endpoint_auth_method": method,
        }
        return {**answer, "client_secret": secret, "client_secret_expires_at": 0} if secret else answer


async def make_room(tx: Tx, address: str) -> None:
    """Remove unused apps until one more fits. Raises `OAuthError` if the address has registered too many."""
    since = now() - UNUSED_LIFE
    await tx.run(sql.REMOVE_STRANGERS, before=since)
    of_address = await tx.one(sql.COUNT_STRANGERS_OF_ADDRESS, address=address, since=since)
    if of_address and of_address.held >= MOST_PER_ADDRESS:
        raise OAuthError(
            "temporarily_unavailable",
            f"Your address has registered {MOST_PER_ADDRESS} clients that no user has allowed. Use one of them, or try "
            "again in an hour.",
            429,
            retry_after=int(UNUSED_LIFE.total_seconds()),
        )
    unused = await tx.one(sql.COUNT_STRANGERS)
    if unused and unused.held >= MOST_UNUSED:
        await tx.run(sql.REMOVE_STRANGER_OF_BUSIEST)


async def remove_unused(tx: Tx, before: datetime, after: object) -> object:
    """Remove a batch of self-registered clients that were created before an instant and have no grant."""
    return await tx.run(sql.REMOVE_STRANGERS, before=before) == BATCH or None


def parse_metadata(body: bytes) -> Mapping[str, object]:
    """Return the client's metadata without null members, which count as omitted."""
    try:
        metadata = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise invalid_metadata("The body is not JSON.") from error
    if not isinstance(metadata, dict):
        raise invalid_metadata("The body is not a JSON object.")
    return {name: value for name, value in metadata.items() if value is not None}


def _method(metadata: Mapping[str, object]) -> str:
    """Return the requested method, or the default for one that the server does not support."""
    method = metadata.get("token_endpoint_auth_method", _DEFAULT_METHOD)
    return method if method in _METHODS else _DEFAULT_METHOD


def read_name(metadata: Mapping[str, object]) -> str:
    """Return the name of a client. Raises `OAuthError`."""
    name = metadata.get("client_name", "A client without a name")
    if not isinstance(name, str) or not 1 <= len(name) <= 100:
        raise invalid_metadata("client_name must be a string of 1 to 100 characters.")
    if problem := problem_of_name(name):
        raise invalid_metadata(f"client_name {problem}.")
    return name


def read_redirect_uris(metadata: Mapping[str, object], *, public: bool) -> list[str]:
    """Return the redirect URIs of a client. Raises `OAuthError`."""
    uris = metadata.get("redirect_uris")
    if not isinstance(uris, list) or not 1 <= len(uris) <= _MOST_URIS:
        raise _invalid_uri(f"redirect_uris must be a list of 1 to {_MOST_URIS} URIs.")
    for uri in uris:
        if problem := problem_of(uri, public=public) if isinstance(uri, str) else "not a URI":
            raise _invalid_uri(f"redirect_uris: {problem}.")
    if sum(map(len, uris)) > _MOST_CHARACTERS:
        raise _invalid_uri(f"redirect_uris must have at most {_MOST_CHARACTERS} characters in total.")
    return uris


def read_scopes(metadata: Mapping[str, object]) -> list[str]:
    """Return the requested scopes that a client may have, or all of them if it asks for none. Raises `OAuthError`.

    `*` is reserved for apps that a user owns.
    """
    allowed = SCOPES - {"*"}
    requested = metadata.get("scope", "")
    if not isinstance(requested, str):
        raise invalid_metadata("scope must be a string of scopes, separated by spaces.")
    try:
        known = read_known_scopes(requested, allowed)
    except OAuthError as error:
        raise invalid_metadata(error.description) from error
    if known == {"*"}:
        raise invalid_metadata(f"scope must name some of {' '.join(sorted(allowed))}.")
    return sorted(known & allowed or allowed)


def _invalid_uri(description: str) -> OAuthError:
    return OAuthError("invalid_redirect_uri", description)


def invalid_metadata(description: str) -> OAuthError:
    """Return the error for a client's metadata that is not valid."""
    return OAuthError("invalid_client_metadata", description)
