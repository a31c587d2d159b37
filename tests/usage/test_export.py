"""The export of usage matches the history, as JSON and as CSV."""

import csv
import io

import pytest

from tests.conftest import User
from tests.support.client import Client, data, refuse
from tests.support.waiting import eventually

CALL = {"args": {"cidr": "172.16.8.0/21"}}
GROUPS = {"key": "key_id", "agent": "agent_id", "model": "model", "user": "user"}
TOOL = "/tools/network_calculate_subnet/execute"


def test_both_formats_agree_with_the_history(client: Client) -> None:
    data(client.post(TOOL, CALL))
    history = eventually(lambda: data(client.get("/usage/history")))
    assert data(client.get("/usage/export")) == history
    response = client.get("/usage/export?format=csv")
    assert response.headers["Content-Type"].startswith("text/csv")
    read = list(csv.DictReader(io.StringIO(response.text, newline="")))
    shown = [
        {name: str(value) for name, value in {**one, **one["usage"]}.items() if name not in ("usage", *GROUPS.values())}
        for one in history
    ]
    assert read == shown


def test_it_exports_a_year_at_most(client: Client) -> None:
    assert data(client.get("/usage/export?start_date=2020-01-01&end_date=2020-12-31")) == []
    refuse(client.get("/usage/export?start_date=2020-01-01&end_date=2021-01-01"), 400, "366 days")
    refuse(client.get("/usage/export?start_date=2021-01-01&end_date=2020-01-01"), 400, "start_date")
    assert data(client.get("/usage/export?end_date=0001-01-01")) == []


@pytest.mark.parametrize("query", ["format=xml", "start_date=today", "resource_type=api"])
def test_a_wrong_query_is_refused(client: Client, query: str) -> None:
    refuse(client.get(f"/usage/export?{query}"), 400, query.partition("=")[0])


def test_an_export_is_its_owners_alone(user: User, client: Client, stranger: Client, nobody: Client) -> None:
    data(client.post(TOOL, CALL))
    eventually(lambda: data(client.get("/usage/export")))
    assert data(stranger.get("/usage/export")) == []
    refuse(user.client(["agents:read"]).get("/usage/export"), 403, "usage:read")
    refuse(nobody.get("/usage/export"), 401)
