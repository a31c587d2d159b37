"""Retention removes old work with all that belongs to it, in turns by account, and keeps what is still needed."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from retinue.account_data import expiry
from retinue.account_data.expiry_statements import BATCH
from retinue.agents.tables import agents
from retinue.auth.owners import account_of
from retinue.auth.plans import Plans
from retinue.auth.service import Users
from retinue.chat.tables import conversations
from retinue.check.faults import find_faults
from retinue.core.database.interface import Database, Tx
from retinue.core.database.schema import metadata
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.files.store import FileStore
from retinue.platform.resources import RESOURCES, RULES
from retinue.runs.tables import FORMAT, messages, runs
from retinue.settings import Settings
from retinue.voice.calls.tables import call_events, call_turns, calls
from retinue.voice.rooms.tables import room_events, room_participants, rooms
from tests.agents.test_work import create
from tests.conftest import DATABASES, StartServer
from tests.fleets.support import add_agent, carried_out, make_fleet
from tests.runs.test_approvals import ASK_OUT, cautious, decide, end, pending
from tests.runs.test_runs import start
from tests.support.client import Client, data, refuse
from tests.support.server import Server
from tests.support.sql import execute, select
from tests.support.waiting import eventually

OLD = "2020-01-01T00:00:00.000000Z"
KINDS = {"conversations", "deployments", "runs", "calls", "rooms"}


def retention(settings: Settings) -> dict[str, timedelta]:
    """Return the kinds of records that expire, with the time they are kept."""
    return {rule.name: rule.kept for resource in RESOURCES for rule in resource.retention(settings)}


def test_work_is_kept_for_ever_by_default() -> None:
    assert KINDS.isdisjoint(retention(Settings()))
    kept = retention(Settings(runs_days=90))
    assert {name: kept[name] for name in KINDS} == dict.fromkeys(KINDS, timedelta(days=90))


async def remove(database: Database, kind: Any, before: datetime) -> None:
    """Remove all old records of a kind."""
    place = None
    while (place := await database.transact(lambda tx: kind(tx, before, place))) is not None:
        pass


async def count(database: Database, table: sa.Table, *where: Any) -> int:
    """Return the number of rows of a table."""
    (row,) = await database.query(Statement(sa.select(sa.func.count().label("rows")).select_from(table).where(*where)))
    return int(row.rows)


async def insert(database: Database, table: sa.Table, *rows: dict[str, Any]) -> None:
    """Insert rows without the platform's code."""
    clauses = [Statement(sa.insert(table).values(row)) for row in rows]

    async def write(tx: Tx) -> None:
        for clause in clauses:
            await tx.run(clause)

    await database.transact(write)


async def change(database: Database, clause: sa.Executable) -> None:
    """Change rows without the platform's code."""
    await database.transact(lambda tx: tx.run(Statement(clause)))


async def fill(database: Database, accounts: int = 3) -> list[int]:
    """Create users with an agent each, which has three batches of ended runs. Returns their accounts."""
    made = Users(database, Plans.load())
    owners = []
    for number in range(1, accounts + 1):
        user = await made.create(f"user-{number}@example.com")
        owners.append(await account_of(database, user.id, sandbox=False))
        await insert(database, agents, an_agent(owners[-1]))
        await insert(database, runs, *[a_run(owners[-1], number)] * (3 * BATCH))
    of_run = sa.select(
        runs.c.id, *(sa.literal(value) for value in A_MESSAGE.values()), runs.c.ended_at, runs.c.ended_at
    )
    columns = ["run_id", *A_MESSAGE, "started_at", "created_at"]
    for clause in (
        sa.insert(messages).from_select(columns, of_run),
        sa.text(
            "UPDATE counters SET value = 1 WHERE name = 'agents' AND account_id IN (SELECT account_id FROM agents)"
        ),
    ):
        await change(database, clause)
    return owners


A_MESSAGE = {"seq": 0, "role": "user", "content": "", "state": "done", "tokens": 0}


def an_agent(account: int) -> dict[str, Any]:
    """Return the columns of an agent."""
    return {
        "account_id": account, "agent_name": "a", "agent_role": "generalist", "skills": [], "voice_enabled": False,
        "voice_engine": "hibari", "runs_count": 3 * BATCH, "created_at": now(), "updated_at": now(),
    }  # fmt: skip


