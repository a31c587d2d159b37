"""Dynamic client registration (RFC 7591), for example for MCP clients."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from retinue.auth.caller import SCOPES
from retinue.core.database.interface import Database, Tx
from retinue.core.runtime.clock import now
from retinue.core.work.retention import BATCH
from retinue.oauth import statements as sql
from retinue.oauth.errors import OAuthError
from retinue.oauth.redirects import problem_of
from retinue.oauth.secrets import new_secret
from retinue.oauth.service import add_app

MOST_UNUSED = 1000
"""Maximum number of self-registered apps without a grant. They are removed after a day."""

_MOST_URIS = 10


@dataclass(frozen=True)
class Registration:
    """Registers clients, if the operator allows it."""

    database: Database
    is_open: bool

    async def register(self, body: bytes) -> dict[str, Any]:
        """Register a client; return the response of RFC 7591, section 3.2.1. Raises `OAuthError`."""
        if not self.is_open:
            raise OAuthError(
                "access_denied", "Clients cannot register themselves on this server. Ask a user to create an app.", 403
            )
        asked = parse_metadata(body)
        name, uris, scopes = _name(asked), _redirect_uris(asked), _scopes(asked)
        public = asked.get("token_endpoint_auth_method", "client_secret_basic") == "none"
        secret = None if public else new_secret("acs")

        async def insert(tx: Tx) -> int:
            held = await tx.one(sql.COUNT_STRANGERS)
            if held and held.held >= MOST_UNUSED:
                raise OAuthError(
                    "temporarily_unavailable", "Too many clients have registered. Try again tomorrow.", 503
                )
            return await add_app(tx, None, name, uris, scopes, secret)

        app_id = await self.database.transact(insert)
        row = await self.database.lookup(sql.ANY_APP, app=app_id)
        assert row is not None  # noqa: S101 - it was just added
        answer = {
            "client_id": row.client_id,
            "client_id_issued_at": int(now().timestamp()),
            "client_name": name,
            "redirect_uris": uris,
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "scope": " ".join(scopes),
            "token_endpoint_auth_method": "none" if public else "client_secret_basic",
        }
        return {**answer, "client_secret": secret, "client_secret_expires_at": 0} if secret else answer


async def remove_unused(tx: Tx, before: datetime, after: Any) -> Any:
    """Remove a batch of self-registered clients that were created before an instant and have no grant."""
    return await tx.run(sql.REMOVE_STRANGERS, before=before) == BATCH or None


def parse_metadata(body: bytes) -> Mapping[str, Any]:
    try:
        asked = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise invalid_metadata("The body is not JSON.") from error
    if not isinstance(asked, dict):
        raise invalid_metadata("The body is not a JSON object.")
    return asked


def _name(asked: Mapping[str, Any]) -> str:
    name = asked.get("client_name", "A client without a name")
    if not isinstance(name, str) or not 1 <= len(name) <= 100 or "\x00" in name:
        raise invalid_metadata("client_name must be a string of 1 to 100 characters.")
    return name


def _redirect_uris(asked: Mapping[str, Any]) -> list[str]:
    uris = asked.get("redirect_uris")
    if not isinstance(uris, list) or not 1 <= len(uris) <= _MOST_URIS:
        raise OAuthError("invalid_redirect_uri", f"redirect_uris must be a list of 1 to {_MOST_URIS} URIs.")
    for uri in uris:
        problem = problem_of(uri) if isinstance(uri, str) and len(uri) <= 2000 and "\x00" not in uri else "not a URI"
        if problem:
            raise OAuthError("invalid_redirect_uri", f"redirect_uris: {problem}.")
    return uris


def _scopes(asked: Mapping[str, Any]) -> list[str]:
    """Return the requested scopes; by default all except `*`, which is reserved for apps that a user owns."""
    allowed = SCOPES - {"*"}
    wanted = asked.get("scope", "")
    named = set(wanted.split()) if isinstance(wanted, str) else {"?"}
    if named - allowed:
        raise invalid_metadata(f"scope must consist of {' '.join(sorted(allowed))}.")
    return sorted(named or allowed)


def invalid_metadata(description: str) -> OAuthError:
    return OAuthError("invalid_client_metadata", description)
