"""Validate authorization requests and issue authorization codes (RFC 6749, section 4.1.1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.auth.revocation import lock_account_of
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.runtime.clock import now
from retinue.oauth import statements as sql
from retinue.oauth.client_documents import ClientDocuments
from retinue.oauth.clients import identifier_of
from retinue.oauth.errors import OAuthError, UntrustedClient
from retinue.oauth.pkce import is_challenge
from retinue.oauth.redirects import is_registered
from retinue.oauth.resources import read_resource
from retinue.oauth.scopes import grantable_scopes
from retinue.oauth.secrets import hash_secret, new_secret

_CODE_LIFE = timedelta(seconds=60)
PARAMETERS = (
    "response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method",
    "resource",
)  # fmt: skip


@dataclass(frozen=True)
class RedirectTarget:
    """A verified client and redirect URI. Errors may be sent to this URI."""

    app: Row
    redirect_uri: str
    state: str


@dataclass(frozen=True)
class AuthorizationRequest:
    """A validated authorization request."""

    target: RedirectTarget
    scopes: list[str]
    challenge: str
    resource: str | None


@dataclass(frozen=True)
class Authorization:
    """Validates authorization requests, and issues codes if the user consents."""

    database: Database
    documents: ClientDocuments

    async def target(self, parameters: Mapping[str, str], sender: str) -> RedirectTarget:
        """Verify the client and the redirect URI. `sender` is the address of the browser. Raises `UntrustedClient`."""
        app = await self.documents.find_client(parameters.get("client_id", ""), sender)
        if app is None:
            raise UntrustedClient("There is no app with this client_id.")
        uri = parameters.get("redirect_uri", "")
        if not is_registered(uri, app.redirect_uris):
            raise UntrustedClient("The redirect_uri is not registered for the app.")
        return RedirectTarget(app, uri, parameters.get("state", ""))

    def check(self, target: RedirectTarget, parameters: Mapping[str, str], address: str) -> AuthorizationRequest:
        """Validate the request. `address` is that of the server.

        Raises `OAuthError`, which the browser reports to the client.
        """
        if parameters.get("response_type") != "code":
            raise OAuthError("unsupported_response_type", "response_type must be code.")
        if parameters.get("code_challenge_method") != "S256":
            raise OAuthError("invalid_request", "code_challenge_method must be S256 (RFC 7636).")
        challenge = parameters.get("code_challenge", "")
        if not is_challenge(challenge):
            raise OAuthError("invalid_request", "code_challenge must be a SHA-256 in base64url without padding.")
        scopes = grantable_scopes(target.app.scopes, parameters.get("scope", ""))
        return AuthorizationRequest(target, scopes, challenge, read_resource(parameters, address))

    async def allow(self, request: AuthorizationRequest, caller: Caller) -> str:
        """Record the user's consent; return a single-use code that is valid for a minute."""
        code, moment, actor = new_secret("aac"), now(), Actor.of_caller(caller)

        async def write(tx: Tx) -> None:
            await lock_account_of(tx, caller)
            grant = await _extend_grant(tx, request.target.app.id, caller.user_id, request.scopes)
            await tx.run(
                sql.ADD_CODE,
                grant_id=grant,
                code_hash=hash_secret(code),
                redirect_uri=request.target.redirect_uri,
                challenge=request.challenge,
                scopes=request.scopes,
                resource=request.resource,
                expires_at=moment + _CODE_LIFE,
            )
            await audit(tx, actor, "grant.created", grant, f"Granted to the app {identifier_of(request.target.app)}.")

        await self.database.transact(write)
        return code


async def _extend_grant(tx: Tx, app_id: int, user_id: int, scopes: list[str]) -> int:
    """Add the scopes to the app's grant of a user, or add a grant; return its id."""
    grant = await tx.one(sql.CODE_GRANT, app=app_id, user=user_id)
    if grant is None:
        return await add_grant(tx, app_id, user_id, "code", scopes)
    await tx.run(sql.EXTEND_GRANT, grant=grant.id, scopes=sorted({*grant.scopes, *scopes}), moment=now())
    return int(grant.id)


async def add_grant(tx: Tx, app_id: int, user_id: int, kind: str, scopes: list[str]) -> int:
    """Add a grant; return its id."""
    (row,) = await tx.all(sql.ADD_GRANT, app_id=app_id, user_id=user_id, kind=kind, scopes=scopes, created_at=now())
    return int(row.id)
