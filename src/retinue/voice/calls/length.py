"""How long a call lasts, by the moments at which SIP brought its answer and its end."""

import time
from datetime import datetime, timedelta

from retinue.core.clock import now


class CallLength:
    """Turns moments of the monotonic clock into those of the record.

    Between the answer and the end only the monotonic clock counts. Neither a wall clock that is set meanwhile nor a
    process that gets to the news late changes what is billed.
    """

    def __init__(self) -> None:
        self._answered: tuple[float, datetime] | None = None

    @property
    def answered(self) -> bool:
        """Whether the call has been answered."""
        return self._answered is not None

    def begin(self, at: float) -> datetime:
        """The call was answered at this moment."""
        moment = now() - timedelta(seconds=max(0.0, time.monotonic() - at))
        self._answered = at, moment
        return moment

    def end(self, at: float | None = None) -> datetime | None:
        """The call ended at this moment, by default now. None for a call that nobody answered."""
        if self._answered is None:
            return None
        answered, moment = self._answered
        return moment + timedelta(seconds=max(0.0, (at or time.monotonic()) - answered))
