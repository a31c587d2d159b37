"""Broadcasts a run's output within the process that executes it, to any number of listeners."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Any

from retinue.core.errors import NO_RETRY, RetinueError
from retinue.core.work.notifier import Notifier
from retinue.runs.failures import RUN_ID
from retinue.runs.run_journal import RunJournal

Chunk = dict[str, Any]

_GATHER_S = 0.01
"""Maximum time to collect chunks between two deliveries to a listener. The delay is invisible, and limits the cost of
a fast model to that of one with a hundred words a second."""

_IN_MEMORY = ("text", "reasoning")
"""The types of chunks that leave the journal unchanged."""

FOLLOWED = "runs.followed"
"""The topic, besides the run's own, that wakes when a client follows a run on a node that does not execute it."""


def retry_chunk(message: str, next_attempt_at: str) -> Chunk:
    """Return the event of a model call that failed and is repeated at a time (ISO 8601)."""
    return {"type": "retry", "message": message, "next_attempt_at": next_attempt_at}


def said_topic(run_id: int) -> str:
    """Return the topic that wakes when a run has new output."""
    return f"said:{run_id}"


def followed_topic(run_id: int) -> str:
    """Return the topic that wakes while a client follows the run on a node that does not execute it."""
    return f"followed:{run_id}"


class RunStream:
    """The live output of one claim of a run, and its outcome.

    `chunks` holds all output, but only if a client waits on the connection. `turns` grows with every chunk except
    text and reasoning: while it is unchanged, the journal has no new rows for listeners.
    """

    def __init__(self, journal: RunJournal, notifier: Notifier) -> None:
        self.journal = journal
        self.run = journal.run
        self.chunks: list[Chunk] = []
        self.turns = 0
        self.outcome: str | None = None
        self.error: RetinueError | None = None
        self.requested = asyncio.Event()
        """Set whenever a listener on another node requests the output."""
        self.followed_until = 0.0
        """When such a listener is assumed to have gone, in event-loop time."""
        self.relayed: tuple[int, int, int] | None = None
        """The `news()` value last stored for such listeners."""
        self._notifier = notifier
        self._topic = said_topic(self.run.id)
        self._ended = asyncio.Event()

    def say(self, chunk: Chunk) -> None:
        """Publish a chunk. Text is already in the journal."""
        if self.run.attached:
            self.chunks.append(chunk)
        if chunk["type"] not in _IN_MEMORY:
            self.turns += 1
        self._notifier.wake_here(self._topic)

    def end(self, outcome: str, error: RetinueError | None = None) -> None:
        """Mark the end of the output. `outcome` is a run status, `lost` or `released`.

        The error's headers name the run, and tell clients not to repeat a request that may have changed something.
        """
        if error:
            error.headers |= {RUN_ID: str(self.run.id), **(NO_RETRY if self.journal.has_acted else {})}
        self.outcome, self.error = outcome, error
        self.turns += 1
        self._notifier.wake_here(self._topic)
        self._ended.set()

    def news(self) -> tuple[int, int, int]:
        """Return a value that changes whenever there is new output."""
        return self.turns, self.journal.reply_seq, len(self.journal.reply)

    async def follow(self) -> AsyncGenerator[list[Chunk]]:
        """Yield chunks until the end, in batches as they arrive, the first one immediately."""
        at = 0
        with self._notifier.waiting(self._topic) as changed:
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
        """Wait for more chunks, unless the run has ended."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GATHER_S):
                await self._ended.wait()

    async def wait_for_begin(self, seconds: float) -> None:
        """Wait for the first chunk or the end, at most `seconds`."""
        with self._notifier.waiting(self._topic) as changed:
            try:
                async with asyncio.timeout(seconds):
                    while not self.chunks and self.outcome is None:
                        await changed.wait()
                        changed.clear()
            except TimeoutError:
                return

    async def wait_until_ended(self) -> None:
        """Wait until the run has ended."""
        with self._notifier.waiting(self._topic) as changed:
            while self.outcome is None:
                await changed.wait()
                changed.clear()
