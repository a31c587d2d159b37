"""Logs when the event loop of a test server is busy for long, by the CPU time of its thread.

The watchdog of the server measures wall time, so a busy machine delays it too. `tests.support.loop_time` measures each
callback of asyncio's own loops; the server runs on uvloop, whose callbacks cannot be wrapped.
"""

import asyncio
import sys
import threading
import time
import traceback
from unittest.mock import patch

import structlog
import uvloop

LIMIT = "TESTS_LOOP_CPU_S"
"""An environment variable of test servers: the CPU seconds between two iterations of the loop that are logged."""
EVENT = "loop.busy"

_BEAT_S = 0.01
"""Seconds between heartbeats. The measured time is longer by at most this much."""
_FRAMES = 14
_log = structlog.get_logger()


class _Heart:
    """Beats on the loop. A thread notes what the loop does when the limit is reached, if it gets a turn in time."""

    def __init__(self, loop: asyncio.AbstractEventLoop, limit_s: float) -> None:
        self._loop = loop
        self._limit_s = limit_s
        self._stack = ""

    def start(self) -> None:
        """Begin to beat, in the loop's thread."""
        self._beaten_at = time.thread_time()
        self._thread = threading.get_ident()
        threading.Thread(target=self._watch, name="heart", daemon=True).start()
        self._beat()

    def _beat(self) -> None:
        now = time.thread_time()
        if (took := now - self._beaten_at) >= self._limit_s:
            _log.warning(EVENT, cpu_s=round(took, 3), stack=self._stack)
        self._stack = ""
        self._beaten_at = time.thread_time()
        self._loop.call_later(_BEAT_S, self._beat)

    def _watch(self) -> None:
        clock = time.pthread_getcpuclockid(self._thread)
        while True:
            time.sleep(_BEAT_S)
            if not self._stack and time.clock_gettime(clock) - self._beaten_at >= self._limit_s:
                frame = sys._current_frames().get(self._thread)
                self._stack = "".join(traceback.format_stack(frame)[-_FRAMES:])


def log_long_iterations(limit_s: float) -> None:
    """Log every iteration of loops that uvloop creates from now on if it uses `limit_s` CPU seconds or more."""
    create = uvloop.new_event_loop

    def create_watched() -> uvloop.Loop:
        loop = create()
        loop.call_soon(_Heart(loop, limit_s).start)
        return loop

    patch.object(uvloop, "new_event_loop", create_watched).start()
