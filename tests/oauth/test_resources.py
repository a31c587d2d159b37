"""Tokens open only the resource that they are for (RFC 8707)."""

from typing import Any

import pytest

from tests.auth.signing_in import give_password
from tests.conftest import User
from tests.interop.mcp_clients import ask, post
from tests.oauth.protocol import (
    Browser,
    Pkce,
    answer_of,
    ask_token,
    consent,
    create_app,
    exchange,
    post_form,
    refused_as,
    tokens_of,
)
from tests.support.client import Client, fetch


@pytest.fixture
def owner(user: User) -> Client:
    """The user, signed in with a password."""
    return give_password(user.server, user.email)


def opens(user: User, tokens: dict[str, Any]) -> tuple[int, int]:
    """Return the statuses of the API and of the MCP server with an access token."""
    client = Client(user.server, tokens["access_token"])
    api = client.get("/agents").status_code
    client.close()
    return api, post(user.server, tokens["access_token"], ask("tools/list")).status_code


def test_a_token_opens_the_resource_that_it_is_for(user: User, owner: Client) -> None:
    app = create_app(owner, scopes=["agents:read", "tools:read"])
    url = user.server.url
    for resource, opened in (
        (f"{url}/mcp", (401, 200)),
        (f"{url}/mcp/", (401, 200)),
        (f"{url}/mcp?tools=all", (401, 200)),
        (f"{url}/api/v1", (200, 401)),
        (url, (200, 401)),
        (None, (200, 401)),
    ):
        pkce, named = Pkce(), {"resource": resource} if resource else {}
        code = consent(user.server, app, user.email, pkce, **named)["code"]
        tokens = tokens_of(user.server, app, exchange(code, pkce, **named))
        assert opens(user, tokens) == opened, resource
        renew = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
        assert opens(user, tokens_of(user.server, app, renew)) == opened, "after a refresh"
        assert post(user.server, tokens["refresh_token"], ask("ping")).status_code == 401


def test_a_key_opens_both(user: User) -> None:
    assert opens(user, {"access_token": user.client().key}) == (200, 200)


def test_client_credentials_are_for_a_resource(user: User, owner: Client) -> None:
    app = create_app(owner, scopes=["agents:read", "tools:read"])
    form = {"grant_type": "client_credentials", "resource": f"{user.server.url}/mcp"}
    tokens = tokens_of(user.server, app, form)
    assert opens(user, tokens) == (401, 200)
    auth = app["client_id"], app["client_secret"]
    seen = post_form(user.server, "introspect", {"token": tokens["access_token"]}, auth=auth).json()
    assert seen["aud"] == f"{user.server.url}/mcp"


def test_other_resources_are_no_target(user: User, owner: Client) -> None:
    app, pkce, url = create_app(owner), Pkce(), user.server.url
    for resource in ("https://example.com/mcp", f"{url}/mcp/more", f"{url}.example.com/mcp", "mcp", "urn:a"):
        answer = answer_of(Browser(user.server).open(app, pkce, resource=resource))
        assert answer["error"] == "invalid_target", resource
        refused_as(
            ask_token(user.server, app, {"grant_type": "client_credentials", "resource": resource}), "invalid_target"
        )


def test_a_token_request_may_narrow_but_not_change_the_resource(user: User, owner: Client) -> None:
    app, url = create_app(owner, scopes=["agents:read", "tools:read"]), user.server.url
    pkce = Pkce()
    bound = exchange(consent(user.server, app, user.email, pkce, resource=f"{url}/mcp")["code"], pkce)
    refused_as(ask_token(user.server, app, {**bound, "resource": f"{url}/api/v1"}), "invalid_target")
    tokens = tokens_of(user.server, app, bound)
    renew = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
    refused_as(ask_token(user.server, app, {**renew, "resource": url}), "invalid_target")
    assert opens(user, tokens_of(user.server, app, renew)) == (401, 200), "a refused request uses nothing up"
    pkce = Pkce()
    free = exchange(consent(user.server, app, user.email, pkce)["code"], pkce)
    assert opens(user, tokens_of(user.server, app, {**free, "resource": f"{url}/mcp"})) == (401, 200)


def test_the_metadata_names_exactly_this_resource(user: User) -> None:
    url = user.server.url
    document = fetch(user.server, "/.well-known/oauth-protected-resource/mcp").json()
    assert document == {
        "resource": f"{url}/mcp",
        "resource_name": "Retinue",
        "authorization_servers": [url],
        "scopes_supported": ["agents:read", "agents:write", "tools:execute", "tools:read"],
        "bearer_methods_supported": ["header"],
    }
