"""Waiting for what must come true, without fixed pauses."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
_LOOK_S = 0.01


def eventually(condition: Callable[[], T | None], within: float = 10.0, every: float = _LOOK_S) -> T:
    """What `condition` returns once it is true; fails when it is not within that many seconds. Looks `every` so often.

    An assertion that fails inside counts as not yet true, and is raised when the time is up.
    """
    deadline = time.monotonic() + within
    while True:
        late = time.monotonic() >= deadline
        try:
            if value := condition():
                return value
        except AssertionError:
            if late:
                raise
        if late:
            raise AssertionError(f"did not come true within {within:g} s: {condition}")
        time.sleep(every)
