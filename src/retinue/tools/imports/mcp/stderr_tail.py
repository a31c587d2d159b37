"""Collect the end of a program's standard error for the operator."""

import asyncio

_KEPT_BYTES = 4096
_MOST_CHARACTERS = 1000
_PAUSE_S = 0.05
"""Pause after a full read, so that endless output does not take all processor time."""


class StderrTail:
    """Reads a stream to its end, so that its pipe never fills up, and stores the last part."""

    def __init__(self, stream: asyncio.StreamReader, secret: str) -> None:
        self._secret = secret
        self._kept = b""
        self._listening = asyncio.create_task(self._listen(stream))

    async def text(self, patience_s: float) -> str:
        """The last whole lines, without the secret. This stops reading."""
        await asyncio.wait({self._listening}, timeout=patience_s)
        self._listening.cancel()
        lines = self._kept.partition(b"\n")[2] if len(self._kept) == _KEPT_BYTES else self._kept
        told = lines.decode(errors="replace").strip()
        return (told.replace(self._secret, "***") if self._secret else told)[-_MOST_CHARACTERS:]

    async def _listen(self, stream: asyncio.StreamReader) -> None:
        while output := await stream.read(_KEPT_BYTES):
            self._kept = (self._kept + output)[-_KEPT_BYTES:]
            await asyncio.sleep(_PAUSE_S if len(output) == _KEPT_BYTES else 0)
