"""Turns at the processor: engines that compute speech on this machine do so one sentence after the other.

Where many calls speak at once, as many threads would compute, and none of them would be left the time to move sound.
"""

import os
import threading
from collections import deque
from types import TracebackType
from typing import Self


class Turns:
    """A semaphore that is fair: who asked first goes first. Python's own lets the one that goes come again at once."""

    def __init__(self, free: int) -> None:
        self._lock = threading.Lock()
        self._free = free
        self._waiting: deque[threading.Lock] = deque()

    @property
    def waiting(self) -> int:
        """How many threads wait."""
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
"""Of this process. One core is left for moving sound."""
