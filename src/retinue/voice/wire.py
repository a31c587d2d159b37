"""Encodes messages between the server and its media worker: a 4-byte big-endian length, then one JSON object.

Uses only the standard library, because the worker's Python has none of the server's packages.
"""

import asyncio
import json
from typing import Any

Message = dict[str, Any]

_LENGTH_BYTES = 4
_MOST_BYTES = 1 << 20


def pack(message: Message) -> bytes:
    """Encode a message."""
    body = json.dumps(message).encode()
    return len(body).to_bytes(_LENGTH_BYTES, "big") + body


async def receive(stream: asyncio.StreamReader) -> Message:
    """Read the next message. Raises `asyncio.IncompleteReadError` at the end, `ValueError` for an invalid message."""
    length = int.from_bytes(await stream.readexactly(_LENGTH_BYTES), "big")
    if length > _MOST_BYTES:
        raise ValueError("longer than the message limit")
    message: Message = json.loads(await stream.readexactly(length))
    return message
