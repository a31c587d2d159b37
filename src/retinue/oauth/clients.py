"""Identify and authenticate the client of a protocol request (RFC 6749, section 2.3)."""

import base64
import binascii
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote_plus

from retinue.core.database.interface import Database
from retinue.core.database.statements import Row
from retinue.oauth import statements as sql
from retinue.oauth.errors import OAuthError
from retinue.oauth.secrets import hash_secret


@dataclass(frozen=True)
class Clients:
    """Finds and authenticates clients."""

    database: Database

    async def find(self, client_id: str) -> Row | None:
        """Return the app with a client identifier, or None."""
        if is_document(client_id):
            return await self.database.lookup(sql.BY_METADATA_URL, url=client_id)
        return await self.database.lookup(sql.BY_CLIENT_ID, client_id=client_id[:40])

    async def authenticate(self, authorization: str | None, form: Mapping[str, str]) -> Row:
        """Authenticate the client. A public client only sends its identifier. Raises `OAuthError` invalid_client."""
        client_id, secret = read_client(authorization, form)
        app = await self.find(client_id)
        expected = app.secret_hash if app and app.secret_hash else bytes(32)
        proven = hmac.compare_digest(expected, hash_secret(secret or ""))
        if app and app.secret_hash is None and secret is None:
            return app
        if app is None or app.secret_hash is None or not proven:
            raise OAuthError("invalid_client", "The client is unknown or its secret is wrong.", 401)
        return app


def is_document(client_id: str) -> bool:
    """Return True if a client identifier is the URL of a document that describes the client."""
    return client_id.startswith("https://")


def identifier_of(app: Row) -> str:
    """Return the identifier by which an app calls itself."""
    return str(app.metadata_url or app.client_id)


def read_client(authorization: str | None, form: Mapping[str, str]) -> tuple[str, str | None]:
    """Read the client identifier and secret from the Basic header or the form. Raises `OAuthError` for both."""
    if authorization is None:
        return form.get("client_id", ""), form.get("client_secret")
    if "client_secret" in form:
        raise OAuthError("invalid_request", "Send the client secret either in the header or in the form, not in both.")
    scheme, _, encoded = authorization.partition(" ")
    try:
        client_id, _, secret = base64.b64decode(encoded, validate=True).decode().partition(":")
    except (ValueError, binascii.Error):
        scheme = client_id = secret = ""
    if scheme.lower() != "basic":
        raise OAuthError("invalid_client", "The Authorization header does not use the Basic scheme.", 401)
    client_id, secret = unquote_plus(client_id), unquote_plus(secret)
    if "\0" in client_id:
        raise OAuthError("invalid_client", "The client identifier must not contain the NUL character (U+0000).", 401)
    return client_id, secret
