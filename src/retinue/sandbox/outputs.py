"""Collect a program's output within a limit: the beginning and the end stay, the middle is dropped."""

import asyncio
from dataclasses import dataclass

_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class CapturedOutput:
    """One stream of a program as UTF-8 text; invalid bytes appear as replacement characters."""

    text: str
    cut_bytes: int
    """Number of bytes dropped."""


class OutputCollector:
    """Collects a stream, holding at most `most` bytes of it."""

    def __init__(self, most: int) -> None:
        self._half = most // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def take(self, block: bytes) -> None:
        """Add the next block of the stream."""
        room = self._half - len(self._head)
        self._head += block[:room]
        self._tail += block[room:]
        excess = len(self._tail) - self._half
        if excess > 0:
            del self._tail[:excess]
            self._dropped += excess

    def output(self) -> CapturedOutput:
        """Return the whole output, or its beginning and end with a note of the bytes dropped between."""
        if not self._dropped:
            return CapturedOutput((self._head + self._tail).decode(errors="replace"), 0)
        note = f"\n[... {self._dropped:,} bytes left out ...]\n"
        return CapturedOutput(
            self._head.decode(errors="replace") + note + self._tail.decode(errors="replace"), self._dropped
        )


async def drain(stream: asyncio.StreamReader | None, into: OutputCollector) -> None:
    """Read a stream to its end into `into`."""
    while stream and (block := await stream.read(_BLOCK)):
        into.take(block)
