"""Requests for deletion: who may make them, what stops immediately, and recovery after a crash."""

from contextlib import suppress
from functools import partial

import pytest

from tests.account_data.test_deletion import wait_until_gone
from tests.auth.signing_in import PASSWORD, give_password, post_sign_in
from tests.auth.test_second_factor import set_up
from tests.conftest import StartServer, User
from tests.oauth.protocol import create_app, tokens_of
from tests.support.client import Client, data, refuse
from tests.support.rows import rows
from tests.support.sampling import ALSO_ON_POSTGRESQL
from tests.support.waiting import eventually

BODY = {"password": PASSWORD}


def delete(client: Client, **body: str) -> object:
    """Request the deletion of the client's user."""
    return data(client.request("DELETE", "/account", json={**BODY, **body}))


def is_refused(client: Client) -> bool:
    """Return whether the credential is refused."""
    return client.get("/agents").status_code == 401


def test_the_password_is_asked_for(user: User, nobody: Client) -> None:
    session = give_password(user.server, user.email)
    refuse(session.delete("/account"), 400, "password is missing")
    refuse(session.request("DELETE", "/account", json={"password": "wrong"}), 400, "password is wrong")
    refuse(session.request("DELETE", "/account", json={"nothing": 1}), 400, "nothing")
    refuse(session.request("DELETE", "/account", data=b"x"), 400, "Content-Type")
    refuse(nobody.request("DELETE", "/account", json=BODY), 401)
    refuse(user.client().request("DELETE", "/account", json=BODY), 403, "session token")
    assert data(session.get("/account"))["email"] == user.email
    session.close()


def test_a_second_factor_is_asked_for(user: User) -> None:
    session = give_password(user.server, user.email)
    _, (recovery_code, *_) = set_up(session)
    refuse(session.request("DELETE", "/account", json=BODY), 400, "code is missing")
    refuse(session.request("DELETE", "/account", json={**BODY, "code": "000000"}), 400, "code is wrong")
    delete(session, code=recovery_code)
    session.close()


def test_every_credential_stops_at_once_and_the_address_is_free(user: User) -> None:
    server = user.server
    session, live, sandbox = give_password(server, user.email), user.client(), user.client(test=True)
    token = tokens_of(server, create_app(live), {"grant_type": "client_credentials"})["access_token"]
    app = Client(server, token)
    data(app.get("/agents"))
    delete(session)
    for client in (session, live, sandbox, app):
        eventually(partial(is_refused, client), within=5)
    refuse(post_sign_in(server, "/auth.php", {"email": user.email, "password": PASSWORD}), 401)
    assert user.email not in server.cli("users", "list")
    server.ask("users.create", email=user.email, plan="free")
    fresh = give_password(server, user.email)
    assert (data(fresh.get("/account"))["plan"], data(fresh.get("/agents"))) == ("free", [])
    for client in (session, app, fresh):
        client.close()


def test_nobody_restores_who_is_deleted(user: User) -> None:
    session = give_password(user.server, user.email)
    user_id = data(session.get("/account"))["id"]
    delete(session)
    assert "There is no user" in user.server.cli("users", "restore", f"deleted-{user_id}", status=1)
    session.close()


def test_the_entry_of_a_deletion_names_nobody(user: User) -> None:
    session = give_password(user.server, user.email)
    session.request("DELETE", "/account", json=BODY, headers={"X-Request-ID": f"bye-{user.email}"})
    found = rows(user.server, f"SELECT * FROM audit_entries WHERE request_id = 'bye-{user.email}'")
    shown = [(one["action"], one["user_id"], one["target_id"], one["credential"], one["address"]) for one in found]
    assert shown == [("user.deleted", None, None, "session", None)]
    session.close()


def test_the_last_operator_stays(start_server: StartServer) -> None:
    server = start_server()
    first = Client(server, server.first_key)
    email = data(first.get("/account"))["email"]
    assert "retinue users promote" in server.cli("users", "delete", email, "--yes", status=1)
    other = server.new_user()
    assert server.cli("users", "promote", other) == f"{other} is now an operator.\n"
    assert "Deleted" in server.cli("users", "delete", email, "--yes")
    session = give_password(server, other)
    refuse(session.request("DELETE", "/account", json=BODY), 400, "last operator", "retinue users promote")
    for client in (first, session):
        client.close()


def test_the_operator_is_asked_and_may_delete_without_a_server(start_server: StartServer) -> None:
    server = start_server(RETINUE_DELETION_GRACE="0")
    email = server.new_user()
    server.stop()
    assert "Aborted" in server.cli("users", "delete", email, status=1)
    assert email in server.cli("users", "list")
    server.cli("users", "delete", email, "--yes")
    server.start()
    eventually(lambda: len(rows(server, "SELECT id FROM users")) == 1, within=30)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("database", ALSO_ON_POSTGRESQL)
def test_a_deletion_goes_on_after_kills(database: str, start_server: StartServer) -> None:
    server = start_server(database, RETINUE_DELETION_GRACE="0")
    client = Client(server, server.new_key(server.new_user()))
    for number in range(250):
        data(client.post("/agents", {"agent_name": f"a{number}", "agent_role": "leader"}), 201)
    file = data(client.request("POST", "/files", files={"file": ("a.txt", b"text", "text/plain")}), 201)["id"]
    user_id = data(client.get("/account"))["id"]
    email = data(client.get("/account"))["email"]
    server.stop()
    server.cli("users", "delete", email, "--yes")
    for point in ("account_jobs.claimed", "deletion.batch", "deletion.batch:2"):
        with suppress(AssertionError):  # It may die before it has printed its address.
            server.start(RETINUE_CRASH_AT=point)
        server.has_died()
    server.start()
    eventually(lambda: wait_until_gone(server, user_id), within=60)
    assert not rows(server, "SELECT id FROM agents")
    eventually(lambda: not list(server.home.rglob(file)), within=10)
    assert server.ask("check") == []
    client.close()
