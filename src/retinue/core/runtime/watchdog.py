"""Logs where the event loop stalls, because a stalled loop loses audio and leases.

If the loop stalls for good, `exit_on_stall` ends the process, so that a supervisor restarts it and leases continue.
"""

import asyncio
import faulthandler
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

_log = structlog.get_logger()
_LOOK_S = 0.25
STALL_S = 0.1
"""Seconds after which a callback that blocks the loop counts as a fault."""

_FRAMES = 12


_SIGNS_OF_LIFE = 10
"""Number of heartbeats within the stall limit."""


@contextmanager
def exit_on_stall(limit_s: float) -> Iterator[None]:
    """End this process with status 1 if the running loop stalls for `limit_s` seconds; 0 disables this.

    faulthandler waits on a thread that does not need the interpreter lock, so it works even if the lock is never
    released. It first writes the stacks of all threads to standard error.
    """
    if not limit_s:
        yield
        return
    showing = asyncio.create_task(_show_life(limit_s))
    try:
        yield
    finally:
        showing.cancel()
        faulthandler.cancel_dump_traceback_later()


async def _show_life(limit_s: float) -> None:
    while True:
        faulthandler.dump_traceback_later(limit_s, exit=True)
        await asyncio.sleep(limit_s / _SIGNS_OF_LIFE)


class Watchdog:
    """A thread that pings the loop, and logs the loop's stack if it does not respond in time."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._alive = threading.Event()

    def start(self) -> None:
        """Start watching the running loop."""
        loop = asyncio.get_running_loop()
        watched = threading.get_ident()
        threading.Thread(target=self._watch, args=(loop, watched), name="watchdog", daemon=True).start()

    def stop(self) -> None:
        """Stop watching."""
        self._stop.set()

    def _watch(self, loop: asyncio.AbstractEventLoop, watched: int) -> None:
        while not self._stop.wait(_LOOK_S):
            self._alive.clear()
            try:
                loop.call_soon_threadsafe(self._alive.set)
            except RuntimeError:
                return  # the loop is closed
            if not self._alive.wait(STALL_S):
                frame = sys._current_frames().get(watched)
                stack = traceback.format_stack(frame, limit=None)[-_FRAMES:] if frame else []
                _log.warning("loop.stalled", seconds=STALL_S, stack="".join(stack))
                self._alive.wait()
