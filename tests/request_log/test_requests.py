"""The request log: one entry per request of an account, without its body, found by its fields."""

import secrets
from typing import Any

import pytest
import requests

from tests.conftest import User
from tests.support.client import Client, data, refuse

PATH = "/api/v1/agents"


def entry_of(client: Client, response: requests.Response, **options: Any) -> Any:
    """Return the log entry of a response's request."""
    return data(client.get(f"/requests/{response.headers['X-Request-ID']}", **options))


def test_an_entry_shows_the_request_and_its_outcome(user: User, client: Client) -> None:
    made = client.post("/agents", {"agent_name": "Ada", "agent_role": "leader"})
    entry = entry_of(client, made)
    keys = {key["id"] for key in data(client.get("/keys"))}
    assert int(entry["credential"].removeprefix("key:")) in keys
    assert (entry["method"], entry["path"], entry["route"], entry["status"]) == ("POST", PATH, PATH, 201)
    assert (entry["error_code"], entry["error_message"], entry["address"]) == (None, None, "127.0.0.1")
    assert entry["duration_ms"] > 0
    assert entry["created_at"] <= data(made, 201)["created_at"]


def test_a_failure_is_logged_with_its_code_and_message(client: Client) -> None:
    response = client.get("/agents/999999")
    entry, error = entry_of(client, response), response.json()["error"]
    assert (entry["path"], entry["route"], entry["status"]) == (f"{PATH}/999999", f"{PATH}/{{id}}", 404)
    assert (entry["error_code"], entry["error_message"]) == (error["code"], error["message"])


def test_requests_that_no_operation_answers_are_logged(client: Client) -> None:
    assert entry_of(client, client.get("/nowhere"))["route"] is None
    assert entry_of(client, client.delete("/agents"))["error_code"] == "method_not_allowed"
    without_scope = entry_of(client, client.get("/nowhere\x00\u20ac"))
    assert without_scope["path"] == "/api/v1/nowhere\ufffd\u20ac"


def test_no_content_and_no_secret_is_logged(user: User, client: Client) -> None:
    mark = secrets.token_hex(8)
    client.post(f"/agents?name={mark}", {"agent_name": mark, "agent_role": mark})
    client.get(f"/tools/{client.key}")
    client.get("/models", headers={"X-Request-ID": str(client.key)})
    requests.get(f"{client.server.url}/api/v1/models?api_key={client.key}", timeout=60)
    log = client.get("/requests?per_page=100").text
    assert mark not in log
    assert str(client.key) not in log
    assert f"/api/v1/tools/{str(client.key)[:16]}_…" in log


def test_live_and_test_requests_are_apart(client: Client, sandbox: Client) -> None:
    live, test = client.get("/models"), sandbox.get("/models")
    assert entry_of(client, live)["id"] != entry_of(sandbox, test)["id"]
    refuse(client.get(f"/requests/{test.headers['X-Request-ID']}"), 404)
    refuse(sandbox.get(f"/requests/{live.headers['X-Request-ID']}"), 404)
    refuse(sandbox.get("/requests?mode=live"), 403, "live key")
    ids = {one["request_id"] for one in data(client.get("/requests?mode=test&per_page=100"))}
    assert test.headers["X-Request-ID"] in ids
    assert live.headers["X-Request-ID"] not in ids
    assert entry_of(client, test, params={"mode": "test"})["status"] == 200


def test_the_log_is_its_accounts_alone(client: Client, stranger: Client, nobody: Client, user: User) -> None:
    response = stranger.get("/models")
    assert response.headers["X-Request-ID"] not in client.get("/requests?per_page=100").text
    refuse(client.get(f"/requests/{response.headers['X-Request-ID']}"), 404)
    refuse(nobody.get("/requests"), 401)
    refuse(user.client(["usage:read"]).get("/requests"), 403)


def test_a_request_id_that_came_twice_means_the_newest(client: Client) -> None:
    headers = {"X-Request-ID": f"mine-{secrets.token_hex(8)}"}
    client.get("/models", headers=headers)
    last = client.get("/agents/999999", headers=headers)
    assert entry_of(client, last)["status"] == 404
    assert len(data(client.get(f"/requests?request_id={headers['X-Request-ID']}"))) == 2


@pytest.mark.parametrize(
    "query", ["status=6xx", "status=20", "method=get", "credential=key", "since=today", "before=0", "mode=all"]
)
def test_a_wrong_filter_is_refused(client: Client, query: str) -> None:
    refuse(client.get(f"/requests?{query}"), 400, query.split("=", maxsplit=1)[0])


def test_reading_on_misses_nothing_while_requests_arrive(client: Client) -> None:
    asked = [client.get("/models").headers["X-Request-ID"] for _ in range(7)]
    found: list[str] = []
    last = ""
    while rows := data(client.get(f"/requests?path=/api/v1/models&per_page=3{last}")):
        found += [row["request_id"] for row in rows]
        last = f"&before={rows[-1]['id']}"
        client.get("/models")
    assert found == asked[::-1]
