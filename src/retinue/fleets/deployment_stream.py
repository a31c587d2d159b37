"""Lets a client follow a deployment from any node: derives its events from its rows."""

from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime, timedelta
from operator import itemgetter

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable
from retinue.core.work.notifier import Notifier, wait
from retinue.fleets import deployment_statements as sql
from retinue.fleets.stream_events import DeploymentEnded, DeploymentStarted, PartEnded, PartStarted, StreamEvent
from retinue.fleets.tables import DeploymentRow, PartRow

_log = structlog.get_logger()
_EPOCH = datetime.fromtimestamp(0, UTC)
_LOOK_S = 2.0
"""How often to poll the rows, in case a wake-up is lost."""


def moved_topic(deployment_id: int) -> str:
    """Return the topic that wakes when a deployment has new events."""
    return f"moved:{deployment_id}"


async def follow(
    database: Database, notifier: Notifier, deployment: DeploymentRow, after: int
) -> AsyncGenerator[tuple[int, StreamEvent]]:
    """Yield a deployment's events after the id `after`, each with its id, until its end.

    Raises `Unavailable` if the process shuts down before that.
    """
    key = {"deployment": deployment.id, "fleet": deployment.fleet_id, "account": deployment.account_id}
    with notifier.waiting(moved_topic(deployment.id)) as moved:
        while True:
            try:
                # The order matters: if the deployment has ended, the parts read after it are final.
                seen = await database.lookup(sql.GET, **key) or deployment
                parts = await database.fetch(sql.PARTS, deployment=deployment.id)
            except DatabaseUnavailable as error:
                _log.warning("deployment.not_followed", deployment=deployment.id, reason=error.message)
            else:
                for event_id, event in stream_events(seen, parts):
                    if event_id > after:
                        yield event_id, event
                        after = event_id
                if seen.ended_at is not None:
                    return
            notifier.check_serving()
            await wait(moved, _LOOK_S)


def stream_events(deployment: DeploymentRow, parts: Sequence[PartRow]) -> list[tuple[int, StreamEvent]]:
    """Return all events so far, in order. An id is the event's time in microseconds since 1970, and is unique."""
    events: list[tuple[datetime, StreamEvent]] = [(deployment.started_at, DeploymentStarted.of(deployment))]
    events += [(part.started_at, PartStarted.model_validate(part)) for part in parts if part.started_at]
    events += [(part.ended_at, PartEnded.model_validate(part)) for part in parts if part.ended_at]
    if deployment.ended_at is not None:
        events.append((deployment.ended_at, DeploymentEnded.of(deployment)))
    return [
        ((moment - _EPOCH) // timedelta(microseconds=1), event) for moment, event in sorted(events, key=itemgetter(0))
    ]
