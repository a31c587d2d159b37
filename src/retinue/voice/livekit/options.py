"""What the operator chooses for LiveKit."""

from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class LiveKitOptions:
    """From the settings. `url` is where browsers and this server reach LiveKit, `client_url` a page that joins."""

    url: str
    api_key: str
    api_secret: str
    client_url: str

    @property
    def socket_url(self) -> str:
        """The URL for clients, which connect by WebSocket."""
        return f"ws{self.url.removeprefix('http')}" if self.url.startswith("http") else self.url

    def join_url(self, token: str) -> str:
        """The page that joins with a token, as LiveKit Meet takes its parameters."""
        return f"{self.client_url}?liveKitUrl={quote(self.socket_url, safe='')}&token={quote(token, safe='')}"
