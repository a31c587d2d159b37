"""In-memory sliding windows: exact times for the minute, slots for longer ones. Times are monotonic Unix seconds."""

from collections import deque
from itertools import accumulate, takewhile

MINUTE = 60.0
DAY_AND_SLOT = 86_400.0 + 600.0
"""The longest time, in seconds, that a request can count for its account."""


class MinuteLog:
    """The time of every request of the last minute."""

    __slots__ = ("_times",)

    def __init__(self) -> None:
        self._times: deque[float] = deque()

    def count(self, now: float) -> int:
        """Return the number of requests in the minute that ends now."""
        times = self._times
        edge = now - MINUTE
        while times and times[0] <= edge:
            times.popleft()
        return len(times)

    def add(self, now: float) -> float:
        """Count a request. Returns the time when the oldest one leaves the window."""
        self._times.append(now)
        return self._times[0] + MINUTE

    def forget_all_but(self, newest: int) -> None:
        """Drop all but the newest requests."""
        while len(self._times) > newest:
            self._times.popleft()

    def free_at(self, limit: int) -> float:
        """When fewer than `limit` requests are left. There must be at least `limit` now."""
        return self._times[len(self._times) - limit] + MINUTE


class SlotWindow:
    """A window that counts requests in slots of equal width.

    A slot counts until all of it is older than the window, so a request may count up to one slot too long, but never
    too short.
    """

    __slots__ = ("_counts", "_present", "_saved", "_slot", "_slots", "total", "width")

    def __init__(self, width: int, slots: int) -> None:
        """The window has `slots` slots of `width` seconds each."""
        self.width = width
        self._slots = slots
        self.total = 0
        self._slot = 0
        self._present = 0
        self._counts: dict[int, int] = {}
        self._saved = 0

    def advance(self, now: float) -> None:
        """Update `total` to the window that ends now."""
        self._advance_to(int(now) // self.width)

    def _advance_to(self, slot: int) -> None:
        if slot == self._slot:
            return
        counts = self._counted_slots()
        self._slot = slot
        self._present = 0
        while counts and (oldest := next(iter(counts))) < slot - self._slots:
            self.total -= counts.pop(oldest)

    def _counted_slots(self) -> dict[int, int]:
        """Return the requests by slot, including the current slot, which `add` counts separately for speed."""
        if self._present:
            self._counts[self._slot] = self._present
        return self._counts

    def add(self, requests: int = 1) -> None:
        """Count requests in the slot of the last `advance`."""
        self._present += requests
        self.total += requests

    def free_at(self, limit: int) -> int:
        """When fewer than `limit` requests are left. There must be at least `limit` now."""
        excess = self.total - limit
        counts = self._counted_slots()
        freed = accumulate(counts.values())
        slot = next(slot for slot, requests in zip(counts, freed, strict=True) if requests > excess)
        return (slot + self._slots + 1) * self.width

    def restore(self, slot: int, requests: int, now: float) -> bool:
        """Restore a saved slot. Call this in order, oldest slot first.

        If the clock was set back and the slot lies in the future, its requests count from now on. Returns True in
        that case.
        """
        present = int(now) // self.width
        self._advance_to(min(slot, present))
        self.add(requests)
        moved = slot > present
        self._saved = 0 if moved else slot
        return moved

    def take_changes(self) -> list[tuple[int, int]]:
        """Return the slots that changed since the last call, with their request counts."""
        changes = list(takewhile(lambda entry: entry[0] >= self._saved, reversed(self._counted_slots().items())))
        self._saved = self._slot
        return changes

    def forget_saves(self) -> None:
        """Make `take_changes` return all slots again, because a save failed."""
        self._saved = 0

    def span(self, now: float) -> tuple[int, int, int]:
        """Return the slot width and the numbers of the first and last slots that count."""
        slot = int(now) // self.width
        return self.width, slot - self._slots, slot


class AccountWindows:
    """The hour window of an account in 60 slots, and its day window in 144."""

    __slots__ = ("_until", "day", "hour")

    def __init__(self) -> None:
        self.hour = SlotWindow(60, 60)
        self.day = SlotWindow(600, 144)
        self._until = 0.0

    def advance(self, now: float) -> None:
        """Update both totals to the windows that end now."""
        # The slots of both windows begin on whole minutes, so nothing changes in between.
        if now >= self._until:
            self._until = (now // MINUTE + 1) * MINUTE
            self.hour.advance(now)
            self.day.advance(now)

    def both(self) -> tuple[SlotWindow, SlotWindow]:
        """Return both windows, the shorter one first."""
        return self.hour, self.day

    def of_width(self, seconds: int) -> SlotWindow:
        """Return the window with this slot width."""
        return self.hour if seconds == self.hour.width else self.day
