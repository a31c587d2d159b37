"""A client at an authorization server with its tokens, as stored: the secrets are encrypted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

import orjson

from retinue.core.database.statements import Row
from retinue.core.runtime.vault import Vault
from retinue.tools.imports.authorization.registration import OAuthClient
from retinue.tools.imports.authorization.token_endpoint import TokenEndpoint, Tokens


class DescribedBinding(TypedDict):
    """A stored binding, without the client's secret."""

    issuer: str
    token_endpoint: str
    resource: str
    redirect_uri: str
    scope: str | None
    client_id: str
    auth_method: str
    registered: bool


class SealedTokens(TypedDict):
    """The stored secrets of a binding, which are encrypted."""

    client: str | None
    access: str
    refresh: str | None


@dataclass(frozen=True, slots=True)
class ClientBinding:
    """A client at an authorization server, for one resource."""

    issuer: str
    endpoint: TokenEndpoint
    redirect_uri: str
    scope: str | None

    @property
    def client(self) -> OAuthClient:
        """The client."""
        return self.endpoint.client

    def describe(self) -> DescribedBinding:
        """Everything but the client's secret."""
        return {
            "issuer": self.issuer,
            "token_endpoint": self.endpoint.address,
            "resource": self.endpoint.resource,
            "redirect_uri": self.redirect_uri,
            "scope": self.scope,
            "client_id": self.client.id,
            "auth_method": self.client.auth_method,
            "registered": self.client.registered,
        }

    @classmethod
    def of(cls, described: DescribedBinding, secret: str | None) -> "ClientBinding":
        """Return the binding of a description and the client's secret."""
        client = OAuthClient(described["client_id"], secret, described["auth_method"], described["registered"])
        endpoint = TokenEndpoint(described["token_endpoint"], client, described["resource"])
        return cls(described["issuer"], endpoint, described["redirect_uri"], described["scope"])


def seal_tokens(vault: Vault, row: Row, binding: ClientBinding, tokens: Tokens) -> str:
    """Encrypt tokens and the client's secret for the row of a source."""
    sealed: SealedTokens = {"client": binding.client.secret, "access": tokens.access, "refresh": tokens.refresh}
    return seal(vault, row, sealed)


def seal(vault: Vault, row: Row, value: Mapping[str, object]) -> str:
    """Encrypt a value, bound to the source of a row."""
    return vault.seal(orjson.dumps(value).decode(), _owner(row))


def unseal(vault: Vault, row: Row, sealed: str) -> Any:
    """Decrypt a value that `seal` encrypted. Raises `MasterKeyWrong`."""
    return orjson.loads(vault.open_sealed(sealed, _owner(row)))


def _owner(row: Row) -> str:
    return f"authorization of source {row.source_id} of account {row.account_id}"
