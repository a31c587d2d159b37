"""Read why an MCP server refuses a request: its `WWW-Authenticate` header (RFC 6750, RFC 9728)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from retinue.core.errors import ValidationFailed

_MOST = 4000
_PARAMETER = re.compile(r'\b([a-z_]{1,40})="([^"]{0,2000})"|\b([a-z_]{1,40})=([^\s",]{1,2000})')


@dataclass(frozen=True, slots=True)
class Challenge:
    """What a server requires. `metadata_url` is the address of its protected resource metadata."""

    status: int
    metadata_url: str | None = None
    scope: str | None = None
    error: str | None = None

    @classmethod
    def of(cls, status: int, headers: Mapping[str, str]) -> "Challenge":
        """Parse the header of a response."""
        found: dict[str, str] = {}
        for quoted, text, plain, word in _PARAMETER.findall(headers.get("WWW-Authenticate", "")[:_MOST]):
            found.setdefault(quoted or plain, text or word)
        return cls(status, found.get("resource_metadata"), found.get("scope"), found.get("error"))

    @property
    def needs_scope(self) -> bool:
        """True if the token is valid, but does not allow the request."""
        return self.status == 403 and self.error == "insufficient_scope"

    @property
    def as_json(self) -> dict[str, object]:
        """The part that the next authorization needs."""
        return {"metadata_url": self.metadata_url, "scope": self.scope}


class AuthorizationRequired(ValidationFailed):
    """An MCP server refused a request because it had no valid token."""

    def __init__(self, challenge: Challenge) -> None:
        super().__init__(f"The MCP server rejected the source's credential: it responded with {challenge.status}.")
        self.challenge = challenge


class NeedsAuthorization(ValidationFailed):
    """A person must connect the source in the portal. `connect_url` is the page for it."""

    def __init__(self, source: str, connect_url: str) -> None:
        super().__init__(
            f"The MCP server {source} needs authorization. A person who may use it must choose Connect at "
            f"{connect_url}, and then this call can be repeated."
        )
        self.connect_url = connect_url
