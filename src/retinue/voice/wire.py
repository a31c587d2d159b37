"""Encodes messages between the server and its media worker, as JSON objects in frames."""

import asyncio
import json
from typing import Any

from retinue.core.children import frames

Message = dict[str, Any]

SESSION_EXPIRED = "session expired"
"""The reason why a line closed that the other side no longer refreshed (RFC 4028)."""


def pack(message: Message) -> bytes:
    """Encode a message."""
    return frames.pack(json.dumps(message).encode())


async def receive(stream: asyncio.StreamReader) -> Message:
    """Read the next message. Raises `asyncio.IncompleteReadError` at the end, `ValueError` for an invalid message."""
    message: Message = json.loads(await frames.receive(stream))
    return message
