"""Writes the hour and day windows to their file every second, on a separate thread."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import structlog

from retinue.core.work.notifier import wait
from retinue.gate.sliding_windows import AccountWindows
from retinue.gate.window_persistence import Slot, WindowStore

T = TypeVar("T")

_FOLD_S = 1.0
_EXPIRE_S = 600.0
_log = structlog.get_logger()


class WindowFlusher:
    """Saves changed windows. A file error never fails a request: it is logged, and the next write retries."""

    def __init__(self, path: Path, now: Callable[[], float]) -> None:
        self.changed: dict[str, AccountWindows] = {}
        self._path = path
        self._now = now
        self._store = WindowStore(path)
        self._thread = ThreadPoolExecutor(1, "limiter")
        self._stopping = asyncio.Event()
        self._expire_at = 0.0
        self._failing = False

    async def start(self) -> list[Slot] | None:
        """Return the slots in the file. A damaged file is replaced by a new one. None if no file can be used."""
        for read in (self._store.open, self._store.open_anew):
            try:
                slots = await self._on_thread(read)
            except Exception as error:  # noqa: BLE001 - a damaged file must not stop the counting of requests
                _log.warning("limiter.file_unusable", file=self._path.name, error=str(error))
            else:
                self._folding = asyncio.create_task(self._fold_until_stopped())
                return slots
        await self._on_thread(self._store.close)
        self._thread.shutdown()
        return None

    async def stop(self) -> None:
        """Write the remaining changes and close the file."""
        self._stopping.set()
        await self._folding
        await self.fold()
        await self._on_thread(self._store.close)
        self._thread.shutdown()

    async def _fold_until_stopped(self) -> None:
        while not await wait(self._stopping, _FOLD_S):
            await self.fold()

    async def fold(self) -> None:
        """Write the slots of the changed windows. Every 10 minutes, delete slots that no longer count."""
        if not self.changed:
            return
        changed, self.changed = self.changed, {}
        slots = _take_changes(changed)
        now = self._now()
        spans = [window.span(now) for window in AccountWindows().both()] if now >= self._expire_at else []
        try:
            await self._on_thread(lambda: self._store.save(slots, spans))
        except Exception as error:  # noqa: BLE001 - as above
            self._put_back(changed, error)
            return
        if spans:
            self._expire_at = now + _EXPIRE_S
        self._failing = False

    def _put_back(self, changed: dict[str, AccountWindows], error: Exception) -> None:
        for windows in changed.values():
            for window in windows.both():
                window.forget_saves()
        self.changed = changed | self.changed
        if not self._failing:
            _log.warning("limiter.file_not_written", file=self._path.name, error=str(error))
        self._failing = True

    async def _on_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


def _take_changes(changed: dict[str, AccountWindows]) -> list[Slot]:
    return [
        (account, window.width, slot, requests)
        for account, windows in changed.items()
        for window in windows.both()
        for slot, requests in window.take_changes()
    ]
