"""What callers send and see of schedules."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from retinue.core.envelope import Body, Changes, Id, Timestamp, View, absent
from retinue.core.timezone_aliases import zone_names
from retinue.schedules.cron import check_cron

Overlap = Literal["skip", "queue", "parallel"]
Missed = Literal["once", "skip"]
Status = Literal["waiting", "fired", "skipped", "failed"]


def _zone(name: str) -> str:
    if name not in zone_names():
        raise ValueError("must be the name of an IANA time zone, such as Europe/Berlin or UTC")
    return name


Name = Annotated[str, Field(min_length=1, max_length=100, description="What the schedule is called.")]
CronText = Annotated[
    str,
    Field(min_length=1, max_length=200, description="Five fields: minute, hour, day-of-month, month, day-of-week."),
    AfterValidator(check_cron),
]
At = Annotated[
    str, Field(min_length=1, max_length=40, description="A single date in ISO 8601; without an offset, in `timezone`.")
]
Zone = Annotated[
    str, Field(max_length=64, description="The IANA time zone of the cron expression."), AfterValidator(_zone)
]
AgentId = Annotated[Id, Field(description="The agent that it runs.")]
FleetId = Annotated[Id, Field(description="The fleet that it deploys; needs the scope fleets:write.")]
Message = Annotated[str, Field(min_length=1, max_length=10_000, description="What the agent is to do.")]
Task = Annotated[
    str,
    Field(min_length=1, max_length=2000, description="The fleet's task; without one, each agent works on its own."),
]
OverlapChoice = Annotated[
    Overlap, Field(description="What happens at a due time while the run before it goes on: see the guide.")
]
MissedChoice = Annotated[
    Missed, Field(description="Whether due times that passed while no server was running are made up for, as one run.")
]
Jitter = Annotated[
    int, Field(ge=0, le=3600, description="Seconds by which each due time is put off at most, each by its own share.")
]
Enabled = Annotated[bool, Field(description="Whether it fires; false while it is paused.")]


class ScheduleCreate(Body):
    """A new schedule: `cron` or `at`, and an agent with a message or a fleet."""

    name: Name
    cron: CronText | None = None
    at: At | None = None
    timezone: Zone | None = "UTC"
    agent_id: AgentId | None = None
    fleet_id: FleetId | None = None
    message: Message | None = None
    task: Task | None = None
    overlap: OverlapChoice | None = "skip"
    missed: MissedChoice | None = "once"
    jitter_s: Jitter | None = 0
    enabled: Enabled | None = True


_READ_ONLY = ("id", "disabled_reason", "next_at", "last_run", "created_at", "updated_at")


class ScheduleUpdate(Changes):
    """The fields to change; `null` clears cron, at, agent_id, fleet_id, message and task."""

    read_only: ClassVar[frozenset[str]] = frozenset(_READ_ONLY)

    name: Name = Field(default_factory=absent)
    cron: CronText | None = Field(default_factory=absent)
    at: At | None = Field(default_factory=absent)
    timezone: Zone = Field(default_factory=absent)
    agent_id: AgentId | None = Field(default_factory=absent)
    fleet_id: FleetId | None = Field(default_factory=absent)
    message: Message | None = Field(default_factory=absent)
    task: Task | None = Field(default_factory=absent)
    overlap: OverlapChoice = Field(default_factory=absent)
    missed: MissedChoice = Field(default_factory=absent)
    jitter_s: Jitter = Field(default_factory=absent)
    enabled: Enabled = Field(default_factory=absent)
    id: Any = Field(default_factory=absent, description="Ignored.")
    disabled_reason: Any = Field(default_factory=absent, description="Ignored.")
    next_at: Any = Field(default_factory=absent, description="Ignored.")
    last_run: Any = Field(default_factory=absent, description="Ignored.")
    created_at: Any = Field(default_factory=absent, description="Ignored.")
    updated_at: Any = Field(default_factory=absent, description="Ignored.")


class ScheduleRunView(View):
    """A due time of a schedule, and what came of it."""

    id: int = Field(description="Its id.")
    schedule_id: int = Field(description="The schedule.")
    due_at: Timestamp = Field(description="The due time; of one that was asked for, when that was.")
    manual: bool = Field(description="Whether it was asked for with `POST /schedules/{id}/run`.")
    missed_since: Timestamp | None = Field(
        description="The first due time that it stands for, if it was due while no server was running."
    )
    status: Status = Field(description="`waiting` until the run before it ends; then `fired`, `skipped` or `failed`.")
    reason: str | None = Field(description="Why it waited, was skipped or failed.")
    run_id: int | None = Field(description="The agent's run, to look its steps up.")
    deployment_id: int | None = Field(description="The fleet's deployment.")
    outcome: str | None = Field(description="The present status of that run or deployment.")
    created_at: Timestamp = Field(description="When it was handled.")
    fired_at: Timestamp | None = Field(description="When the run or the deployment was begun.")


class ScheduleView(View):
    """A schedule."""

    id: int = Field(description="The schedule's id.")
    name: str = Field(description="What it is called.")
    cron: str | None = Field(description="The cron expression; null for a single date.")
    at: Timestamp | None = Field(description="The single date; null with a cron expression.")
    timezone: str = Field(description="The IANA time zone of the cron expression.")
    agent_id: int | None = Field(description="The agent that it runs.")
    fleet_id: int | None = Field(description="The fleet that it deploys.")
    message: str | None = Field(description="What the agent is to do.")
    task: str | None = Field(description="The fleet's task.")
    overlap: Overlap = Field(description="What happens at a due time while the run before it goes on.")
    missed: Missed = Field(description="What becomes of due times that passed while no server was running.")
    jitter_s: int = Field(description="Seconds by which each due time is put off at most.")
    enabled: bool = Field(description="Whether it fires; false while it is paused.")
    disabled_reason: str | None = Field(description="Why the platform paused it.")
    next_at: Timestamp | None = Field(description="The next due time, without jitter; null while there is none.")
    last_run: ScheduleRunView | None = Field(description="The due time that was handled last.")
    created_at: Timestamp = Field(description="When it was made.")
    updated_at: Timestamp = Field(description="When it was last changed.")


class ScheduleDeleted(View):
    """The id of what is gone."""

    id: int = Field(description="The schedule's id.")
    deleted: Literal[True]
