"""Counts across kills: the counters, the ledger, the reports and the clients' own counts agree."""

import asyncio
import os
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass
from itertools import cycle

import aiohttp
import pytest

from tests.conftest import StartServer
from tests.faults.api import Api
from tests.faults.audit import all_idle
from tests.faults.counting import Calls, CountingClient, Tally
from tests.faults.load import kill_under_load
from tests.support.rows import rows
from tests.support.sampling import ALSO_ON_POSTGRESQL
from tests.support.server import Server

CLIENTS, ACCOUNTS = 50, 5
CALLS = int(os.environ.get("RETINUE_TEST_CALLS", "1500"))
KILLS = max(2, CALLS // 2000)

_AMOUNTS = ("count", "errors", "tokens", "credits")
_LEDGER = "SELECT account_id, resource, {} FROM {} GROUP BY account_id, resource"
_HELD = {"agents": "agents_active", "fleets": "fleets_active"}
_ROWS = {"webhooks": "webhook_endpoints", "installations": "marketplace_installations"}
_MIB = 1 << 20


@dataclass(frozen=True)
class Account:
    """An account, its keys, and its clients' own counts."""

    id: int
    whole: str
    narrow: str
    tally: Tally


Clients = list[tuple[CountingClient, Account]]


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    """A session with connections for all clients."""
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=60)) as opened:
        yield opened


def new_accounts(server: Server) -> list[Account]:
    """Create new live accounts."""
    return [_new_account(server) for _ in range(ACCOUNTS)]


def _new_account(server: Server) -> Account:
    email = server.new_user()
    keys = [server.new_key(email, scopes) for scopes in (["*"], ["agents:read"])]
    (account,) = rows(
        server,
        f"SELECT a.id FROM accounts a JOIN users u ON u.id = a.user_id WHERE u.email = '{email}' AND NOT a.sandbox",
    )
    return Account(account["id"], keys[0], keys[1], Tally())


def used_by_account(server: Server, table: str) -> dict[int, Counter[str]]:
    """Return what each account used, according to a table of usage."""
    sums = ", ".join(f"CAST(sum({name}) AS bigint) AS {name}" for name in _AMOUNTS)
    found: dict[int, Counter[str]] = {}
    for row in rows(server, _LEDGER.format(sums, table)):
        account_id, resource, *amounts = row.values()
        names = [resource, *(f"{resource}.{name}" for name in _AMOUNTS[1:])]
        found.setdefault(account_id, Counter()).update(dict(zip(names, amounts, strict=True)))
    return found


def held_by_account(server: Server) -> dict[int, Counter[str]]:
    """Return how many records each account has, by its counters, or by its rows if there is no counter."""
    found: dict[int, Counter[str]] = {}
    for row in rows(server, "SELECT account_id, name, value FROM counters"):
        found.setdefault(row["account_id"], Counter())[_HELD.get(row["name"], row["name"])] = row["value"]
    for name, table in _ROWS.items():
        for row in rows(server, f"SELECT account_id, count(*) AS held FROM {table} GROUP BY account_id"):
            found.setdefault(row["account_id"], Counter())[name] = row["held"]
    return found


def spent_by_keys(server: Server, account: Account) -> dict[str, int]:
    """Return what the budgets of the account's keys count. All use here is by a key."""
    sums = "CAST(sum(tokens) AS bigint) AS tokens, CAST(sum(credits) AS bigint) AS credits"
    (row,) = rows(server, f"SELECT {sums} FROM budget_uses WHERE account_id = {account.id} AND spender = 'key'")
    return row


def _sum_of(ledger: Counter[str], amount: str) -> int:
    return sum(value for name, value in ledger.items() if name.endswith(f".{amount}"))


def check_bounds(tally: Tally, found: Counter[str]) -> None:
    """Check that the server's count of each metric is within the clients' bounds."""
    wrong = {
        name: (tally.low[name], found[name], tally.high[name])
        for name in tally.low.keys() | tally.high.keys()
        if not tally.low[name] <= found[name] <= tally.high[name]
    }
    assert wrong == {}


@dataclass(frozen=True)
class Reported:
    """What the API reports about an account: the metrics, the sum of the history, and the lengths of the lists."""

    metrics: dict[str, int]
    history: Counter[str]
    listed: dict[str, int]


