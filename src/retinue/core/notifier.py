"""Telling waiters that something they wait for may have happened: in this process at once, on other nodes by NOTIFY.

A wake-up carries no news: whoever is woken looks into the database. A lost one costs a sweep's delay, nothing more.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterator

from retinue.core.errors import Unavailable


class Wakeups:
    """Topics and those who wait for them."""

    def __init__(self) -> None:
        self._waiters: dict[str, set[asyncio.Event]] = {}
        self._forward: Callable[[str], None] | None = None
        self.stopping = False

    @contextlib.contextmanager
    def waiting(self, *topics: str) -> Iterator[asyncio.Event]:
        """An event that is set at each wake-up of one of `topics`; the waiter clears it."""
        event = asyncio.Event()
        for topic in topics:
            self._waiters.setdefault(topic, set()).add(event)
        try:
            yield event
        finally:
            for topic in topics:
                self._waiters[topic].discard(event)
                if not self._waiters[topic]:
                    del self._waiters[topic]

    def wake(self, topic: str) -> None:
        """Wake the waiters of `topic`, on every node."""
        self.wake_here(topic)
        if self._forward:
            self._forward(topic)

    def wake_here(self, topic: str) -> None:
        """Wake the waiters of `topic` in this process."""
        for event in self._waiters.get(topic, ()):
            event.set()

    def wake_all_here(self) -> None:
        """Wake everyone in this process: after a lost connection nobody knows what was missed."""
        for topic in list(self._waiters):
            self.wake_here(topic)

    def stop(self) -> None:
        """Wake everyone in this process for the last time: what they wait for goes on elsewhere, or later."""
        self.stopping = True
        self.wake_all_here()

    def check_serving(self) -> None:
        """Raise `Unavailable` in a process that is told to stop: it waits for nobody."""
        if self.stopping:
            raise Unavailable("The server is shutting down, and the work goes on. Ask for it again in a few seconds.")

    def forward_to(self, forward: Callable[[str], None]) -> None:
        """Send wake-ups to other nodes through `forward`."""
        self._forward = forward


async def wait(event: asyncio.Event, seconds: float) -> bool:
    """Wait for a wake-up or for `seconds`, whichever is first; clears the event. True when it was woken."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    event.clear()
    return True
