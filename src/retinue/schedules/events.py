"""The events of schedules."""

from datetime import datetime

from retinue.core.events import Event


class ScheduleFired(Event):
    """A schedule began a run of its agent, or a deployment of its fleet. An extension of the catalogue."""

    event_name = "schedule.fired"
    schedule_id: int
    schedule_run_id: int
    name: str
    due_at: datetime
    agent_id: int | None
    fleet_id: int | None
    run_id: int | None
    deployment_id: int | None


class ScheduleFailed(Event):
    """A due time of a schedule came to nothing; `enabled` tells whether the next will be tried. An extension of the
    catalogue.
    """

    event_name = "schedule.failed"
    schedule_id: int
    schedule_run_id: int
    name: str
    due_at: datetime
    agent_id: int | None
    fleet_id: int | None
    error: str
    enabled: bool
