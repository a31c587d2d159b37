"""The events of schedules."""

from datetime import datetime

from pydantic import Field

from retinue.core.work.events import Event


class ScheduleFired(Event):
    """A schedule started a run of its agent or a deployment of its fleet."""

    event_name = "schedule.fired"
    schedule_id: int = Field(description="ID of the schedule.", examples=[5])
    schedule_run_id: int = Field(description="ID of this entry in the history of the schedule.", examples=[31])
    name: str = Field(description="Name of the schedule.", examples=["Morning report"])
    due_at: datetime = Field(description="Time for which the work was scheduled.", examples=["2026-11-28T09:00:00Z"])
    agent_id: int | None = Field(description="ID of the agent; null if the schedule deploys a fleet.", examples=[1])
    fleet_id: int | None = Field(description="ID of the fleet; null if there is none.")
    run_id: int | None = Field(
        description="ID of the run that started; null if the schedule deploys a fleet.", examples=[42]
    )
    deployment_id: int | None = Field(
        description="ID of the deployment of a fleet; null if the schedule runs an agent."
    )


class ScheduleFailed(Event):
    """A schedule failed to start its work.

    `enabled` is false if the schedule was disabled.
    """

    event_name = "schedule.failed"
    schedule_id: int = Field(description="ID of the schedule.", examples=[5])
    schedule_run_id: int = Field(description="ID of this entry in the history of the schedule.", examples=[31])
    name: str = Field(description="Name of the schedule.", examples=["Morning report"])
    due_at: datetime = Field(description="Time for which the work was scheduled.", examples=["2026-11-28T09:00:00Z"])
    agent_id: int | None = Field(description="ID of the agent.", examples=[1])
    fleet_id: int | None = Field(description="ID of the fleet; null if there is none.")
    error: str = Field(description="Why the work did not start.", examples=["There is no agent 1 in your account."])
    enabled: bool = Field(
        description="Whether the schedule goes on. False if it was disabled after too many failures.", examples=[True]
    )
