"""Grants of the token endpoint (RFC 6749, sections 4 to 6)."""

import base64
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.runtime.clock import now
from retinue.oauth import statements as sql
from retinue.oauth.authorization import add_grant
from retinue.oauth.errors import OAuthError
from retinue.oauth.pkce import verify
from retinue.oauth.resources import API, PATHS, narrow_resource, read_resource
from retinue.oauth.scopes import narrow_scopes
from retinue.oauth.secrets import ACCESS, REFRESH, hash_secret, new_secret
from retinue.oauth.token_kind import is_in_force

ACCESS_LIFE = timedelta(hours=1)
REFRESH_LIFE = timedelta(days=30)
GRACE = timedelta(seconds=30)
"""How long a refresh token that was replaced still returns its successor."""

_WRONG_CODE = "The code is unknown, has expired, has already been used, or belongs to another client."
_WRONG_URI = "redirect_uri must be the one of the authorization request, character by character."
_WRONG_VERIFIER = "code_verifier must be the text whose SHA-256 was the code_challenge of the authorization request."
_WRONG_TOKEN = "The refresh token is unknown, has expired, has already been used, or belongs to another client."  # noqa: S105 - a message

Form = Mapping[str, str]
Tokens = dict[str, object]


@dataclass(frozen=True, slots=True)
class TokenDetails:
    """What a token is issued for. `family` is that of `tables.tokens`, `resource` one of `resources.py`."""

    grant_id: int
    family: int | None
    scopes: list[str]
    resource: str | None


@dataclass(frozen=True)
class TokenGrants:
    """Exchanges codes, refresh tokens and client credentials for tokens."""

    database: Database
    digest: Callable[[str], str]
    """Returns the HMAC of a text with the master key, in hexadecimal."""

    async def exchange(self, app: Row, form: Form, address: str) -> Tokens:
        """Return the body of a token response (RFC 6749, section 5.1). `address` is that of the server.

        Raises `OAuthError`.
        """
        exchanges: dict[str, Callable[[Row, Form, str | None], Awaitable[Tokens]]] = {
            "authorization_code": self._by_code,
            "refresh_token": self._by_refresh_token,
            "client_credentials": self._by_credentials,
        }
        if exchange := exchanges.get(form.get("grant_type", "")):
            return await exchange(app, form, read_resource(form, address))
        raise OAuthError("unsupported_grant_type", f"grant_type must be one of {', '.join(exchanges)}.")

    async def user_of(self, app: Row, form: Form) -> int | None:
        """Return the user that a token request acts for, or None if its code or token is unknown."""
        if form.get("grant_type") == "client_credentials":
            return int(app.user_id) if app.user_id else None
        code, token = form.get("code"), form.get("refresh_token")
        by_code = form.get("grant_type") == "authorization_code"
        statement, secret = (sql.CODE, code) if by_code else (sql.TOKEN, token)
        row = await self.database.lookup(statement, hash=hash_secret(secret)) if secret else None
        return int(row.user_id) if row and row.app_id == app.id else None

    async def _by_code(self, app: Row, form: Form, requested_resource: str | None) -> Tokens:
        hashed = hash_secret(form.get("code", ""))

        async def use(tx: Tx) -> Tokens | None:
            await tx.one(sql.LOCK_GRANT_OF_CODE, hash=hashed)
            code = await tx.one(sql.CODE, hash=hashed)
            if code is None or not _is_valid(code, app):
                return None
            _check_binding(code, form)
            resource = narrow_resource(code.resource, requested_resource)
            if not await tx.run(sql.USE_CODE, hash=hashed, moment=now()):
                # A code that is used twice has leaked, so revoke all tokens issued for it (RFC 6749, section 4.1.2).
                await _revoke_family(tx, code.grant_id, code.id)
                return None
            access = TokenDetails(code.grant_id, code.id, code.scopes, resource)
            return await _issue(tx, access, new_secret(REFRESH))

        return _or_refuse(await self.database.transact(use), _WRONG_CODE)

    async def _by_refresh_token(self, app: Row, form: Form, requested_resource: str | None) -> Tokens:
        presented = form.get("refresh_token", "")
        hashed, successor = hash_secret(presented), self._successor_of(presented)

        async def use(tx: Tx) -> Tokens | None:
            await tx.one(sql.LOCK_GRANT_OF_TOKEN, hash=hashed)
            token = await tx.one(sql.TOKEN, hash=hashed)
            if token is None or token.kind != "refresh" or token.app_id != app.id:
                return None
            scopes = narrow_scopes(token.scopes, form.get("scope", ""))
            resource = narrow_resource(token.resource, requested_resource)
            access = TokenDetails(token.grant_id, token.family, scopes, resource)
            if token.replaced_at is None:
                if not is_in_force(token):
                    return None  # Not used up: the app can use it again when the user is no longer suspended.
                await tx.run(sql.REPLACE_TOKEN, hash=hashed, moment=now())
                refresh = replace(access, scopes=token.scopes, resource=token.resource)
                return await _issue(tx, access, successor, refresh)
            return await _repeat(tx, token, access, successor)

        return _or_refuse(await self.database.transact(use), _WRONG_TOKEN)

    def _successor_of(self, refresh_token: str) -> str:
        """Return the refresh token that replaces one. Only the master key derives it, on any node and at any time."""
        digest = bytes.fromhex(self.digest(f"successor of the refresh token {refresh_token}"))
        return f"{REFRESH}_{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"

    async def _by_credentials(self, app: Row, form: Form, requested_resource: str | None) -> Tokens:
        if app.secret_hash is None or app.user_id is None:
            raise OAuthError(
                "unauthorized_client", "Only a confidential app that is owned by a user may use this grant."
            )
        scopes = narrow_scopes(app.scopes, form.get("scope", ""))

        async def issue(tx: Tx) -> Tokens:
            current = await tx.one(sql.LOCK_APP, app=app.id, user=app.user_id)
            if current is None or current.secret_hash != app.secret_hash:
                raise OAuthError("invalid_client", "The secret was replaced.")
            grant = await tx.one(sql.CLIENT_GRANT, app=app.id)
            grant_id = grant.id if grant else await add_grant(tx, app.id, app.user_id, "client", app.scopes)
            return await _issue(tx, TokenDetails(grant_id, None, scopes, requested_resource))

        return await self.database.transact(issue)

    async def revoke(self, app: Row, token: str) -> None:
        """Revoke a token of the app (RFC 7009); a refresh token revokes its family. Ignores unknown tokens."""
        hashed = hash_secret(token)

        async def write(tx: Tx) -> None:
            await tx.one(sql.LOCK_GRANT_OF_TOKEN, hash=hashed)
            row = await tx.one(sql.TOKEN, hash=hashed)
            if row is None or row.app_id != app.id:
                return
            if row.kind == "refresh":
                await _revoke_family(tx, row.grant_id, row.family)
            else:
                await tx.run(sql.DELETE_TOKEN, hash=hashed)

        await self.database.transact(write)

    async def introspect(self, app: Row, token: str, address: str) -> dict[str, object]:
        """Return the introspection response for a token of the app (RFC 7662). `address` is that of the server."""
        row = await self.database.lookup(sql.TOKEN, hash=hash_secret(token))
        if row is None or row.app_id != app.id or not is_in_force(row):
            return {"active": False}
        return {
            "active": True,
            "scope": " ".join(row.scopes),
            "client_id": row.client_id,
            "token_type": "Bearer" if row.kind == "access" else "refresh_token",
            "exp": int(row.expires_at.timestamp()),
            "iat": int(row.created_at.timestamp()),
            "sub": str(row.user_id),
            "aud": f"{address}{PATHS[row.resource or API]}",
        }


