"""What a program wrote to standard error before it ended, for the operator."""

import asyncio

_KEPT_BYTES = 4096
_MOST_CHARACTERS = 1000
_PAUSE_S = 0.05
"""After a full read: what writes without end must not take all of the time."""


class LastWords:
    """Reads a stream to its end, so that its pipe never fills up, and keeps the end of it."""

    def __init__(self, stream: asyncio.StreamReader, secret: str) -> None:
        self._secret = secret
        self._kept = b""
        self._listening = asyncio.create_task(self._listen(stream))

    async def text(self, patience_s: float) -> str:
        """The end in whole lines, without the secret. Nothing is read after this."""
        await asyncio.wait({self._listening}, timeout=patience_s)
        self._listening.cancel()
        lines = self._kept.partition(b"\n")[2] if len(self._kept) == _KEPT_BYTES else self._kept
        told = lines.decode(errors="replace").strip()
        return (told.replace(self._secret, "***") if self._secret else told)[-_MOST_CHARACTERS:]

    async def _listen(self, stream: asyncio.StreamReader) -> None:
        while output := await stream.read(_KEPT_BYTES):
            self._kept = (self._kept + output)[-_KEPT_BYTES:]
            await asyncio.sleep(_PAUSE_S if len(output) == _KEPT_BYTES else 0)
