"""Providers: their records, refusals, access, and where their secrets appear."""

from typing import Any

import pytest

from tests.conftest import User
from tests.providers.support import KEY, Json, names, provide, remote
from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer


def test_a_provider_shows_everything_but_its_secrets(client: Client) -> None:
    given = remote(headers={"X-Org": "secret-org"}, query={"api-version": "2026-01"}, concurrency=3)
    record = provide(client, given)
    assert record == {
        "id": record["id"],
        "name": "mine",
        "kind": "openai",
        "base_url": "https://example.com/v1",
        "secrets": ["key", "headers.X-Org", "query.api-version"],
        "models": [
            {
                "id": "m1",
                "context_tokens": None,
                "max_output_tokens": None,
                "input": None,
                "tools": None,
                "reasoning": None,
                "price": None,
            }
        ],
        "shared": False,
        "plans": None,
        "enabled": True,
        "concurrency": 3,
        "created_at": record["created_at"],
        "updated_at": record["created_at"],
    }
    assert data(client.get(f"/providers/{record['id']}")) == record
    assert data(client.get("/providers")) == [record]
    assert data(client.delete(f"/providers/{record['id']}")) == {"id": record["id"], "deleted": True}
    refuse(client.get(f"/providers/{record['id']}"), 404)
    assert data(client.get("/providers")) == []


@pytest.mark.parametrize(
    ("kind", "address"),
    [
        ("openai", "https://api.openai.com/v1"),
        ("openai-responses", "https://api.openai.com/v1"),
        ("anthropic", "https://api.anthropic.com/v1"),
        ("gemini", "https://generativelanguage.googleapis.com/v1beta"),
    ],
)
def test_each_kind_has_a_default_address(client: Client, kind: str, address: str) -> None:
    assert provide(client, {"name": "vendor", "kind": kind, "key": KEY})["base_url"] == address


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "Mine"}, ["name"]),
        ({"name": "a" * 41}, ["name"]),
        ({"name": "default"}, ["name", "provider of the server"]),
        ({"kind": "ftp"}, ["kind", "anthropic"]),
        ({"base_url": "ftp://example.com"}, ["base_url"]),
        ({"base_url": "https://a:b@example.com"}, ["base_url"]),
        ({"base_url": "http://169.254.169.254/v1"}, ["base_url", "RETINUE_ALLOWED_NETWORKS"]),
        ({"key": f"{KEY}\r\nX-More: 1"}, ["key"]),
        ({"headers": {"X-A": f"{KEY}\n"}}, ["headers"]),
        ({"headers": {"Host": KEY}}, ["headers", "Host"]),
        ({"query": {"": KEY}}, ["query"]),
        ({"models": [{"id": ""}]}, ["models.0.id"]),
        ({"models": [{"id": "m1"}, {"id": "m1"}]}, ["models", "twice"]),
        ({"models": [{"id": "m" * 96}]}, ["models", "100 characters"]),
        ({"models": [{"id": "m1", "input": ["video"]}]}, ["models.0.input"]),
        ({"models": [{"id": "m1", "price": {"input": "-1", "output": "1"}}]}, ["models.0.price.input"]),
        ({"plans": ["free"]}, ["plans", "shared"]),
        ({"concurrency": 0}, ["concurrency"]),
    ],
)
def test_errors_name_the_field_and_not_the_secret(client: Client, changes: Json, words: list[str]) -> None:
    assert KEY not in refuse(client.post("/providers", {**remote(), **changes}), 400, *words)
    assert data(client.get("/providers")) == []


def test_a_name_is_taken_once_among_those_that_an_account_sees(
    client: Client, stranger: Client, operator: Client
) -> None:
    provide(client, remote())
    refuse(client.post("/providers", remote()), 400, "mine", "PUT")
    provide(stranger, remote())
    shared = provide(operator, remote(name="for-all", shared=True))
    refuse(client.post("/providers", remote(name="for-all")), 400, "shared provider named for-all")
    refuse(operator.post("/providers", remote(name="for-all", shared=True)), 400, "for-all")
    data(operator.delete(f"/providers/{shared['id']}"))


def test_a_create_sent_twice_under_one_key_is_one_provider(client: Client) -> None:
    headers = {"Idempotency-Key": "once"}
    first, second = (data(client.post("/providers", remote(), headers=headers), 201) for _ in range(2))
    assert first == second
    assert len(data(client.get("/providers"))) == 1


