"""Wakes waiters when something they wait for may have happened: directly in this process, by NOTIFY on other nodes.

A wake-up carries no data: the waiter reads the database. A lost wake-up only delays the waiter until its next poll.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterator

from retinue.core.errors import Unavailable


class Notifier:
    """Topics and their waiters."""

    def __init__(self) -> None:
        self._waiters: dict[str, set[asyncio.Event]] = {}
        self._listeners: dict[str, Callable[[str], None]] = {}
        self._forward: Callable[[str], None] | None = None
        self.stopping = False

    @contextlib.contextmanager
    def waiting(self, *topics: str) -> Iterator[asyncio.Event]:
        """Provide an event that each wake-up of one of `topics` sets. The waiter clears it."""
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

    def listen(self, kind: str, listener: Callable[[str], None]) -> None:
        """Call `listener` with each topic that begins with `kind` and a colon, and is woken on any node.

        A lost wake-up is not repeated, so use it only for what may get lost.
        """
        self._listeners[kind] = listener

    def wake(self, topic: str) -> None:
        """Wake the waiters of `topic`, on every node."""
        self.wake_here(topic)
        if self._forward:
            self._forward(topic)

    def wake_here(self, topic: str) -> None:
        """Wake the waiters of `topic` in this process."""
        for event in self._waiters.get(topic, ()):
            event.set()
        if listener := self._listeners.get(topic.partition(":")[0]):
            listener(topic)

    def wake_all_here(self) -> None:
        """Wake all waiters in this process. After a lost connection, any of them may have missed a wake-up."""
        for topic in list(self._waiters):
            self.wake_here(topic)

    def stop(self) -> None:
        """Wake all waiters in this process for shutdown. Their work continues on another node, or later."""
        self.stopping = True
        self.wake_all_here()

    def check_serving(self) -> None:
        """Raise `Unavailable` if this process is shutting down."""
        if self.stopping:
            raise Unavailable(
                "The server is shutting down, and the work continues. Send the request again in a few seconds."
            )

    def forward_to(self, forward: Callable[[str], None]) -> None:
        """Send wake-ups to other nodes through `forward`."""
        self._forward = forward


async def wait(event: asyncio.Event, seconds: float) -> bool:
    """Wait for a wake-up or for `seconds`, whichever is first. Returns True and clears the event on a wake-up."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    event.clear()
    return True
