"""Credentials at the gate: where they may be, which one counts, and the order of the checks."""

from functools import partial

import pytest

from retinue.core.http.operations import BASE
from tests.conftest import ONE_DATABASE, NewUser, StartServer, User
from tests.support.client import Client, data, refuse
from tests.support.server import Server
from tests.support.waiting import eventually

AGENT = {"agent_name": "a", "agent_role": "leader"}
NONE = {"Authorization": ""}


@pytest.mark.parametrize(
    "value",
    ["", "Bearer", "Bearer ", "Basic abc", "Bearer nonsense", "Bearer ak_live_12345678_" + "x" * 32, "Bearer sess_x",
     "Bearer aat_x", "Bearer café", "ak_live_12345678_" + "x" * 32, "Bearer ak_live_" + "x" * 5000],
)  # fmt: skip
def test_invalid_credentials_are_refused(nobody: Client, value: str) -> None:
    refuse(nobody.get("/agents", headers={"Authorization": value.encode("latin-1")}), 401)


def test_a_wrong_secret_or_kind_is_refused(client: Client, nobody: Client) -> None:
    key = client.key or ""
    swapped = key[:-1] + ("a" if key[-1] != "a" else "b")
    for wrong in (swapped, key.replace("ak_live_", "ak_test_"), key + "a", key[:-1], key.upper()):
        refuse(nobody.get("/agents", headers={"Authorization": f"Bearer {wrong}"}), 401)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "no credential"),
        ("", "must have the form 'Bearer"),
        ("Basic abc", "must have the form 'Bearer"),
        ("ak_live_12345678_" + "x" * 32, "must have the form 'Bearer"),
        ("Bearer", "must have the form 'Bearer"),
        ("Bearer sk-12345", "not a credential of this server"),
        ("Bearer ak_live_12345678_" + "x" * 32, "unknown, expired or revoked"),
        ("Bearer ak_live_12345678", "unknown, expired or revoked"),
        ("Bearer sess_" + "x" * 43, "unknown, expired or revoked"),
        ("Bearer aat_" + "x" * 43, "unknown, expired or revoked"),
    ],
)
def test_a_refusal_names_the_fault_of_the_credential(nobody: Client, value: str | None, said: str) -> None:
    refuse(nobody.get("/agents", headers={} if value is None else {"Authorization": value}), 401, said)


def test_a_refusal_does_not_tell_revoked_keys_from_unknown_ones(client: Client, nobody: Client) -> None:
    key = data(client.post("/keys"), 201)
    headers = {"Authorization": f"Bearer {key['key']}"}
    assert nobody.get("/agents", headers=headers).status_code == 200
    client.delete(f"/keys/{key['id']}")
    unknown = {"Authorization": "Bearer ak_live_12345678_" + "x" * 32}
    said = refuse(nobody.get("/agents", headers=unknown), 401, "unknown, expired or revoked")
    eventually(lambda: nobody.get("/agents", headers=headers).status_code == 401)
    assert refuse(nobody.get("/agents", headers=headers), 401) == said


def test_other_credentials_than_keys_are_refused_in_the_query(nobody: Client) -> None:
    refuse(nobody.get("/agents?api_key=sess_" + "x" * 43), 401, "takes only API keys")
    refuse(nobody.get("/agents?api_key="), 401, "no credential")


def test_the_scheme_is_read_in_any_case(client: Client, nobody: Client) -> None:
    for scheme in ("bearer", "BEARER", "Bearer "):
        assert nobody.get("/agents", headers={"Authorization": f"{scheme} {client.key}"}).status_code == 200


def test_a_key_may_stand_in_the_query(client: Client, nobody: Client) -> None:
    assert nobody.get(f"/agents?api_key={client.key}").status_code == 200
    assert nobody.get(f"/agents?page=1&api_key={client.key}&per_page=5").json()["meta"]["per_page"] == 5
    refuse(nobody.get("/agents?api_key="), 401)
    refuse(nobody.get("/agents?api_key=sess_" + "x" * 43), 401)
    refuse(nobody.get("/agents?api_key=nonsense"), 401)


def test_the_header_rules_over_the_query(client: Client, nobody: Client) -> None:
    assert client.get("/agents?api_key=nonsense").status_code == 200
    refuse(nobody.get(f"/agents?api_key={client.key}", headers={"Authorization": "Bearer nonsense"}), 401)
    refuse(nobody.get(f"/agents?api_key={client.key}", headers=NONE), 401)


def test_a_key_in_the_query_is_not_logged(client: Client, nobody: Client) -> None:
    nobody.get(f"/agents?api_key={client.key}", headers={"X-Request-ID": "with-a-key"})
    log = eventually(lambda: client.server.log.read_text() if "with-a-key" in client.server.log.read_text() else "")
    assert client.key is not None
    assert client.key.rpartition("_")[2] not in log


@ONE_DATABASE
def test_a_credential_in_the_path_is_cut_in_the_log(client: Client) -> None:
    assert client.key is not None
    for token, shown in ((client.key, client.key[:16]), ("sess_" + "s" * 43, "sess")):
        refuse(client.get(f"/agents/{token}"), 404)
        log = eventually(partial(_log_with, client.server, f"{BASE}/agents/{shown}_…"))
        assert token[len(shown) + 1 :] not in log


def _log_with(server: Server, text: str) -> str:
    log = server.log.read_text()
    return log if text in log else ""


def test_401_comes_before_the_path_is_looked_at(nobody: Client) -> None:
    for method, path in (("GET", "/nothing"), ("PATCH", "/agents"), ("GET", "/agents/1"), ("POST", "/agents")):
        refuse(nobody.request(method, path), 401)


def test_the_path_comes_before_the_scope(user: User) -> None:
    reader = user.client(["usage:read"])
    refuse(reader.get("/nothing"), 404)
    refuse(reader.request("PATCH", "/agents"), 405)
    refuse(reader.get("/agents/999999"), 403)


def test_the_scope_comes_before_the_record_and_the_record_before_the_body(user: User) -> None:
    refuse(user.client(["agents:read"]).put("/agents/999999", {"wrong": 1}), 403)
    refuse(user.client(["agents:write"]).put("/agents/999999", {"wrong": 1}), 404)
    refuse(user.client().request("PUT", "/agents/999999", data=b"rubbish"), 404)
    refuse(user.client().post("/agents/999999/execute", {"wrong": 1}), 404)


def test_a_revoked_key_stops_within_a_second(user: User) -> None:
    client = user.client()
    assert client.get("/agents").status_code == 200
    user.server.ask("keys.revoke", prefix=(client.key or "").split("_")[2])
    eventually(lambda: client.get("/agents").status_code == 401, within=1.0)


def test_a_key_revoked_on_one_node_stops_on_the_other_within_a_second(
    start_server: StartServer, new_user: NewUser
) -> None:
    one = start_server("postgresql")
    two = start_server("sqlite", RETINUE_DATABASE_URL=one.env["RETINUE_DATABASE_URL"])
    client = new_user(one).client()
    elsewhere = Client(two, client.key)
    assert elsewhere.get("/agents").status_code == 200
    one.ask("keys.revoke", prefix=(client.key or "").split("_")[2])
    eventually(lambda: elsewhere.get("/agents").status_code == 401, within=1.0)
    elsewhere.close()


def test_a_new_key_works_at_once(server: Server, new_user: NewUser) -> None:
    data(new_user(server, "free").client().post("/agents", AGENT), 201)
