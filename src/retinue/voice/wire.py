"""Encodes messages between the server and its media worker, as JSON objects in frames."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from retinue.core.children import frames

Message = dict[str, Any]


class BootOptions(TypedDict):
    """What the worker needs before it confines itself: folders for modules, the numbers of the socket and of the
    server's process, the files that it may read, and the folder in which it may write.
    """

    paths: Sequence[str]
    channel: int
    parent: int
    readable: Sequence[str]
    writable: str
    must_be_confined: bool


class CallerRule(TypedDict, total=False):
    """What callers must fulfil: the networks that they call from, and the passwords of users."""

    networks: Sequence[str]
    users: Mapping[str, str]


class CallerRules(TypedDict, total=False):
    """The rules for calls to the numbers of trunks, and for all other calls."""

    phones: CallerRule
    numbers: Mapping[str, CallerRule]


class TrunkAccount(TypedDict):
    """A trunk as the worker registers and calls with it; see `trunks.Trunk`."""

    name: str
    host: str
    user: str
    auth_user: str | None
    secret: str
    transport: str
    srtp: bool
    register_: bool
    caller_id: str | None
    codecs: Sequence[str]


SESSION_EXPIRED = "session expired"
"""The reason why a line closed that the other side no longer refreshed (RFC 4028)."""

NOTHING_AGREED = "The audio connection could not be set up: the remote side accepted no codec or no encryption."
"""The reason why a line closed on which no audio could flow (RFC 3264)."""


def pack(message: Message) -> bytes:
    """Encode a message."""
    return frames.pack(json.dumps(message).encode())


async def receive(stream: asyncio.StreamReader) -> Message:
    """Read the next message. Raises `asyncio.IncompleteReadError` at the end, `ValueError` for an invalid message."""
    message: Message = json.loads(await frames.receive(stream))
    return message
