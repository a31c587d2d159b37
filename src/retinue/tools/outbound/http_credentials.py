"""Credentials of `http` connections for tools that send requests."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from urllib3.exceptions import LocationParseError
from urllib3.util import make_headers, parse_url

from retinue.connections.allowed_addresses import is_within
from retinue.connections.redaction import Redaction
from retinue.tools.authoring.arguments import Connection
from retinue.tools.authoring.declare import ToolError


@dataclass(frozen=True, slots=True)
class HttpCredential:
    """A secret for requests to `base_url` and below it, and to no other address."""

    connection: str
    base_url: str
    type: str
    name: str
    value: str = field(repr=False)

    @classmethod
    def of(cls, connection: Connection | None, url: str) -> "HttpCredential | None":
        """Return the credential of a connection for a request to `url`. Raises `ToolError` if it is for another
        address.
        """
        if connection is None:
            return None
        settings = connection["settings"]
        secret = connection["secret"]["value"]
        credential = cls(connection["name"], settings["base_url"], settings["type"], settings["name"], secret)
        if not credential.covers(url):
            raise ToolError(
                f"The connection {credential.connection} is for {credential.base_url}, and its secret is not sent to "
                "any other address. Use an address below it, or leave the connection out."
            )
        return credential

    def covers(self, url: str) -> bool:
        """Return whether the secret may be sent to an address."""
        try:
            return is_within(parse_url(url.strip()).url, self.base_url)
        except LocationParseError:
            return False

    def headers(self, request_headers: Mapping[str, str]) -> dict[str, str]:
        """Return the headers of a request, with the secret in place of any value under its name."""
        if self.type == "query":
            return dict(request_headers)
        name, value = self._header()
        return {**{one: text for one, text in request_headers.items() if one.lower() != name.lower()}, name: value}

    def target(self, target: str) -> str:
        """Path and query of a request, with the secret if it belongs there."""
        if self.type != "query":
            return target
        pair = f"{quote(self.name, safe='')}={quote(self.value, safe='')}"
        return f"{target}{'&' if '?' in target else '?'}{pair}"

    @property
    def redaction(self) -> Redaction:
        """A redaction that removes the secret from responses."""
        return Redaction.of([self.value], f"connection {self.connection}", self.name)

    def _header(self) -> tuple[str, str]:
        if self.type == "header":
            return self.name, self.value
        if self.type == "bearer":
            return "Authorization", f"Bearer {self.value}"
        return "Authorization", make_headers(basic_auth=f"{self.name}:{self.value}")["authorization"]
