"""The nodes of one platform, some of which may be dead."""

import asyncio
import base64
import random
import time
from collections.abc import Iterable
from functools import partial

from tests.faults.processes import all_gone, children
from tests.support.rows import rows
from tests.support.server import Server
from tests.support.waiting import eventually

MASTER_KEY = base64.b64encode(bytes(range(32))).decode()
TAKEN_OVER_S = 10.0
"""The limit in seconds for other nodes to continue the work of a dead one."""

RESUMED_S = 2.0
"""The limit in seconds after its start for a server to continue the work of the process before it."""

_CHILDREN_S = 5.0
_LOOK_S = 0.05
_LEFT_BEHIND = """
SELECT 'run' AS what, id FROM runs WHERE ended_at IS NULL AND lease_owner = '{node}'
UNION ALL SELECT 'deployment', id FROM deployments WHERE ended_at IS NULL AND lease_owner = '{node}'
"""


def node_of(server: Server) -> str:
    """Return the lease owner's name of the process that owns the server's data folder, or owned it last."""
    return (server.home / "lock").read_text().split()[1]


def left_behind(server: Server, node: str) -> list[tuple[str, int]]:
    """Return the work that a node still holds, looked up through a running server."""
    return [(row["what"], row["id"]) for row in rows(server, _LEFT_BEHIND.format(node=node))]


class Nodes:
    """Starts and kills nodes. `up` are the running ones."""

    def __init__(self, servers: Iterable[Server]) -> None:
        self.up = list(servers)

    def any(self, chance: random.Random) -> Server | None:
        """Return a random running node, or None if there is none."""
        return chance.choice(self.up) if self.up else None

    async def kill(self, server: Server) -> str:
        """Kill a node with SIGKILL and wait until its children have exited. Returns the node's name."""
        self.up.remove(server)
        started = children(server)
        assert started
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(eventually, partial(all_gone, started), _CHILDREN_S)
        return node_of(server)

    async def start(self, server: Server) -> None:
        """Restart a node on its data folder."""
        await asyncio.to_thread(server.start)
        self.up.append(server)

    async def taken_over(self, node: str, since: float, within: float) -> float:
        """Wait until other nodes hold all work of `node`.

        Returns the seconds since `since`, a time of `time.monotonic`.
        """
        left = within - (time.monotonic() - since)
        await asyncio.to_thread(eventually, lambda: not left_behind(self.up[0], node), left, _LOOK_S)
        return time.monotonic() - since
