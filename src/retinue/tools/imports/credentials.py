"""Credentials for imported APIs, added to each request to the source's base address.

A credential is encrypted with the source, or it is that of a connection of the account, or an access token that the
server's OAuth authorization server issued.
"""

import base64
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

import orjson

from retinue.connections.allowed_addresses import is_within
from retinue.connections.keyring import ConnectionKeyring, OpenedConnection
from retinue.connections.kinds import SHORTEST_SECRET
from retinue.connections.redaction import Redaction
from retinue.core.database.statements import Row
from retinue.core.errors import ValidationFailed
from retinue.core.runtime.vault import Vault
from retinue.tools.imports.authorization.challenge import AuthorizationRequired, Challenge, NeedsAuthorization
from retinue.tools.imports.authorization.tokens import SourceTokens
from retinue.tools.imports.requests import OutgoingRequest

T = TypeVar("T")
CredentialType = Literal["bearer", "header", "query", "basic"]


@dataclass(frozen=True, slots=True)
class Credential:
    """A token, a header, a query parameter, or a user with a password; `name` is that of the header or parameter."""

    type: CredentialType
    name: str
    value: str

    def __repr__(self) -> str:
        return f"Credential({self.type})"

    def add_to(self, request: OutgoingRequest) -> None:
        """Add it to a request; it replaces any argument in the same place."""
        match self.type:
            case "bearer":
                request.headers["Authorization"] = f"Bearer {self.value}"
            case "basic":
                pair = base64.b64encode(f"{self.name}:{self.value}".encode()).decode()
                request.headers["Authorization"] = f"Basic {pair}"
            case "header":
                request.headers[self.name] = self.value
            case "query":
                request.query = [*((name, value) for name, value in request.query if name != self.name)]
                request.query.append((self.name, self.value))

    @property
    def place(self) -> tuple[str, str]:
        """The kind and the name of the parameter that carries it."""
        return (self.type, self.name) if self.type in {"header", "query"} else ("header", "Authorization")

    @classmethod
    def of(cls, connection: OpenedConnection) -> "Credential":
        """Return the credential of a connection of the kind http."""
        settings = connection.settings
        return cls(settings["type"], settings["name"], connection.secret["value"])

    def seal(self, vault: Vault, account_id: int) -> str:
        """Return the credential, encrypted and bound to the account."""
        return vault.seal(orjson.dumps([self.type, self.name, self.value]).decode(), owner_of(account_id))


def open_credential(sealed: str | None, vault: Vault, account_id: int) -> Credential | None:
    """Decrypt a credential; None if a source needs none. Raises `MasterKeyWrong`."""
    return Credential(*orjson.loads(vault.open_sealed(sealed, owner_of(account_id)))) if sealed else None


@dataclass(frozen=True)
class SourceCredentials:
    """Decrypts the credentials of sources. `portal` is the address of the portal, empty if it is not known."""

    vault: Vault
    keyring: ConnectionKeyring
    tokens: SourceTokens
    portal: str

    async def use(
        self, source: Row, account_id: int, work: Callable[[Credential | None, Redaction], Awaitable[T]]
    ) -> T:
        """Return the result of `work`, which gets the credential and a redaction that removes it from answers.

        If the server rejects an access token, `work` runs again with a new one. Raises `NeedsAuthorization` if a person
        must connect the source.
        """
        credential, redaction = await self.of(source, account_id)
        try:
            return await work(credential, redaction)
        except AuthorizationRequired as refusal:
            credential, redaction = await self._renew(source, account_id, credential, refusal)
        try:
            return await work(credential, redaction)
        except AuthorizationRequired as refusal:
            raise await self._require(source, account_id, credential, refusal.challenge) from refusal

    async def of(self, source: Row, account_id: int) -> tuple[Credential | None, Redaction]:
        """Return the credential of a source, and a redaction that removes it from answers. Raises `MasterKeyWrong`.

        A connection whose address has changed must not be used with the old address: this raises `ValidationFailed`.
        """
        if source.granted is not None:
            access = await self.tokens.current(source.id, account_id)
            if access is None:
                raise self._needs(source)
            return _bearer(access, source.name)
        if source.connection_id is not None:
            connection = await self.keyring.open_by_id(account_id, source.connection_id)
            check_reach(connection, source.base_url)
            return Credential.of(connection), connection.redaction
        credential = open_credential(source.credential, self.vault, account_id)
        return credential, redaction_of(credential, source.name)

    async def _renew(
        self, source: Row, account_id: int, rejected: Credential | None, refusal: AuthorizationRequired
    ) -> tuple[Credential, Redaction]:
        """Another access token in place of the rejected one. Raises the refusal of a credential of another kind."""
        demanded = rejected is None and refusal.challenge.metadata_url is not None
        if source.granted is None and not demanded:
            raise refusal
        access = None
        if rejected and not refusal.challenge.needs_scope:
            access = await self.tokens.current(source.id, account_id, rejected.value)
        if access is None:
            raise await self._require(source, account_id, rejected, refusal.challenge) from refusal
        return _bearer(access, source.name)

    async def _require(
        self, source: Row, account_id: int, rejected: Credential | None, challenge: Challenge
    ) -> NeedsAuthorization:
        await self.tokens.require(source.id, account_id, challenge, rejected.value if rejected else None)
        return self._needs(source)

    def _needs(self, source: Row) -> NeedsAuthorization:
        return NeedsAuthorization(source.name, f"{self.portal}/sources/{source.id}")


def _bearer(access: str, source: str) -> tuple[Credential, Redaction]:
    credential = Credential("bearer", "", access)
    return credential, redaction_of(credential, source)


def redaction_of(credential: Credential | None, source: str) -> Redaction:
    """Return a redaction that removes the credential of a source from answers, unless it is so short that it could be
    any word.
    """
    if credential is None or len(credential.value) < SHORTEST_SECRET:
        return Redaction()
    return Redaction.of([credential.value], f"source {source}", credential.name)


def check_reach(connection: OpenedConnection | None, base_url: str) -> None:
    """Raise `ValidationFailed` for a web address that is not at or below the connection's.

    A program (`stdio:`) has no address: the operator allows it by name.
    """
    if connection is None:
        return
    reach = connection.settings["base_url"]
    if base_url.startswith(("http://", "https://")) and not is_within(base_url, reach):
        raise ValidationFailed(
            f"The connection {connection.name} is for {reach}, but the source's API is at {base_url}. Use "
            "a connection for that address."
        )


def owner_of(account_id: int) -> str:
    """Return the owner to which the encryption of an account's source credentials binds them."""
    return f"tool sources of account {account_id}"
