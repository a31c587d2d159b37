"""Threads for work that would hold up the event loop: one pool for the disk, one for computing.

In both, accounts take turns, and one account never has all the threads. `acting_for` says whose work it is.
"""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from functools import partial
from typing import ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from retinue.core.fair_semaphore import FairSemaphore

P = ParamSpec("P")
T = TypeVar("T")

acting_for: ContextVar[int] = ContextVar("acting_for", default=0)
"""The account on whose behalf a task works; 0 is the server itself."""

_CORES = os.cpu_count() or 1
_DISK_THREADS = min(4 + 2 * _CORES, 32)
# These threads share one interpreter lock with the event loop: more of them would only slow the loop down.
_COMPUTE_THREADS = min(max(_CORES, 2), 4)


class FairExecutor:
    """Runs functions on `size` threads, of which one account has at most all but one."""

    def __init__(self, name: str, size: int) -> None:
        self._name, self._size = name, size
        self._threads = ThreadPoolExecutor(size, name)
        self._slots_by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, FairSemaphore] = WeakKeyDictionary()

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `function` returns or raises, from a thread with a copy of this task's context.

        If the task is cancelled, the function runs to its end and keeps its thread until then.
        """
        slots, account = self._slots, acting_for.get()
        loop, context, call = asyncio.get_running_loop(), copy_context(), partial(function, *args, **kwargs)
        await slots.acquire(account)
        try:
            work = self._threads.submit(context.run, call)
        except BaseException:
            slots.release(account)
            raise

        def give_back(_: Future[T]) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(slots.release, account)

        work.add_done_callback(give_back)
        return await asyncio.wrap_future(work)

    def shutdown(self) -> None:
        """Wait for the work under way and end the threads."""
        self._threads.shutdown()

    @property
    def _slots(self) -> FairSemaphore:
        """The turns of the running loop. A process has one loop, except in tests."""
        loop = asyncio.get_running_loop()
        if loop not in self._slots_by_loop:
            self._slots_by_loop[loop] = FairSemaphore(self._size, self._name, share=self._size - 1)
        return self._slots_by_loop[loop]


_disk = FairExecutor("disk", _DISK_THREADS)
_compute = FairExecutor("compute", _COMPUTE_THREADS)


async def run_on_disk_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a function that reads or writes files. See `FairExecutor.run`."""
    return await _disk.run(function, *args, **kwargs)


async def run_on_compute_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a function that computes for more than a few milliseconds. See `FairExecutor.run`."""
    return await _compute.run(function, *args, **kwargs)
