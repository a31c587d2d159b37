"""Sessions: expiry, listing and revocation."""

from datetime import timedelta

import pytest

from retinue.auth.client_info import ClientInfo
from retinue.auth.sessions import statements as sql
from retinue.auth.sessions.service import Sessions
from retinue.auth.sessions.tokens import NewSession, oldest_open, open_session, remove_sessions
from retinue.core.errors import AuthRequired
from retinue.core.http.envelope import Page
from tests.auth.conftest import CLIENT, Site
from tests.auth.signing_in import PASSWORD, give_password, post_sign_in, sign_in
from tests.conftest import StartServer, User
from tests.support.client import Client, data, refuse, statuses_until_limited
from tests.support.waiting import eventually

EMAIL = "ada@example.com"


async def signed_in(site: Site, client: ClientInfo = CLIENT) -> NewSession:
    """Open a session of the only user, whom the first call creates."""
    users = await site.users.all()
    user = users[0] if users else await site.users.create(EMAIL)
    return await site.database.transact(lambda tx: open_session(tx, user.id, client))


async def test_a_session_ends_thirty_days_after_its_last_use(site: Site) -> None:
    session = await signed_in(site)
    assert session.expires_at == site.clock.moment.replace(month=12, day=21)
    for _ in range(4):
        site.clock.forward(days=29)
        assert await site.sessions.find(session.token)
        await site.last_use.write()
    site.clock.forward(days=29, hours=23)
    assert await site.sessions.find(session.token)
    site.clock.forward(hours=1)
    assert await site.sessions.find(session.token) is None


async def test_a_session_in_use_ends_a_year_after_the_sign_in(site: Site) -> None:
    session = await signed_in(site)
    for _ in range(14):
        site.clock.forward(days=26)
        assert await site.sessions.find(session.token)
        await site.last_use.write()
    caller = await site.sessions.find(session.token)
    assert caller is not None
    (shown,), total = await Sessions(caller, site.database).page(Page())
    assert (total, shown.expires_at) == (1, site.clock.moment + timedelta(days=1))
    site.clock.forward(days=1)
    assert await site.sessions.find(session.token) is None
    assert await Sessions(caller, site.database).page(Page()) == ([], 0)


async def test_the_last_use_is_written_sparingly(site: Site) -> None:
    session = await signed_in(site)
    writes: list[int] = []
    for _ in range(60):
        site.clock.forward(seconds=30)
        await site.sessions.find(session.token)
        writes.append(len(site.last_use._uses))
        await site.last_use.write()
    assert sum(writes) == 60 * 30 // 300


async def test_the_oldest_of_too_many_sessions_ends(site: Site) -> None:
    sessions = []
    for _ in range(sql.MOST + 3):
        site.clock.forward(seconds=1)
        sessions.append(await signed_in(site))
    found = [await site.sessions.find(session.token) is not None for session in sessions]
    assert found == [False] * 3 + [True] * sql.MOST


async def test_sessions_are_removed_long_after_their_end(site: Site) -> None:
    old = await signed_in(site)
    site.clock.forward(days=10)
    young = await signed_in(site)
    before = site.clock.moment.replace(hour=0)
    assert await site.database.transact(lambda tx: remove_sessions(tx, before, None)) is None
    assert await site.sessions.find(old.token) is None
    assert await site.sessions.find(young.token)


