"""Waits for conditions without fixed pauses."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
_LOOK_S = 0.01


def eventually(condition: Callable[[], T | None], within: float = 10.0, every: float = _LOOK_S) -> T:
    """Wait until `condition` returns a true value, and return it. Polls every `every` seconds, fails after `within`.

    An assertion that fails in `condition` counts as not yet true. It is raised at the deadline.
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
            raise AssertionError(f"not true within {within:g} s: {condition}")
        time.sleep(every)
