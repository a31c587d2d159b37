"""Measures the CPU time of the event loop's callbacks."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest


@dataclass
class LoopTime:
    """The longest callback for each label.

    Times are CPU seconds of the loop's thread, so other processes do not count.
    """

    now: str = ""
    longest: dict[str, float] = field(default_factory=dict)

    def note(self, seconds: float) -> None:
        """Record a callback's time under the current label."""
        self.longest[self.now] = max(seconds, self.longest.get(self.now, 0.0))

    def over(self, seconds: float) -> dict[str, float]:
        """Return the labels with a callback that took longer than `seconds`, slowest first."""
        slow = sorted(self.longest.items(), key=lambda item: -item[1])
        return {name: round(took, 3) for name, took in slow if took > seconds}


@contextmanager
def measured_loop() -> Iterator[LoopTime]:
    """Measure every callback of asyncio's own event loops."""
    taken, run = LoopTime(), asyncio.Handle._run

    def time_of(handle: asyncio.Handle) -> Any:
        began = time.thread_time()
        try:
            return run(handle)
        finally:
            taken.note(time.thread_time() - began)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.Handle, "_run", time_of)
        yield taken