def a_run(account: int, agent: int) -> dict[str, Any]:
    """Return the columns of a run that ended now."""
    return {
        "account_id": account, "agent_id": agent, "attached": False, "status": "cancelled", "model": "m",
        "message": "", "reply": "", "options": {}, "format": FORMAT, "tools_used": [], "tokens_used": 0,
        "created_at": now(), "ended_at": now(), "epoch": 1, "attempts": 1, "lease_until": 0.0,
    }  # fmt: skip


async def test_accounts_take_turns_and_nothing_is_wrong_in_between(database: Database, tmp_path: Any) -> None:
    owners, visited = await fill(database), []
    place: Any = None
    while (place := await database.transact(lambda tx: expiry.remove_runs(tx, now(), place))) is not None:
        if place[0]:
            visited.append(place[0])
        if len(visited) == 3:
            assert await find_faults(database, FileStore(tmp_path), RULES) == []
    assert visited == owners * 3
    assert await count(database, runs) == await count(database, messages) == 0
    assert await find_faults(database, FileStore(tmp_path), RULES) == []


async def test_recent_and_open_runs_stay(database: Database, tmp_path: Any) -> None:
    await fill(database, 1)
    moment = now()
    late = moment + timedelta(hours=1)
    await change(database, sa.update(runs).where((runs.c.id == 1) | (runs.c.id == 3)).values(ended_at=late))
    await remove(database, expiry.remove_runs, moment + timedelta(minutes=1))
    assert [row.id for row in await database.query(Statement(sa.select(runs.c.id).order_by(runs.c.id)))] == [1, 3]
    assert await find_faults(database, FileStore(tmp_path), RULES) == []


def a_call(account: int, ended: datetime | None) -> dict[str, Any]:
    """Return the columns of a call."""
    moment = now()
    return {
        "account_id": account, "credential": "key:1", "scopes": [], "direction": "outgoing", "to_address": "sip:a@b",
        "status": "completed" if ended else "ringing", "voice_engine": "hibari", "record": False, "max_seconds": 60,
        "transcript": "", "duration_seconds": 1, "created_at": moment, "seen_at": moment, "ended_at": ended,
        "turns_count": 1, "events_count": 1, "epoch": 0, "attempts": 0, "lease_until": 0.0,
    }  # fmt: skip


def a_room(account: int, ended: datetime | None) -> dict[str, Any]:
    """Return the columns of a room."""
    return {
        "account_id": account, "scopes": [], "name": "Room", "status": "closed" if ended else "open",
        "max_participants": 2, "voice_engine": "hibari", "pin": "1234", "transcript": "", "created_at": now(),
        "ended_at": ended, "events_count": 1,
    }  # fmt: skip


async def test_ended_calls_and_rooms_go_with_all_that_belongs_to_them(database: Database, tmp_path: Any) -> None:
    (account,), moment = await fill(database, 1), now()
    for ended in (moment, None):
        await insert(database, calls, a_call(account, ended))
        await insert(database, rooms, a_room(account, ended))
    await insert(database, rooms, a_room(account, moment))  # Somebody is still there.
    for number in (1, 2):
        turn = {"number": 1, "speaker": "caller", "text": "", "interrupted": False, "timing": {}, "created_at": moment}
        await insert(database, call_turns, {"call_id": number, **turn})
        begun = {"number": 1, "type": "tool_started", "data": {}, "created_at": moment}
        await insert(database, call_events, {"call_id": number, **begun})
    for number in (1, 2, 3):
        happened = {"number": 1, "type": "opened", "data": {}, "created_at": moment}
        await insert(database, room_events, {"room_id": number, **happened})
        here = {"name": "a", "kind": "browser", "node": "n", "seen_at": 0.0, "joined_at": moment, "account_id": account}
        left = None if number == 3 else moment
        await insert(database, room_participants, {"room_id": number, "left_at": left, **here})
    counted = sa.text(f"UPDATE counters SET value = 2 WHERE name = 'calls' AND account_id = {account}")
    await change(database, counted)
    for kind in (expiry.remove_calls, expiry.remove_rooms):
        await remove(database, kind, moment + timedelta(minutes=1))
    assert [await count(database, table) for table in (calls, call_turns, call_events)] == [1, 1, 1]
    assert [await count(database, table) for table in (rooms, room_events, room_participants)] == [2, 2, 2]
    assert await find_faults(database, FileStore(tmp_path), RULES) == []