def _is_valid(code: Row, app: Row) -> bool:
    """Return True if the code belongs to this client and has not been revoked or expired."""
    return bool(code.app_id == app.id and code.revoked_at is None and code.expires_at > now())


def _check_binding(code: Row, form: Form) -> None:
    """Raise `OAuthError` unless the redirect URI and the verifier are those of the authorization request."""
    if code.redirect_uri != form.get("redirect_uri"):
        raise OAuthError("invalid_grant", _WRONG_URI)
    if not verify(form.get("code_verifier", ""), code.challenge):
        raise OAuthError("invalid_grant", _WRONG_VERIFIER)


def _or_refuse(tokens: Tokens | None, why: str) -> Tokens:
    if tokens is None:
        raise OAuthError("invalid_grant", why)
    return tokens


async def _repeat(tx: Tx, token: Row, access: TokenDetails, successor: str) -> Tokens | None:
    """Answer the second use of a refresh token.

    Clients repeat a request whose answer was lost, and some send two at once, so within `GRACE` the answer has the same
    successor again. A later use means that the token was copied: revoke the family (RFC 9700, section 4.14.2).
    """
    if token.replaced_at + GRACE < now():
        await _revoke_family(tx, token.grant_id, token.family)
        return None
    next_token = await tx.one(sql.TOKEN, hash=hash_secret(successor))
    if next_token is None or next_token.revoked_at or next_token.suspended_at or next_token.expires_at <= now():
        return None
    return {**await _issue(tx, access), "refresh_token": successor}


async def _revoke_family(tx: Tx, grant_id: int, family: int) -> None:
    """Delete the tokens that were issued for one consent; revoke the grant if no tokens are left."""
    await tx.run(sql.REMOVE_FAMILY, family=family)
    await tx.run(sql.REVOKE_EMPTY_GRANT, grant=grant_id, moment=now())


async def _issue(
    tx: Tx, access: TokenDetails, refresh_token: str | None = None, refresh: TokenDetails | None = None
) -> Tokens:
    """Issue an access token. With `refresh_token`, issue it too, for `refresh` or for the same as the access token."""
    token = new_secret(ACCESS)
    await _add_token(tx, access, token, "access", ACCESS_LIFE)
    answer = {
        "access_token": token,
        "token_type": "Bearer",
        "expires_in": int(ACCESS_LIFE.total_seconds()),
        "scope": " ".join(access.scopes),
    }
    if refresh_token is None:
        return answer
    await _add_token(tx, refresh or access, refresh_token, "refresh", REFRESH_LIFE)
    return {**answer, "refresh_token": refresh_token}


async def _add_token(tx: Tx, issued: TokenDetails, token: str, kind: str, life: timedelta) -> None:
    moment = now()
    await tx.run(
        sql.ADD_TOKEN,
        grant_id=issued.grant_id,
        family=issued.family,
        kind=kind,
        token_hash=hash_secret(token),
        scopes=issued.scopes,
        resource=issued.resource,
        created_at=moment,
        expires_at=moment + life,
    )
