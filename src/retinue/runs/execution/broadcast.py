"""What a run says while this process works on it, for any number of listeners."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Any

from retinue.core.errors import RetinueError
from retinue.core.notifier import Wakeups
from retinue.runs.run_journal import RunJournal

Chunk = dict[str, Any]

_GATHER_S = 0.01
"""After each delivery to a listener, how long at most chunks are gathered for the next. Nobody sees it, and a model
that speaks faster costs no more than one of a hundred words a second."""

FOLLOWED = "runs.followed"
"""The topic that is woken, beside that of the run, when somebody follows a run at a node that does not work on it."""


def said_topic(run_id: int) -> str:
    """The topic that is woken when a run has said something."""
    return f"said:{run_id}"


def followed_topic(run_id: int) -> str:
    """The topic that is woken while somebody follows a run at a node that does not work on it."""
    return f"followed:{run_id}"


class Live:
    """One claim of a run, as it goes on, and how it ended.

    `chunks` is all that it says, kept where a client waits on the connection. `turns` grows with everything but text:
    while it stays the same, the journal has no rows that listeners need.
    """

    def __init__(self, journal: RunJournal, wakeups: Wakeups) -> None:
        self.journal = journal
        self.run = journal.run
        self.chunks: list[Chunk] = []
        self.turns = 0
        self.outcome: str | None = None
        self.error: RetinueError | None = None
        self.asked = asyncio.Event()
        """Set whenever a listener at another node asks for what is said."""
        self.followed_until = 0.0
        """Until when, by the event loop's clock, such a listener is believed to be there."""
        self.relayed: tuple[int, int, int] | None = None
        """The news that was last stored for such listeners."""
        self._wakeups = wakeups
        self._topic = said_topic(self.run.id)
        self._ended = asyncio.Event()

    def say(self, chunk: Chunk) -> None:
        """Tell a chunk. The journal has text already."""
        if self.run.attached:
            self.chunks.append(chunk)
        if chunk["type"] != "text":
            self.turns += 1
        self._wakeups.wake_here(self._topic)

    def end(self, outcome: str, error: RetinueError | None = None) -> None:
        """No more chunks follow. `outcome` is a status of runs, or `lost` or `released`."""
        self.outcome, self.error = outcome, error
        self.turns += 1
        self._wakeups.wake_here(self._topic)
        self._ended.set()

    def news(self) -> tuple[int, int, int]:
        """Differs whenever there is more to tell."""
        return self.turns, self.journal.reply_seq, len(self.journal.reply)

    async def follow(self) -> AsyncGenerator[list[Chunk]]:
        """The chunks, as many at a time as have come, until the end: the first at once."""
        at = 0
        with self._wakeups.waiting(self._topic) as changed:
            while True:
                if at < len(self.chunks):
                    fresh = self.chunks[at:]
                    at += len(fresh)
                    yield fresh
                    await self._gather()
                elif self.outcome is not None:
                    return
                else:
                    await changed.wait()
                    changed.clear()

    async def _gather(self) -> None:
        """Let chunks come together, unless the last has come."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GATHER_S):
                await self._ended.wait()

    async def wait_for_begin(self, seconds: float) -> None:
        """Wait until there is something to tell, for `seconds` at most."""
        with self._wakeups.waiting(self._topic) as changed:
            try:
                async with asyncio.timeout(seconds):
                    while not self.chunks and self.outcome is None:
                        await changed.wait()
                        changed.clear()
            except TimeoutError:
                return

    async def wait_until_ended(self) -> None:
        """Wait for the end."""
        with self._wakeups.waiting(self._topic) as changed:
            while self.outcome is None:
                await changed.wait()
                changed.clear()
