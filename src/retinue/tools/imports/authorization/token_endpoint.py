"""Get tokens from an authorization server (RFC 6749, sections 4.1.3 and 6; RFC 8707)."""

import base64
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeGuard
from urllib.parse import quote, urlencode

import orjson
from multidict import CIMultiDict

from retinue.core.errors import Unavailable
from retinue.core.runtime.clock import now
from retinue.tools.imports.authorization.registration import OAuthClient
from retinue.tools.imports.client import OutsideClient

_LONGEST_TOKEN = 16_000
_LONGEST_LIFE_S = 10 * 366 * 86_400


class TokenRefused(Exception):
    """The authorization server refused; `code` is its error."""

    def __init__(self, code: str, description: str) -> None:
        super().__init__(description or code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Tokens:
    """An access token, and the refresh token if there is one. `expires_at` is None if the server does not say."""

    access: str = field(repr=False)
    refresh: str | None = field(repr=False)
    expires_at: datetime | None
    scope: str | None


@dataclass(frozen=True, slots=True)
class TokenEndpoint:
    """The token endpoint that issues a client's tokens for a resource."""

    address: str
    client: OAuthClient
    resource: str

    async def exchange(self, http: OutsideClient, code: str, verifier: str, redirect_uri: str) -> Tokens:
        """Exchange an authorization code. Raises `TokenRefused` and `Unavailable`."""
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect_uri}
        return await self._ask(http, {**form, "code_verifier": verifier})

    async def refresh(self, http: OutsideClient, refresh_token: str) -> Tokens:
        """Refresh an access token. The old refresh token stays valid if the server returns no new one.

        Raises `TokenRefused` and `Unavailable`.
        """
        tokens = await self._ask(http, {"grant_type": "refresh_token", "refresh_token": refresh_token})
        return Tokens(tokens.access, tokens.refresh or refresh_token, tokens.expires_at, tokens.scope)

    async def _ask(self, http: OutsideClient, form: dict[str, str]) -> Tokens:
        headers = CIMultiDict({"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"})
        form |= {"resource": self.resource, "client_id": self.client.id}  # some servers require it beside Basic, too
        if self.client.auth_method == "client_secret_basic":
            pair = f"{quote(self.client.id, safe='')}:{quote(self.client.secret or '', safe='')}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        elif self.client.secret:
            form |= {"client_secret": self.client.secret}
        answer = await http.call("POST", self.address, headers, urlencode(form).encode())
        try:
            body = orjson.loads(answer.body)
        except orjson.JSONDecodeError:
            body = None
        if answer.status == 200 and isinstance(body, dict):
            return _read(body)
        if 400 <= answer.status < 500 and isinstance(body, dict) and isinstance(body.get("error"), str):
            raise TokenRefused(body["error"][:100], str(body.get("error_description") or "")[:300])
        raise Unavailable(f"The authorization server did not issue a token: it responded with {answer.status}.")


def _read(body: dict[str, object]) -> Tokens:
    """Return the tokens in a response. Raises `Unavailable` if they cannot be used."""
    access, refresh = body.get("access_token"), body.get("refresh_token")
    life, scope = body.get("expires_in"), body.get("scope")
    if str(body.get("token_type", "bearer")).lower() != "bearer" or not _is_token(access):
        raise Unavailable("The authorization server did not issue a bearer token.")
    return Tokens(
        access,
        refresh if _is_token(refresh) else None,
        now() + timedelta(seconds=life) if isinstance(life, (int, float)) and 0 <= life <= _LONGEST_LIFE_S else None,
        scope[:2000] if isinstance(scope, str) else None,
    )


def _is_token(value: object) -> TypeGuard[str]:
    """Return whether a header can carry a text."""
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_TOKEN and value.isascii() and value.isprintable()