def test_an_account_has_a_bounded_number_of_them(client: Client) -> None:
    for number in range(50):
        provide(client, remote(name=f"host-{number}"))
    refuse(client.post("/providers", remote(name="one-more")), 400, "50 providers")


def test_a_whole_record_is_written_back_and_fields_return_to_their_defaults(client: Client) -> None:
    record = provide(client, remote(models=[{"id": "m1", "price": {"input": 1.5, "output": "6"}}]))
    assert record["models"][0]["price"] == {"input": "1.5", "cached_input": None, "output": "6"}
    path = f"/providers/{record['id']}"
    changed = data(client.put(path, {**record, "enabled": False}))
    assert changed == {**record, "enabled": False, "updated_at": changed["updated_at"]}
    replaced = data(client.put(path, {"models": [{"id": "m2", "tools": False}]}))["models"]
    assert [(one["id"], one["tools"], one["price"]) for one in replaced] == [("m2", False, None)]
    assert data(client.put(path, {"models": None}))["models"] is None
    assert data(client.put(path, {"key": None}))["secrets"] == []
    assert data(client.put(path, {"base_url": None}))["base_url"] == "https://api.openai.com/v1"
    assert data(client.put(path, {}))["name"] == "mine"
    refuse(client.put(path, {"models": [{"id": ""}]}), 400, "models.0.id")


@pytest.mark.parametrize(
    "address", ["https://example.org/v1", "http://example.com/v1", "https://example.com:8443/v1", None]
)
def test_secrets_go_to_another_server_only_if_they_are_sent_again(client: Client, address: str | None) -> None:
    path = f"/providers/{provide(client, remote(headers={'X-Org': 'secret-org'}))['id']}"
    refuse(client.put(path, {"base_url": address, "key": KEY}), 400, "headers: send again")
    assert data(client.get(path))["base_url"] == "https://example.com/v1"
    data(client.put(path, {"base_url": "https://example.com/v2"}))
    changed = data(client.put(path, {"base_url": address, "key": KEY, "headers": None}))
    assert changed["secrets"] == ["key"]


def test_another_account_has_none_of_them(client: Client, sandbox: Client, stranger: Client) -> None:
    path = f"/providers/{provide(client, remote())['id']}"
    for other in (sandbox, stranger):
        for answer in (
            other.get(path),
            other.put(path, {"enabled": False}),
            other.post(f"{path}/test", {}),
            other.get(f"{path}/models"),
            other.delete(path),
        ):
            refuse(answer, 404)
        assert "mine/m1" not in names(other)
        refuse(other.post("/chat", {"message": "Hello", "model": "mine/m1"}), 400, "no model 'mine/m1'")


def test_only_operators_share(client: Client, operator: Client) -> None:
    refuse(client.post("/providers", remote(shared=True)), 403, "operator")
    path = f"/providers/{provide(client, remote())['id']}"
    refuse(client.put(path, {"shared": True}), 403, "operator")
    refuse(client.put("/models/default?shared=true", {"model": "alfred-default"}), 403, "operator")
    assert data(operator.get("/account"))["operator"]


def test_the_key_is_nowhere_to_be_read(user: User, client: Client, host: ModelServer) -> None:
    record = provide(client, remote(host.url, headers={"X-Org": "secret-org-123"}))
    host.answers.extend([Answer(f"Wrong key {KEY} of secret-org-123", status=401)] * 2)
    said = refuse(client.post("/chat", {"message": "Hello", "model": "mine/m1"}), 503)
    tested = data(client.post(f"/providers/{record['id']}/test", {"model": "m1"}))
    shown = [said, tested, data(client.get("/chat")), data(client.get("/audit?per_page=100")), record]
    shown.append(client.server.log.read_text())
    for secret in (KEY, "secret-org-123"):
        assert secret not in str(shown)
    assert client.server.dump().count(KEY.encode()) == 0
    assert not tested["ok"]


def test_changes_are_in_the_audit_log(client: Client) -> None:
    path = f"/providers/{provide(client, remote())['id']}"
    data(client.put(path, {"enabled": False, "key": KEY}))
    data(client.put("/models/default", {"model": "alfred-default"}))
    data(client.delete(path))
    entries: list[Any] = data(client.get("/audit"))
    told = [
        (entry["action"], entry["detail"])
        for entry in entries
        if "provider" in entry["action"] or "model" in entry["action"]
    ]
    assert told[::-1] == [
        ("provider.created", None),
        ("provider.updated", "Replaced: enabled, key."),
        ("model_default.changed", "The model alfred-default for this account."),
        ("provider.deleted", None),
    ]
