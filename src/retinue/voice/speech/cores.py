"""Limits the threads that compute speech on this machine at the same time.

Without a limit, many simultaneous calls would use all cores for synthesis, and leave no time to process audio.
"""

import os
import threading
from collections import deque
from types import TracebackType
from typing import Self


class Turns:
    """A fair semaphore: threads enter in order of arrival. With Python's own, a thread can re-enter before others."""

    def __init__(self, free: int) -> None:
        self._lock = threading.Lock()
        self._free = free
        self._waiting: deque[threading.Lock] = deque()

    @property
    def waiting(self) -> int:
        """Number of waiting threads."""
        return len(self._waiting)

    def __enter__(self) -> Self:
        with self._lock:
            if self._free:
                self._free -= 1
                return self
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        turn.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._free += 1


CORES = Turns(max(1, (os.cpu_count() or 2) - 1))
"""The limit of this process. One core stays free for audio processing."""
