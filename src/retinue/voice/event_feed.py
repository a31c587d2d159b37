"""Streams the numbered events of a call or a room to clients at any node."""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Literal, TypeVar

import structlog

from retinue.core.database.interface import DatabaseUnavailable
from retinue.core.work.notifier import Notifier, wait

_log = structlog.get_logger()
_EVENT_ID = re.compile(r"[0-9]{1,9}")
_LOOK_S = 2.0
"""Polling interval in seconds, in case a notification is lost."""

E = TypeVar("E")
Kind = Literal["call", "room"]
ReadEvents = Callable[[int], Awaitable[tuple[Sequence[tuple[int, E]], bool]]]
"""Returns the events after a number, each with its own, and whether they are complete: no more can follow."""


def feed_topic(kind: Kind, record_id: int) -> str:
    """Return the notification topic for events of a call or a room."""
    return f"{kind}-events:{record_id}"


async def follow_events(
    notifier: Notifier, kind: Kind, record_id: int, last_id: str | None, read: ReadEvents[E]
) -> AsyncGenerator[tuple[int, E]]:
    """Yield the events after `last_id`, each with its number, until they are complete.

    Raises `Unavailable` if the process shuts down before that.
    """
    after = int(last_id) if last_id and _EVENT_ID.fullmatch(last_id) else 0
    with notifier.waiting(feed_topic(kind, record_id)) as changed:
        while True:
            events: Sequence[tuple[int, E]] = ()
            try:
                events, complete = await read(after)
            except DatabaseUnavailable as error:
                _log.warning(f"{kind}.not_followed", **{kind: record_id}, reason=error.message)
            else:
                for number, event in events:
                    after = number
                    yield number, event
                if complete:
                    return
            notifier.check_serving()
            if not events:
                await wait(changed, _LOOK_S)
