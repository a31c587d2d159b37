"""What a run says while this process works on it, for any number of listeners."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from retinue.core.errors import RetinueError
from retinue.runs.options import Run

Chunk = dict[str, Any]


class Live:
    """The chunks of one claim of a run, from its first to its last, and how it ended."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.chunks: list[Chunk] = []
        self.outcome: str | None = None
        self.error: RetinueError | None = None
        self._changed = asyncio.Event()

    def say(self, chunk: Chunk) -> None:
        """Add a chunk."""
        self.chunks.append(chunk)
        self._changed.set()

    def end(self, outcome: str, error: RetinueError | None = None) -> None:
        """No more chunks follow. `outcome` is a status of runs, or `lost` or `released`."""
        self.outcome, self.error = outcome, error
        self._changed.set()

    async def follow(self, start: int = 0) -> AsyncGenerator[list[Chunk]]:
        """The chunks from `start` on, as many at a time as have come, until the end."""
        at = start
        while True:
            if at < len(self.chunks):
                fresh = self.chunks[at:]
                at += len(fresh)
                yield fresh
            elif self.outcome is not None:
                return
            else:
                await self._wait()

    async def begun(self, seconds: float) -> None:
        """Wait until there is something to tell, for `seconds` at most."""
        try:
            async with asyncio.timeout(seconds):
                while not self.chunks and self.outcome is None:
                    await self._wait()
        except TimeoutError:
            return

    async def ended(self) -> None:
        """Wait for the end."""
        while self.outcome is None:
            await self._wait()

    async def _wait(self) -> None:
        # A fresh event a round: every listener that waits on the old one is woken.
        if self._changed.is_set():
            self._changed = asyncio.Event()
        await self._changed.wait()