async def test_a_password_that_changes_while_somebody_signs_in_opens_nothing(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed = await site.passwords.hash(PASSWORD, EMAIL, CLIENT.address)
    user = await site.users.create(EMAIL, password_hash=hashed)
    verify = site.passwords.verify

    async def verify_then_change(stored: str | None, password: str, account: str, address: str, known: bool) -> bool:
        right = await verify(stored, password, account, address, known)
        link = await site.users.link(EMAIL)
        await site.sign_in.with_link(link, "another password", None, CLIENT)
        return right

    monkeypatch.setattr(site.passwords, "verify", verify_then_change)
    with pytest.raises(AuthRequired):
        await site.sign_in.with_password(EMAIL, PASSWORD, None, CLIENT)
    row = await site.database.lookup(sql.COUNT, user=user.id, **oldest_open())
    assert row is not None
    assert row.sessions == 1, "only the link's session may exist"
    site.passwords.close()


def test_they_are_listed_and_the_present_one_is_marked(user: User) -> None:
    first = give_password(user.server, user.email)
    second = sign_in(user.server, user.email, **{"User-Agent": "caf\u00e9/1 " + "x" * 300})
    listed = data(second.get("/sessions"))
    assert [one["current"] for one in listed] == [True, False]
    assert [one["address"] for one in listed] == ["127.0.0.1"] * 2
    assert len(listed[0]["user_agent"]) == 200
    assert data(second.get(f"/sessions/{listed[1]['id']}")) == listed[1]
    assert data(second.get("/sessions/current"))["id"] == listed[0]["id"]
    by_key = data(user.client().get("/sessions"))
    assert [one["current"] for one in by_key] == [False, False]
    assert second.get("/sessions?per_page=1").json()["meta"]["total_pages"] == 2
    first.close()
    second.close()


def test_signing_out_ends_one_session(user: User) -> None:
    first, second = give_password(user.server, user.email), sign_in(user.server, user.email)
    own = data(first.get("/sessions"))[1]["id"]
    assert data(first.delete("/sessions/current")) == {"id": own, "deleted": True}
    eventually(lambda: first.get("/agents").status_code == 401, within=1.0)
    assert len(data(second.get("/sessions"))) == 1
    refuse(second.get(f"/sessions/{own}"), 404)
    refuse(user.client().delete("/sessions/current"), 403, "session token")
    first.close()
    second.close()


def test_a_session_is_revoked_and_all_others_are(user: User) -> None:
    sessions = [give_password(user.server, user.email), *(sign_in(user.server, user.email) for _ in range(3))]
    present, *others = sessions
    victim = data(others[0].get("/sessions"))
    revoked = next(one["id"] for one in victim if one["current"])
    assert data(present.delete(f"/sessions/{revoked}")) == {"id": revoked, "deleted": True}
    refuse(present.delete(f"/sessions/{revoked}"), 404)
    assert data(present.delete("/sessions")) == {"revoked": 2}
    eventually(lambda: {one.get("/agents").status_code for one in others} == {401}, within=1.0)
    assert present.get("/agents").status_code == 200
    assert data(user.client().delete("/sessions")) == {"revoked": 1}
    for session in sessions:
        session.close()


def test_a_test_key_sees_no_sessions(user: User, sandbox: Client) -> None:
    session = give_password(user.server, user.email)
    own = data(session.get("/sessions"))[0]["id"]
    assert data(sandbox.get("/sessions")) == []
    refuse(sandbox.get(f"/sessions/{own}"), 404)
    refuse(sandbox.delete(f"/sessions/{own}"), 404)
    assert data(sandbox.delete("/sessions")) == {"revoked": 0}
    assert session.get("/agents").status_code == 200
    session.close()


def test_a_new_password_ends_other_sessions_and_links_and_no_keys(user: User) -> None:
    server, key = user.server, user.client()
    session, other = give_password(server, user.email), sign_in(server, user.email)
    link = server.ask("users.link", email=user.email)
    change = {"current_password": PASSWORD, "new_password": "a new password"}
    refuse(session.put("/account/password", {**change, "current_password": "wrong password"}), 400, "is wrong")
    refuse(session.put("/account/password", {"new_password": "a new password"}), 400, "missing")
    refuse(session.put("/account/password", {**change, "new_password": "short"}), 400, "new_password")
    refuse(key.put("/account/password", change), 403, "session token")
    data(session.put("/account/password", change))
    eventually(lambda: other.get("/agents").status_code == 401, within=1.0)
    assert session.get("/agents").status_code == key.get("/agents").status_code == 200
    refuse(post_sign_in(server, "/auth/link", {"token": link}), 401)
    refuse(post_sign_in(server, "/auth.php", {"email": user.email, "password": PASSWORD}), 401)
    sign_in(server, user.email, "a new password").close()
    session.close()
    other.close()


def test_guessing_the_present_password_with_a_stolen_session_is_slowed_down(start_server: StartServer) -> None:
    server = start_server(RETINUE_TRUSTED_PROXIES="127.0.0.1/32")
    email = server.new_user()
    session, elsewhere = give_password(server, email), {"X-Forwarded-For": "203.0.113.9"}
    change = {"current_password": "wrong password", "new_password": "a new password"}
    allowed = statuses_until_limited(lambda: session.put("/account/password", change, headers=elsewhere))
    assert len(allowed) >= 5
    assert set(allowed) == {400}
    data(session.put("/account/password", {**change, "current_password": PASSWORD}))
    session.close()


def test_the_name_is_changed_and_nothing_else(user: User, stranger: Client) -> None:
    client, other = user.client(), data(stranger.get("/account"))
    refuse(user.client(test=True).put("/account", {"name": "Ada"}), 403, "test key")
    account = data(client.get("/account"))
    assert account["email"] == user.email
    assert data(client.put("/account", {**account, "name": "Ada"})) == {**account, "name": "Ada"}
    assert data(stranger.get("/account")) == other
    assert data(client.put("/account", {"plan": "free", "operator": True}))["plan"] == "enterprise"
    assert data(client.put("/account", {"name": None}))["name"] == ""
    refuse(client.put("/account", {"name": "x" * 101}), 400, "name")
    refuse(client.put("/account", {"password": "x"}), 400, "password")
