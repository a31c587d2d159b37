"""Frames messages between the server and its child processes: a length of four bytes, big-endian, then the message.

Uses only the standard library, because children have few of the server's packages.
"""

from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:  # Children that read from files start in two thirds of the time without asyncio.
    from asyncio import StreamReader

MOST_BYTES = 16 << 20
"""Maximum size of a message that a parent accepts."""

_LENGTH_BYTES = 4


def pack(message: bytes) -> bytes:
    """Return a message in its frame."""
    return len(message).to_bytes(_LENGTH_BYTES, "big") + message


def read(stream: BinaryIO) -> bytes | None:
    """Return the next message, or None at the end of the stream."""
    head = stream.read(_LENGTH_BYTES)
    return stream.read(int.from_bytes(head, "big")) if len(head) == _LENGTH_BYTES else None


async def receive(stream: "StreamReader") -> bytes:
    """Return the next message.

    Raises `asyncio.IncompleteReadError` at the end of the stream, `ValueError` if the message is longer than
    `MOST_BYTES`.
    """
    length = int.from_bytes(await stream.readexactly(_LENGTH_BYTES), "big")
    if length > MOST_BYTES:
        raise ValueError("longer than the message limit")
    return await stream.readexactly(length)
