"""Users share the workers: one user's queue delays another's run by about one run at most."""

from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
import sqlalchemy as sa

from retinue.core.database.interface import Database, Tx
from retinue.core.database.postgres import connect_once
from retinue.core.database.sqlite import connect
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.core.runtime.data_dir import DataDir
from retinue.core.work.fair_leases import PLACES, ClaimCapacity
from retinue.runs.execution.worker import LEASES
from retinue.runs.tables import runs
from tests.conftest import DATABASES, StartServer
from tests.runs.test_runs import create
from tests.support.client import Client, data
from tests.support.server import Server
from tests.support.waiting import eventually

RUN_S = 3.0
LONG_WORK, WORK = f"[[sleep:{RUN_S}]]", "[[sleep:0.4]]"
AT_ONCE = 4
BACKLOG = 40

_NEW = [
    "account_id", "attached", "status", "model", "message", "options", "format", "tools_used", "tokens_used",
    "created_at", "lease_until",
]  # fmt: skip
ADD = Statement(sa.insert(runs), _NEW)
HEAVY, LONE = 1, 2


def customer(server: Server) -> tuple[Client, str]:
    """Create a sandbox client and an agent. Returns the client and the agent's path."""
    client = Client(server, server.new_key(server.new_user(), test=True))
    return client, create(client)


def begin(client: Client, agent: str, message: str = WORK, **fields: Any) -> int:
    """Queue a run. Returns its id."""
    return int(data(client.post(f"{agent}/execute", {"message": message, "background": True, **fields}), 202)["id"])


def end(client: Client, run: int) -> dict[str, Any]:
    """Wait until a run is completed, and return it."""

    def look() -> dict[str, Any] | None:
        found: dict[str, Any] = data(client.get(f"/runs/{run}"))
        return found if found["status"] == "completed" else None

    return eventually(look, within=30)


def wait(run: dict[str, Any]) -> float:
    """Return the seconds between a run's creation and its start."""
    return (datetime.fromisoformat(run["started_at"]) - datetime.fromisoformat(run["created_at"])).total_seconds()


@pytest.mark.parametrize("database", DATABASES)
def test_a_lone_run_does_not_wait_behind_anothers_backlog(database: str, start_server: StartServer) -> None:
    server = start_server(database, RETINUE_RUN_CONCURRENCY=str(AT_ONCE))
    heavy, agent = customer(server)
    backlog = [begin(heavy, agent, LONG_WORK) for _ in range(BACKLOG)]
    lone, own = customer(server)
    alone = end(lone, begin(lone, own))
    assert wait(alone) < RUN_S
    second, other = customer(server)
    backlog += [begin(second, other, LONG_WORK) for _ in range(BACKLOG // 4)]
    crowded = end(lone, begin(lone, own))
    assert wait(crowded) < 3 * RUN_S  # The backlog takes 40 s.
    assert data(heavy.get(f"/runs/{backlog[BACKLOG - 1]}"))["status"] == "queued"


def test_priorities_order_an_accounts_own_runs(start_server: StartServer) -> None:
    server = start_server(RETINUE_RUN_CONCURRENCY="1")
    client, agent = customer(server)
    first = begin(client, agent)
    eventually(lambda: data(client.get(f"/runs/{first}"))["status"] == "running")
    asked = {priority: begin(client, agent, "x", priority=priority) for priority in ("low", "normal", "high")}
    begun = {priority: end(client, run)["started_at"] for priority, run in asked.items()}
    assert sorted(begun, key=lambda priority: str(begun[priority])) == ["high", "normal", "low"]


def test_an_agent_is_deployed_with_a_priority(start_server: StartServer) -> None:
    server = start_server(RETINUE_RUN_CONCURRENCY="1")
    client = Client(server, server.new_key(server.new_user(), test=True))
    agents = [create(client, task=WORK) for _ in range(3)]
    for agent, body in zip(agents, (None, {"priority": "low"}, {"priority": "high"}), strict=True):
        data(client.post(f"{agent}/deploy", body))
    begun = [data(client.get(f"{agent}/runs"))[0]["id"] for agent in agents]
    started = [end(client, run)["started_at"] for run in begun]
    assert started[2] < started[1]


async def queue(database: Database, account: int, count: int) -> None:
    """Queue runs of an account."""

    async def write(tx: Tx) -> None:
        for _ in range(count):
            await tx.run(
                ADD, account_id=account, attached=False, status="queued", model="m", message="x", options={}, format=1,
                tools_used=[], tokens_used=0, created_at=now(), lease_until=PLACES["normal"],
            )  # fmt: skip

    await database.transact(write)


async def test_a_claim_reads_no_accounts_queue(database: Database, database_url: str | None, tmp_path: Path) -> None:
    """With ten thousand queued runs, before and after the database has collected statistics."""
    await queue(database, HEAVY, 10_000)
    await queue(database, LONE, 1)
    for known in (False, True):
        plans = await (
            _postgres_plans(database_url, known) if database_url else _sqlite_plans(DataDir(tmp_path), known)
        )
        assert plans == [], plans
    room = ClaimCapacity(free=1, most=1, under_way={HEAVY: 1}, served=0)
    (row,) = await database.transact(lambda tx: LEASES.claim_in_turn(tx, "a", room, moment=now()))
    assert row.account_id == LONE


def _ask() -> list[tuple[Statement, dict[str, Any]]]:
    """Return the statements of a claim with their parameters."""
    turn = {"after": 0, "at_most": 1}
    claim = {"owner": "a", "at_most": 1, "account": HEAVY, "moment": now()}
    named = vars(LEASES)
    return [(named["_accounts"], turn), (named["_claim"], claim), (named["_rejoin"], {})]


async def _sqlite_plans(home: DataDir, known: bool) -> list[str]:
    """Return the plan steps that sort, scan all runs, or search runs without the queues' indexes."""
    connection = connect(home.database)
    if known:
        connection.execute("ANALYZE")
    found = []
    for statement, values in _ask():
        compiled = statement.compile("sqlite")
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {compiled.sql}", compiled.bind(values))]
        found += [step for step in plan if "TEMP B-TREE" in step or step.startswith("SCAN runs")]
        found += [step for step in plan if "SEARCH runs" in step and "ix_runs_open" not in step and "rowid" not in step]
    connection.close()
    return found


async def _postgres_plans(url: str, known: bool) -> list[str]:
    """Return the plan nodes that read more than a handful of rows."""
    connection = await connect_once(url)
    if known:
        await connection.execute("ANALYZE runs")
    found = []
    for statement, values in _ask():
        compiled = statement.compile("postgresql")
        transaction = connection.transaction()
        await transaction.start()
        rows = await connection.fetch(f"EXPLAIN (ANALYZE, FORMAT JSON) {compiled.sql}", *compiled.bind(values))
        await transaction.rollback()
        found += [text for text in _nodes(rows[0][0]) if text]
    await connection.close()
    return found


def _nodes(plan: str) -> list[str]:
    waiting = [top["Plan"] for top in orjson.loads(plan)]
    found = []
    while waiting:
        node = waiting.pop()
        waiting += node.get("Plans", [])
        read = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
        found.append(f"{node['Node Type']} {node.get('Index Name', '')} read {read}" if read > 10 else "")
    return found
