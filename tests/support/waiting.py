"""Waits for conditions without fixed pauses."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import TypeVar

T = TypeVar("T")
_LOOK_S = 0.01
_RARE_LOOK_S = 0.2
_LEAST_S = 60.0
"""A shorter limit would measure how busy the machine is."""

_SHARE = 0.05
"""The pause is this share of the time waited so far: most conditions are requests, which cost processor time."""


def eventually(condition: Callable[[], T | None], within: float = 10.0, every: float = _LOOK_S) -> T:
    """Wait until `condition` returns a true value, and return it. Fails after `within` seconds, 60 at least.

    Polls every `every` seconds at first, and more rarely the longer it waits.
    An assertion that fails in `condition` counts as not yet true. It is raised at the deadline.
    """
    within = max(within, _LEAST_S)
    began = time.monotonic()
    while True:
        waited = time.monotonic() - began
        try:
            if value := condition():
                return value
        except AssertionError:
            if waited >= within:
                raise
        if waited >= within:
            raise AssertionError(f"not true within {within:g} s: {condition}")
        pause = max(every, min(_SHARE * waited, _RARE_LOOK_S))
        time.sleep(min(pause, within - waited))


async def until(condition: Callable[[], object | Awaitable[object]], within: float = _LEAST_S) -> None:
    """Wait until `condition`, or what it awaits, is true. Raises `TimeoutError` after `within` seconds."""
    async with asyncio.timeout(within):
        while True:
            value = condition()
            if await value if isawaitable(value) else value:
                return
            await asyncio.sleep(_LOOK_S)
