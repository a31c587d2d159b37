"""What a method asks of the server, apart from how it is sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from retinue_client._contents import Content


@dataclass(frozen=True)
class Call:
    """One operation with its arguments.

    `takes_key` says that the server carries out a POST once for each idempotency key. The caller's key, if any, is in
    `key`; without one each call gets a key of its own, which its retries share.
    """

    method: str
    path: str
    takes_key: bool = False
    key: str | None = None
    query: Mapping[str, Any] | None = None
    body: Mapping[str, Any] | None = None
    content: Content | None = None
    content_type: str | None = None
    last_event_id: str | None = None

    @property
    def repeatable(self) -> bool:
        """True if sending the call twice has the effect of sending it once (RFC 9110, section 9.2.2)."""
        return self.method != "POST" or (self.takes_key and not self.streams)

    @property
    def streams(self) -> bool:
        """True if the answer comes as server-sent events because the body asks for it."""
        return bool(self.body and self.body.get("stream"))


def path_of(template: str, *values: object) -> str:
    """A path with its parameters filled in and escaped. An empty one would address another operation."""
    if any(str(value) in ("", ".", "..") for value in values):
        raise ValueError(f"An id in the path {template} is empty or made of dots.")
    return template.format(*(quote(str(value), safe="") for value in values))
