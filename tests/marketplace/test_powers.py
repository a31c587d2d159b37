"""What a credential may do in the marketplace: rights of operators, publishing by apps, test keys, counts, authors."""

from typing import Any

import pytest

from tests.auth.signing_in import give_password
from tests.conftest import NewUser, User
from tests.marketplace.test_items import item_of, unique
from tests.oauth.protocol import Pkce, consent, create_app, exchange, tokens_of
from tests.support.client import Client, data, refuse
from tests.support.server import Server

MARKET = ["marketplace:publish", "marketplace:read", "marketplace:write"]


@pytest.fixture
def operator(server: Server, new_user: NewUser) -> User:
    """A user who is an operator."""
    user: User = new_user(server)
    server.ask("users.promote", email=user.email)
    return user


def app_of(user: User, scopes: list[str]) -> Client:
    """Return a client with the token of an app to which a user consented."""
    owner, pkce = give_password(user.server, user.email), Pkce()
    app = create_app(owner, scopes=scopes)
    code = consent(user.server, app, user.email, pkce)["code"]
    owner.close()
    return user.with_key(tokens_of(user.server, app, exchange(code, pkce))["access_token"])


def publish(client: Client, slug: str = "") -> dict[str, Any]:
    """Publish an item."""
    made: dict[str, Any] = data(client.post("/marketplace", item_of(slug or unique(client))), 201)
    return made


def test_rights_of_an_operator_need_a_session_or_a_key_with_every_scope(operator: User, client: Client) -> None:
    path = f"/marketplace/{publish(client)['id']}"
    limited = [operator.client(MARKET), app_of(operator, MARKET), app_of(operator, ["*"]), operator.client(test=True)]
    for number, one in enumerate(limited):
        refuse(one.get(path), 404)
        refuse(one.post(f"{path}/install"), 404)
        refuse(one.post(f"{path}/moderate", {"status": "published"}), 403)
        assert path.rpartition("/")[2] not in [str(item["id"]) for item in data(one.get("/marketplace?sort=newest"))]
        if number < 3:
            own = publish(one, f"{unique(client)}-{number}")
            assert own["status"] == "pending", "it must await moderation like everybody's"
            assert data(one.put(f"/marketplace/{own['id']}", {"version": "1.1.0"}))["status"] == "pending"
    session = give_password(operator.server, operator.email)
    assert publish(session, f"{unique(client)}-s")["status"] == "published"
    assert data(operator.client().post(f"{path}/moderate", {"status": "published"}))["status"] == "published"
    session.close()


def test_apps_publish_only_with_the_scope_for_it(user: User) -> None:
    app = app_of(user, ["marketplace:read", "marketplace:write"])
    made = publish(user.client())
    refuse(app.post("/marketplace", item_of(f"{made['slug']}-2")), 403, "marketplace:publish")
    refuse(app.put(f"/marketplace/{made['id']}", {"version": "2.0.0"}), 403, "marketplace:publish")
    refuse(app.post(f"/marketplace/{made['id']}/moderate", {"status": "withdrawn"}), 403, "marketplace:publish")
    data(app.post(f"/marketplace/{made['id']}/install"), 201)
    publisher = app_of(user, ["marketplace:publish"])
    assert data(publisher.post("/marketplace", item_of(f"{made['slug']}-2")), 201)["status"] == "pending"
    refuse(publisher.post(f"/marketplace/{made['id']}/install"), 403, "marketplace:write")


def test_a_key_that_could_publish_still_can(user: User) -> None:
    slug = f"poet-w-{data(user.client().get('/account'))['id']}"
    key = user.client(["marketplace:read", "marketplace:write"])
    made = publish(key, slug)
    data(key.put(f"/marketplace/{made['id']}", {"version": "2.0.0"}))
    assert data(key.post(f"/marketplace/{made['id']}/moderate", {"status": "withdrawn"}))["status"] == "withdrawn"


def test_test_keys_only_browse_and_install(user: User, sandbox: Client, operator: User, stranger: Client) -> None:
    author = user.client()
    made = publish(author)
    path = f"/marketplace/{made['id']}"
    data(operator.client().post(f"{path}/moderate", {"status": "published"}))
    other = publish(stranger)
    data(operator.client().post(f"/marketplace/{other['id']}/moderate", {"status": "published"}))
    refuse(sandbox.post("/marketplace", item_of(f"{made['slug']}-t")), 403, "live key")
    refuse(sandbox.put(path, {"version": "2.0.0"}), 403, "live key")
    refuse(sandbox.post(f"{path}/moderate", {"status": "withdrawn"}), 403, "live key")
    refuse(sandbox.post(f"/marketplace/{other['id']}/rating", {"stars": 1}), 403, "live key")
    for _ in range(2):
        data(sandbox.post(f"{path}/install"), 201)
    now = data(author.get(path))
    assert (now["status"], now["pending_version"], now["installs"]) == ("published", None, 0)
    assert data(stranger.get(f"/marketplace/{other['id']}"))["ratings_count"] == 0


def test_a_user_counts_once(client: Client, stranger: Client, operator: User) -> None:
    path = f"/marketplace/{publish(client)['id']}"
    data(operator.client().post(f"{path}/moderate", {"status": "published"}))
    for _ in range(3):
        installed = data(stranger.post(f"{path}/install"), 201)
    data(stranger.delete(f"/marketplace/installed/{installed['id']}"))
    data(stranger.post(f"{path}/install"), 201)
    assert data(client.get(path))["installs"] == 1
    data(client.post(f"{path}/install"), 201)
    assert data(client.get(path))["installs"] == 2


@pytest.mark.parametrize("name", ["Retinue", "RETINUE team", "Operator", "a\u202eb"])
def test_authors_cannot_pass_as_the_server(client: Client, name: str) -> None:
    data(client.put("/account", {"name": name}))
    refuse(client.post("/marketplace", item_of(unique(client))), 400, "name")
    data(client.put("/account", {"name": "Ada"}))
    assert publish(client)["author"] == "Ada"
