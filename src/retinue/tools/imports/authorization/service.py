"""Connect one caller's sources to their MCP servers: the authorization code flow with PKCE (OAuth 2.1)."""

import base64
import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import TypedDict
from urllib.parse import urlencode, urlsplit

import structlog

from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.runtime.clock import from_text, now, to_text
from retinue.core.runtime.vault import Vault
from retinue.tools.imports import statements as sources_sql
from retinue.tools.imports.authorization import statements as sql
from retinue.tools.imports.authorization.bindings import ClientBinding, DescribedBinding, seal, seal_tokens, unseal
from retinue.tools.imports.authorization.challenge import Challenge
from retinue.tools.imports.authorization.discovery import AuthorizationServer, discover
from retinue.tools.imports.authorization.registration import CALLBACK, OAuthClient, find_client, given_client
from retinue.tools.imports.authorization.token_endpoint import TokenEndpoint, TokenRefused, Tokens
from retinue.tools.imports.client import OutsideClient

_LASTS = timedelta(minutes=10)
"""How long a person has to grant the access."""

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class AuthorizationStart:
    """The address of an authorization server that a person must open, and what it will ask."""

    url: str
    issuer: str
    scope: str | None


@dataclass(frozen=True, slots=True)
class ChosenClient:
    """A client that the caller registered at the authorization server, and the scope to request."""

    id: str | None = None
    secret: str | None = None
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class AuthorizationResponse:
    """The parameters of an authorization response (RFC 6749, section 4.1.2; RFC 9207)."""

    state: str
    code: str
    issuer: str | None
    error: str
    description: str


class PendingAuthorization(TypedDict):
    """An authorization that a user has begun, as stored."""

    user: int
    until: str
    verifier: str
    binding: DescribedBinding
    client_secret: str | None
    sends_issuer: bool


