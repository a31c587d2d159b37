"""Find the servers that share a database by the leases on their work.

A server without work holds no lease, so only a server with work is found.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import sqlalchemy as sa

from retinue.account_data.tables import OPEN as OPEN_JOBS
from retinue.account_data.tables import jobs
from retinue.core.database.interface import Database
from retinue.core.database.statements import Row, Statement
from retinue.core.work.fair_leases import PLACES
from retinue.core.work.leases import LEASE_S
from retinue.fleets.tables import OPEN as OPEN_DEPLOYMENTS
from retinue.fleets.tables import deployments
from retinue.runs.tables import OPEN as OPEN_RUNS
from retinue.runs.tables import runs
from retinue.voice.calls.tables import OPEN as OPEN_CALLS
from retinue.voice.calls.tables import calls
from retinue.voice.rooms.tables import LIVEKIT, PRESENT, room_participants
from retinue.webhooks.tables import OPEN as OPEN_DELIVERIES
from retinue.webhooks.tables import deliveries

_COUNT = sa.func.count().label("count")


def _lease_counts(table: sa.Table, open_work: sa.ColumnElement[bool]) -> Statement:
    """Count the leases of each server. Rows that were never claimed, or were handed back, have ends long past."""
    claimed = open_work, table.c.lease_owner.is_not(None), table.c.lease_until > max(PLACES.values())
    seen_at = (sa.func.max(table.c.lease_until) - LEASE_S).label("seen_at")
    return Statement(
        sa.select(table.c.lease_owner.label("node"), _COUNT, seen_at).where(*claimed).group_by(table.c.lease_owner)
    )


_PARTICIPANTS = Statement(
    sa.select(room_participants.c.node, _COUNT, sa.func.max(room_participants.c.seen_at).label("seen_at"))
    .where(PRESENT, room_participants.c.node != sa.literal_column(f"'{LIVEKIT}'", sa.String))
    .group_by(room_participants.c.node)
)
_STATEMENTS = {
    "Runs": _lease_counts(runs, OPEN_RUNS),
    "Deployments": _lease_counts(deployments, OPEN_DEPLOYMENTS),
    "Deliveries": _lease_counts(deliveries, OPEN_DELIVERIES),
    "Calls": _lease_counts(calls, OPEN_CALLS),
    "Participants of rooms": _PARTICIPANTS,
    "Exports and deletions": _lease_counts(jobs, OPEN_JOBS),
}


@dataclass
class Node:
    """A server: the random name of its process, its last sign of life, and its work by kind."""

    name: str
    seen_at: datetime
    work: dict[str, int] = field(default_factory=dict)


async def find_nodes(database: Database) -> Sequence[Node]:
    """Return the servers that hold work, most recently seen first."""
    found: dict[str, Node] = {}
    for kind, statement in _STATEMENTS.items():
        for row in await database.query(statement):
            _add(found, kind, row)
    return sorted(found.values(), key=lambda node: node.seen_at, reverse=True)


def _add(found: dict[str, Node], kind: str, row: Row) -> None:
    seen_at = datetime.fromtimestamp(row.seen_at, UTC)
    node = found.setdefault(row.node, Node(row.node, seen_at))
    node.seen_at = max(node.seen_at, seen_at)
    node.work[kind] = row.count
