"""Endpoints that an app chose the URL of end with the app's grant."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.auth.signing_in import give_password
from tests.conftest import User
from tests.oauth.protocol import create_app, tokens_of
from tests.support.client import Client, data
from tests.webhooks.conftest import NewHook, new_agent
from tests.webhooks.receiver import Receiver


@pytest.fixture
def owner(user: User) -> Iterator[Client]:
    """The session of a user with a password."""
    session = give_password(user.server, user.email)
    yield session
    session.close()


def authorize(user: User, owner: Client) -> tuple[dict[str, Any], Client]:
    """Create an app that may do everything. Returns it and a client with its token."""
    app = create_app(owner, scopes=["*"])
    token = tokens_of(user.server, app, {"grant_type": "client_credentials"})["access_token"]
    return app, user.with_key(token)


@pytest.mark.parametrize("way", ["revoke the grant", "delete the app"])
def test_an_endpoint_of_an_app_ends_with_its_grant(
    user: User, owner: Client, new_hook: NewHook, receiver: Receiver, way: str
) -> None:
    app, client = authorize(user, owner)
    hook = new_hook(client)
    own = new_hook(owner)
    new_agent(owner)
    receiver.receive(hook.path, at_least=1)
    receiver.receive(own.path, at_least=1)
    if way == "delete the app":
        data(owner.delete(f"/oauth/apps/{app['id']}"))
    else:
        data(owner.delete(f"/oauth/grants/{data(owner.get('/oauth/grants'))[0]['id']}"))
    new_agent(owner)
    receiver.receive(own.path, at_least=2)
    shown = data(owner.get(f"/webhooks/{hook.id}"))
    assert (shown["enabled"], "app" in shown["disabled_reason"]) == (False, True)
    assert [one["enabled"] for one in data(owner.get("/webhooks"))] == [True, False]
    assert len(data(owner.get(f"/webhooks/{hook.id}/deliveries"))) == 1
    kept = data(owner.put(f"/webhooks/{hook.id}", {"enabled": True}))
    assert (kept["enabled"], kept["disabled_reason"]) == (True, None)
    new_agent(owner)
    receiver.receive(hook.path, at_least=2)


def test_an_endpoint_that_an_app_redirects_to_itself_ends_with_its_grant(
    user: User, owner: Client, new_hook: NewHook, receiver: Receiver
) -> None:
    _, client = authorize(user, owner)
    hook = new_hook(owner)
    data(client.put(f"/webhooks/{hook.id}", {"description": "Only renamed"}))
    assert data(owner.get(f"/webhooks/{hook.id}"))["enabled"] is True
    data(client.put(f"/webhooks/{hook.id}", {"url": receiver.url("/taken")}))
    data(owner.delete(f"/oauth/grants/{data(owner.get('/oauth/grants'))[0]['id']}"))
    assert data(owner.get(f"/webhooks/{hook.id}"))["enabled"] is False
