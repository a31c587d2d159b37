"""Find the servers that share a database by the leases on their work.

A server without work holds no lease, so only a server with work is found.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from retinue.core.database.interface import Database
from retinue.core.database.statements import Row, Statement


@dataclass
class Node:
    """A server: the random name of its process, its last sign of life, and its work by kind."""

    name: str
    seen_at: datetime
    work: dict[str, int] = field(default_factory=dict)


async def find_nodes(database: Database, leases: Mapping[str, Statement]) -> Sequence[Node]:
    """Return the servers that hold work, most recently seen first. `leases` counts the leases of each kind of work."""
    found: dict[str, Node] = {}
    for kind, statement in leases.items():
        for row in await database.query(statement):
            _add(found, kind, row)
    return sorted(found.values(), key=lambda node: node.seen_at, reverse=True)


def _add(found: dict[str, Node], kind: str, row: Row) -> None:
    seen_at = datetime.fromtimestamp(row.seen_at, UTC)
    node = found.setdefault(row.node, Node(row.node, seen_at))
    node.seen_at = max(node.seen_at, seen_at)
    node.work[kind] = row.count
