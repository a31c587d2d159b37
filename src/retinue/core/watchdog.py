"""Tells when the event loop stalls, and in which code: a loop that stands still loses audio, leases and patience."""

import asyncio
import sys
import threading
import traceback

import structlog

_log = structlog.get_logger()
_LOOK_S = 0.25
STALL_S = 0.1
"""A callback that holds the loop longer than this is a fault."""

_FRAMES = 12


class Watchdog:
    """A thread that asks the loop for a sign of life, and logs the loop's stack when none comes in time."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._alive = threading.Event()

    def start(self) -> None:
        """Watch the running loop."""
        loop = asyncio.get_running_loop()
        watched = threading.get_ident()
        threading.Thread(target=self._watch, args=(loop, watched), name="watchdog", daemon=True).start()

    def stop(self) -> None:
        """End watching."""
        self._stop.set()

    def _watch(self, loop: asyncio.AbstractEventLoop, watched: int) -> None:
        while not self._stop.wait(_LOOK_S):
            self._alive.clear()
            try:
                loop.call_soon_threadsafe(self._alive.set)
            except RuntimeError:
                return  # the loop is closed
            if not self._alive.wait(STALL_S):
                self._tell(watched)
                self._alive.wait()

    def _tell(self, watched: int) -> None:
        frame = sys._current_frames().get(watched)
        stack = traceback.format_stack(frame, limit=None)[-_FRAMES:] if frame else []
        _log.warning("loop.stalled", seconds=STALL_S, stack="".join(stack))
