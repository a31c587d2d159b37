"""The parts of a deployment as they stand."""

from dataclasses import dataclass
from typing import Literal

from retinue.core.statements import Row
from retinue.fleets.schemas import Kind, PartStatus, Strategy

LIMIT = 100
"""How many parts a leader may plan."""


@dataclass(frozen=True, slots=True)
class Member:
    """An agent of the fleet as it stood when the deployment began."""

    id: int
    name: str
    role: str
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked of the fleet, and of whom."""

    strategy: Strategy
    task: str | None
    members: list[Member]

    @classmethod
    def of(cls, deployment: Row) -> "Order":
        """From a deployment's row."""
        members = [Member(*member) for member in deployment.members]
        return cls(deployment.strategy, deployment.task, members)

    def first(self, role: Literal["leader", "reviewer"]) -> Member | None:
        """The member of that role which has been there longest."""
        return next((member for member in self.members if member.role == role), None)


@dataclass(slots=True)
class Part:
    """One part: what is to be done by whom, and what came of it."""

    number: int
    kind: Kind
    member: Member
    task: str | None
    status: PartStatus = "waiting"
    is_copy: bool = False
    run_id: int | None = None
    reply: str | None = None
    error: str | None = None

    @classmethod
    def of(cls, row: Row) -> "Part":
        """From a row joined with its run."""
        return cls(
            number=row.number,
            kind=row.kind,
            member=Member(row.agent_id, row.agent_name, row.agent_role),
            task=row.task,
            status=row.status,
            is_copy=row.is_copy,
            run_id=row.run_id,
            reply=row.reply,
            error=row.error,
        )

    @property
    def over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.status not in ("waiting", "running")
