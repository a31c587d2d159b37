"""Signing in with a password through the API."""

import re
from itertools import count

import pytest

from retinue.auth.throttle import FREE, PER_ADDRESS
from retinue.core.errors import ValidationFailed
from tests.auth.conftest import Site
from tests.auth.signing_in import PASSWORD, give_password, post_sign_in, sign_in
from tests.conftest import StartServer, User
from tests.support.client import Client, data, fetch, refuse, statuses_until_limited
from tests.support.server import Server
from tests.support.sql import execute, select
from tests.support.waiting import eventually

AGENT = {"agent_name": "a", "agent_role": "leader"}
TOKEN = re.compile(r"sess_[A-Za-z0-9_-]{43}")
WRONG = "The e-mail address, the password or the code is wrong."


def test_the_answer_is_a_token_and_when_it_ends(user: User) -> None:
    give_password(user.server, user.email).close()
    response = post_sign_in(user.server, "/auth.php", {"email": user.email.upper(), "password": PASSWORD})
    body = response.json()
    assert response.status_code == 200
    assert body.keys() == {"data"}
    assert body["data"].keys() == {"token", "expires_at"}
    assert TOKEN.fullmatch(body["data"]["token"])
    assert "no-store" in response.headers["Cache-Control"]


def test_a_session_may_do_everything_with_the_live_records(user: User) -> None:
    session = give_password(user.server, user.email)
    agent = data(session.post("/agents", AGENT), 201)["id"]
    assert data(user.client().get(f"/agents/{agent}"))["id"] == agent
    refuse(user.client(test=True).get(f"/agents/{agent}"), 404)
    data(session.get("/webhooks"))
    session.close()


def test_a_session_token_does_not_count_in_the_query(user: User, nobody: Client) -> None:
    session = give_password(user.server, user.email)
    refuse(nobody.get(f"/agents?api_key={session.key}"), 401)
    session.close()


def test_sessions_of_a_user_share_one_minute(user: User) -> None:
    one, other = give_password(user.server, user.email), sign_in(user.server, user.email)
    left = [int(client.get("/agents").headers["X-RateLimit-Remaining"]) for client in (one, other, one)]
    assert left == sorted(left, reverse=True)
    assert len(set(left)) == 3
    one.close()
    other.close()


def test_every_wrong_sign_in_gets_the_same_answer(user: User) -> None:
    server = user.server
    give_password(server, user.email).close()
    without_password, suspended = server.new_user(), server.new_user()
    give_password(server, suspended).close()
    server.ask("users.suspend", email=suspended)
    wrong = [(user.email, "wrong password"), (without_password, PASSWORD), (suspended, PASSWORD),
             ("nobody@example.com", PASSWORD), ("no address at all", PASSWORD)]  # fmt: skip
    bodies = [post_sign_in(server, "/auth.php", {"email": email, "password": word}) for email, word in wrong]
    assert {refuse(response, 401, WRONG) for response in bodies} == {refuse(bodies[0], 401)}
    assert len({tuple(sorted(response.headers.keys())) for response in bodies}) == 1


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, ["email", "password"]),
        ({"email": "a@example.com"}, ["password"]),
        ({"email": 1, "password": PASSWORD}, ["email"]),
        ({"email": "a@example.com", "password": "x" * 257}, ["password"]),
        ({"email": "a" * 255, "password": PASSWORD}, ["email"]),
        ({"email": "", "password": ""}, ["email", "password"]),
        ({"email": "a@example.com", "password": PASSWORD, "remember": True}, ["remember"]),
    ],
)
def test_a_wrong_request_is_told_as_anywhere(server: Server, body: object, words: list[str]) -> None:
    refuse(post_sign_in(server, "/auth.php", body), 400, *words)


def test_other_methods_and_paths_are_refused(server: Server) -> None:
    get = fetch(server, "/api/auth.php")
    refuse(get, 405)
    assert get.headers["Allow"] == "POST"
    refuse(fetch(server, "/api/auth/nothing"), 404)
    refuse(fetch(server, "/api/auth"), 404)


def test_guessing_is_slowed_down_and_the_owner_is_not(user: User, start_server: StartServer) -> None:
    server = start_server(RETINUE_TRUSTED_PROXIES="127.0.0.1/32")
    email = server.new_user()
    give_password(server, email).close()
    attacker, owner = {"X-Forwarded-For": "203.0.113.9"}, {"X-Forwarded-For": "198.51.100.7"}
    guess = {"email": email, "password": "wrong password"}
    others = [{**guess, "email": f"nobody-{number}@example.com"} for number in range(PER_ADDRESS - FREE)]
    answers = [post_sign_in(server, "/auth.php", one, **attacker) for one in [guess] * FREE + others]
    assert {answer.status_code for answer in answers} == {401}
    refused = post_sign_in(server, "/auth.php", guess, **attacker)
    refuse(refused, 429)
    assert int(refused.headers["Retry-After"]) >= 1
    refuse(post_sign_in(server, "/auth.php", {"email": email, "password": PASSWORD}, **attacker), 429)
    sign_in(server, email, **owner).close()
    known = [post_sign_in(server, "/auth.php", guess, **owner).status_code for _ in range(8)]
    assert set(known) <= {401, 429}
    sign_in(server, email, **owner).close()


