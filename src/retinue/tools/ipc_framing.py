"""Frame messages between the pool and a worker: a length of four bytes, big-endian, then one JSON object."""

from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

if TYPE_CHECKING:  # Workers only read and write files: without asyncio, they start in two thirds of the time.
    from asyncio import StreamReader

LENGTH_BYTES = 4
MAX_BYTES = 16 * 2**20
"""Maximum size of a message. A longer result becomes a refusal."""


def pack(message: bytes) -> bytes:
    """A frame around encoded JSON."""
    return len(message).to_bytes(LENGTH_BYTES, "big") + message


def read(stream: BinaryIO) -> Any:
    """The next message, or None at the end of the stream."""
    head = stream.read(LENGTH_BYTES)
    if len(head) < LENGTH_BYTES:
        return None
    return orjson.loads(stream.read(int.from_bytes(head, "big")))


async def receive(stream: "StreamReader") -> Any:
    """The next message.

    Raises `asyncio.IncompleteReadError` at the end of the stream, `ValueError` for invalid data.
    """
    length = int.from_bytes(await stream.readexactly(LENGTH_BYTES), "big")
    if length > MAX_BYTES:
        raise ValueError("longer than the message limit")
    return orjson.loads(await stream.readexactly(length))
