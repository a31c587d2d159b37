"""The events of schedules."""

from datetime import datetime

from retinue.core.work.events import Event


class ScheduleFired(Event):
    """A schedule started a run of its agent or a deployment of its fleet."""

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
    """A schedule failed to start its work.

    `enabled` is false if the schedule was disabled.
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
