"""Limits the threads that compute speech on this machine at the same time.

Without a limit, many simultaneous calls would use all cores for synthesis, and leave no time to process audio.
"""

import os
import threading
from collections import deque
from types import TracebackType
from typing import Self

from retinue.core.runtime.executors import acting_for


class ComputeSlots:
    """A fair semaphore: accounts enter in turn, and the threads of each in order of arrival.

    With Python's own, a thread can re-enter before others.
    """

    def __init__(self, free: int) -> None:
        self._lock = threading.Lock()
        self._free = free
        self._waiting: dict[int, deque[threading.Lock]] = {}
        """The waiting threads by account. The first account is next."""

    @property
    def waiting(self) -> int:
        """Number of waiting threads."""
        return sum(map(len, self._waiting.values()))

    def __enter__(self) -> Self:
        with self._lock:
            if self._free:
                self._free -= 1
                return self
            turn = threading.Lock()
            turn.acquire()
            self._waiting.setdefault(acting_for.get(), deque()).append(turn)
        turn.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            if not self._waiting:
                self._free += 1
                return
            account = next(iter(self._waiting))
            turns = self._waiting.pop(account)
            turns.popleft().release()
            if turns:
                self._waiting[account] = turns


CORES = ComputeSlots(max(1, (os.cpu_count() or 2) - 1))
"""The limit of this process. One core stays free for audio processing."""
