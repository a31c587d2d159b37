"""Endpoints: their records, refusals, and where their secrets appear."""

import base64

import pytest

from tests.conftest import NewUser, StartServer
from tests.support.client import Client, data, refuse
from tests.support.server import Server
from tests.support.waiting import eventually
from tests.webhooks.conftest import NewHook
from tests.webhooks.receiver import Receiver

URL = {"url": "https://example.com/hook"}


def new(client: Client, **fields: object) -> dict[str, object]:
    """Create an endpoint. Returns its record."""
    record: dict[str, object] = data(client.post("/webhooks", {**URL, **fields}), 201)
    return record


def test_a_new_endpoint_shows_its_secret_once(client: Client) -> None:
    created = new(client)
    secret = str(created.pop("secret"))
    assert secret.startswith("whsec_")
    assert len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32
    assert created == {
        "id": created["id"],
        **URL,
        "events": None,
        "description": "",
        "enabled": True,
        "disabled_reason": None,
        "failing_since": None,
        "rotation_ends_at": None,
        "created_at": created["created_at"],
        "updated_at": created["created_at"],
    }
    assert data(client.get(f"/webhooks/{created['id']}")) == created
    assert data(client.get("/webhooks")) == [created]


def test_secrets_are_nowhere_in_the_clear(client: Client, server: Server) -> None:
    secrets = [str(new(client)["secret"])]
    path = f"/webhooks/{new(client)['id']}/rotate"
    secrets += [str(data(client.post(path, headers={"Idempotency-Key": "once"}))["secret"])]
    files = [path.read_bytes() for path in server.home.rglob("*") if path.is_file()]
    kept = b"".join([*files, server.dump(), server.log.read_bytes()])
    assert [secret for secret in secrets if secret.removeprefix("whsec_").encode() in kept] == []
    assert (server.home / "master.key").stat().st_mode & 0o777 == 0o600


def test_an_answer_with_a_secret_is_not_given_again(client: Client) -> None:
    headers = {"Idempotency-Key": "the same"}
    first, second = (client.post("/webhooks", URL, headers=headers) for _ in range(2))
    assert data(first, 201)["secret"] != data(second, 201)["secret"]
    assert "Idempotency-Replayed" not in second.headers


def test_a_whole_record_can_be_put_back(client: Client) -> None:
    created = new(client, events=["agent.created"], description="mine")
    del created["secret"]
    updated = data(client.put(f"/webhooks/{created['id']}", {**created, "url": "https://example.com/other"}))
    assert updated == {**created, "url": "https://example.com/other", "updated_at": updated["updated_at"]}
    cleared = data(client.put(f"/webhooks/{created['id']}", {"events": None, "description": None}))
    assert (cleared["events"], cleared["description"]) == (None, "")


def test_a_deleted_endpoint_is_gone(client: Client) -> None:
    endpoint_id = new(client)["id"]
    assert data(client.delete(f"/webhooks/{endpoint_id}")) == {"id": endpoint_id, "deleted": True}
    for method, path in [("GET", ""), ("DELETE", ""), ("POST", "/test"), ("POST", "/rotate"), ("POST", "/switch")]:
        refuse(client.request(method, f"/webhooks/{endpoint_id}{path}"), 404)


def test_unknown_deliveries(client: Client, stranger: Client, new_hook: NewHook) -> None:
    hook, other = new_hook(client), new_hook(client)
    delivery_id = hook.test()["id"]
    for path in (f"/{other.id}/deliveries/{delivery_id}", f"/{hook.id}/deliveries/dlv_none"):
        refuse(client.get(f"/webhooks{path}"), 404)
        refuse(client.post(f"/webhooks{path}/replay"), 404)
    refuse(stranger.get(f"/webhooks/{hook.id}/deliveries/{delivery_id}"), 404)


def test_an_account_has_so_many_and_no_more(client: Client) -> None:
    for _ in range(20):
        new(client)
    refuse(client.post("/webhooks", URL), 400, "20")
    assert client.get("/webhooks?per_page=7").json()["meta"]["total"] == 20


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/x",
        "example.com/x",
        "https://",
        "https:///x",
        "http://user:secret@example.com/",
        "http://user@example.com/",
        "http://example.com:0/",
        "http://example.com:99999/",
        "http://exam ple.com/",
        "http://example.com/\x00",
        "javascript:alert(1)",
        "http://[::1",
        "x" * 3000,
    ],
)
def test_addresses_that_are_none(client: Client, url: str) -> None:
    refuse(client.post("/webhooks", {"url": url}), 400)


@pytest.mark.parametrize(
    "host",
    [
        "10.0.0.1",
        "127.0.0.2",
        "2130706434",
        "0177.0.0.2",
        "0x7f.0.0.2",
        "0x7f000002",
        "127.2",
        "169.254.169.254",
        "100.64.0.1",
        "0",
        "224.0.0.1",
        "[::1]",
        "[::ffff:10.0.0.1]",
        "[fd00::1]",
        "[fe80::1]",
        "[2002:0a00:0001::]",
        "[64:ff9b::10.0.0.1]",
        "\uff11\uff10.0.0.1",
        "10.0.0.1.",
    ],
)
def test_private_addresses_are_refused_however_they_are_spelled(client: Client, host: str) -> None:
    refuse(client.post("/webhooks", {"url": f"http://{host}/x"}), 400, "url", "not a public address")
    endpoint_id = new(client)["id"]
    refuse(client.put(f"/webhooks/{endpoint_id}", {"url": f"http://{host}:8080/x"}), 400, "not a public address")


@pytest.mark.parametrize(
    ("field", "value"),
    [("events", []), ("events", ["agent.surprised"]), ("events", "agent.created"), ("enabled", None), ("secret", "x")],
)
def test_fields_that_are_wrong(client: Client, field: str, value: object) -> None:
    refuse(client.put(f"/webhooks/{new(client)['id']}", {field: value}), 400, field)


def test_nothing_private_is_reached_by_name(start_server: StartServer, new_user: NewUser, receiver: Receiver) -> None:
    server = start_server(RETINUE_WEBHOOK_SCHEDULE="0", RETINUE_ALLOWED_NETWORKS="127.0.0.0/8,::1/128")
    client = new_user(server).client()
    created = data(client.post("/webhooks", {"url": f"http://localhost:{receiver.port}/private"}), 201)
    server.stop()
    server.start(RETINUE_ALLOWED_NETWORKS="")
    for host in ("localhost", "LocalHost.", "hooks.localhost"):
        answer = client.post("/webhooks", {"url": f"http://{host}/x"})
        refuse(answer, 400, "not a public address", "RETINUE_ALLOWED_NETWORKS")
    delivery = data(client.post(f"/webhooks/{created['id']}/test"), 202)
    path = f"/webhooks/{created['id']}/deliveries/{delivery['id']}"
    log = eventually(lambda: data(client.get(path))["log"])
    assert "not a public address" in log[0]["error"]
    assert receiver.receive("/private") == []


def test_another_master_key_is_refused_at_the_start(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server()
    new(new_user(server).client())
    server.stop()
    (server.home / "master.key").rename(server.home / "kept.key")
    ended = server.cli("serve", status=1)
    assert "master key" in ended
    assert "RETINUE_MASTER_KEY" in ended
    assert not (server.home / "master.key").exists()
    server.start(RETINUE_MASTER_KEY=(server.home / "kept.key").read_text().strip())