async def test_a_long_conversation_goes_in_several_steps(database: Database, tmp_path: Any) -> None:
    (account,), moment = await fill(database, 1), now()
    talk = {
        "account_id": account, "public_id": "conv_1", "title": "T", "model": "m", "last_message": "",
        "message_count": 3 * BATCH, "created_at": moment, "updated_at": moment,
    }  # fmt: skip
    await insert(database, conversations, talk)
    some = sa.select(runs.c.id).where(runs.c.account_id == account).order_by(runs.c.id).limit(3 * BATCH)
    for clause in (
        sa.update(messages).where(messages.c.run_id.in_(some)).values(conversation_id=1),
        sa.update(runs).where(runs.c.id.in_(some)).values(conversation_id=1),
        sa.text(f"UPDATE counters SET value = 1 WHERE name = 'conversations' AND account_id = {account}"),
    ):
        await change(database, clause)
    total, place, left = await count(database, runs), None, []
    before = moment + timedelta(minutes=1)
    while (place := await database.transact(lambda tx: expiry.remove_conversations(tx, before, place))) is not None:
        assert await find_faults(database, FileStore(tmp_path), RULES) == []
        left.append(await count(database, runs))
    steps = dict.fromkeys(total - removed for removed in left)
    assert [*steps] == [BATCH, 2 * BATCH, 3 * BATCH]
    assert await count(database, conversations) == 0
    assert await count(database, runs) == total - 3 * BATCH


def age(server: Server, keep: str) -> None:
    """Make all ended work old, except the run `keep`, and make retention due at the next start."""
    execute(
        server,
        f"UPDATE runs SET ended_at = '{OLD}' WHERE ended_at IS NOT NULL AND id <> {keep}",
        f"UPDATE conversations SET updated_at = '{OLD}' WHERE title <> 'Recent'",
        f"UPDATE deployments SET ended_at = '{OLD}' WHERE ended_at IS NOT NULL",
        f"UPDATE rooms SET ended_at = '{OLD}' WHERE ended_at IS NOT NULL",
        "UPDATE expiries SET lease_until = 0",
    )


@pytest.mark.parametrize("database", DATABASES)
def test_old_work_goes_although_the_server_is_killed_meanwhile(database: str, start_server: StartServer) -> None:
    server = start_server(database, RETINUE_RUNS_DAYS="30")
    client = Client(server, server.new_key(server.new_user(), test=True))
    agent = create(client)
    old = data(client.post(f"{agent}/execute", {"message": "Old"}))["run_id"]
    fork = data(client.post(f"/runs/{old}/fork", {"step": 1, "message": "Go on"}), 202)["id"]
    end(client, f"/runs/{fork}")
    careful = cautious(client)
    waits = start(client, careful, ASK_OUT)
    approval = pending(client, waits)
    talks = [
        data(client.post("/chat", {"message": message, **more}))["conversation_id"]
        for message, more in (("Old", {"agent_id": int(agent.rpartition("/")[2])}), ("Old", {}), ("Recent", {}))
    ]
    fleet = make_fleet(client)
    add_agent(client, fleet, "a")
    deployment = carried_out(client, fleet, task="Old")["deployment_id"]
    room = data(client.post("/voice/rooms", {"name": "Old"}), 201)["id"]
    data(client.request("DELETE", f"/voice/rooms/{room}"))
    usage = data(client.get("/usage"))
    server.stop()
    age(server, keep=fork)
    server.start(RETINUE_CRASH_AT="expiry.old_work:2")
    eventually(lambda: server.process and server.process.poll() is not None, within=60)
    server.process = None
    execute(server, "UPDATE expiries SET lease_until = 0")
    server.start(RETINUE_CRASH_AT="")
    eventually(lambda: client.get(f"/voice/rooms/{room}").status_code == 404, within=60)  # The last kind.
    for path in (f"/runs/{old}", f"/chat/{talks[0]}", f"/chat/{talks[1]}", f"{fleet}/deployments/{deployment}"):
        refuse(client.get(path), 404)
    assert [client.get(f"{one}/runs").json()["meta"]["total"] for one in (agent, careful)] == [1, 1]
    assert client.get(f"{fleet}/deployments").json()["meta"]["total"] == 0
    assert data(client.get(fleet))["tasks_completed"] == 1
    assert [one["conversation_id"] for one in data(client.get("/chat"))] == [talks[2]]
    assert data(client.get(f"/runs/{fork}"))["steps"][0]["type"] == "model"
    assert data(client.get("/usage")) == usage
    decide(client, approval, "deny")
    end(client, waits)
    (left,) = select(server, "SELECT count(*) FROM messages WHERE run_id NOT IN (SELECT id FROM runs)")[0]
    assert left == 0
    assert server.ask("check") == []


