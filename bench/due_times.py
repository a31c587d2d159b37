"""Test schedules while nodes crash: a thousand, every minute, on three nodes of which one dies every 20 seconds.

`.venv/bin/python -m bench.due_times [SECONDS]`. At the end, every due time must have fired exactly once with a run of
its own. Prints the counts, and ends with status 1 if that is not the case.
"""

import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tests.faults.nodes import MASTER_KEY
from tests.schedules.support import new_agent, schedule
from tests.support.client import Client
from tests.support.databases import running_postgres
from tests.support.rows import rows
from tests.support.server import Server
from tests.support.waiting import eventually

SCHEDULES = 1000
OWNERS = 20
NODES = 3
KILL_EVERY_S = 20.0
_LEFT_S = 600.0
"""Time that the nodes may take to finish due work after the last kill."""

_FIRED = "SELECT schedule_id, due_at, run_id FROM schedule_runs WHERE status = 'fired'"
_ALL = "SELECT status, count(*) AS many FROM schedule_runs GROUP BY status"
_RUNS = "SELECT status, count(*) AS many FROM runs GROUP BY status"
_UNDUE = "SELECT id FROM runs WHERE id NOT IN (SELECT run_id FROM schedule_runs WHERE run_id IS NOT NULL)"
_OPEN = (
    "SELECT due_at FROM schedule_runs JOIN runs ON runs.id = run_id WHERE runs.ended_at IS NULL ORDER BY due_at LIMIT 1"
)


def main(seconds: float) -> int:
    """Measure and print. Returns the exit status."""
    with running_postgres() as postgres, tempfile.TemporaryDirectory(prefix="bench-") as folder, ExitStack() as stack:
        env = {"RETINUE_DATABASE_URL": postgres.new_database(), "RETINUE_MASTER_KEY": MASTER_KEY}
        nodes = [Server(Path(folder) / str(number), env) for number in range(NODES)]
        nodes[0].start()
        _make_schedules(nodes[0])
        for node in nodes[1:]:
            node.start()
        for node in nodes:
            stack.callback(node.close)
        kills = _kill_now_and_then(nodes, seconds)
        return _report(nodes[0], kills, until=datetime.now().astimezone())


def _make_schedules(server: Server) -> None:
    for _ in range(OWNERS):
        client = Client(server, server.new_key(server.new_user(), test=True))
        agent = new_agent(client)
        for _ in range(SCHEDULES // OWNERS):
            schedule(client, cron="* * * * *", overlap="parallel", agent_id=agent)


def _kill_now_and_then(nodes: list[Server], seconds: float) -> int:
    """Kill random nodes and restart them. Returns the number of kills."""
    chance, kills, end = random.Random(0), 0, time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(KILL_EVERY_S)
        victim = chance.choice(nodes)
        victim.kill()
        victim.start()
        kills += 1
    return kills


def _report(server: Server, kills: int, until: datetime) -> int:
    """Wait for all work due before `until`, then compare each schedule's due times with all minutes."""
    last = until.replace(second=0, microsecond=0)
    fired = eventually(lambda: _complete(server, last), within=_LEFT_S, every=2.0)
    times = Counter((row["schedule_id"], row["due_at"]) for row in fired)
    twice = sum(count > 1 for count in times.values())
    missing = sum(_gaps(sorted(at for one, at in times if one == number), last) for number in {one for one, _ in times})
    shared, undue = len(fired) - len({row["run_id"] for row in fired}), len(rows(server, _UNDUE))
    print(f"{kills} nodes killed; {len(fired)} due times fired; {missing} missing, {twice} fired twice")
    print(f"{undue} runs of no due time; {shared} due times that share a run")
    print("due times by status:", _count(server, _ALL), "runs by status:", _count(server, _RUNS))
    problems = server.ask("check")
    print(f"retinue check: {problems or 'all is well'}")
    return int(bool(missing or twice or shared or undue or problems))


def _complete(server: Server, last: datetime) -> list[dict[str, Any]] | None:
    """Return the fired due times once every schedule has reached `last` and its runs have ended, else None."""
    fired = rows(server, _FIRED)
    if len({row["schedule_id"] for row in fired if row["due_at"] >= last}) < SCHEDULES:
        return None
    return None if any(row["due_at"] <= last for row in rows(server, _OPEN)) else fired


def _gaps(moments: list[datetime], last: datetime) -> int:
    """Count the minutes between the first moment and `last` that are missing from the moments."""
    wanted = round((last - moments[0]) / timedelta(minutes=1)) + 1
    return wanted - len({at for at in moments if at <= last})


def _count(server: Server, statement: str) -> dict[str, int]:
    return {row["status"]: row["many"] for row in rows(server, statement)}


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 300.0))
