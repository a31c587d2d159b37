"""Decides when the next call of a batch begins, and plans all of them."""

import heapq
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from retinue.agents.daily_windows import next_opening
from retinue.core.database.statements import Row
from retinue.voice.batches.tables import BatchRow, RecipientRow

MINUTE = timedelta(seconds=60)
_WHILE_CALLING = timedelta(seconds=60)
"""How long a batch waits for the end of a call. The end itself wakes it."""


@dataclass(frozen=True, slots=True)
class Wait:
    """No call may begin before `until`."""

    until: datetime


@dataclass(frozen=True, slots=True)
class Call:
    """The recipient may be called now."""

    recipient: RecipientRow


@dataclass(frozen=True, slots=True)
class Done:
    """Nobody is left to be called."""


Step = Wait | Call | Done


def next_step(batch: BatchRow, pace: Row, recipient: RecipientRow | None, moment: datetime) -> Step:
    """Return what a running batch does next. `recipient` is the next one, or None if nobody waits for a call."""
    if recipient is None:
        return Wait(moment + _WHILE_CALLING) if pace.calling else Done()
    if pace.calling >= batch.at_once:
        return Wait(moment + _WHILE_CALLING)
    if pace.recent >= batch.per_minute:
        return Wait(pace.oldest + MINUTE)
    opening = next_opening(batch.window, max(moment, recipient.due_at, batch.start_at or moment))
    return Call(recipient) if opening <= moment else Wait(opening)


def next_call(batch: BatchRow, due: datetime | None, moment: datetime) -> datetime | None:
    """Return when the next call of a running batch may begin, by its hours, its start and its retries.

    None if that may be now, or nobody waits for a call. `due` is when the first recipient is called who waits.
    """
    if batch.status != "running" or due is None:
        return None
    opening = next_opening(batch.window, max(moment, due, batch.start_at or moment))
    return opening if opening > moment else None


def plan_calls(
    batch: BatchRow, recipients: Sequence[Row], moment: datetime, call_s: int
) -> Iterator[tuple[Row, datetime]]:
    """Yield the recipients in the order of their calls, with the times at which these begin.

    Assumes that each call takes `call_s` seconds and is not made again.
    """
    free: list[datetime] = []
    recent: deque[datetime] = deque(maxlen=batch.per_minute)
    at = max(moment, batch.start_at or moment)
    for one in sorted(recipients, key=lambda row: (row.due_at, row.number)):
        at = max(at, one.due_at)
        if len(free) == batch.at_once:
            at = max(at, heapq.heappop(free))
        if len(recent) == batch.per_minute:
            at = max(at, recent[0] + MINUTE)
        at = next_opening(batch.window, at)
        heapq.heappush(free, at + timedelta(seconds=call_s))
        recent.append(at)
        yield one, at
