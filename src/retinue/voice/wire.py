"""Messages between the server and its media worker: a length of four bytes, big-endian, then one JSON object.

Only the standard library is used: the worker's Python has none of the server's packages.
"""

import asyncio
import json
from typing import Any

Message = dict[str, Any]

_LENGTH_BYTES = 4
_MOST_BYTES = 1 << 20


def pack(message: Message) -> bytes:
    """A message as bytes."""
    body = json.dumps(message).encode()
    return len(body).to_bytes(_LENGTH_BYTES, "big") + body


async def receive(stream: asyncio.StreamReader) -> Message:
    """The next message. Raises `asyncio.IncompleteReadError` at the end of the stream, `ValueError` for nonsense."""
    length = int.from_bytes(await stream.readexactly(_LENGTH_BYTES), "big")
    if length > _MOST_BYTES:
        raise ValueError("longer than a message may be")
    message: Message = json.loads(await stream.readexactly(length))
    return message