def test_the_conversation_of_a_fork_stays_with_it(client: Client) -> None:
    """The fork of an answer reads the conversation before it, so forking counts as using the conversation."""
    first = data(client.post("/chat", {"message": "One"}))
    before = data(client.get("/chat"))[0]["updated_at"]
    run = data(client.post(f"/runs/{first['run_id']}/fork", {"step": 1, "message": "Two"}), 202)["id"]
    end(client, f"/runs/{run}")
    assert data(client.get("/chat"))[0]["updated_at"] > before


GROWS: dict[str, str] = {
    "api_requests": "requests", "approvals": "approvals", "audit_entries": "audit entries",
    "call_batches": "call batches",
    "call_events": "calls", "call_orders": "their calls end", "call_recipients": "call batches",
    "call_turns": "calls", "calls": "calls",
    "conversations": "conversations",
    "deployment_parts": "deployments", "deployments": "deployments", "events": "events",
    "idempotent_requests": "idempotency keys", "ledger": "usage", "messages": "runs", "oauth_codes": "OAuth codes",
    "oauth_grants": "OAuth grants", "oauth_tokens": "OAuth tokens", "room_events": "rooms",
    "room_participants": "rooms", "rooms": "rooms", "runs": "runs", "schedule_runs": "schedule runs",
    "simulated_conversations": "simulations", "simulations": "simulations",
    "sessions": "sessions", "sign_in_links": "sign-in links", "threads": "conversations",
    "conversation_items": "item conversations", "item_conversations": "item conversations",
    "webhook_deliveries": "deliveries", "webhook_endpoints": "task endpoints",
}  # fmt: skip
"""Tables that grow with use, and the kind of record whose retention removes their rows."""

_QUOTA, _TIME, _USERS = "a plan's quota or a maximum", "days or months, not calls", "users and what they install"
BOUNDED: dict[str, str] = {
    "account_jobs": "one export per account", "accounts": _USERS, "agents": _QUOTA, "api_keys": _QUOTA,
    "budget_uses": _TIME, "connections": _QUOTA, "counters": _USERS, "do_not_call": _QUOTA,
    "expiries": "the kinds of records",
    "files": _QUOTA, "fleets": _QUOTA, "imported_tools": _QUOTA, "knowledge_collections": _QUOTA,
    "knowledge_documents": _QUOTA, "knowledge_passages": _QUOTA, "knowledge_sources": _QUOTA, "knowledge_words": _QUOTA,
    "local_activations": "the operator's switches", "marketplace_installations": _USERS,
    "marketplace_installs": _USERS, "marketplace_items": _QUOTA, "marketplace_keys": _USERS,
    "marketplace_ratings": _USERS, "memory_facts": _QUOTA,
    "memory_jobs": "runs that just ended", "model_defaults": _USERS, "oauth_apps": _QUOTA, "providers": _QUOTA,
    "publishable_keys": _QUOTA, "skills": _QUOTA,
    "recovery_codes": _USERS, "schedule_watch": "one row", "schedules": _QUOTA, "source_authorizations": _QUOTA,
    "stored_features": "the features of the code", "tool_sources": _QUOTA,
    "usage_days": _TIME, "usage_marks": "the nodes", "usage_thresholds": _TIME, "users": _USERS,
    "workspace_records": _QUOTA, "workspace_vectors": _QUOTA,
    "workspace_words": _QUOTA,
}  # fmt: skip
"""Tables that do not grow with use, and what bounds them."""


def test_every_table_that_grows_with_use_is_emptied_by_something() -> None:
    kinds: set[str] = set(retention(Settings(runs_days=1)))
    assert {kind for kind in GROWS.values() if kind not in kinds} == {"their calls end"}
    assert GROWS.keys() | BOUNDED.keys() == metadata.tables.keys()
    assert GROWS.keys().isdisjoint(BOUNDED)
