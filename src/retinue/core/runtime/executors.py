"""Thread pools for work that would block the event loop: one for the disk, one for computation.

In both, accounts take turns, and one account never occupies all threads. `acting_for` names the account.
"""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from functools import partial
from typing import ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from retinue.core.runtime.fair_semaphore import FairSemaphore

P = ParamSpec("P")
T = TypeVar("T")

acting_for: ContextVar[int] = ContextVar("acting_for", default=0)
"""The account that the current task works for; 0 is the server itself."""

_CORES = os.cpu_count() or 1
_DISK_THREADS = min(4 + 2 * _CORES, 32)
# These threads share the interpreter lock with the event loop, so more of them would only slow the loop down.
_COMPUTE_THREADS = min(max(_CORES, 2), 4)


class FairExecutor:
    """Runs functions on `size` threads. One account occupies at most `share` of them, by default all but one.

    `niceness` is added to the nice value of the threads: on Linux, each thread has its own.
    """

    def __init__(self, name: str, size: int, share: int | None = None, niceness: int = 0) -> None:
        self._name, self._size = name, size
        self._share = max(size - 1, 1) if share is None else share
        self._threads = ThreadPoolExecutor(size, name, initializer=os.nice, initargs=(niceness,))
        self._slots_by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, FairSemaphore] = WeakKeyDictionary()

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `function` on a thread with a copy of this task's context. Returns its result or raises its exception.

        If the task is cancelled, the function still runs to its end and occupies its thread until then.
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

    def shutdown(self, *, wait: bool = True) -> None:
        """End the threads when the running functions have ended. Without `wait`, return at once and run no others."""
        self._threads.shutdown(wait, cancel_futures=not wait)

    @property
    def _slots(self) -> FairSemaphore:
        """The semaphore of the running loop. A process has one loop, except in tests."""
        loop = asyncio.get_running_loop()
        if loop not in self._slots_by_loop:
            self._slots_by_loop[loop] = FairSemaphore(self._size, self._name, share=self._share)
        return self._slots_by_loop[loop]


_disk = FairExecutor("disk", _DISK_THREADS)
_compute = FairExecutor("compute", _COMPUTE_THREADS)


async def run_on_disk_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a function that reads or writes files. See `FairExecutor.run`."""
    return await _disk.run(function, *args, **kwargs)


async def run_on_compute_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a function that computes for more than a few milliseconds. See `FairExecutor.run`."""
    return await _compute.run(function, *args, **kwargs)
