"""Request and response schemas of schedules."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from retinue.core.http.envelope import IGNORED, Body, Changes, Id, Message, Name, Timestamp, View, absent
from retinue.language.timezone_aliases import canonical_zone
from retinue.schedules.cron import check_cron

Overlap = Literal["skip", "queue", "parallel"]
Missed = Literal["once", "skip"]
Status = Literal["waiting", "fired", "skipped", "failed"]


def _zone(name: str) -> str:
    found = canonical_zone(name)
    if found is None:
        raise ValueError("must be the name of an IANA time zone, such as Europe/Berlin or UTC")
    return found


ScheduleName = Annotated[Name, Field(description="Name of the schedule.")]
CronText = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="Cron expression with five fields: minute, hour, day of month, month and day of week.",
    ),
    AfterValidator(check_cron),
]
At = Annotated[
    str,
    Field(
        min_length=1,
        max_length=40,
        description="A single date and time in ISO 8601. Without an offset, it is in `timezone`.",
    ),
]
Zone = Annotated[str, Field(max_length=64, description="IANA time zone of the cron expression."), AfterValidator(_zone)]
AgentId = Annotated[Id, Field(description="ID of the agent to run.")]
FleetId = Annotated[Id, Field(description="ID of the fleet to deploy. Requires the scope fleets:write.")]
AgentMessage = Annotated[Message, Field(description="Message to the agent.")]
Task = Annotated[
    str,
    Field(
        min_length=1, max_length=2000, description="Task of the fleet. Without one, each agent works on its own task."
    ),
]
OverlapChoice = Annotated[
    Overlap, Field(description="What to do at a due time if the previous run is still in progress. See the guide.")
]
MissedChoice = Annotated[
    Missed,
    Field(description="Whether to make up for due times that passed while no server was running, with a single run."),
]
Jitter = Annotated[
    int,
    Field(
        ge=0,
        le=3600,
        description="Maximum delay in seconds. Each due time is delayed by a different amount, to spread load.",
    ),
]
Enabled = Annotated[bool, Field(description="Whether the schedule is active; false while it is paused.")]


class ScheduleCreate(Body):
    """Request body for creating a schedule: `cron` or `at`, and an agent with a message or a fleet."""

    name: ScheduleName
    cron: CronText | None = None
    at: At | None = None
    timezone: Zone | None = "UTC"
    agent_id: AgentId | None = None
    fleet_id: FleetId | None = None
    message: AgentMessage | None = None
    task: Task | None = None
    overlap: OverlapChoice | None = "skip"
    missed: MissedChoice | None = "once"
    jitter_s: Jitter | None = 0
    enabled: Enabled | None = True


class ScheduleUpdate(Changes):
    """Fields to update. `null` clears cron, at, agent_id, fleet_id, message and task."""

    name: ScheduleName = Field(default_factory=absent)
    cron: CronText | None = Field(default_factory=absent)
    at: At | None = Field(default_factory=absent)
    timezone: Zone = Field(default_factory=absent)
    agent_id: AgentId | None = Field(default_factory=absent)
    fleet_id: FleetId | None = Field(default_factory=absent)
    message: AgentMessage | None = Field(default_factory=absent)
    task: Task | None = Field(default_factory=absent)
    overlap: OverlapChoice = Field(default_factory=absent)
    missed: MissedChoice = Field(default_factory=absent)
    jitter_s: Jitter = Field(default_factory=absent)
    enabled: Enabled = Field(default_factory=absent)
    id: object = IGNORED
    disabled_reason: object = IGNORED
    next_at: object = IGNORED
    last_run: object = IGNORED
    created_at: object = IGNORED
    updated_at: object = IGNORED


class ScheduleRunView(View):
    """A due time of a schedule and its outcome."""

    id: int = Field(description="ID of the entry.")
    schedule_id: int = Field(description="ID of the schedule.")
    due_at: Timestamp = Field(description="The due time; for a manual trigger, the time of the request.")
    manual: bool = Field(description="Whether it was triggered with `POST /schedules/{id}/run`.")
    missed_since: Timestamp | None = Field(
        description="Earliest due time that was missed while no server was running and that this run replaces."
    )
    status: Status = Field(description="`waiting` until the previous run ends; then `fired`, `skipped` or `failed`.")
    reason: str | None = Field(
        description="Reason for waiting, skipping or failing; or what the started work cannot do."
    )
    run_id: int | None = Field(description="ID of the agent's run, to retrieve its steps.")
    deployment_id: int | None = Field(description="ID of the fleet's deployment.")
    outcome: str | None = Field(description="Current status of the run or the deployment.")
    created_at: Timestamp = Field(description="Time at which the due time was handled.")
    fired_at: Timestamp | None = Field(description="Time at which the run or the deployment started.")


class ScheduleView(View):
    """A schedule."""

    id: int = Field(description="ID of the schedule.")
    name: str = Field(description="Name.")
    cron: str | None = Field(description="Cron expression; null for a single date.")
    at: Timestamp | None = Field(description="Single date; null with a cron expression.")
    timezone: str = Field(description="IANA time zone of the cron expression.")
    agent_id: int | None = Field(description="ID of the agent to run.")
    fleet_id: int | None = Field(description="ID of the fleet to deploy.")
    message: str | None = Field(description="Message to the agent.")
    task: str | None = Field(description="Task of the fleet.")
    overlap: Overlap = Field(description="What happens at a due time if the previous run is still in progress.")
    missed: Missed = Field(description="What happens to due times that passed while no server was running.")
    jitter_s: int = Field(description="Maximum delay of each due time in seconds.")
    enabled: bool = Field(description="Whether the schedule is active; false while it is paused.")
    disabled_reason: str | None = Field(description="Reason why the platform paused the schedule.")
    next_at: Timestamp | None = Field(description="Next due time, without the delay; null if there is none.")
    last_run: ScheduleRunView | None = Field(description="Last due time that was handled.")
    created_at: Timestamp = Field(description="Time at which the object was created.")
    updated_at: Timestamp = Field(description="Time at which the object was last updated.")


class ScheduleDeleted(View):
    """ID of the deleted object."""

    id: int = Field(description="ID of the schedule.")
    deleted: Literal[True]