@dataclass(frozen=True)
class SourceAuthorizations:
    """Begins and finishes the authorizations of the caller's sources."""

    caller: Caller
    database: Database
    vault: Vault
    http: OutsideClient

    async def get(self, source_id: int) -> Row | None:
        """Return the stored authorization of a source, or None."""
        return await self.database.lookup(sql.GET, source=source_id, account=self.caller.account_id)

    async def begin(self, source_id: int, address: str, chosen: ChosenClient) -> AuthorizationStart:
        """Begin an authorization for the server at `address`, which must be this server's own address.

        It replaces one that has begun before. Raises `ValidationFailed` if the servers do not support it.
        """
        key = {"source": source_id, "account": self.caller.account_id}
        source, row = await self.database.lookup(sources_sql.STORED, **key), await self.get(source_id)
        if source is None or row is None:
            raise NotFound(f"There is no source {source_id} in your account that needs authorization.")
        server = await discover(self.http, source.base_url, Challenge(401, **row.challenge))
        redirect_uri = f"{address}{CALLBACK}"
        if chosen.id:
            client = given_client(chosen.id, chosen.secret, server)
        else:
            client = await find_client(self.http, server, address, self._earlier_client(row, server, redirect_uri))
        scope = chosen.scope or server.scope
        binding = ClientBinding(
            server.issuer, TokenEndpoint(server.token_endpoint, client, server.resource), redirect_uri, scope
        )
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
        pending: PendingAuthorization = {
            "user": self.caller.user_id,
            "until": to_text(now() + _LASTS),
            "verifier": verifier,
            "binding": binding.describe(),
            "client_secret": client.secret,
            "sends_issuer": server.sends_issuer,
        }
        begun = {"begun": seal(self.vault, row, pending), "key": _key_of(state)}
        await self.database.transact(lambda tx: tx.run(sql.BEGIN, **key, **begun))
        _log.info("mcp.authorization_begun", source=source_id, issuer=server.issuer, registered=client.registered)
        return AuthorizationStart(_authorization_url(server, binding, state, verifier), server.issuer, scope)

    async def finish(self, response: AuthorizationResponse) -> int:
        """Finish an authorization with the server's response, and store the tokens. Returns the id of the source.

        Raises `AuthorizationFailed`, or `NotFound` if no authorization of this user has this state.
        """
        row, pending = await self._take(response.state)
        binding = ClientBinding.of(pending["binding"], pending["client_secret"])
        _check_issuer(response, row.source_id, binding.issuer, sends_issuer=pending["sends_issuer"])
        if response.error or not response.code:
            reason = response.description or response.error or "it sent no code"
            raise AuthorizationFailed(row.source_id, f"The authorization server did not grant the access: {reason}.")
        try:
            tokens = await binding.endpoint.exchange(
                self.http, response.code, pending["verifier"], binding.redirect_uri
            )
        except TokenRefused as refusal:
            _log.info("mcp.authorization_refused", source=row.source_id, issuer=binding.issuer, error=refusal.code)
            raise AuthorizationFailed(
                row.source_id, f"The authorization server did not issue a token: {refusal}."
            ) from refusal
        await self._grant(row, binding, tokens)
        _log.info("mcp.authorized", source=row.source_id, issuer=binding.issuer)
        return int(row.source_id)

    async def _take(self, state: str) -> tuple[Row, PendingAuthorization]:
        """Return the authorization with a state, which cannot be taken twice."""
        key = _key_of(state)
        row = await self.database.lookup(sql.BY_KEY, key=key, account=self.caller.account_id)
        pending: PendingAuthorization | None = unseal(self.vault, row, row.pending) if row else None
        if row is None or pending is None or pending["user"] != self.caller.user_id:
            raise NotFound("This authorization has been used or replaced, or another user began it. Begin again.")
        which = {"source": row.source_id, "account": self.caller.account_id}
        consumed = await self.database.transact(lambda tx: tx.run(sql.CONSUME, **which, key=key))
        if not consumed or from_text(pending["until"]) < now():
            raise AuthorizationFailed(row.source_id, "This authorization has expired. Choose Connect again.")
        return row, pending

    async def _grant(self, row: Row, binding: ClientBinding, tokens: Tokens) -> None:
        actor = Actor.of_caller(self.caller)
        described = {**binding.describe(), "scope": tokens.scope or binding.scope}
        values = {
            "described": described,
            "sealed": seal_tokens(self.vault, row, binding, tokens),
            "until": tokens.expires_at,
        }

        async def write(tx: Tx) -> None:
            granted = await tx.run(sql.GRANT, source=row.source_id, account=row.account_id, **values)
            if not granted:
                raise NotFound(f"The source {row.source_id} has been deleted.")
            await audit(tx, actor, "source.updated", row.source_id, f"Connected by {urlsplit(binding.issuer).netloc}.")

        await self.database.transact(write)

    def _earlier_client(self, row: Row, server: AuthorizationServer, redirect_uri: str) -> OAuthClient | None:
        """Return the client that this server registered before at the same authorization server, if there is one."""
        found = []
        if row.pending:
            pending: PendingAuthorization = unseal(self.vault, row, row.pending)
            found.append(ClientBinding.of(pending["binding"], pending["client_secret"]))
        if row.client:
            found.append(ClientBinding.of(row.client, unseal(self.vault, row, row.secret)["client"]))
        fits = (
            one.client
            for one in found
            if one.client.registered and (one.issuer, one.redirect_uri) == (server.issuer, redirect_uri)
        )
        return next(fits, None)


class AuthorizationFailed(ValidationFailed):
    """An authorization of the source `source_id` did not succeed."""

    def __init__(self, source_id: int, message: str) -> None:
        super().__init__(message)
        self.source_id = source_id


def _check_issuer(response: AuthorizationResponse, source_id: int, issuer: str, *, sends_issuer: bool) -> None:
    """Refuse a response of another authorization server (RFC 9207, section 2.4)."""
    if response.issuer != issuer and (sends_issuer or response.issuer is not None):
        raise AuthorizationFailed(
            source_id,
            f"The response came from the authorization server {(response.issuer or 'without a name')[:300]}, but "
            f"{issuer} was asked. No code was sent anywhere. Choose Connect again, and do not use links of others.",
        )


def _authorization_url(server: AuthorizationServer, binding: ClientBinding, state: str, verifier: str) -> str:
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    parameters = {
        "response_type": "code",
        "client_id": binding.client.id,
        "redirect_uri": binding.redirect_uri,
        "state": state,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        "resource": binding.endpoint.resource,
    }
    if binding.scope:
        parameters["scope"] = binding.scope
        if "offline_access" in binding.scope.split():
            parameters["prompt"] = "consent"  # OpenID Connect Core, section 11
    joint = "&" if "?" in server.authorization_endpoint else "?"
    return f"{server.authorization_endpoint}{joint}{urlencode(parameters)}"


def _key_of(state: str) -> str:
    return hashlib.sha256(state.encode()).hexdigest()