async def audit(api: Api, tally: Tally) -> Reported:
    """Wait until nothing is running, then read all counts of an account from the API. These calls count as well."""
    await all_idle(api)
    for run_id in tally.background:
        run = await api.data("GET", f"/runs/{run_id}")
        tally.add({"agents.tokens": run["tokens_used"], "agents.errors": int(run["status"] == "failed")})
    asked = api.answered
    usage = await api.data("GET", "/usage")
    metrics = {name: value["used"] for name, value in usage.items() if isinstance(value, dict) and "used" in value}
    assert tally.low["api"] + asked <= metrics["api_calls"] <= tally.high["api"] + asked
    history: Counter[str] = Counter()
    for day in await api.pages("/usage/history"):
        kind = day["resource_type"]
        history.update({kind: day["count"], **{f"{kind}.{name}": day[name] for name in _AMOUNTS[1:]}})
    lists = {
        "agents_active": "/agents", "fleets_active": "/fleets", "files": "/files", "conversations": "/chat",
        "schedules": "/schedules", "webhooks": "/webhooks", "installations": "/marketplace/installed",
    }  # fmt: skip
    listed = {name: len(await api.pages(path)) for name, path in lists.items()}
    tally.add({"api": api.answered})
    return Reported(metrics, history, listed)


def check_account(server: Server, account: Account, told: Reported) -> Counter[str]:
    """Check every count of one account. Returns its ledger."""
    ledger, days = (used_by_account(server, table)[account.id] for table in ("ledger", "usage_days"))
    held = held_by_account(server)[account.id]
    assert ledger == days
    assert spent_by_keys(server, account) == {name: _sum_of(ledger, name) for name in ("tokens", "credits")}
    check_bounds(account.tally, ledger + held)
    assert told.history == Counter({name: amount for name, amount in ledger.items() if not name.startswith("api")})
    assert told.listed == {name: held[name] for name in told.listed}
    assert told.metrics == {
        "api_calls": told.metrics["api_calls"],
        "tools_executed": ledger["tools"],
        "agents_active": held["agents_active"],
        "fleets_active": held["fleets_active"],
        "voice_minutes": 0,
        "storage_mb": -(-held["stored_bytes"] // _MIB),
    }
    return ledger


def at_work(clients: Clients, session: aiohttp.ClientSession, server: Server) -> list[Awaitable[None]]:
    """Return the work of all clients on the running server."""

    def api(key: str) -> Api:
        return Api(session, server.url, key)

    return [client.work(api(account.whole), api(account.narrow), api("ak_live_nobody")) for client, account in clients]


@pytest.mark.slow
@pytest.mark.timeout(max(900, CALLS // 3))
@pytest.mark.parametrize("database", ALSO_ON_POSTGRESQL)
async def test_all_counts_agree_across_kills(
    database: str, start_server: StartServer, session: aiohttp.ClientSession
) -> None:
    server = start_server(database)
    accounts = await asyncio.to_thread(new_accounts, server)
    calls, began = Calls(CALLS), time.monotonic()
    clients = [
        (CountingClient(f"client-{number}", account.tally, calls), account)
        for number, account in zip(range(CLIENTS), cycle(accounts), strict=False)
    ]
    for _ in range(KILLS):
        await kill_under_load(server, at_work(clients, session, server), calls, CALLS // (KILLS + 1))
        server.start()
    await asyncio.gather(*at_work(clients, session, server))
    took = time.monotonic() - began
    told = [await audit(Api(session, server.url, account.whole), account.tally) for account in accounts]
    assert await asyncio.to_thread(server.ask, "check") == []
    server.stop()
    checks = [asyncio.to_thread(check_account, server, *pair) for pair in zip(accounts, told, strict=True)]
    ledger = sum(await asyncio.gather(*checks), Counter())
    assert await asyncio.to_thread(server.cli, "check") == "All is well.\n"
    slack = sum(account.tally.high["api"] - account.tally.low["api"] for account in accounts)
    print(
        f"\n{database}: {calls.answered} calls answered, {calls.unanswered} unanswered, {KILLS} kills, {took:.0f} s; "
        f"bounds of API calls {slack} apart; answers {dict(calls.statuses)}; ledger {dict(ledger)}"
    )
