"""The limiter for a single process: counts in memory, with the hour and day windows saved to a file."""

import time
from collections.abc import Callable, Iterator
from math import ceil
from pathlib import Path

from retinue.auth.plans import RequestLimits
from retinue.core.runtime.expiring_dict import ExpiringDict
from retinue.gate.limiter import RateLimitDecision
from retinue.gate.sliding_windows import DAY_AND_SLOT, MINUTE, AccountWindows, MinuteLog
from retinue.gate.steady_clock import SteadyClock
from retinue.gate.window_flush import WindowFlusher

_MOST_ADDRESSES = 20_000


class MemoryLimiter:
    """See `Limiter`. Without a usable file, the counts do not survive the process."""

    def __init__(self, path: Path | None = None, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = SteadyClock(clock)
        self._now = self._clock.now
        self._credentials = ExpiringDict(MinuteLog, self._now, MINUTE)
        self._addresses = ExpiringDict(MinuteLog, self._now, MINUTE, _MOST_ADDRESSES)
        self._accounts = ExpiringDict(AccountWindows, self._now, DAY_AND_SLOT)
        self._flusher: WindowFlusher | None = None

    async def start(self) -> None:
        """Load the file, and start writing changes to it every second."""
        if self._path is None:
            return
        flusher = WindowFlusher(self._path, self._now)
        slots = await flusher.start()
        if slots is None:
            return
        now = self._now()
        for account, width, slot, requests in slots:
            windows = self._accounts[account]
            if windows.of_width(width).restore(slot, requests, now):
                flusher.changed[account] = windows
        self._flusher = flusher

    async def stop(self) -> None:
        """Write the changes and close the file."""
        if self._flusher:
            flusher, self._flusher = self._flusher, None
            await flusher.stop()

    async def hit(
        self, credential: str, account: str, limits: RequestLimits, *, refuse: bool = True
    ) -> RateLimitDecision:
        """See `Limiter`."""
        return self.count(credential, account, limits, refuse)

    async def hit_address(self, address: str, per_minute: int) -> RateLimitDecision:
        """See `Limiter`."""
        return self.count_address(address, per_minute)

    def count(self, credential: str, account: str, limits: RequestLimits, refuse: bool = True) -> RateLimitDecision:
        """The synchronous form of `hit`."""
        now = self._now()
        minute = self._credentials[credential]
        windows = self._accounts[account]
        windows.advance(now)
        hour = windows.hour
        day = windows.day
        used = minute.count(now)
        if used >= limits.minute or hour.total >= limits.hour or day.total >= limits.day:
            if refuse:
                return self._refusal(limits.minute, now, *_waits(minute, windows, limits, now))
            minute.forget_all_but(limits.minute - 1)
        hour.add()
        day.add()
        if self._flusher is not None:
            self._flusher.changed[account] = windows
        left = max(0, limits.minute - used - 1)
        return RateLimitDecision(True, limits.minute, left, self._clock.shown_second(minute.add(now)), 0, "")

    def count_address(self, address: str, per_minute: int) -> RateLimitDecision:
        """The synchronous form of `hit_address`. Above 20,000 addresses, it drops the least recently seen."""
        now = self._now()
        minute = self._addresses[address]
        used = minute.count(now)
        if used >= per_minute:
            return self._refusal(per_minute, now, (minute.free_at(per_minute), "minute"))
        return RateLimitDecision(
            True, per_minute, per_minute - used - 1, self._clock.shown_second(minute.add(now)), 0, ""
        )

    def _refusal(self, limit: int, now: float, *waits: tuple[float, str]) -> RateLimitDecision:
        free_at, window = max(waits)
        return RateLimitDecision(
            False, limit, 0, self._clock.shown_second(free_at), max(1, ceil(free_at - now)), window
        )


def _waits(
    minute: MinuteLog, windows: AccountWindows, limits: RequestLimits, now: float
) -> Iterator[tuple[float, str]]:
    """Yield the time at which each full window accepts a request again, with the window's name."""
    if minute.count(now) >= limits.minute:
        yield minute.free_at(limits.minute), "minute"
    if windows.hour.total >= limits.hour:
        yield windows.hour.free_at(limits.hour), "hour"
    if windows.day.total >= limits.day:
        yield windows.day.free_at(limits.day), "day"