def test_a_suspended_user_stops_within_a_second(user: User) -> None:
    session, key = give_password(user.server, user.email), user.client()
    assert session.get("/agents").status_code == key.get("/agents").status_code == 200
    user.server.ask("users.suspend", email=user.email)
    eventually(lambda: {one.get("/agents").status_code for one in (session, key)} == {401}, within=1.0)
    refuse(post_sign_in(user.server, "/auth.php", {"email": user.email, "password": PASSWORD}), 401, WRONG)
    user.server.ask("users.restore", email=user.email)
    assert session.get("/agents").status_code == key.get("/agents").status_code == 200
    session.close()


def test_on_another_node_as_well(start_server: StartServer) -> None:
    one = start_server("postgresql")
    key = (one.home / "master.key").read_text().strip()
    two = start_server("sqlite", RETINUE_DATABASE_URL=one.env["RETINUE_DATABASE_URL"], RETINUE_MASTER_KEY=key)
    email = one.new_user()
    here = give_password(one, email)
    there, other = Client(two, here.key), sign_in(two, email)
    assert there.get("/agents").status_code == 200
    data(here.delete("/sessions/current"))
    eventually(lambda: there.get("/agents").status_code == 401, within=1.0)
    assert other.get("/agents").status_code == 200
    one.ask("users.suspend", email=email)
    eventually(lambda: other.get("/agents").status_code == 401, within=1.0)
    for client in (here, there, other):
        client.close()


@pytest.mark.parametrize("email", ["nonsense", "joe@[", "a,b@example.com", 'a"b@example.com', "a@b@example.com"])
async def test_invalid_addresses_are_refused(site: Site, email: str) -> None:
    with pytest.raises(ValidationFailed, match="e-mail"):
        await site.users.create(email, password_hash="x")


def test_sign_up_is_closed_until_the_operator_opens_it(server: Server) -> None:
    refuse(post_sign_in(server, "/auth/sign-up", {"email": "new@example.com", "password": PASSWORD}), 403, "disabled")


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_open_sign_up_makes_a_user_on_plan_free(start_server: StartServer, database: str) -> None:
    server = start_server(database, RETINUE_SIGN_UP="open")
    new = {"email": "New@Example.com", "password": PASSWORD}
    response = post_sign_in(server, "/auth/sign-up", new)
    client = Client(server, data(response, 201)["token"])
    account = data(client.get("/account"))
    assert (account["email"], account["plan"], account["operator"]) == ("new@example.com", "free", False)
    assert account["has_password"]
    refuse(post_sign_in(server, "/auth/sign-up", new), 400, "already")
    refuse(post_sign_in(server, "/auth/sign-up", {"email": "nonsense", "password": PASSWORD}), 400, "e-mail")
    refuse(post_sign_in(server, "/auth/sign-up", {"email": "b@example.com", "password": "short"}), 400, "password")
    more = ({**new, "email": f"user{number}@example.com"} for number in count())
    statuses_until_limited(lambda: post_sign_in(server, "/auth/sign-up", next(more)))
    sign_in(server, "new@example.com").close()
    client.close()


def test_the_first_user_is_the_operator(start_server: StartServer) -> None:
    server = start_server()
    owner, other = Client(server, server.first_key), Client(server, server.new_key(server.new_user()))
    assert [data(client.get("/account"))["operator"] for client in (owner, other)] == [True, False]
    owner.close()
    other.close()


def test_passwords_and_tokens_are_kept_nowhere(user: User) -> None:
    session = give_password(user.server, user.email, "a password of this test alone")
    link = user.server.ask("users.link", email=user.email)
    secrets = [(session.key or "").encode(), link.encode(), b"a password of this test alone"]
    kept = b"".join(path.read_bytes() for path in user.server.home.rglob("*") if path.is_file())
    kept += user.server.log.read_bytes() + user.server.dump()
    assert user.email.encode() in kept
    assert not [secret for secret in secrets if secret in kept]
    session.close()


def test_the_last_use_is_shown_and_written_on_the_way_out(start_server: StartServer) -> None:
    server = start_server()
    client = Client(server, server.first_key)
    assert client.get("/agents").status_code == 200
    client.close()
    server.stop()
    ((used,),) = select(server, "SELECT last_used_at FROM api_keys")
    assert used is not None
    execute(server, "UPDATE api_keys SET last_used_at = NULL")
    server.start()
    client = Client(server, server.new_key("owner@localhost"))
    assert [key["last_used_at"] for key in data(client.get("/keys"))][-1] is None
    client.close()
