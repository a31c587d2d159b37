"""Descriptions of API calls, independent of how they are sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from retinue_client._contents import Content


@dataclass(frozen=True)
class Call:
    """An operation with its arguments.

    `takes_key` is True if the server executes a POST once per idempotency key. `key` is the caller's key; without one,
    each call gets its own key, which its retries share.
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
        """True if sending the call twice has the same effect as sending it once (RFC 9110, section 9.2.2)."""
        return self.method != "POST" or (self.takes_key and not self.streams)

    @property
    def streams(self) -> bool:
        """True if the body requests a response as server-sent events."""
        return bool(self.body and self.body.get("stream"))


def path_of(template: str, *values: object) -> str:
    """Return a path with its parameters filled in and escaped.

    Raises `ValueError` for an empty parameter, which would address another operation.
    """
    if any(str(value) in ("", ".", "..") for value in values):
        raise ValueError(f"An ID in the path {template} is empty or consists of dots.")
    return template.format(*(quote(str(value), safe="") for value in values))
