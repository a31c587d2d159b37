"""How much computing time the event loop spends between two of its turns."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest


@dataclass
class LoopTime:
    """The longest callbacks by what ran at that time.

    Times are seconds of CPU of the loop's thread, so other processes do not count.
    """

    now: str = ""
    longest: dict[str, float] = field(default_factory=dict)

    def note(self, seconds: float) -> None:
        """Note a callback's time under what runs now."""
        self.longest[self.now] = max(seconds, self.longest.get(self.now, 0.0))

    def over(self, seconds: float) -> dict[str, float]:
        """What had a callback that took longer, the slowest first."""
        slow = sorted(self.longest.items(), key=lambda item: -item[1])
        return {name: round(took, 3) for name, took in slow if took > seconds}


@contextmanager
def measured_loop() -> Iterator[LoopTime]:
    """Measure every callback of every event loop of asyncio's own kind."""
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
