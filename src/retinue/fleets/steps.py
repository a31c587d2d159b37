"""The parts of a deployment as they stand."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from retinue.core.clock import now
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
    started_at: datetime | None = None
    ended_at: datetime | None = None

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
            started_at=row.started_at,
            ended_at=row.ended_at,
        )

    @property
    def over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.status not in ("waiting", "running")


def next_moment(deployment: Row, parts: Iterable[Part]) -> datetime:
    """Now, and in any case after all that has happened in the deployment, even if the clocks of nodes differ.

    Moves are made one after the other under the deployment's lock, so the instants tell their order, and no two are
    the same.
    """
    known = (moment for part in parts for moment in (part.started_at, part.ended_at) if moment)
    return max(now(), max(known, default=deployment.started_at) + timedelta(microseconds=1))
