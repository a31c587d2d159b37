"""The state of a deployment: its order, members and parts."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from retinue.core.runtime.clock import now
from retinue.fleets.schemas import Kind, PartStatus, Strategy
from retinue.fleets.tables import DeploymentRow, PartRow

LIMIT = 100
"""The maximum number of parts in a leader's plan."""


@dataclass(frozen=True, slots=True)
class FleetMember:
    """An agent of the fleet, as recorded when the deployment started."""

    id: int
    name: str
    role: str
    task: str | None = None


@dataclass(frozen=True, slots=True)
class DeploymentOrder:
    """The task of a deployment, its strategy and its members."""

    strategy: Strategy
    task: str | None
    members: list[FleetMember]

    @classmethod
    def of(cls, deployment: DeploymentRow) -> "DeploymentOrder":
        """Create an order from a deployment's row."""
        members = [FleetMember(*member) for member in deployment.members]
        return cls(deployment.strategy, deployment.task, members)

    def first(self, role: Literal["leader", "reviewer"]) -> FleetMember | None:
        """Return the oldest member with that role."""
        return next((member for member in self.members if member.role == role), None)


@dataclass(slots=True)
class DeploymentPart:
    """One part of a deployment: its task, its agent and its result.

    `untrusted` describes the untrusted content that its run read, if any.
    """

    number: int
    kind: Kind
    member: FleetMember
    task: str | None
    status: PartStatus = "waiting"
    is_copy: bool = False
    run_id: int | None = None
    reply: str | None = None
    error: str | None = None
    untrusted: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None

    @classmethod
    def of(cls, row: PartRow) -> "DeploymentPart":
        """Create a part from a row joined with its run."""
        return cls(
            number=row.number,
            kind=row.kind,
            member=FleetMember(row.agent_id, row.agent_name, row.agent_role),
            task=row.task,
            status=row.status,
            is_copy=row.is_copy,
            run_id=row.run_id,
            reply=row.reply,
            error=row.error,
            untrusted=row.run_untrusted,
            started_at=row.started_at,
            ended_at=row.ended_at,
        )

    @property
    def over(self) -> bool:
        """Whether the part has ended."""
        return self.status not in ("waiting", "running")


def next_moment(deployment: DeploymentRow, parts: Iterable[DeploymentPart]) -> datetime:
    """Return the current time, but always after all earlier events of the deployment, even if nodes' clocks differ.

    Steps run one after the other under the deployment's lock, so the times are unique and in order.
    """
    known = (moment for part in parts for moment in (part.started_at, part.ended_at) if moment)
    return max(now(), max(known, default=deployment.started_at) + timedelta(microseconds=1))
