"""Options of the LiveKit integration."""

from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class LiveKitOptions:
    """Read from the settings.

    `url` is the address at which browsers and this server reach LiveKit; `client_url` is a page for joining.
    """

    url: str
    api_key: str
    api_secret: str
    client_url: str

    @property
    def socket_url(self) -> str:
        """The WebSocket URL for clients."""
        return f"ws{self.url.removeprefix('http')}" if self.url.startswith("http") else self.url

    def join_url(self, token: str) -> str:
        """Return the address of the page that joins with a token, with LiveKit Meet's parameters."""
        return f"{self.client_url}?liveKitUrl={quote(self.socket_url, safe='')}&token={quote(token, safe='')}"
