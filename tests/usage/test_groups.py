"""The history of usage by API key, agent, model and user of the app adds up to the history without a grouping."""

import csv
import io
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
import requests

from retinue.core.database.interface import Database
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.usage.ledger import BudgetOwners, UsageEntry, UsageOrigin, merge_old, record
from retinue.usage.tables import ledger
from tests.conftest import User
from tests.support.client import Client, data, refuse
from tests.usage.conftest import ACCOUNT
from tests.usage.test_budgets import key_of, new_agent
from tests.usage.test_export import CALL, GROUPS, TOOL

pytestmark = pytest.mark.either_database


def work(user: User) -> dict[str, Any]:
    """Use the account with two keys for two users. Returns the names of what was used, by grouping."""
    first, key = key_of(user)
    second, _ = key_of(user)
    agent = int(new_agent(first).rpartition("/")[2])
    data(first.post("/chat", {"message": "Hello", "user": "cust-42"}))
    data(first.post(f"/agents/{agent}/execute", {"message": "Hello", "user": "cust-42"}))
    data(second.post("/chat", {"message": "Hello", "user": "cust-7"}))
    data(second.post(TOOL, CALL))
    return {"key": int(key.rpartition("/")[2]), "agent": agent, "model": "alfred-default", "user": "cust-42"}


@pytest.mark.parametrize(("group", "counted"), [("key", 2), ("agent", 1), ("model", 3), ("user", 2)])
def test_usage_is_split_by_whose_it_is(user: User, client: Client, group: str, counted: int) -> None:
    name, field = work(user)[group], GROUPS[group]
    split = data(client.get(f"/usage/history?group_by={group}"))
    assert sum(one["count"] for one in split if one[field] == name) == counted
    assert any(one[field] is None for one in split) == (group != "key")
    sums: Counter[str] = Counter()
    for one in split:
        sums[one["resource_type"]] += one["tokens"]
    assert sums == {one["resource_type"]: one["tokens"] for one in data(client.get("/usage/history"))}
    assert data(client.get(f"/usage/export?group_by={group}")) == split
    page = client.get(f"/usage/history?group_by={group}&per_page=1&page=2").json()
    assert (page["data"], page["meta"]["total"]) == (split[1:2], len(split))
    exported = client.get(f"/usage/export?group_by={group}&format=csv").text
    read = csv.DictReader(io.StringIO(exported, newline=""))
    assert [one[field] for one in read] == ["" if one[field] is None else str(one[field]) for one in split]


def test_an_unknown_group_is_refused(client: Client) -> None:
    refuse(client.get("/usage/history?group_by=colour"), 400, "group_by", "'user'")


def test_embeddings_belong_to_the_user_that_the_request_names(client: Client) -> None:
    body = {"model": "alfred-embedding", "input": "Hello", "user": "cust-42"}
    headers = {"Authorization": f"Bearer {client.key}"}
    answer = requests.post(f"{client.server.url}/v1/embeddings", json=body, headers=headers, timeout=60)
    assert answer.status_code == 200, answer.text
    (used,) = data(client.get("/usage/history?group_by=user"))
    assert (used["user"], used["tokens"]) == ("cust-42", answer.json()["usage"]["total_tokens"])


async def test_merged_entries_keep_their_model_and_user(database: Database) -> None:
    async def write(tx: Any) -> None:
        for user in ("cust-42", "cust-42", "cust-7"):
            use = UsageEntry("chat", tokens=5)
            await record(tx, ACCOUNT, use, spenders=BudgetOwners(key_id=3), origin=UsageOrigin("m", user))
        await merge_old(tx, now() + timedelta(days=1), 0)

    await database.transact(write)
    rows = await database.query(Statement(ledger.select().order_by(ledger.c.person)))
    shown = [(row.person, row.model, row.key_id, row.tokens, row.count) for row in rows]
    assert shown == [("cust-42", "m", 3, 10, 2), ("cust-7", "m", 3, 5, 1)]
