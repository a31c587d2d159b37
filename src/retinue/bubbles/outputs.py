"""What a program prints, bounded: the beginning and the end are kept, the middle is left out."""

import asyncio
from dataclasses import dataclass

_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Printed:
    """One stream of a program, as text in UTF-8; other bytes are shown as replacement characters."""

    text: str
    cut_bytes: int
    """How many bytes were left out."""


class Output:
    """Takes a stream as it comes, and holds at most `most` bytes of it."""

    def __init__(self, most: int) -> None:
        self._half = most // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def take(self, block: bytes) -> None:
        """What was printed next."""
        room = self._half - len(self._head)
        self._head += block[:room]
        self._tail += block[room:]
        excess = len(self._tail) - self._half
        if excess > 0:
            del self._tail[:excess]
            self._dropped += excess

    def output(self) -> Printed:
        """All of it, or what was kept with a note of what was not."""
        if not self._dropped:
            return Printed((self._head + self._tail).decode(errors="replace"), 0)
        note = f"\n[... {self._dropped:,} bytes left out ...]\n"
        return Printed(self._head.decode(errors="replace") + note + self._tail.decode(errors="replace"), self._dropped)


async def drain(stream: asyncio.StreamReader | None, into: Output) -> None:
    """Read a stream to its end."""
    while stream and (block := await stream.read(_BLOCK)):
        into.take(block)
