"""Measures the duration of a call from the times of the SIP answer and the SIP end."""

import time
from datetime import datetime, timedelta

from retinue.core.runtime.clock import now


class CallDuration:
    """Converts times of the monotonic clock to times for the record.

    Only the monotonic clock measures the duration, so neither a wall-clock change nor a process that handles the SIP
    event late affects the billed time.
    """

    def __init__(self) -> None:
        self._answered: tuple[float, datetime] | None = None

    @property
    def answered(self) -> bool:
        """True if the call has been answered."""
        return self._answered is not None

    def begin(self, at: float) -> datetime:
        """Record that the call was answered at the monotonic time `at`. Returns the wall-clock time."""
        moment = now() - timedelta(seconds=max(0.0, time.monotonic() - at))
        self._answered = at, moment
        return moment

    def end(self, at: float | None = None) -> datetime | None:
        """Return the wall-clock end of a call that ended at `at` (default now); None if it was not answered."""
        if self._answered is None:
            return None
        answered, moment = self._answered
        return moment + timedelta(seconds=max(0.0, (at or time.monotonic()) - answered))
