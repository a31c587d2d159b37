"""Sliding windows in memory: exact times for the minute, slots for longer ones. Unix seconds that never fall."""

from collections import deque
from itertools import accumulate, takewhile

MINUTE = 60.0
DAY_AND_SLOT = 86_400.0 + 600.0
"""How long a request can count for its account at most."""


class MinuteLog:
    """The time of every request of the last minute."""

    __slots__ = ("_times",)

    def __init__(self) -> None:
        self._times: deque[float] = deque()

    def count(self, now: float) -> int:
        """Requests in the minute that ends now."""
        times = self._times
        edge = now - MINUTE
        while times and times[0] <= edge:
            times.popleft()
        return len(times)

    def add(self, now: float) -> float:
        """Count a request. Returns when the oldest one leaves the window."""
        self._times.append(now)
        return self._times[0] + MINUTE

    def forget_all_but(self, newest: int) -> None:
        """Keep the newest requests only."""
        while len(self._times) > newest:
            self._times.popleft()

    def free_at(self, limit: int) -> float:
        """When fewer than `limit` requests are left. There must be at least `limit` now."""
        return self._times[len(self._times) - limit] + MINUTE


class SlotWindow:
    """Requests counted in slots of equal width.

    A slot counts until all of it is older than the window, so a request counts up to one slot too long, never too
    short.
    """

    __slots__ = ("_counts", "_present", "_saved", "_slot", "_slots", "total", "width")

    def __init__(self, width: int, slots: int) -> None:
        """`slots` of `width` seconds each make the window."""
        self.width = width
        self._slots = slots
        self.total = 0
        self._slot = 0
        self._present = 0
        self._counts: dict[int, int] = {}
        self._saved = 0

    def advance(self, now: float) -> None:
        """Make `total` the requests in the window that ends now."""
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
        """Requests by slot, the present slot included, which `add` counts apart for speed."""
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
        gone = accumulate(counts.values())
        slot = next(slot for slot, requests in zip(counts, gone, strict=True) if requests > excess)
        return (slot + self._slots + 1) * self.width

    def restore(self, slot: int, requests: int, now: float) -> bool:
        """Take up a saved slot, the oldest first.

        One of the future, by a clock set back since, counts from now on: true when it was so moved.
        """
        present = int(now) // self.width
        self._advance_to(min(slot, present))
        self.add(requests)
        moved = slot > present
        self._saved = 0 if moved else slot
        return moved

    def take_changes(self) -> list[tuple[int, int]]:
        """The slots that changed since the last time, with their requests."""
        changes = list(takewhile(lambda entry: entry[0] >= self._saved, reversed(self._counted_slots().items())))
        self._saved = self._slot
        return changes

    def forget_saves(self) -> None:
        """Have `take_changes` give all slots again, because some could not be saved."""
        self._saved = 0

    def span(self, now: float) -> tuple[int, int, int]:
        """The width, and the numbers of the first and the last slot that count."""
        slot = int(now) // self.width
        return self.width, slot - self._slots, slot


class AccountWindows:
    """The hour of an account in 60 slots and its day in 144."""

    __slots__ = ("_until", "day", "hour")

    def __init__(self) -> None:
        self.hour = SlotWindow(60, 60)
        self.day = SlotWindow(600, 144)
        self._until = 0.0

    def advance(self, now: float) -> None:
        """Make both totals those of the windows that end now."""
        # Slots of both windows begin on whole minutes, so that nothing changes between these.
        if now >= self._until:
            self._until = (now // MINUTE + 1) * MINUTE
            self.hour.advance(now)
            self.day.advance(now)

    def both(self) -> tuple[SlotWindow, SlotWindow]:
        """The two windows, the shorter one first."""
        return self.hour, self.day

    def of_width(self, seconds: int) -> SlotWindow:
        """The window whose slots have that width."""
        return self.hour if seconds == self.hour.width else self.day
