"""API keys through the API: creating, listing, rotating and revoking them, their networks, expiry and number."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retinue.auth.caller import Caller
from retinue.auth.keys.networks import is_within, parse_networks
from retinue.auth.keys.schemas import KeyCreate
from retinue.auth.keys.service import Keys
from retinue.auth.sessions.tokens import open_session
from retinue.core.errors import AuthRequired, ValidationFailed
from retinue.core.http.envelope import Page
from retinue.oauth.authorization import Authorization, AuthorizationRequest
from retinue.oauth.clients import Clients
from retinue.oauth.errors import OAuthError
from retinue.oauth.grants import TokenGrants
from retinue.oauth.schemas import AppCreate
from retinue.oauth.service import Apps
from retinue.usage.budget_uses import BudgetUses
from tests.auth.conftest import CLIENT, Site
from tests.auth.signing_in import give_password
from tests.auth.test_commands import KEY, last_word
from tests.conftest import NewUser, StartServer, User
from tests.oauth.protocol import CALLBACK
from tests.oauth.test_client_documents import Publisher, documents
from tests.support.client import Client, data, refuse
from tests.support.server import Server
from tests.support.waiting import eventually

EMAIL = "ada@example.com"


def with_key(server: Server, key: str) -> Client:
    """Create a client with this key."""
    return Client(server, key)


def status(server: Server, key: str, **headers: str) -> int:
    """Return the status of a request with a key."""
    client = Client(server, key)
    answer = client.get("/keys", headers=headers).status_code
    client.close()
    return answer


def test_a_key_is_shown_once(user: User) -> None:
    session = give_password(user.server, user.email)
    made = data(session.post("/keys", {"name": "dashboard", "scopes": ["usage:read", "agents:read"]}), 201)
    key = made.pop("key")
    assert KEY.fullmatch(key)
    assert made["prefix"] == key[: len("ak_live_12345678")]
    assert (made["scopes"], made["mode"], made["networks"]) == (["agents:read", "usage:read"], "live", None)
    assert data(session.get(f"/keys/{made['id']}")) == made
    assert data(session.get("/keys"))[0] == made
    client = with_key(user.server, key)
    data(client.get("/agents"))
    refuse(client.post("/agents", {}), 403)
    refuse(client.get("/keys"), 403)
    client.close()
    session.close()


def test_defaults_and_nulls(user: User) -> None:
    client = user.client()
    nulls = dict.fromkeys(("name", "scopes", "mode", "networks", "expires_in_days"))
    for body in ({}, nulls):
        made = data(client.post("/keys", body), 201)
        assert (made["name"], made["scopes"], made["mode"], made["expires_at"]) == ("", ["*"], "live", None)


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({"scopes": []}, "scopes"),
        ({"scopes": ["everything"]}, "everything"),
        ({"scopes": "*"}, "scopes"),
        ({"networks": []}, "networks"),
        ({"networks": ["nonsense"]}, "networks"),
        ({"networks": ["10.0.0.0/33"]}, "networks"),
        ({"expires_in_days": 0}, "expires_in_days"),
        ({"expires_in_days": True}, "expires_in_days"),
        ({"mode": "sandbox"}, "mode"),
        ({"name": "x" * 101}, "name"),
        ({"name": "a\x00b"}, "NUL"),
    ],
)
def test_a_wrong_body_is_refused(client: Client, body: object, word: str) -> None:
    refuse(client.post("/keys", body), 400, word)


def test_a_test_key_makes_and_sees_only_test_keys(user: User, client: Client, sandbox: Client) -> None:
    live = data(client.post("/keys"), 201)
    test = data(client.post("/keys", {"mode": "test"}), 201)
    assert data(sandbox.post("/keys"), 201)["mode"] == "test"
    refuse(sandbox.post("/keys", {"mode": "live"}), 403, "can only create test keys")
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/rotate")):
        refuse(sandbox.request(method, f"/keys/{live['id']}{path}"), 404)
    assert {key["mode"] for key in data(sandbox.get("/keys"))} == {"test"}
    assert {key["mode"] for key in data(client.get("/keys"))} == {"test", "live"}
    assert sandbox.get("/keys").json()["meta"]["total"] == 3
    assert client.get("/keys").json()["meta"]["total"] == 5
    assert data(sandbox.get(f"/keys/{test['id']}"))["id"] == test["id"]


def test_a_revoked_key_is_gone(user: User, client: Client) -> None:
    made = data(client.post("/keys"), 201)
    assert status(user.server, made["key"]) == 200
    assert data(client.delete(f"/keys/{made['id']}")) == {"id": made["id"], "deleted": True}
    eventually(lambda: status(user.server, made["key"]) == 401, within=1.0)
    refuse(client.delete(f"/keys/{made['id']}"), 404)
    refuse(client.get(f"/keys/{made['id']}"), 404)
    assert made["id"] not in [key["id"] for key in data(client.get("/keys"))]


def test_the_networks_of_a_key_change(user: User, client: Client) -> None:
    made = data(client.post("/keys", {"name": "a"}), 201)
    path = f"/keys/{made['id']}"
    for wrong in ([], ["nonsense"], "10.0.0.0/8"):
        refuse(client.request("PUT", path, json={"networks": wrong}), 400, "networks")
    changed = data(client.request("PUT", path, json={"networks": ["203.0.113.9/24"]}))
    assert (changed["name"], changed["networks"]) == ("a", ["203.0.113.0/24"])
    eventually(lambda: status(user.server, made["key"]) == 401, within=1.0)
    assert data(client.request("PUT", path, json={"networks": None}))["networks"] is None
    eventually(lambda: status(user.server, made["key"]) == 200, within=1.0)


def test_rotation_without_overlap_ends_the_old_key(user: User, client: Client) -> None:
    old = data(client.post("/keys", {"name": "a", "scopes": ["*"], "networks": ["127.0.0.0/8"]}), 201)
    new = data(client.post(f"/keys/{old['id']}/rotate"), 201)
    assert (new["name"], new["scopes"], new["networks"]) == ("a", ["*"], ["127.0.0.0/8"])
    assert status(user.server, new["key"]) == 200
    eventually(lambda: status(user.server, old["key"]) == 401, within=1.0)
    assert data(client.get(f"/keys/{old['id']}"))["successor_id"] == new["id"]


def test_rotation_with_overlap_keeps_both_and_cannot_pile_up(user: User, client: Client) -> None:
    old = data(client.post("/keys"), 201)
    new = data(client.post(f"/keys/{old['id']}/rotate", {"overlap_days": 7}), 201)
    assert status(user.server, old["key"]) == status(user.server, new["key"]) == 200
    refuse(client.post(f"/keys/{old['id']}/rotate"), 400, str(new["id"]))
    refuse(client.post(f"/keys/{new['id']}/rotate"), 400, "still works")
    for wrong in (-1, 8, 1.5, "1"):
        refuse(client.post(f"/keys/{new['id']}/rotate", {"overlap_days": wrong}), 400, "overlap_days")
    data(client.delete(f"/keys/{old['id']}"))
    data(client.post(f"/keys/{new['id']}/rotate"), 201)


def caller_of(site: Site, user_id: int, account_id: int) -> Caller:
    """Return a caller that acts for a user without a credential."""
    plan = site.plans["free"]
    return Caller(user_id, account_id, False, f"user:{user_id}", "free", plan, frozenset({"*"}))


async def keys_of(site: Site) -> Keys:
    """Return the keys service of a user on plan `free`."""
    user = await site.users.create(EMAIL, plan="free")
    return Keys(caller_of(site, user.id, 1), site.database, site.plans, BudgetUses(site.database, "key"))


async def test_a_revoked_credential_creates_no_other(site: Site) -> None:
    """Nodes cache credentials for a second, in which a thief could create a new one."""
    keys = await keys_of(site)
    made = await keys.create(KeyCreate())
    wanted = AppCreate(name="Dashboard", redirect_uris=[CALLBACK], scopes=["agents:read"])
    app = await Apps(keys.caller, site.database).create(wanted)
    session = await site.database.transact(lambda tx: open_session(tx, keys.caller.user_id, CLIENT))
    authorization = Authorization(site.database, documents(site.database, Publisher({})))
    target = await authorization.target({"client_id": app.client_id, "redirect_uri": CALLBACK}, "192.0.2.1")
    callers = [await site.keys.find(made.key), await site.sessions.find(session.token)]
    await site.users.revoke(EMAIL)
    for caller in callers:
        assert caller
        for creation in (
            Keys(caller, site.database, site.plans, keys.uses).create(KeyCreate()),
            Apps(caller, site.database).create(wanted),
            Apps(caller, site.database).rotate(app.id),
            authorization.allow(AuthorizationRequest(target, ["agents:read"], "", None), caller),
        ):
            with pytest.raises(AuthRequired, match="revoked"):
                await creation
    assert (await keys.page(Page()))[1] == 0


async def test_a_replaced_secret_gets_no_tokens(site: Site) -> None:
    apps = Apps((await keys_of(site)).caller, site.database)
    made = await apps.create(AppCreate(name="Dashboard", scopes=["agents:read"]))
    app = await Clients(site.database).find(made.client_id)
    assert app
    await apps.rotate(made.id)
    with pytest.raises(OAuthError, match="replaced"):
        await TokenGrants(site.database, str).exchange(app, {"grant_type": "client_credentials"}, "")


async def test_the_old_key_works_for_the_overlap_and_not_longer(site: Site) -> None:
    keys = await keys_of(site)
    old = await keys.create(KeyCreate())
    new = await keys.rotate(old.id, timedelta(days=3))
    site.clock.forward(days=3, seconds=-1)
    assert await site.keys.find(old.key)
    site.clock.forward(seconds=1)
    assert await site.keys.find(old.key) is None
    assert await site.keys.find(new.key)


async def test_a_key_expires_and_its_successor_lives_as_long(site: Site) -> None:
    keys = await keys_of(site)
    old = await keys.create(KeyCreate(expires_in_days=10))
    site.clock.forward(days=8)
    new = await keys.rotate(old.id, timedelta(days=7))
    site.clock.forward(days=2)
    assert await site.keys.find(old.key) is None, "the overlap must not extend the key's life"
    site.clock.forward(days=7)
    assert await site.keys.find(new.key)
    site.clock.forward(days=1)
    assert await site.keys.find(new.key) is None
    with pytest.raises(ValidationFailed, match="expired"):
        await keys.rotate(new.id, timedelta())


async def test_expired_keys_do_not_count_against_the_plan(site: Site) -> None:
    keys = await keys_of(site)
    for _ in range(site.plans["free"].keys):
        await keys.create(KeyCreate(expires_in_days=1))
    with pytest.raises(ValidationFailed, match="allows 5 keys"):
        await keys.create(KeyCreate())
    site.clock.forward(days=1)
    await keys.create(KeyCreate())


def test_the_plan_bounds_keys_however_many_ask_at_once(user: User, new_user: NewUser) -> None:
    client = new_user(user.server, "free").client()
    clients = [Client(user.server, client.key) for _ in range(8)]
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda one: one.post("/keys"), clients))
    assert sorted(answer.status_code for answer in answers) == [201] * 4 + [400] * 4
    full = data(client.get("/keys"))
    data(client.post(f"/keys/{full[0]['id']}/rotate", {"overlap_days": 1}), 201)
    refuse(client.post("/keys"), 400, "allows 5 keys")
    data(client.post("/keys", {"mode": "test"}), 201)
    for one in clients:
        one.close()


def test_a_key_works_only_from_its_networks(start_server: StartServer) -> None:
    server = start_server(RETINUE_TRUSTED_PROXIES="127.0.0.1/32")
    owner = Client(server, server.first_key)
    key = data(owner.post("/keys", {"networks": ["203.0.113.0/24", "2001:db8::/32"]}), 201)["key"]
    within = ["203.0.113.9", "::ffff:203.0.113.9", "2001:db8::1", "198.51.100.1, 203.0.113.9"]
    outside = ["198.51.100.1", "203.0.114.1", "2001:db9::1", "203.0.113.9, 198.51.100.1", "nonsense"]
    assert [status(server, key, **{"X-Forwarded-For": address}) for address in within] == [200] * 4
    assert [status(server, key, **{"X-Forwarded-For": address}) for address in outside] == [401] * 5
    client = Client(server, key)
    refuse(client.get("/agents"), 401, "127.0.0.1")
    client.close()
    owner.close()


@given(address=st.ip_addresses(), width=st.integers(1, 128))
def test_an_address_is_within_its_own_network_and_not_in_the_other_half(
    address: IPv4Address | IPv6Address, width: int
) -> None:
    assume(getattr(address, "ipv4_mapped", None) is None)
    (network,) = parse_networks([f"{address}/{min(width, address.max_prefixlen)}"])
    assert is_within(str(address), (network,))
    other = type(address)(int(address) ^ 1 << (address.max_prefixlen - network.prefixlen))
    assume(getattr(other, "ipv4_mapped", None) is None)
    assert not is_within(str(other), (network,))


def test_the_command_line_limits_rotates_and_revokes(user: User) -> None:
    server = user.server
    made = server.cli("keys", "create", "--user", user.email, "--networks", "127.0.0.1, 10.0.0.0/8", "--expires", "9")
    key = last_word(made)
    shown = data(user.client().get("/keys"))
    assert shown[1]["networks"] == ["127.0.0.1/32", "10.0.0.0/8"]
    assert shown[1]["expires_at"] is not None
    prefix = key.split("_")[2]
    new = last_word(server.cli("keys", "rotate", prefix, "--overlap", "2"))
    assert KEY.fullmatch(new)
    assert status(server, key) == status(server, new) == 200
    assert "already" in server.cli("keys", "rotate", prefix, status=1)
    last_word(server.cli("keys", "rotate", new.split("_")[2], status=1))
    server.cli("keys", "revoke", prefix)
    server.cli("keys", "rotate", new.split("_")[2])
    states = [line.split("\t")[1] for line in server.cli("keys", "list", "--user", user.email).splitlines()]
    assert states == ["revoked", "in force", "expired", "in force"]
    assert "no active key" in server.cli("keys", "rotate", "absent00", status=1)
    assert "CIDRs" in server.cli("keys", "create", "--user", user.email, "--networks", "nonsense", status=1)


def test_the_operator_revokes_everything_of_a_user(user: User) -> None:
    session, key, test = give_password(user.server, user.email), user.client(), user.client(test=True)
    link = user.server.ask("users.link", email=user.email)
    user.server.cli("users", "revoke", user.email)
    eventually(lambda: {one.get("/agents").status_code for one in (session, key, test)} == {401}, within=1.0)
    assert link.startswith("link_")
    give_password(user.server, user.email).close()
    session.close()
