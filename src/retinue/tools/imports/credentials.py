"""What an imported API knows its caller by: sealed at rest, and put into each request to the source's base address."""

import base64
from dataclasses import dataclass
from typing import Literal

import orjson

from retinue.core.secrets import Vault
from retinue.tools.imports.requests import Outgoing

CredentialType = Literal["bearer", "header", "query", "basic"]


@dataclass(frozen=True, slots=True)
class Credential:
    """A token, a header, a query parameter, or a user with a password; `name` is that of the header and so on."""

    type: CredentialType
    name: str
    value: str

    def __repr__(self) -> str:
        return f"Credential({self.type})"

    def add_to(self, request: Outgoing) -> None:
        """Put it into a request, in place of what an argument put there."""
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
        """The kind and the name of the parameter that it goes into."""
        return (self.type, self.name) if self.type in {"header", "query"} else ("header", "Authorization")

    def sealed(self, vault: Vault, account_id: int) -> str:
        """Encrypted, and bound to the account."""
        return vault.seal(orjson.dumps([self.type, self.name, self.value]).decode(), owner_of(account_id))


def opened(sealed: str | None, vault: Vault, account_id: int) -> Credential | None:
    """What was sealed; None where a source needs none. Raises `MasterKeyWrong`."""
    return Credential(*orjson.loads(vault.open_sealed(sealed, owner_of(account_id)))) if sealed else None


def owner_of(account_id: int) -> str:
    """What the credentials of an account's sources are bound to when they are encrypted."""
    return f"tool sources of account {account_id}"
